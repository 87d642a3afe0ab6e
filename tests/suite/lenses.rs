//! Code lenses: the line over each kernel, one per launch, and the line over each loop.

use crate::session::check;
use testkit::Answer;

#[test]
fn lenses_sum_up_a_kernel() {
    check("lenses", |_, analysis| {
        let lenses = analysis.lenses().expect("nothing cancels it");
        let places = analysis.lens_places().expect("nothing cancels it").into_iter();
        let one_by_one: Vec<_> =
            places.map(|place| analysis.lens(place.kernel, place.of).expect("nothing cancels it")).collect();
        assert_eq!(one_by_one, lenses.iter().cloned().map(Some).collect::<Vec<_>>());
        lenses.into_iter().map(|lens| Answer::at(lens.range, "lens", lens.title)).collect()
    });
}
