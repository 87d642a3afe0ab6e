//! Block barriers in blocks of a single warp.

use crate::cuda::{Finding, Subject};
use crate::finding::{Edit, Fix, Severity};
use crate::rule::{Check, Group, Rule};

pub(super) const RULE: Rule = Rule {
    code: "syncwarp-suffices",
    rank: 460,
    group: Group::Schedule,
    severity: Severity::Hint,
    summary: "A block barrier in a kernel whose blocks are a single warp: `__syncwarp()` is enough and cheaper.",
    page: include_str!("syncwarp_suffices.md"),
    checks: &[Check::Cuda(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let lanes = subject.gpu.arch.resources.warp_size;
    let is_one_warp = |block: [u32; 3]| block.iter().product::<u32>() <= lanes;
    let launches = &subject.launches;
    let Some(blocks) = subject.blocks().filter(|blocks| !blocks.is_empty()) else { return };
    if !blocks.iter().all(|block| is_one_warp(*block)) {
        return;
    }
    let divergent = || launches.iter().flat_map(|launched| &launched.run.divergent_barriers);
    for &place in launches.iter().flat_map(|launched| &launched.run.plain_barriers) {
        let is_known = |known: &Finding| known.code == RULE.code && known.place == place;
        if findings.iter().any(is_known) || divergent().any(|other| *other == place) {
            continue;
        }
        let message = "every known launch has blocks of one warp, for which `__syncwarp()` is enough and avoids the block barrier. This is correct only while no block is larger."
            .to_owned();
        let edits = vec![Edit { place, text: "__syncwarp()".to_owned() }];
        let mut finding = Finding::new(RULE.code, place, message);
        finding.fixes =
            vec![Fix { title: "Use __syncwarp() (correct only for blocks of one warp)".to_owned(), edits }];
        findings.push(finding);
    }
}
