//! The cycles of selected lines. `//! select: 0010-0050` selects complete lines, from the first occurrence of
//! the first address to the last occurrence of the second address. The answer is shown on the first line.

use crate::session::check;
use std::ops::Range;
use testkit::{Answer, Fixture};

/// The range of the lines between two addresses, reversed if the second address is above the first.
fn selected(fixture: &Fixture, addresses: &str) -> Range<usize> {
    let (from, to) = addresses.split_once('-').expect("a selection is two addresses");
    let text = fixture.text();
    let start_of = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let place = |address: &str| format!("/*{address}*/");
    let first = text.find(&place(from)).expect("the first address is in the text");
    let last = text.rfind(&place(to)).expect("the second address is in the text");
    let end = last + text[last..].find('\n').expect("the line ends") + 1;
    start_of(first.min(last))..end.max(first)
}

#[test]
fn selections_have_cycles() {
    check("selection", |fixture, analysis| {
        let answer = |addresses| {
            let range = selected(fixture, addresses);
            let said = analysis.selection_cycles(range.clone()).expect("nothing cancels it");
            let text = said.map_or_else(
                || "nothing".to_owned(),
                |said| format!("{:?}\n{}\n{}", said.cycles, said.text, said.detail),
            );
            Answer::on_line(range, "selection", format!("{addresses} {text}"))
        };
        fixture.stated("select").map(answer).collect()
    });
}
