//! Markdown for clients that show plain text: the same words without the marks.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::fmt::Write;
use tower_lsp_server::ls_types::{MarkupContent, MarkupKind};

/// A text in Markdown as the client can show it.
pub(crate) fn markup(text: String, shows_markdown: bool) -> MarkupContent {
    if shows_markdown {
        MarkupContent { kind: MarkupKind::Markdown, value: text }
    } else {
        MarkupContent { kind: MarkupKind::PlainText, value: of_markdown(&text) }
    }
}

/// Drops emphasis, code marks, headings' signs, rules and the addresses of links. Text in a fence is kept as it is.
pub(crate) fn of_markdown(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    // Numbers of the enclosing lists; `None` for a list without numbers.
    let mut lists: Vec<Option<u64>> = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::List(first)) => {
                separate(&mut text, if lists.is_empty() { "\n\n" } else { "\n" });
                lists.push(first);
            }
            Event::End(TagEnd::List(_)) => drop(lists.pop()),
            Event::Start(Tag::Item) => {
                separate(&mut text, "\n");
                text.push_str(&"  ".repeat(lists.len().saturating_sub(1)));
                match lists.last_mut() {
                    Some(Some(number)) => {
                        let _ = write!(text, "{number}. ");
                        *number += 1;
                    }
                    _ => text.push_str("- "),
                }
            }
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::Table(_))
                if lists.is_empty() =>
            {
                separate(&mut text, "\n\n");
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                separate(&mut text, "\n");
                text.push('|');
            }
            Event::Start(Tag::TableCell) => text.push(' '),
            Event::End(TagEnd::TableCell) => text.push_str(" |"),
            Event::Text(own) | Event::Code(own) | Event::Html(own) | Event::InlineHtml(own) => {
                text.push_str(&own);
            }
            Event::SoftBreak | Event::HardBreak => text.push('\n'),
            _ => {}
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Appends the line breaks `ends` before a new block, unless the text is empty.
fn separate(text: &mut String, ends: &str) {
    text.truncate(text.trim_end_matches('\n').len());
    if !text.is_empty() {
        text.push_str(ends);
    }
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
