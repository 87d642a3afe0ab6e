//! Control codes computed from scratch and written into the text, with what that is predicted to gain.

mod actions;
mod prediction;
mod renaming;

pub use actions::{ScheduleAction, ScheduleScope};
pub(crate) use actions::{actions, edits};
pub use prediction::PredictedCycles;

use crate::cancel::Answer;
use crate::sass_view::SassView;
use crate::target::Target;
use crate::{TextEdit, report};
use machine::{Arch, Pipeline};
use model::Program;
use model::hazards::{Time, check_in};
use model::schedule::{Plan, Request, compute, unschedulable};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::rewrite::{Unwritable, Wanted, apply, keeps_instruction, rewrite};
use syntax::sass::{Chunk, Control, Encoding, Listing};

/// A kernel with new control codes.
#[derive(Debug, Clone)]
pub struct ScheduledKernel {
    /// The function's name in the listing.
    pub name: String,
    /// In text order, in bytes of the whole text.
    pub edits: Vec<TextEdit>,
    pub instructions: usize,
    /// Instructions with another code than before, wherever they stand.
    pub changed: usize,
    /// Instructions that stand elsewhere than before.
    pub moved: usize,
    /// Values that stand in another register than before.
    pub renamed: usize,
    /// `None` where the GPU is not calibrated, or for another architecture than the text.
    pub predicted: Option<PredictedCycles>,
    /// The GPU that the cycles are for, and why it.
    pub gpu: String,
    /// Each instruction in the new order: where it stands now and stood before, and its words.
    pub code: Vec<PlacedInstruction>,
}

/// An instruction of 128 bits in its new place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedInstruction {
    pub address: u32,
    /// The address at which it stood, and its words there, low word first.
    pub from: u32,
    pub old_words: [u64; 2],
    pub words: [u64; 2],
}

/// Why a kernel's codes were not written; one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotScheduled(pub String);

impl fmt::Display for NotScheduled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Changes that are allowed beside the control codes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Freedom {
    /// The order of instructions within their blocks.
    pub reorder: bool,
    /// The registers of values that meet others in one bank.
    pub rename: bool,
}

impl SassView {
    /// The kernels of this name (all for `None`) in text order, each computed when asked for: new codes for all of their
    /// instructions, and what else may change.
    pub fn schedule<'a>(
        &'a self,
        function: Option<&'a str>,
        freedom: Freedom,
    ) -> impl Iterator<Item = Answer<Result<ScheduledKernel, NotScheduled>>> + 'a {
        let wanted =
            self.kernels().filter(move |(_, chunk)| function.is_none_or(|name| report::name(chunk) == name));
        wanted.map(move |(index, _)| {
            let request = Request { reorder: freedom.reorder, ..Request::default() };
            let mut subject = Subject::new(self, index);
            let plain = subject.schedule(&subject.plan(&request)?)?;
            if !freedom.rename {
                return Ok(plain);
            }
            subject.rename();
            let renamed = subject.schedule(&subject.plan(&request)?)?;
            // Other registers do not always gain what they promise.
            Ok(if renamed.is_err() || is_quicker(&plain, &renamed) { plain } else { renamed })
        })
    }
}

/// Whether one way is predicted to take fewer cycles than another.
fn is_quicker(
    one: &Result<ScheduledKernel, NotScheduled>,
    other: &Result<ScheduledKernel, NotScheduled>,
) -> bool {
    let cycles = |way: &Result<ScheduledKernel, NotScheduled>| {
        way.as_ref().ok().and_then(|kernel| kernel.predicted).map(|predicted| predicted.after)
    };
    cycles(one).zip(cycles(other)).is_some_and(|(one, other)| one < other)
}

/// A kernel whose codes are to be computed.
struct Subject<'a> {
    sass: &'a SassView,
    index: usize,
    /// The kernel as the listing has it.
    given: &'a Arc<Chunk>,
    /// With other registers, if any were renamed.
    chunk: Arc<Chunk>,
    renamed: usize,
    target: Target,
    /// For the architecture of the text: codes are written for it, whichever GPU times them.
    program: Program,
    arch: Arc<Arch>,
}

impl<'a> Subject<'a> {
    fn new(sass: &'a SassView, index: usize) -> Self {
        let given = &sass.listing().chunks()[index];
        let target = sass.target(given);
        let arch = sass.context.machine.gpu_for_sm(target.isa_sm).arch;
        let program = Program::decode(given, &arch);
        Self { sass, index, given, chunk: given.clone(), renamed: 0, target, program, arch }
    }

    fn plan(&self, request: &Request) -> Answer<Plan> {
        self.sass.cancel.check()?;
        let plan = compute(&self.chunk, &self.program, request);
        self.sass.cancel.check()?;
        Ok(plan)
    }

