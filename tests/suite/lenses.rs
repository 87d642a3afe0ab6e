//! Code lenses: the line over each kernel, one for each launch.

use crate::session::check;
use testkit::Answer;

#[test]
fn lenses_sum_up_a_kernel() {
    check("lenses", |_, analysis| {
        let lenses = analysis.lenses().expect("nothing cancels it");
        lenses.into_iter().map(|lens| Answer::at(lens.range, "lens", lens.title)).collect()
    });
}
