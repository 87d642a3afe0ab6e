//! Fixes that rules attach to their findings.

use crate::{Fix, TextEdit};
use std::ops::Range;

/// Returns the fixes for a rule's findings at this range. `range_of` converts a finding's location to a byte range.
pub(crate) fn proposed<'f, P: 'f>(
    findings: impl IntoIterator<Item = &'f advisor::Finding<P>>,
    rule: &str,
    range: &Range<usize>,
    range_of: impl Fn(&P) -> Range<usize>,
) -> Vec<Fix> {
    let meant = findings.into_iter().filter(|found| found.code == rule && range_of(&found.place) == *range);
    let edit = |edit: &advisor::Edit<P>| TextEdit { range: range_of(&edit.place), text: edit.text.clone() };
    let fix = |fix: &advisor::Fix<P>| Fix {
        title: fix.title.clone(),
        edits: fix.edits.iter().map(edit).collect(),
        preferred: false,
        suppresses: false,
    };
    meant.flat_map(|finding| &finding.fixes).map(fix).collect()
}

/// Marks a fix as preferred if it is the only one.
pub(crate) fn prefer_only(fixes: &mut [Fix]) {
    if let [only] = fixes {
        only.preferred = true;
    }
}
