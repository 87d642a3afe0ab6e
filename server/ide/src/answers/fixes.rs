//! Fixes that implement recommendations derived from measurements.

use super::snapshot::Snapshot;
use crate::cuda::actions::more_blocks;
use crate::engine::cancel::Cancellable;
use crate::measured::findings::LocatedAdvice;
use crate::measured::fixes::{AdviceFixes, FEW_WARPS, nearest, plain};
use advisor::top_down::is_guide;
use std::ops::Range;

/// Returns the fixes for the recommendation with diagnostic code `code` at `range`. `None` if no profile has
/// this recommendation at the range.
pub(crate) fn measured_fixes(
    snapshot: &Snapshot,
    code: &str,
    range: &Range<usize>,
) -> Cancellable<Option<AdviceFixes>> {
    // This runs for each finding whenever the cursor moves, so top-down trees are only built for findings of
    // guides.
    if !is_guide(code) {
        return Ok(None);
    }
    snapshot.contributors(|all| {
        let Some(profile) = all.profile() else { return Ok(None) };
        let is_meant = |own: &LocatedAdvice| own.finding.code == code && own.finding.range == *range;
        let Some(advised) = profile.advised()?.into_iter().find(is_meant) else { return Ok(None) };
        let mut fixes = Vec::new();
        if code == FEW_WARPS
            && let (Some(threads), Some(blocks)) = (advised.threads, advised.blocks)
        {
            // Launch bounds that limit registers, so that an additional block fits on an SM.
            let bounds = snapshot.cuda(|view| more_blocks(view, plain(&advised.kernel), threads, blocks + 1));
            fixes.extend(bounds.flatten());
        }
        // Only findings in the source count: the fixes edit the source, and the measurement already confirms
        // the rule.
        let findings = all.language().model_diagnostics()?;
        for finding in nearest(&advised, &findings) {
            fixes.extend(all.language().fixes(finding.code, finding.range.clone())?);
        }
        Ok(Some(AdviceFixes::new(&advised, fixes)))
    })
}
