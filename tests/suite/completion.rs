//! Completion: a mark requests it after its last caret, and shows the items that a client would show: items
//! that begin with the typed word.

use crate::session::check;
use ide::{Analysis, Completion, CompletionKind, Language};
use std::fmt::Write;
use std::ops::Range;
use testkit::Answer;

/// Number of items shown; the other items are counted.
const SHOWN: usize = 8;

#[test]
fn completions_fit_the_place() {
    check("completion", |fixture, analysis| {
        let ask = |place: Range<usize>| {
            let text = describe(analysis, fixture.text(), &place);
            Answer::at(place, "complete", text)
        };
        fixture.asked("complete").map(ask).collect()
    });
}

/// The first few proposals at a position that begin with the typed word.
pub(crate) fn describe(analysis: &Analysis, text: &str, place: &Range<usize>) -> String {
    let Some(found) = analysis.completions(place.end).expect("nothing cancels it") else {
        return "nothing".to_owned();
    };
    let compared = |item: &Completion| item.filter.clone().unwrap_or_else(|| item.label.clone());
    let begun = text[found.range.start..place.end].to_lowercase();
    let replaced = &text[found.range.clone()];
    let fitting: Vec<&Completion> =
        found.items.iter().filter(|item| compared(item).to_lowercase().starts_with(&begun)).collect();
    let mut answer = format!("`{replaced}`: {} of {} items", fitting.len(), found.items.len());
    for item in fitting.iter().take(SHOWN) {
        let _ = write!(answer, "\n{:?} {}", item.kind, item.label);
        if !item.detail.is_empty() {
            let _ = write!(answer, ": {}", item.detail);
        }
        let page = analysis.completion_page(item.kind, &item.label, &found.opcode);
        let has_page = page.expect("nothing cancels it").is_some();
        let expected = item.kind.has_page();
        // The names of some PTX modifiers are self-explanatory.
        let may_lack = analysis.language() != Language::Sass && item.kind == CompletionKind::Modifier;
        assert!(has_page == expected || may_lack && !has_page, "{item:?}");
    }
    answer
}
