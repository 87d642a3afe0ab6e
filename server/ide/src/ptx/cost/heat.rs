//! Heat of PTX statements: each statement's share, summed over the SASS expected for the statement.

use crate::engine::cancel::Cancellable;
use crate::engine::lowered::ESTIMATED;
use crate::kernels::heat::{MIN_SHARE, Shares, share_in_words};
use crate::ptx::view::View;
use crate::{Heat, HeatMap};
use std::collections::BTreeMap;
use std::ops::Range;

/// Heat of the functions in a range of the text; `None` if no function in the range has a prediction.
pub(crate) fn heat(view: &View<'_>, range: &Range<usize>) -> Cancellable<Option<HeatMap>> {
    let mut map: Option<HeatMap> = None;
    for item in view.functions_in(range) {
        view.cancel.check()?;
        let Some(hidden) = view.cost(item) else { continue };
        let Some(kernel) = hidden.kernel() else { continue };
        let Some(shares) = Shares::compute(&kernel)? else { continue };
        let map = map.get_or_insert_with(|| {
            let map = shares.map(&kernel);
            HeatMap { source: format!("{}, {ESTIMATED}", map.source), ..map }
        });
        let mut own: BTreeMap<usize, f64> = BTreeMap::new();
        for inst in 0..kernel.chunk.instructions().len() as u32 {
            if let Some(statement) = hidden.placed.statement(inst) {
                *own.entry(statement).or_default() += shares.share(inst as usize);
            }
        }
        map.lines.extend(own.into_iter().filter(|&(_, share)| share >= MIN_SHARE).map(
            |(statement, share)| Heat {
                range: hidden.placed.range(statement),
                share,
                is_stale: false,
                words: share_in_words(&kernel, share),
            },
        ));
    }
    Ok(map)
}
