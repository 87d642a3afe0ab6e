//! The facts about a launch that stand in its lens: registers, shared memory, occupancy.

use crate::words::kind_names::limiter_name;
use model::dataflow::LiveCounts;
use model::launch::{Stated, StatedBy};
use model::{Bottlenecks, Launch, Occupancy, OccupancyLimiter};

/// `32 reg (28 live) 8 KiB smem`.
pub(super) fn facts(launch: &Launch, live: LiveCounts) -> String {
    format!(
        "{} reg{} ({} live) {} smem{}",
        launch.registers.value,
        doubt(launch.registers),
        live.general,
        shared(launch.shared),
        if launch.shared.by == StatedBy::Inferred { "?" } else { "" }
    )
}

/// Who says a number, as the line that names it ends.
pub(super) const fn in_words(by: StatedBy) -> &'static str {
    match by {
        StatedBy::Launch => "stated by the launch",
        StatedBy::Listing => "stated by the listing",
        StatedBy::Inferred => "inferred from the code",
        StatedBy::Assumed => "assumed",
    }
}

/// `50 % (32 of 64 warps, limited by registers)`.
pub(crate) fn occupancy_in_short(occupancy: &Occupancy) -> String {
    let Occupancy { active_warps, max_warps, limiter, .. } = occupancy;
    if *limiter == OccupancyLimiter::Impossible {
        return "0 % (no block fits an SM)".to_owned();
    }
    let percent = 100.0 * occupancy.fraction();
    format!("{percent:.0} % ({active_warps} of {max_warps} warps, limited by {})", limiter_name(*limiter))
}

/// `ilp 0.31, comp 0.50, mem -, pipe 0.02`.
pub(super) fn bottlenecks(all: Bottlenecks) -> String {
    let one = |name: &str, value: Option<f64>| match value {
        Some(value) => format!("{name} {value:.2}"),
        None => format!("{name} -"),
    };
    [one("ilp", all.ilp), one("comp", all.comp), one("mem", all.mem), one("pipe", all.pipe)].join(", ")
}

/// Bytes of shared memory; `?` where nobody states any.
fn shared(stated: Stated<u32>) -> String {
    if stated.by == StatedBy::Assumed { "?".to_owned() } else { bytes(stated.value) }
}

/// A mark for a number that nobody stated.
const fn doubt(stated: Stated<u32>) -> &'static str {
    match stated.by {
        StatedBy::Launch | StatedBy::Listing => "",
        StatedBy::Inferred | StatedBy::Assumed => "?",
    }
}

pub(super) fn bytes(count: u32) -> String {
    if count >= 1024 && count.is_multiple_of(1024) {
        format!("{} KiB", count / 1024)
    } else {
        format!("{count} B")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_their_unit() {
        assert_eq!([2112, 4096].map(bytes), ["2112 B", "4 KiB"]);
    }
}
