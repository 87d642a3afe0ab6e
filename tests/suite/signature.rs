//! Signature help: a mark requests it after its last caret.

use crate::session::check;
use testkit::Answer;

#[test]
fn signatures_name_the_operand_at_the_cursor() {
    check("signature", |fixture, analysis| {
        let ask = |place: std::ops::Range<usize>| {
            let text = match analysis.signature(place.end).expect("nothing cancels it") {
                None => "nothing".to_owned(),
                Some(found) => {
                    let operand = &found.operands[found.active];
                    let name = &found.label[operand.label.clone()];
                    format!("{}\n{name}: {}", found.label, operand.meaning)
                }
            };
            Answer::at(place, "signature", text)
        };
        fixture.asked("signature").map(ask).collect()
    });
}
