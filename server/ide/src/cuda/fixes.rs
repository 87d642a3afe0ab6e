//! Quick fixes for findings: what a rule proposes, changes that the launches show to help, and a comment that allows it.

use super::findings::found_in;
use super::view::CudaView;
use super::{actions, asm};
use crate::engine::cancel::Answer;
use crate::ptx::fixes::allowances;
use crate::{Fix, TextEdit};
use std::ops::Range;

/// Returns the fixes for a finding of a rule at a place, the best first.
pub(crate) fn fixes(view: &CudaView<'_>, rule: &str, range: &Range<usize>) -> Answer<Vec<Fix>> {
    if advisor::rule(rule).is_none() {
        return Ok(Vec::new());
    }
    view.cancel.ending(|| {
        let mut fixes: Vec<Fix> = Vec::new();
        let gpu = view.target_gpu().gpu;
        for (item, _, kernel) in view.kernels() {
            let found = found_in(view, item, kernel, &gpu)?;
            let meant = found.iter().filter(|found| found.code == rule && view.range(&found.place) == *range);
            for fix in meant.flat_map(|finding| &finding.fixes) {
                let edits = fix
                    .edits
                    .iter()
                    .map(|edit| TextEdit { range: view.range(&edit.place), text: edit.text.clone() });
                let fix = Fix {
                    title: fix.title.clone(),
                    edits: edits.collect(),
                    preferred: false,
                    suppresses: false,
                };
                if !fixes.contains(&fix) {
                    fixes.push(fix);
                }
            }
        }
        fixes.extend(actions::fixes(view, rule, range)?);
        fixes.extend(asm::fixes(view, rule, range));
        if let [only] = fixes.as_mut_slice() {
            only.preferred = true;
        }
        fixes.extend(allowances(rule, view.text.text(), 0, range.start));
        Ok(fixes)
    })
}
