//! Quick fixes for findings: the rule's proposals, and comments that suppress the finding.

use super::findings::of_item;
use crate::engine::proposed::{prefer_only, proposed};
use crate::engine::ptx_text::placed;
use crate::ptx::view::View;
use crate::{Fix, TextEdit};
use advisor::ptx::Heading;
use std::ops::Range;

/// Fixes for a rule's finding at a range, best fix first.
pub(crate) fn fixes(view: &View<'_>, rule: &str, range: &Range<usize>) -> Vec<Fix> {
    if advisor::rule(rule).is_none() {
        return Vec::new();
    }
    let Some(place) = view.place(range.start) else { return Vec::new() };
    let gpu = view.target_gpu().gpu;
    let findings = of_item(view, place.index, place.item, Heading::read(view.module), &gpu);
    let mut fixes = proposed(findings.iter(), rule, range, |bytes| placed(place.start, bytes));
    prefer_only(&mut fixes);
    fixes.extend(allowances(rule, place.item.text(), place.start, place.byte as usize));
    fixes
}

/// Fixes that insert a comment to suppress a rule, either above the finding's line or at the start of
/// the file. The finding is at `byte` of `text`. `text` begins at offset `start` of the file.
pub(crate) fn allowances(rule: &str, text: &str, start: usize, byte: usize) -> Vec<Fix> {
    let byte = text.floor_char_boundary(byte);
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = text[..byte].rfind('\n').map_or(0, |at| at + 1);
    let code = text[line..].trim_start_matches([' ', '\t']);
    let indent = &text[line..text.len() - code.len()];
    let above = start + line;
    let comment = |indent: &str| format!("{indent}// warplens: allow({rule}){ending}");
    [
        (format!("Suppress {rule} on this line"), above, comment(indent)),
        (format!("Suppress {rule} in this file"), 0, comment("")),
    ]
    .map(|(title, at, text)| Fix {
        title,
        edits: vec![TextEdit { range: at..at, text }],
        preferred: false,
        suppresses: true,
    })
    .into()
}
