//! Changes that implement measured advice.

use super::snapshot::Snapshot;
use crate::cuda::actions::more_blocks;
use crate::engine::cancel::Cancellable;
use crate::measured::findings::Advised;
use crate::measured::fixes::{FEW_WARPS, Followed, nearest, plain};
use advisor::top_down::is_guide;
use std::ops::Range;

/// The changes that follow the advice of a code at the place of its finding; `None` where no profile gives it there.
pub(crate) fn measured_fixes(
    snapshot: &Snapshot,
    code: &str,
    range: &Range<usize>,
) -> Cancellable<Option<Followed>> {
    // Asked for each finding at each move of the cursor: trees are made for those of guides alone.
    if !is_guide(code) {
        return Ok(None);
    }
    snapshot.contributors(|all| {
        let Some(profile) = all.profile() else { return Ok(None) };
        let is_meant = |own: &Advised| own.finding.code == code && own.finding.range == *range;
        let Some(advised) = profile.advised()?.into_iter().find(is_meant) else { return Ok(None) };
        let mut fixes = Vec::new();
        if code == FEW_WARPS
            && let (Some(threads), Some(blocks)) = (advised.threads, advised.blocks)
        {
            // The bounds with which the compiler leaves an SM registers for one more block.
            let bounds = snapshot.cuda(|view| more_blocks(view, plain(&advised.kernel), threads, blocks + 1));
            fixes.extend(bounds.flatten());
        }
        // Those of the text alone: it is the text that changes, and the rules that were measured need no other proof.
        let findings = all.language().model_diagnostics()?;
        for finding in nearest(&advised, &findings) {
            fixes.extend(all.language().fixes(finding.code, finding.range.clone())?);
        }
        Ok(Some(Followed::new(&advised, fixes)))
    })
}
