//! Changes that implement measured advice.

use super::snapshot::Snapshot;
use crate::cuda::actions::more_blocks;
use crate::engine::cancel::Cancellable;
use crate::measured::findings::Advised;
use crate::measured::fixes::{FEW_WARPS, Followed, nearest, plain};
use advisor::top_down::is_guide;
use std::ops::Range;

/// Changes that follow the advice with the diagnostics code `code` at `range`; `None` if no profile gives that advice.
pub(crate) fn measured_fixes(
    snapshot: &Snapshot,
    code: &str,
    range: &Range<usize>,
) -> Cancellable<Option<Followed>> {
    // This runs for each finding whenever the cursor moves, so top-down trees are built only for guides' findings.
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
            // Launch bounds that limit registers so that one more block fits on an SM.
            let bounds = snapshot.cuda(|view| more_blocks(view, plain(&advised.kernel), threads, blocks + 1));
            fixes.extend(bounds.flatten());
        }
        // Only the text's findings count: the fixes edit the text, and the measurement already confirms the rule.
        let findings = all.language().model_diagnostics()?;
        for finding in nearest(&advised, &findings) {
            fixes.extend(all.language().fixes(finding.code, finding.range.clone())?);
        }
        Ok(Some(Followed::new(&advised, fixes)))
    })
}
