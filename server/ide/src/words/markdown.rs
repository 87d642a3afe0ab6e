//! Markdown escaping. Kernel names contain stars and underscores, which must not become emphasis.

/// Formats a name as a bold heading. The name is a code span, so it is not parsed as Markdown.
pub(crate) fn heading(name: &str) -> String {
    format!("**{}**", code(name))
}

/// Formats a name as a code span.
pub(crate) fn code(name: &str) -> String {
    // An empty line would end the code span.
    let name = name.replace(char::is_control, " ");
    // A code span ends at a sequence of as many backticks as it started with, so use more backticks than the
    // name has in sequence.
    let longest = name.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let blank = if name.starts_with('`') || name.ends_with('`') { " " } else { "" };
    format!("{fence}{blank}{name}{blank}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_backticks_stay() {
        assert_eq!(heading("k(float*, int*)"), "**`k(float*, int*)`**");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a"), "`` `a ``");
        assert_eq!(code("a``b`c"), "```a``b`c```");
        assert_eq!(code("a\n\n![p](http://host/x.png)"), "`a  ![p](http://host/x.png)`");
    }
}
