//! Launches whose tiles extend far beyond the data, so that another block size would leave fewer threads idle.

use crate::cuda::{Finding, SimulatedLaunch, Subject};
use crate::finding::{Related, Severity};
use crate::rule::{Check, Group, Rule};
use model::cuda::{SourceSpan, Tiles, tiles};

pub(super) const RULE: Rule = Rule {
    code: "idle-threads",
    rank: 390,
    group: Group::Occupancy,
    severity: Severity::Hint,
    summary: "Many threads of a launch are outside the kernel's bounds, and another block size would leave fewer idle.",
    page: include_str!("idle_threads.md"),
    checks: &[Check::Cuda(check)],
};

/// Block sizes to try along an axis. A row of 8 words fills a sector.
const SIZES: [u32; 7] = [8, 16, 24, 32, 64, 128, 256];
/// Number of threads in the smallest proposed block.
const MIN_THREADS: u32 = 64; // limit: a smaller block fills no SM
/// Maximum ratio of the current block's share of active lanes to the proposed block's share. A block with a higher
/// ratio is not proposed.
const MIN_GAIN: f64 = 0.85; // limit: less is not worth a finding
/// Two shares of idle lanes count as equal if they differ by at most this value. Among such blocks, the one whose
/// number of threads is closest to the current number is preferred.
const EQUAL_COST: f64 = 0.02; // limit: what the estimate distinguishes
/// The message states the share of active lanes if it is below this value.
const MIN_EFFICIENCY: f64 = 0.9; // limit: more is not worth a finding

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    if !subject.parses() {
        return;
    }
    for launched in subject.launches.iter().filter(|launched| !launched.launch.is_assumed()) {
        // If some SMs have no block, idle threads do not slow down other threads.
        if launched.launch.blocks() < u64::from(subject.gpu.part.sm_count.value) {
            continue;
        }
        let Some(tiles) = tiles(subject.environment, subject.kernel, &launched.launch.configuration) else {
            continue;
        };
        findings.extend(finding(subject, launched, &tiles, findings));
    }
}

fn finding(
    subject: &Subject<'_>,
    launched: &SimulatedLaunch,
    tiles: &Tiles,
    known: &[Finding],
) -> Option<Finding> {
    let lanes = subject.gpu.arch.resources.warp_size;
    let block = launched.launch.block();
    let idle = tiles.idle_share(block, lanes);
    let best = best(subject, launched, tiles)?;
    let left = tiles.idle_share(best, lanes);
    if 1.0 - idle > MIN_GAIN * (1.0 - left) {
        return None;
    }
    let axes = || tiles.axes.iter().zip(block);
    let axes = axes().filter_map(|(axis, size)| Some((axis.as_ref()?, u64::from(size))));
    let covered: Vec<String> = axes.clone().map(|(axis, size)| (axis.tiles * size).to_string()).collect();
    let extents: Vec<String> = axes.clone().map(|(axis, _)| axis.extent.to_string()).collect();
    let first = axes.clone().map(|(axis, _)| axis.place.clone()).min_by_key(|place| place.start)?;
    let whose = if tiles.go_along {
        "of all threads are out of bounds: they execute the loops but store nothing"
    } else {
        "of the lanes in active warps are out of bounds and idle"
    };
    let active = launched.run.warp_efficiency.filter(|share| *share < MIN_EFFICIENCY);
    let active = active.map_or_else(String::new, |share| {
        format!(" About {:.0} % of lanes are active over the whole kernel.", 100.0 * share)
    });
    let is_smaller = best.iter().product::<u32>() < block.iter().product();
    let reuse = if tiles.shares && is_smaller {
        " A smaller tile reuses its shared memory less: measure both."
    } else {
        ""
    };
    let message = format!(
        "blocks of {} cover {} elements, but only {} exist: {:.0} % {whose}. Blocks of {} would leave {:.0} % \
         idle.{active}{reuse}",
        words(block),
        covered.join(" x "),
        extents.join(" x "),
        100.0 * idle,
        words(best),
        100.0 * left,
    );
    let guard = SourceSpan::new(subject.item, &first);
    let (place, related) = match launched.launch.place {
        Some(place) => {
            let message = "threads beyond this bound store nothing".to_owned();
            (place, vec![Related { place: guard, message }])
        }
        None => (guard, Vec::new()),
    };
    let is_known = known.iter().any(|known| known.code == RULE.code && known.place == place);
    (!is_known).then(|| Finding { related, ..Finding::new(RULE.code, place, message) })
}

/// The block with the smallest idle share among the current block and blocks with sizes from [`SIZES`]. Ties go to
/// the size nearest to the current size, then to the larger size. `None` if the current block is the best.
fn best(subject: &Subject<'_>, launched: &SimulatedLaunch, tiles: &Tiles) -> Option<[u32; 3]> {
    let resources = &subject.gpu.arch.resources;
    let now = launched.launch.block();
    let is_square = tiles.shares && now[0] == now[1] && now[0] > 1;
    let sizes = |axis: usize| -> Vec<u32> {
        // Along an axis without bounds, the grid covers the data exactly.
        let places = launched.launch.configuration.grid[axis].saturating_mul(now[axis]);
        let is_free = axis < 2 && (tiles.axes[axis].is_some() || is_square);
        let fits = |size: &u32| tiles.axes[axis].is_some() || places.is_multiple_of(*size);
        let others = SIZES.into_iter().filter(|size| is_free && *size != now[axis] && fits(size));
        std::iter::once(now[axis]).chain(others).collect()
    };
    let ys = sizes(1);
    let blocks = sizes(0).into_iter().flat_map(|x| ys.iter().map(move |y| [x, *y, now[2]]));
    let threads = |block: &[u32; 3]| block.iter().fold(1_u32, |threads, size| threads.saturating_mul(*size));
    let blocks = blocks.filter(|block| {
        (MIN_THREADS..=resources.max_threads_per_block.value).contains(&threads(block))
            && threads(block).is_multiple_of(resources.warp_size.max(1))
            && (!is_square || block[0] == block[1])
    });
    let blocks: Vec<([u32; 3], f64)> =
        blocks.map(|block| (block, tiles.idle_share(block, resources.warp_size))).collect();
    let least = blocks.iter().map(|(_, idle)| *idle).fold(f64::INFINITY, f64::min);
    let similar = blocks.into_iter().filter(|(_, idle)| *idle <= least + EQUAL_COST).map(|(block, _)| block);
    let rank = |block: &[u32; 3]| (threads(block).abs_diff(threads(&now)), u32::MAX - threads(block));
    similar.min_by_key(rank).filter(|best| *best != now)
}

/// Formats a block size: `24 x 24`.
fn words([x, y, z]: [u32; 3]) -> String {
    if z == 1 { format!("{x} x {y}") } else { format!("{x} x {y} x {z}") }
}
