//! Copies in another assembler's notation. A mark requests a copy of the lines above it; a single caret
//! requests the entire kernel. The head states the assembler (`//! assembler: maxas`).

use crate::session::check;
use ide::{Assembler, Refusal};
use testkit::Answer;

#[test]
fn instructions_are_copied_or_it_is_said_why_not() {
    check("copy", |fixture, analysis| {
        let name = fixture.stated("assembler").next().expect("the head states the assembler");
        let assembler: Assembler =
            serde_json::from_value(serde_json::Value::String(name.to_owned())).expect("it is known");
        let ask = |place: std::ops::Range<usize>| {
            let range = if place.len() > 1 { place.clone() } else { place.start..place.start };
            let text = match analysis.copy_as(range, assembler).expect("nothing cancels it") {
                Err(Refusal(why)) => format!("refused: {why}"),
                // A mark does not keep leading spaces of a line.
                Ok(copied) => format!("|{}", copied.text.trim_end().replace('\n', "\n|")),
            };
            Answer::at(place, "copy", text.trim_end())
        };
        fixture.asked("copy").map(ask).collect()
    });
}
