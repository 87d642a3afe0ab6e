//! `listings` in `warplens.toml`: the listing files of a folder that are searched for kernels.

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

/// A path or a glob (`*`, `?`, `[...]`, `{...,...}`, and `**` for folders of any depth). It is relative to
/// the folder of the `warplens.toml` and uses `/` as separator.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct ListingPattern {
    text: String,
    glob: GlobMatcher,
}

/// Longest pattern in bytes: the longest path.
const MAX_BYTES: usize = 4096; // Source: PATH_MAX of Linux

/// Longest prefix of a pattern that a message quotes, in bytes.
const SHOWN: usize = 80; // limit: one line of a message

impl ListingPattern {
    /// Returns the pattern as the user wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if a file matches the pattern. `path` is relative to the folder and uses `/` as separator.
    pub fn matches(&self, path: &str) -> bool {
        self.glob.is_match(path)
    }

    /// Returns the folder that contains all matching files. Empty for the folder of the `warplens.toml`. For
    /// a pattern without wildcards, returns the path of the file.
    pub fn base(&self) -> &str {
        let special = self.text.find(['*', '?', '[', '{', '\\']);
        special.map_or(&self.text, |at| self.text[..at].rsplit_once('/').map_or("", |(base, _)| base))
    }

    /// Returns the largest number of components in a path that matches the pattern. `None` if it is
    /// unlimited.
    pub fn max_parts(&self) -> Option<usize> {
        let endless = self.text.contains("**") || self.text.contains('{');
        (!endless).then(|| self.text.split('/').count())
    }
}

impl PartialEq for ListingPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl TryFrom<String> for ListingPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let refused = |why: &str| {
            let shown = text.get(..text.floor_char_boundary(SHOWN)).unwrap_or_default();
            let more = if shown.len() < text.len() { "…" } else { "" };
            Err(format!("listing `{shown}{more}`: {why}"))
        };
        if text.len() > MAX_BYTES {
            return refused("the pattern is too long");
        }
        let drive = text.as_bytes().get(1) == Some(&b':');
        if text.is_empty() || text.chars().any(char::is_control) {
            return refused("expected a file or a pattern, such as \"build/**/*.sass\"");
        }
        if text.starts_with(['/', '\\']) || drive {
            return refused("expected a path relative to the folder of warplens.toml");
        }
        if text.split(['/', '\\', '{', '}', ',']).any(|part| part == "..") {
            return refused("expected a path inside the folder of warplens.toml, without `..`");
        }
        let plain = text.strip_prefix("./").unwrap_or(&text);
        let built = GlobBuilder::new(plain).literal_separator(true).build();
        match built {
            Ok(glob) => Ok(Self { text: plain.to_owned(), glob: glob.compile_matcher() }),
            Err(error) => refused(&error.kind().to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> ListingPattern {
        ListingPattern::try_from(text.to_owned()).expect("it is a pattern")
    }

    #[test]
    fn a_star_stays_in_its_folder_and_two_do_not() {
        let deep = pattern("build/**/*.sass");
        assert!(deep.matches("build/a.sass") && deep.matches("build/x/y/a.sass"));
        assert!(!deep.matches("a.sass") && !deep.matches("build/a.txt"));
        let flat = pattern("./build/*.{sass,txt}");
        assert!(flat.matches("build/a.txt") && !flat.matches("build/x/a.sass"));
        let one = pattern("kernels.sass");
        assert!(one.matches("kernels.sass") && !one.matches("x/kernels.sass"));
    }

    #[test]
    fn only_what_can_match_need_be_looked_at() {
        let parts = |text| (pattern(text).base().to_owned(), pattern(text).max_parts());
        assert_eq!(parts("build/**/*.sass"), ("build".to_owned(), None));
        assert_eq!(parts("out/v?/*.sass"), ("out".to_owned(), Some(3)));
        assert_eq!(parts("*.sass"), (String::new(), Some(1)));
        assert_eq!(parts("out/a.sass"), ("out/a.sass".to_owned(), Some(2)));
        assert_eq!(parts("{a,b/c}.sass"), (String::new(), None));
    }

    #[test]
    fn what_is_no_pattern_of_the_folder_is_refused() {
        for text in
            ["", "/etc/*.sass", "C:/a.sass", "../a.sass", "a/{..,b}/c", "a[", "{a", "a\nb", "\\\\host\\a"]
        {
            let refused = ListingPattern::try_from(text.to_owned());
            assert!(refused.is_err_and(|why| why.contains("listing `")), "{text:?}");
        }
    }
}
