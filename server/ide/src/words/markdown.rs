//! Escaping for Markdown: names of kernels contain stars and underscores, which must not become emphasis.

/// A bold heading that contains a name, in a code span so that the name is not parsed as Markdown.
pub(crate) fn heading(name: &str) -> String {
    format!("**{}**", code(name))
}

/// A name in a code span.
pub(crate) fn code(name: &str) -> String {
    // An empty line would end the span.
    let name = name.replace(char::is_control, " ");
    // A span ends at a run of as many backticks as it began with, so use a longer run than any in the name.
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
