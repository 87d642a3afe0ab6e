//! Quick fixes for findings: fixes of rules, changes confirmed by simulated launches, and comments that
//! suppress a finding.

use super::findings::found_in;
use super::view::CudaView;
use super::{actions, asm};
use crate::Fix;
use crate::engine::cancel::Cancellable;
use crate::engine::proposed::{prefer_only, proposed};
use crate::ptx::fixes::allowances;
use std::ops::Range;

/// Returns the fixes for a rule's finding at a range, best first.
pub(crate) fn fixes(view: &CudaView<'_>, rule: &str, range: &Range<usize>) -> Cancellable<Vec<Fix>> {
    if advisor::rule(rule).is_none() {
        return Ok(Vec::new());
    }
    view.cancel.ending(|| {
        let mut fixes: Vec<Fix> = Vec::new();
        let gpu = view.target_gpu().gpu;
        for (item, _, kernel) in view.kernels() {
            let found = found_in(view, item, kernel, &gpu)?;
            for fix in proposed(found.iter(), rule, range, |place| view.range(*place)) {
                if !fixes.contains(&fix) {
                    fixes.push(fix);
                }
            }
        }
        fixes.extend(actions::fixes(view, rule, range)?);
        fixes.extend(asm::fixes(view, rule, range));
        prefer_only(&mut fixes);
        fixes.extend(allowances(rule, view.text.text(), 0, range.start));
        Ok(fixes)
    })
}
