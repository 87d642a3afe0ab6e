//! `cubins` in `warplens.toml`: the cubin files whose line tables refer to source files.

use globset::{GlobBuilder, GlobMatcher};

/// A path or a glob (`*`, `?`, `[...]`, `{...,...}`, and `**` for folders of any depth), with `/` as
/// separator. It is absolute, relative to the folder of the `warplens.toml`, or relative to the user's home
/// (`~/...`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CubinPattern(String);

/// Longest pattern in bytes: the longest path.
const MAX_BYTES: usize = 4096; // Source: PATH_MAX of Linux

/// Longest prefix of a pattern that a message quotes, in bytes.
const SHOWN: usize = 80; // limit: one line of a message

/// A pattern that is matched against absolute paths.
#[derive(Debug, Clone)]
pub struct PathPattern {
    /// The folder that contains all matching files, or the path of the file if there is no wildcard.
    pub base: String,
    glob: GlobMatcher,
}

impl CubinPattern {
    /// Returns the pattern with an absolute path, for a `warplens.toml` in `folder`. `None` if the pattern starts
    /// with `~/` and `home` is `None`, or if the absolute pattern is not a valid glob.
    pub fn within(&self, folder: &str, home: Option<&str>) -> Option<PathPattern> {
        let is_whole = self.0.starts_with('/') || self.0.as_bytes().get(1) == Some(&b':');
        let (root, rest) = match self.0.strip_prefix("~/") {
            Some(rest) => (home?.trim_end_matches('/'), rest),
            None if is_whole => ("", &*self.0),
            None => (folder.trim_end_matches('/'), self.0.strip_prefix("./").unwrap_or(&self.0)),
        };
        let whole =
            if root.is_empty() { rest.to_owned() } else { format!("{}/{rest}", globset::escape(root)) };
        let glob = GlobBuilder::new(&whole).literal_separator(true).build().ok()?.compile_matcher();
        let special = rest.find(['*', '?', '[', '{', '\\']);
        let base = special.map_or(rest, |at| rest[..at].rsplit_once('/').map_or("", |(base, _)| base));
        let base = if root.is_empty() { base.to_owned() } else { format!("{root}/{base}") };
        Some(PathPattern { base, glob })
    }
}

impl PathPattern {
    /// True if a file with this path matches the pattern.
    pub fn matches(&self, path: &str) -> bool {
        self.glob.is_match(path)
    }
}

impl TryFrom<String> for CubinPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let refused = |why: &str| {
            let shown = text.get(..text.floor_char_boundary(SHOWN)).unwrap_or_default();
            let more = if shown.len() < text.len() { "…" } else { "" };
            Err(format!("cubin `{shown}{more}`: {why}"))
        };
        if text.len() > MAX_BYTES {
            return refused("the pattern is too long");
        }
        if text.is_empty() || text.chars().any(char::is_control) {
            return refused("expected a file or a pattern, such as \"build/**/*.cubin\"");
        }
        if text.split(['/', '\\', '{', '}', ',']).any(|part| part == "..") {
            return refused("expected a path without `..`");
        }
        match GlobBuilder::new(&text).literal_separator(true).build() {
            Ok(_) => Ok(Self(text)),
            Err(error) => refused(&error.kind().to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(text: &str) -> PathPattern {
        let pattern = CubinPattern::try_from(text.to_owned()).expect("it is a pattern");
        pattern.within("/src/[a]", Some("/home/u")).expect("there is a home")
    }

    #[test]
    fn a_pattern_is_of_the_folder_of_the_home_or_whole() {
        let own = within("build/**");
        assert_eq!(own.base, "/src/[a]/build");
        assert!(own.matches("/src/[a]/build/x/k.cubin") && !own.matches("/src/a/build/k.cubin"));
        let home = within("~/.triton/cache/**");
        assert_eq!(home.base, "/home/u/.triton/cache");
        assert!(home.matches("/home/u/.triton/cache/ABC/k.cubin"));
        let whole = within("/tmp/out/*.cubin");
        assert_eq!(whole.base, "/tmp/out");
        assert!(whole.matches("/tmp/out/k.cubin") && !whole.matches("/tmp/out/x/k.cubin"));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in ["", "../x", "a[", "a\nb", "x/{..,b}/c"] {
            let refused = CubinPattern::try_from(text.to_owned());
            assert!(refused.is_err_and(|why| why.contains("cubin `")), "{text:?}");
        }
    }
}
