//! Hover: a mark requests it at its first caret; its carets are the range of the answer.

use crate::session::check;
use testkit::Answer;

#[test]
fn hovers_say_what_a_place_means() {
    check("hover", |fixture, analysis| {
        let ask = |place: std::ops::Range<usize>| {
            let hover = analysis.hover(place.start).expect("nothing cancels it");
            match hover {
                Some(hover) => Answer::at(hover.range, "hover", hover.markdown),
                None => Answer::at(place, "hover", "nothing"),
            }
        };
        fixture.asked("hover").map(ask).collect()
    });
}
