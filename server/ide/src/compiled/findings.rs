//! Findings in compiled code, at the source lines that the instructions come from.

use super::view::CodeView;
use crate::engine::cancel::Answer;
use crate::engine::names;
use crate::engine::rules::level;
use crate::sass::findings::expected_of;
use crate::sass::launch::uncounted;
use crate::{Diagnostic, Related};

/// The rule on sectors.
const UNCOALESCED: &str = "uncoalesced-access";

/// Whether the accesses of a line to global memory ask for too many sectors, all together, in any launch. One access of the
/// source may be several instructions, of which some find the sectors of the others.
fn takes_too_many(view: &CodeView<'_>, index: usize, line: u32) -> bool {
    let kernel = view.sass.kernel(index);
    let limit = view.sass.context.limits().sectors;
    uncounted(&kernel).iter().any(|(launch, _)| {
        let survey = kernel.model.survey(kernel.chunk, launch);
        let own = survey.uses.iter().filter(|(inst, found)| {
            found.known && view.own_line_of(index, **inst as usize) == Some(line) && found.sectors > 0.0
        });
        let (taken, ideal) = own.fold((0.0, 0.0), |(taken, ideal), (inst, found)| {
            let executed = survey.counts.get(*inst as usize).map_or(0.0, |counts| counts.executed * found.on);
            (taken + executed * found.sectors, ideal + executed * found.sectors_ideal)
        });
        taken > limit * ideal
    })
}

/// The findings that hold for the source, in text order; none while the text is newer than the code, which they may not hold
/// for any more.
pub(crate) fn findings(view: &CodeView<'_>) -> Answer<Vec<Diagnostic>> {
    let mut found: Vec<Diagnostic> = Vec::new();
    if view.is_stale() {
        return Ok(found);
    }
    for (index, chunk) in view.sass.kernels() {
        view.sass.cancel.check()?;
        if view.age(names::kernel_name(chunk)).is_some() {
            continue;
        }
        let place = |inst: u32| Some(view.place(view.own_line_of(index, inst as usize)?)?.1);
        for finding in expected_of(&view.sass, index) {
            let Some(severity) = level(&view.sass.context, finding.code, finding.severity) else { continue };
            let Some(range) = place(finding.place.instruction) else { continue };
            let line = view.own_line_of(index, finding.place.instruction as usize);
            if finding.code == UNCOALESCED && line.is_some_and(|line| !takes_too_many(view, index, line)) {
                continue;
            }
            let is_known = |known: &Diagnostic| known.range == range && known.code == finding.code;
            if found.iter().any(is_known) {
                continue;
            }
            // Several instructions may come from one line, which then says it once, and the finding's own not at all.
            let mut related: Vec<Related> = Vec::new();
            for other in &finding.related {
                let Some(place) = place(other.place.instruction).filter(|place| *place != range) else {
                    continue;
                };
                if !related.iter().any(|known| known.range == place && known.message == other.message) {
                    related.push(Related { range: place, message: other.message.clone() });
                }
            }
            found.push(Diagnostic {
                related,
                function: Some(names::kernel_name(chunk).to_owned()),
                address: chunk.instructions()[finding.place.instruction as usize].address,
                ..Diagnostic::new(finding.code, severity, range, finding.message.clone())
            });
        }
    }
    found.sort_by_key(|diagnostic| diagnostic.range.start);
    Ok(found)
}
