//! The `#include` directives of a text.

use super::preprocessor::{Conditions, Pass};

/// An `#include` directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Include<'t> {
    /// Path as written: `cub/cub.cuh`.
    pub path: &'t str,
    /// True for a path in quotation marks, which may be relative to the folder of the text.
    pub is_quoted: bool,
    /// Byte offset of the `#`.
    at: usize,
}

/// Returns the `#include` directives of a text that name a file, in text order. Branches that are not compiled are left
/// out, as far as the text itself decides it.
pub fn includes(text: &str) -> Vec<Include<'_>> {
    let passes = [Pass::Device { sm: None }, Pass::Host].map(|pass| Conditions::read(text, pass, None));
    let is_left_out = |include: &Include<'_>| passes.iter().all(|pass| pass.is_left_out(include.at));
    directives(text).filter(|include| !is_left_out(include)).collect()
}

/// Returns the paths in all `#include` directives of a text.
pub fn included_paths(text: &str) -> impl Iterator<Item = &str> {
    directives(text).map(|include| include.path)
}

fn directives(text: &str) -> impl Iterator<Item = Include<'_>> {
    memchr::memchr_iter(b'#', text.as_bytes()).filter_map(|at| {
        let line = text[at + 1..].lines().next()?.trim_start().strip_prefix("include")?.trim_start();
        let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1);
        let (is_quoted, end) = match line.as_bytes().first()? {
            b'"' => (true, '"'),
            b'<' => (false, '>'),
            _ => return None,
        };
        let (path, _) = line[1..].split_once(end)?;
        text[start..at].trim().is_empty().then_some(Include { path, is_quoted, at })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_read_outside_of_branches_that_are_not_compiled() {
        let text =
            "#include \"a.h\"\n # include <b/c.cuh> // x\n#if 0\n#include \"no.h\"\n#endif\n#include NAME\n";
        let text = format!("{text}// #include \"no.h\"\n");
        let found = includes(&text).into_iter().map(|include| (include.path, include.is_quoted));
        assert_eq!(found.collect::<Vec<_>>(), [("a.h", true), ("b/c.cuh", false)]);
    }
}
