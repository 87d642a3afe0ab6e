//! Blocks whose last warp is partly filled.

use crate::cuda::{Finding, Spot, Subject};
use crate::finding::Severity;
use crate::rule::{Check, Group, Rule};

pub(super) const RULE: Rule = Rule {
    code: "partial-warp",
    group: Group::Occupancy,
    severity: Severity::Info,
    summary: "A launch has blocks that are no multiple of a warp, so that lanes of each block's last warp stay idle.",
    page: include_str!("partial_warp.md"),
    checks: &[Check::Cuda(check)],
};

/// The least share of idle lanes that is told: with less, another block size gains nothing that could be measured.
const LEAST_SHARE: f64 = 0.05;

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let lanes = subject.gpu.arch.resources.warp_size.max(1);
    for launched in &subject.launches {
        // One block has the machine to itself: nobody else could use the lanes.
        let Some(place) = launched.place.as_ref().filter(|_| !launched.is_single) else { continue };
        let threads: u32 = launched.block.iter().product();
        let idle = (lanes - threads % lanes) % lanes;
        let warps = threads.div_ceil(lanes);
        let share = f64::from(idle) / f64::from(warps * lanes);
        if share < LEAST_SHARE {
            continue;
        }
        let [x, y, z] = launched.block;
        let message = format!(
            "a block of {x} x {y} x {z} threads fills {threads} lanes of the {} of its {warps} warp{}: {idle} stay idle, {:.0} % of what \
             each block holds. Take a multiple of {lanes}.",
            warps * lanes,
            if warps == 1 { "" } else { "s" },
            100.0 * share,
        );
        let place = Spot::new(place.0, &place.1);
        if !findings.iter().any(|known| known.code == RULE.code && known.place == place) {
            findings.push(Finding::new(RULE.code, place, message));
        }
    }
}
