//! Findings in compiled code, located at the source lines of the instructions.

use super::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::engine::names;
use crate::engine::rules::level;
use crate::kernels::findings::expected_of;
use crate::kernels::launch::uncounted;
use crate::{Diagnostic, Related};
use advisor::memory::Loss;
use model::MemorySpace;

/// Code of the rule about global-memory sectors.
const UNCOALESCED: &str = "uncoalesced-access";

/// True if, for some launch, the global-memory accesses of a line with the direction of one of them together request too
/// many sectors. An access in the source may compile to several instructions, some of which hit sectors that the others
/// have loaded.
fn takes_too_many(view: &CodeView<'_>, index: usize, line: u32, of: u32) -> bool {
    let kernel = view.sass.kernel(index);
    let is_load =
        |inst: u32| kernel.program().instructions.get(inst as usize)?.memory.map(|memory| memory.loads);
    let limit = view.sass.context.limits().sectors;
    uncounted(&kernel).iter().any(|(launch, _)| {
        let survey = kernel.model.survey(kernel.chunk, launch);
        let own = survey.uses.iter().filter(|(inst, found)| {
            found.known
                && is_load(**inst) == is_load(of)
                && view.own_line_of(index, **inst as usize) == Some(line)
                && found.sectors > 0.0
        });
        let (taken, ideal) = own.fold((0.0, 0.0), |(taken, ideal), (inst, found)| {
            let executed = survey.counts.get(*inst as usize).map_or(0.0, |counts| counts.executed * found.on);
            (taken + executed * found.sectors, ideal + executed * found.sectors_ideal)
        });
        taken >= limit * ideal
    })
}

/// Returns the findings that apply to the source, in text order. Empty if the source is newer than the code.
pub(crate) fn findings(view: &CodeView<'_>) -> Cancellable<Vec<Diagnostic>> {
    let mut found: Vec<LineFinding> = Vec::new();
    if view.is_stale() {
        return Ok(Vec::new());
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
            if finding.code == UNCOALESCED
                && line.is_some_and(|line| !takes_too_many(view, index, line, finding.place.instruction))
            {
                continue;
            }
            let is_known = |known: &&mut LineFinding| {
                let (own, shown) = (&finding, &known.diagnostic);
                let is_similar = own.loss.zip(known.loss).is_none_or(|(own, known)| own.is_similar(&known));
                shown.range == range && shown.code == own.code && is_similar
            };
            if let Some(known) = found.iter_mut().find(is_known) {
                // An unrolled loop has several copies of an access, and a template has an instance per
                // kernel.
                if known.kernel == index
                    && let (Some(all), Some(own)) = (&mut known.loss, &finding.loss)
                {
                    all.add(own);
                }
                continue;
            }
            // Several related instructions may have the same source line. The line is listed once. The line
            // of the finding itself is not listed.
            let mut related: Vec<Related> = Vec::new();
            for other in &finding.related {
                let Some(place) = place(other.place.instruction).filter(|place| *place != range) else {
                    continue;
                };
                if !related.iter().any(|known| known.range == place && known.message == other.message) {
                    related.push(Related { range: place, message: other.message.clone() });
                }
            }
            let diagnostic = Diagnostic {
                related,
                function: Some(names::kernel_name(chunk).to_owned()),
                address: chunk.instructions()[finding.place.instruction as usize].address,
                ..Diagnostic::new(finding.code, severity, range, finding.message.clone())
            };
            found.push(LineFinding { diagnostic, kernel: index, of_copy: finding.loss, loss: finding.loss });
        }
    }
    let mut found: Vec<Diagnostic> = found.into_iter().map(LineFinding::of_line).collect();
    found.sort_by_key(|diagnostic| diagnostic.range.start);
    Ok(found)
}

/// A finding at a source line. It covers all copies that the compiler made of an access.
struct LineFinding {
    diagnostic: Diagnostic,
    kernel: usize,
    /// Requests of the copy that the message describes.
    of_copy: Option<Loss>,
    /// Requests of all copies together.
    loss: Option<Loss>,
}

impl LineFinding {
    /// Returns the finding with the requests of all copies in its message.
    fn of_line(self) -> Diagnostic {
        let mut diagnostic = self.diagnostic;
        if let (Some(copy), Some(all)) = (self.of_copy, self.loss) {
            let (copy, all) = (copy.in_words(), all.in_words());
            if !copy.is_empty() {
                diagnostic.message = diagnostic.message.replacen(&copy, &all, 1);
            }
        }
        diagnostic
    }
}

/// True if a line accesses `space`, and no launch determines the costs of all these accesses. A launch leaves a cost
/// unknown if the addresses or the execution of the access depend on values that the launch does not state.
pub(crate) fn is_unsure(view: &CodeView<'_>, kernel: usize, line: u32, space: MemorySpace) -> bool {
    let own = view.sass.kernel(kernel);
    let is_there = |inst: usize| {
        let accessed = own.program().instructions[inst].memory.map(|memory| memory.space);
        let is_of_space = accessed.is_some_and(|accessed| {
            accessed == space || accessed == MemorySpace::Generic && space == MemorySpace::Global
        });
        is_of_space && view.own_line_of(kernel, inst) == Some(line)
    };
    let accesses: Vec<u32> = (0..own.program().instructions.len())
        .filter(|inst| is_there(*inst))
        .map(|inst| inst as u32)
        .collect();
    !accesses.is_empty()
        && uncounted(&own).iter().all(|(launch, _)| {
            let survey = own.model.survey(own.chunk, launch);
            let is_known =
                |inst: &u32| survey.uses.get(inst).is_some_and(|found| found.known && found.on > 0.0);
            !accesses.iter().all(is_known)
        })
}
