//! Writes new control codes into a text, and proves that nothing else has changed.

use super::error::RewriteError;
use super::prediction::predicted;
use super::renaming;
use super::scheduled::{PlacedInstruction, ScheduledKernel};
use super::unscheduled::UnscheduledKernel;
use crate::NotScheduled;
use crate::TextEdit;
use crate::engine::cancel::Cancellable;
use crate::engine::names;
use crate::engine::sass_text::with_chunk;
use model::Program;
use model::hazards::{Time, check_in};
use model::schedule::Plan;
use syntax::sass::rewrite::{Replacement, RequestedChanges, Unwritable, apply, keeps_instruction, rewrite};
use syntax::sass::{Chunk, Control, Listing};

impl UnscheduledKernel<'_> {
    /// Returns the edits that write a plan, and the listing after the edits. `Err` states why the plan
    /// cannot be written.
    pub(super) fn write(&self, plan: &Plan) -> Result<(Vec<TextEdit>, Listing), NotScheduled> {
        let refused =
            |why: RewriteError| NotScheduled(format!("`{}`: {why}", names::kernel_name(self.given)));
        // A listing lowered from PTX is not the user's text. Its edits would change unrelated text.
        if self.sass.origin.is_some() {
            return Err(refused(RewriteError::Ptx));
        }
        if let Some(note) = plan.notes.first() {
            return Err(refused(RewriteError::Distance(note.clone())));
        }
        let codes: Vec<Option<Control>> = plan.controls.iter().copied().map(Some).collect();
        let wanted = RequestedChanges { order: &plan.order, codes: &codes };
        let (replacements, after) = self.rewritten(wanted).map_err(refused)?;
        self.prove(plan, &after.chunks()[self.index]).map_err(refused)?;
        let start = self.sass.start(self.index);
        if self.renamed > 0 {
            let text = apply(self.chunk.text(), &replacements);
            return Ok((renaming::changed_lines(start, self.given.text(), &text), after));
        }
        Ok((replacements.into_iter().map(|new| TextEdit::placed(start, new)).collect(), after))
    }

    /// Returns the edits that change only the control codes of some instructions, and the listing after
    /// the edits.
    pub(in crate::sass) fn with_codes(
        &self,
        changed: &[(u32, Control)],
    ) -> Result<(Vec<TextEdit>, Listing), RewriteError> {
        let order: Vec<u32> = (0..self.program.instructions.len() as u32).collect();
        let mut codes: Vec<Option<Control>> = vec![None; order.len()];
        for &(inst, control) in changed {
            codes[inst as usize] = Some(control);
        }
        let (replacements, after) = self.rewritten(RequestedChanges { order: &order, codes: &codes })?;
        self.keeps_instructions(&order, &after.chunks()[self.index])?;
        let start = self.sass.start(self.index);
        Ok((replacements.into_iter().map(|new| TextEdit::placed(start, new)).collect(), after))
    }

    /// Returns the replacements for a rewritten kernel, and the listing after the replacements.
    fn rewritten(&self, wanted: RequestedChanges<'_>) -> Result<(Vec<Replacement>, Listing), RewriteError> {
        let figures = self.figures();
        let slots = |mnemonic: &str| figures.as_ref().map(|figures| figures.slots(mnemonic));
        let replacements = rewrite(&self.chunk, wanted, slots).map_err(|why| self.explain(why))?;
        let before = self.sass.listing();
        let after = with_chunk(before, self.index, &apply(self.chunk.text(), &replacements));
        // Control codes of maxas and TuringAs look the same. Only some codes distinguish the two
        // dialects.
        if after.dialect() != before.dialect() {
            let name = |listing: &Listing| listing.dialect().map_or("no SASS", |dialect| dialect.name());
            return Err(RewriteError::OtherDialect { new: name(&after), old: name(before) });
        }
        Ok((replacements, after))
    }

    /// Checks that only control codes and renamed registers have changed, and that the new stall counts cause no more
    /// hazards than the old stall counts.
    pub(super) fn prove(&self, plan: &Plan, new: &Chunk) -> Result<(), RewriteError> {
        self.keeps_instructions(&plan.order, new)?;
        let before = check_in(&self.program, Time::Stalls).hazards.len();
        let after = check_in(&Program::decode(new, &self.arch), Time::Stalls).hazards;
        match after.first().filter(|_| after.len() > before) {
            Some(hazard) => {
                let address = |inst: u32| new.instructions()[inst as usize].address.unwrap_or_default();
                Err(RewriteError::Hazard { first: address(hazard.first), second: address(hazard.second) })
            }
            None => Ok(()),
        }
    }

    /// Checks that only control codes and renamed registers have changed.
    fn keeps_instructions(&self, order: &[u32], new: &Chunk) -> Result<(), RewriteError> {
        let pairs = order.iter().zip(new.instructions());
        for (&inst, new) in pairs {
            let old = &self.given.instructions()[inst as usize];
            let words = |words: [Option<u64>; 2]| words.map(Option::unwrap_or_default);
            let keeps = self.given.encoding().is_none_or(|encoding| {
                keeps_instruction(encoding, words(old.words), words(new.words), self.renamed > 0)
            });
            if !keeps {
                let address = self.program.instructions[inst as usize].address;
                return Err(RewriteError::OtherInstruction { address });
            }
        }
        Ok(())
    }

    fn explain(&self, why: Unwritable) -> RewriteError {
        let address = |inst: u32| self.program.instructions[inst as usize].address;
        match why {
            Unwritable::NoCode(inst) => RewriteError::NoCode { address: address(inst) },
            Unwritable::Form(position) => RewriteError::Form { address: address(position) },
            Unwritable::Encoding(inst) => RewriteError::Encoding { address: address(inst) },
            Unwritable::NoControlCodes | Unwritable::NotAnOrder => RewriteError::Kernel(why),
        }
    }

    pub(super) fn schedule(&self, plan: &Plan) -> Cancellable<Result<ScheduledKernel, NotScheduled>> {
        let (edits, after) = match self.write(plan) {
            Ok(written) => written,
            Err(why) => return Ok(Err(why)),
        };
        let new = &after.chunks()[self.index];
        let old = self.chunk.instructions();
        let whole = 0..old.len() as u32;
        let predicted = predicted(self, plan, new, &whole)?;
        let moved = plan.order.iter().enumerate().filter(|&(place, &inst)| place != inst as usize).count();
        let changed = new.instructions().iter().zip(&plan.order);
        let changed = changed.filter(|(new, inst)| new.control != old[**inst as usize].control).count();
        Ok(Ok(ScheduledKernel {
            name: names::kernel_name(self.given).to_owned(),
            edits,
            instructions: old.len(),
            changed,
            moved,
            renamed: self.renamed,
            predicted,
            gpu: self.target.describe(),
            code: self.placed(plan, new),
        }))
    }

    /// Returns the instructions in their new order. Empty if an instruction has no 128-bit encoding.
    pub(super) fn placed(&self, plan: &Plan, new: &Chunk) -> Vec<PlacedInstruction> {
        let words = |words: [Option<u64>; 2]| Some([words[0]?, words[1]?]);
        let placed = plan.order.iter().zip(new.instructions()).map(|(&inst, instruction)| {
            let old = &self.given.instructions()[inst as usize];
            Some(PlacedInstruction {
                address: instruction.address?,
                from: old.address?,
                old_words: words(old.words)?,
                words: words(instruction.words)?,
            })
        });
        placed.collect::<Option<_>>().unwrap_or_default()
    }
}
