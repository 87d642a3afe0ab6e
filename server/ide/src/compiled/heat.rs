//! Heat of source lines: the share of each line's code in its kernel's predicted time.

use super::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::kernels::heat::{MIN_SHARE, Shares, share_in_words};
use crate::{Heat, HeatMap};
use std::collections::BTreeMap;

/// Returns the heat of the lines with code. If several kernels have code for a line, the largest share counts. `None`
/// if no kernel has a prediction.
pub(crate) fn heat(view: &CodeView<'_>) -> Cancellable<Option<HeatMap>> {
    let mut map: Option<HeatMap> = None;
    let mut lines: BTreeMap<u32, Heat> = BTreeMap::new();
    for (index, _) in view.sass.kernels() {
        view.sass.cancel.check()?;
        let kernel = view.sass.kernel(index);
        let Some(shares) = Shares::compute(&kernel)? else { continue };
        let mut own: BTreeMap<u32, f64> = BTreeMap::new();
        for inst in 0..kernel.chunk.instructions().len() {
            if let Some(line) = view.line_of(index, inst) {
                *own.entry(line).or_default() += shares.share(inst);
            }
        }
        map.get_or_insert_with(|| shares.map(&kernel));
        for (line, share) in own.into_iter().filter(|&(_, share)| share >= MIN_SHARE) {
            let Some((moved, range)) = view.place(line) else { continue };
            let heat = Heat {
                range,
                share,
                is_stale: moved.is_touched || view.is_stale(),
                words: share_in_words(&kernel, share),
            };
            let before = lines.entry(line).or_insert_with(|| heat.clone());
            if before.share < heat.share {
                *before = heat;
            }
        }
    }
    if let Some(map) = &mut map {
        map.lines = lines.into_values().collect();
        map.lines.sort_by_key(|heat| heat.range.start);
    }
    Ok(map)
}