    /// The edits that write a plan, and the text with them.
    fn write(&self, plan: &Plan) -> Result<(Vec<TextEdit>, Listing), NotScheduled> {
        let refused = |why: &dyn fmt::Display| NotScheduled(format!("`{}`: {why}", report::name(self.given)));
        // The SASS that PTX is expected to become is no text of the user's: its edits would hit whatever stands there.
        if self.sass.origin.is_some() {
            return Err(refused(&"PTX has no control codes; ptxas schedules it"));
        }
        if let Some(inst) = unschedulable(&self.program) {
            let mnemonic = self.chunk.mnemonic(&self.chunk.instructions()[inst as usize]);
            let mnemonic = mnemonic.split('.').next().unwrap_or(mnemonic);
            let address = self.program.instructions[inst as usize].address;
            return Err(refused(&format!(
                "codes of kernels with {mnemonic} ({address:#06x}) are not written: it sets no scoreboard"
            )));
        }
        if let Some(note) = plan.notes.first() {
            return Err(refused(note));
        }
        let codes: Vec<Option<Control>> = plan.controls.iter().copied().map(Some).collect();
        let wanted = Wanted { order: &plan.order, codes: &codes };
        let figures = self.figures();
        let slots = |mnemonic: &str| figures.as_ref().map(|figures| figures.slots(mnemonic));
        let replacements = rewrite(&self.chunk, wanted, slots).map_err(|why| refused(&self.explain(why)))?;
        let start = self.sass.start(self.index);
        let before = self.sass.listing();
        let text = apply(self.chunk.text(), &replacements);
        let after = before.edit(start..start + self.given.text().len(), &text);
        // Codes of maxas and of TuringAs look alike: only some tell the two apart.
        if after.dialect() != before.dialect() {
            let name = |listing: &Listing| listing.dialect().map_or("no SASS", |dialect| dialect.name());
            return Err(refused(&format!(
                "with the new codes the file would be read as {}, not {}",
                name(&after),
                name(before)
            )));
        }
        self.prove(plan, &after.chunks()[self.index]).map_err(|why| refused(&why))?;
        if self.renamed > 0 {
            return Ok((renaming::changed_lines(start, self.given.text(), &text), after));
        }
        Ok((replacements.into_iter().map(|new| TextEdit::placed(start, new)).collect(), after))
    }

    /// Fails where more than codes and renamed registers has changed, or where the new codes leave a register too soon by
    /// stall counts alone, which the old ones did not.
    fn prove(&self, plan: &Plan, new: &Chunk) -> Result<(), String> {
        let pairs = plan.order.iter().zip(new.instructions());
        for (&inst, new) in pairs {
            let old = &self.given.instructions()[inst as usize];
            let words = |words: [Option<u64>; 2]| words.map(Option::unwrap_or_default);
            let keeps = self.given.encoding().is_none_or(|encoding| {
                keeps_instruction(encoding, words(old.words), words(new.words), self.renamed > 0)
            });
            if !keeps {
                let address = self.program.instructions[inst as usize].address;
                return Err(format!("the instruction at {address:#06x} would change, not its code alone"));
            }
        }
        let before = check_in(&self.program, Time::Stalls).hazards.len();
        let after = check_in(&Program::decode(new, &self.arch), Time::Stalls).hazards;
        match after.first().filter(|_| after.len() > before) {
            Some(hazard) => {
                let address = |inst: u32| new.instructions()[inst as usize].address.unwrap_or_default();
                let (first, second) = (address(hazard.first), address(hazard.second));
                Err(format!("the new codes would let {second:#06x} come too early behind {first:#06x}"))
            }
            None => Ok(()),
        }
    }

    fn explain(&self, why: Unwritable) -> String {
        match why {
            Unwritable::NoCode(inst) => {
                let inst = &self.program.instructions[inst as usize];
                format!("the instruction at {:#06x} has no control code in the text", inst.address)
            }
            Unwritable::Form(position) => {
                let inst = &self.program.instructions[position as usize];
                format!(
                    "the lines of the instruction at {:#06x} have a form that is not edited",
                    inst.address
                )
            }
            Unwritable::Encoding(inst) => {
                let inst = &self.program.instructions[inst as usize];
                format!(
                    "the encoding at {:#06x} does not tell for sure where it names a register",
                    inst.address
                )
            }
            Unwritable::NoControlCodes | Unwritable::NotAnOrder => why.to_string(),
        }
    }

    /// Returns the figures that say which operand slots opcodes use: the architecture's own, else any of the same
    /// encoding.
    fn figures(&self) -> Option<Arc<Pipeline>> {
        let machine = &self.sass.context.machine;
        let is_volta = self.chunk.encoding() == Some(Encoding::Volta);
        self.arch.pipeline.clone().or_else(|| {
            let mut parts = machine.calibrated().filter(|_| is_volta);
            parts.find_map(|part| machine.gpu(&part.id).ok()?.arch.pipeline.clone())
        })
    }

    fn schedule(&self, plan: &Plan) -> Answer<Result<ScheduledKernel, NotScheduled>> {
        let (edits, after) = match self.write(plan) {
            Ok(written) => written,
            Err(why) => return Ok(Err(why)),
        };
        let new = &after.chunks()[self.index];
        let old = self.chunk.instructions();
        let whole = 0..old.len() as u32;
        let predicted = self.predicted(plan, new, &whole)?;
        let moved = plan.order.iter().enumerate().filter(|&(place, &inst)| place != inst as usize).count();
        let changed = new.instructions().iter().zip(&plan.order);
        let changed = changed.filter(|(new, inst)| new.control != old[**inst as usize].control).count();
        Ok(Ok(ScheduledKernel {
            name: report::name(self.given).to_owned(),
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

    /// Empty where an instruction has no encoding of 128 bits.
    fn placed(&self, plan: &Plan, new: &Chunk) -> Vec<PlacedInstruction> {
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

    /// The block that holds an instruction.
    fn block(&self, inst: usize) -> Range<u32> {
        let block = self.program.instructions[inst].block;
        self.program.blocks[block as usize].instructions.clone()
    }
}
