//! A text as an open document, and application of edits.

use ide::{Analysis, Cancel, Host, TextEdit};

pub(crate) fn opened(text: &str) -> Analysis {
    let mut host = Host::default();
    host.open("sample", 1, text);
    host.snapshot("sample", Cancel::default()).expect("the document is open")
}

/// The text with edits applied, which must be in text order.
pub(crate) fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut edited = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        edited.push_str(&text[at..edit.range.start]);
        edited.push_str(&edit.text);
        at = edit.range.end;
    }
    edited.push_str(&text[at..]);
    edited
}
