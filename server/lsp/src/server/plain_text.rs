//! Markdown for clients that show plain text: the same words without the marks.

use tower_lsp_server::ls_types::{MarkupContent, MarkupKind};

/// A text in Markdown as the client can show it.
pub(super) fn markup(text: String, shows_markdown: bool) -> MarkupContent {
    if shows_markdown {
        MarkupContent { kind: MarkupKind::Markdown, value: text }
    } else {
        MarkupContent { kind: MarkupKind::PlainText, value: of_markdown(&text) }
    }
}

/// Drops emphasis, code marks, headings' signs, table rules and the addresses of links. Text in a fence is kept as it is.
pub(super) fn of_markdown(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut fenced = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            text.push_str(line);
        } else if is_rule(line) {
            continue;
        } else {
            plain_line(line, &mut text);
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

/// A line between a table's head and body, or across the page.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.contains('-') && line.chars().all(|c| matches!(c, '-' | '|' | ':' | ' '))
}

fn plain_line(line: &str, text: &mut String) {
    let heading = line.trim_start_matches('#');
    let mut rest = if heading.len() < line.len() { heading.trim_start() } else { line };
    let mut in_code = false;
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        rest = match character {
            '`' => {
                in_code = !in_code;
                after
            }
            '\\' if !in_code && after.starts_with(|c: char| c.is_ascii_punctuation()) => {
                text.push_str(&after[..1]);
                &after[1..]
            }
            '*' if !in_code && after.starts_with('*') => &after[1..],
            '[' if !in_code && let Some((words, behind)) = link(after) => {
                plain_line(words, text);
                behind
            }
            other => {
                text.push(other);
                after
            }
        };
    }
}

/// The words of a link and what follows it, for the text behind its opening bracket.
fn link(text: &str) -> Option<(&str, &str)> {
    let (words, behind) = text.split_once("](")?;
    if words.contains(['[', ']']) {
        return None;
    }
    let (_, behind) = behind.split_once(')')?;
    Some((words, behind))
}

#[cfg(test)]
mod tests {
    use super::of_markdown;

    #[test]
    fn words_stay_and_marks_go() {
        let markdown = "### `IMAD.WIDE`\n\n**Multiply** and add [here](http://a/b), `R2 * R4`\n\n---\n```sass\n**x** `y`\n```\n";
        assert_eq!(of_markdown(markdown), "IMAD.WIDE\n\nMultiply and add here, R2 * R4\n\n**x** `y`");
    }

    #[test]
    fn what_is_no_mark_stays() {
        assert_eq!(of_markdown("c[0x0][0x160] and 2 * 3 \\* 4"), "c[0x0][0x160] and 2 * 3 * 4");
    }
}
