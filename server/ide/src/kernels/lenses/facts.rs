//! Facts about a launch in its lens: registers, shared memory, occupancy.

use crate::words::kind_names::limiter_name;
use model::launch::{Stated, StatedBy};
use model::{Bottlenecks, Launch, Occupancy, OccupancyLimiter};

/// Formats the resources: `32 registers`, `8 KiB shared`. A `?` marks an inferred or assumed number.
/// Assumed shared memory is omitted.
pub(super) fn facts(launch: &Launch) -> Vec<String> {
    let registers = launch.registers.value;
    let s = if registers == 1 { "" } else { "s" };
    let mut facts = vec![format!("{registers}{} register{s}", doubt(launch.registers))];
    if launch.shared.by != StatedBy::Assumed && launch.shared.value > 0 {
        facts.push(format!("{}{} shared", bytes(launch.shared.value), doubt(launch.shared)));
    }
    facts
}

/// Source of a number, appended to the line that shows the number.
pub(super) const fn in_words(by: StatedBy) -> &'static str {
    match by {
        StatedBy::Launch => "stated by the launch",
        StatedBy::Listing => "stated by the listing",
        StatedBy::Inferred => "inferred from the code",
        StatedBy::Assumed => "assumed",
    }
}

/// Formats the occupancy: `50 % (32 of 64 warps, limited by registers)`.
pub(crate) fn occupancy_in_short(occupancy: &Occupancy) -> String {
    let Occupancy { active_warps, max_warps, limiter, .. } = occupancy;
    if *limiter == OccupancyLimiter::Impossible {
        return "0 % (no block fits on an SM)".to_owned();
    }
    let percent = 100.0 * occupancy.fraction();
    format!("{percent:.0} % ({active_warps} of {max_warps} warps, limited by {})", limiter_name(*limiter))
}

/// Formats the bottlenecks: `parallelism 0.31, instruction mix 0.50, memory unknown, pipes 0.02`.
pub(super) fn bottlenecks(all: Bottlenecks) -> String {
    let one = |(name, value): (&str, Option<f64>)| match value {
        Some(value) => format!("{name} {value:.2}"),
        None => format!("{name} unknown"),
    };
    named(all).map(one).join(", ")
}

/// Formats the worst bottleneck: `memory (0.83)`. `None` if no value is known.
pub(super) fn main_bottleneck(all: Bottlenecks) -> Option<String> {
    let known = named(all).into_iter().filter_map(|(name, value)| Some((name, value?)));
    let (name, value) = known.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    Some(format!("{name} ({value:.2})"))
}

/// The four bottlenecks of the ICS'17 paper (`ilp`, `comp`, `mem` and `pipe`) with descriptive names.
const fn named(all: Bottlenecks) -> [(&'static str, Option<f64>); 4] {
    [("parallelism", all.ilp), ("instruction mix", all.comp), ("memory", all.mem), ("pipes", all.pipe)]
}

/// Mark of an inferred or assumed number; otherwise empty.
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
