//! Proposes a trip count for a loop in `warplens.toml`.

use super::uncounted;
use crate::StatedTrips;
use crate::engine::sass_view::SassView;
use machine::Flow;
use model::execution::UNSTATED_TRIPS;

/// The rule that reports loops with unknown trip counts.
pub(crate) const UNKNOWN_TRIP_COUNT: &str = "unknown-trip-count";

/// Returns the trip count to add to `warplens.toml` for the loop whose backward branch has the finding.
///
/// `None` for findings of other rules, if the instruction is not a backward branch, or if its address is not printed.
pub(crate) fn trips_to_state(sass: &SassView, rule: &str, offset: usize) -> Option<StatedTrips> {
    if rule != UNKNOWN_TRIP_COUNT {
        return None;
    }
    let line = sass.line_at(offset)?;
    let (chunk, inst) = (line.chunk, line.instruction()?);
    let kernel = sass.kernel(line.index);
    let branch = kernel.program().instructions.get(inst)?;
    let leads_back = branch.flow == Flow::Branch && branch.target.is_some_and(|to| to as usize <= inst);
    if !leads_back {
        return None;
    }
    let launch = uncounted(&kernel).swap_remove(0).0;
    Some(StatedTrips {
        function: chunk.name()?.to_owned(),
        grid: launch.grid,
        block: launch.block,
        key: sass.loop_key(chunk, inst as u32, chunk.instructions()[inst].address?),
        // The trip count that is assumed until the user states one.
        trips: UNSTATED_TRIPS,
    })
}
