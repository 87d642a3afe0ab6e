//! Blocks whose last warp is partly filled.

use crate::cuda::{Finding, Subject};
use crate::finding::{Edit, Fix, Severity};
use crate::rule::{Check, Group, Rule};
use model::cuda::{SourceSpan, guards_its_index};

pub(super) const RULE: Rule = Rule {
    code: "partial-warp",
    rank: 380,
    group: Group::Occupancy,
    severity: Severity::Info,
    summary: "The block size is not a multiple of the warp size, so lanes of each block's last warp are idle.",
    page: include_str!("partial_warp.md"),
    checks: &[Check::Cuda(check)],
};

/// Smallest share of idle lanes that is reported. Below it, another block size has no measurable gain.
const MIN_SHARE: f64 = 0.05; // limit: less is not measurable

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let lanes = subject.gpu.arch.resources.warp_size.max(1);
    for found in &subject.found {
        let Some(block) = found.block else { continue };
        let threads: u32 = block.iter().fold(1, |threads, size| threads.saturating_mul(*size));
        let warps = threads.div_ceil(lanes);
        let idle = warps.saturating_mul(lanes).saturating_sub(threads);
        let share = f64::from(idle) / f64::from(threads.saturating_add(idle).max(1));
        // A single block shares the GPU with no other block, so no other block could use the idle lanes.
        let is_single = found.grid.is_some_and(|grid| grid.iter().all(|size| *size <= 1));
        if is_single || share < MIN_SHARE {
            continue;
        }
        let [x, y, z] = block;
        let message = format!(
            "a block of {x} x {y} x {z} uses {threads} of the {} lanes in its {warps} warp{}: {idle} ({:.0} %) \
             are idle. Use a multiple of {lanes}.",
            threads + idle,
            if warps == 1 { "" } else { "s" },
            100.0 * share,
        );
        let place = found.place;
        if findings.iter().any(|known| known.code == RULE.code && known.place == place) {
            continue;
        }
        let mut finding = Finding::new(RULE.code, place, message);
        let most = subject.gpu.arch.resources.max_threads_per_block.value;
        let number = found.block_number.as_ref().filter(|_| threads + idle <= most);
        if let Some(number) = number.filter(|_| guards_its_index(subject.environment, subject.kernel)) {
            let text = (threads + idle).to_string();
            let title = format!("Use {text} threads per block (the kernel checks its index against a bound)");
            let edits = vec![Edit { place: SourceSpan::new(place.item, number), text }];
            finding.fixes = vec![Fix { title, edits }];
        }
        findings.push(finding);
    }
}
