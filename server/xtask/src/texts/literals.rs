//! Finds string literals in TypeScript, JavaScript and Lua without parsing the language.

use super::sentences::reads_as_words;
use super::text::Text;

/// Returns the literals of TypeScript or JavaScript that consist of words.
pub(super) fn script(source: &str) -> Vec<Text> {
    scan(source, "//", Some(("/*", "*/")))
}

/// Returns the literals of Lua that consist of words.
pub(super) fn lua(source: &str) -> Vec<Text> {
    scan(source, "--", Some(("--[[", "]]")))
}

fn scan(source: &str, comment: &str, block: Option<(&str, &str)>) -> Vec<Text> {
    let mut texts = Vec::new();
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        if let Some((_, end)) = block.filter(|(start, _)| rest.starts_with(start)) {
            at += rest.find(end).map_or(rest.len(), |length| length + end.len());
        } else if rest.starts_with(comment) {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if matches!(c, '"' | '\'' | '`') {
            let (text, length) = literal(rest, c);
            if reads_as_words(&text) {
                texts.push(Text { line: 1 + source[..at].matches('\n').count(), text });
            }
            at += length;
        } else {
            at += c.len_utf8();
        }
    }
    texts
}

/// The contents of the literal at the start of a text, and the literal's length in bytes. The literal ends at
/// the end of the line at the latest, so a quote in a regular expression affects only one line.
fn literal(rest: &str, quote: char) -> (String, usize) {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return (text, at + c.len_utf8());
        }
        match c {
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, escaped)) => text.push(escaped),
                None => break,
            },
            '\n' if quote != '`' => return (String::new(), at),
            _ => text.push(c),
        }
    }
    (text, rest.len())
}
