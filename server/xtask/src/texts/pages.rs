//! Pages of Markdown and of plain text.

use super::text::Text;

/// Returns the paragraphs, headings, list entries and table rows of a page, without its code blocks.
pub(super) fn texts(page: &str) -> Vec<Text> {
    paragraphs(page, true)
}

/// Returns the paragraphs of plain text.
pub(super) fn plain(page: &str) -> Vec<Text> {
    paragraphs(page, false)
}

fn paragraphs(page: &str, is_markdown: bool) -> Vec<Text> {
    let mut texts: Vec<Text> = Vec::new();
    let mut is_code = false;
    let mut is_open = false;
    for (line, number) in page.lines().zip(1..) {
        let trimmed = line.trim_start();
        if is_markdown && trimmed.starts_with("```") {
            is_code = !is_code;
            is_open = false;
            continue;
        }
        if is_code || trimmed.is_empty() {
            is_open = false;
            continue;
        }
        let starts = ["- ", "* ", "| ", "#"].iter().any(|mark| trimmed.starts_with(mark));
        match texts.last_mut().filter(|_| is_open && !(is_markdown && starts)) {
            Some(last) => {
                last.text.push('\n');
                last.text.push_str(line);
            }
            None => texts.push(Text { line: number, text: line.to_owned() }),
        }
        is_open = !(is_markdown && trimmed.starts_with('#'));
    }
    texts
}
