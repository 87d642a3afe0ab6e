//! Lowers PTX to the SASS that ptxas is expected to generate, so that all SASS analyses apply to PTX:
//! addresses, launches, memory requests, the issue simulation and occupancy. The result is an estimate.
//!
//! The steps correspond to those of a compiler back end:
//!
//! 1. translation to static single assignment form (`read`, `ssa`), with value numbering and constant folding
//!    (`value_numbering`);
//! 2. passes over values, listed in `passes::PASSES`;
//! 3. live ranges and coalescing (`live_ranges`, `coalescing`);
//! 4. instruction selection with the table `expansion.csv` (`selection`);
//! 5. list scheduling under a limit of registers (`arrangement`), register allocation by linear scan (`allocation`), and
//!    control codes (`schedule::compute`).

mod allocation;
mod arrangement;
mod coalescing;
mod facts;
mod graph;
mod ir;
mod live_ranges;
mod opcode;
mod operation;
mod passes;
mod read;
mod selection;
mod ssa;
#[cfg(test)]
mod tests;
mod text;
mod types;
mod value_numbering;

pub use facts::{Facts, Parameter, parameters};

use super::Names;
use super::flow::Flow;
use crate::{Chunk, Program, schedule};
use machine::ptx::{Expansions, Ptx};
use machine::{Arch, ClassId};
use passes::{PASSES, Pass};
use std::ops::Range;
use std::sync::Arc;
use syntax::ptx::Item;

/// First architecture with control codes: no expansion is known for architectures before Turing.
const FIRST_CODED: u16 = 70; // Source: rows of expansion.csv

/// Estimated SASS of a function.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// The listing. Its instructions have the control codes of `program`, but its text does not show them.
    pub chunk: Arc<Chunk>,
    /// The decoded instructions, with control codes from the scheduler.
    pub program: Program,
    /// For each instruction of `program`, the index of the PTX statement from which it was generated.
    pub origin: Vec<u32>,
    /// Basic blocks in source order: the statement range of each block, and its first generated instruction.
    pub blocks: Vec<(Range<u32>, u32)>,
    /// General registers per thread, before rounding to the allocation unit of the hardware.
    pub registers: u32,
    /// Bytes of shared memory per block that the function and its module declare.
    pub shared: u32,
    /// True if more registers are live at once than a thread can have. ptxas would spill some registers to
    /// memory, which is not modelled.
    pub spills: bool,
    /// True if more predicates are live at once than a thread can have. ptxas keeps some predicates in
    /// general registers or recomputes them; neither is modelled.
    pub lacks_predicates: bool,
    /// Indices of the statements whose expansion is unknown. Each becomes an opcode that no architecture has.
    pub unknown: Vec<u32>,
}

impl Lowered {
    /// Returns the listing with control codes, in the format of `cuobjdump -sass`. The encodings contain only
    /// control codes.
    pub fn listing(&self) -> String {
        text::with_controls(&self.chunk, &self.program)
    }

    /// Lowers a function for an architecture, in time approximately linear in its length. `names` is the name
    /// resolution of `item`.
    ///
    /// `None` for an item without a body, and for a function whose values need more than 65,000 registers.
    pub fn lower(item: &Item, names: &Names, facts: &Facts, arch: &Arc<Arch>) -> Option<Self> {
        Self::by(&PASSES, (item, names), facts, arch)
    }

    /// Implements [`Self::lower`] with the given passes.
    fn by(passes: &[Pass], (item, names): (&Item, &Names), facts: &Facts, arch: &Arc<Arch>) -> Option<Self> {
        let (ptx, expansions) = (Ptx::builtin(), Expansions::builtin());
        let graph = graph::Graph::build(item, &Flow::build(item, names, &ptx)?);
        let tables = read::Tables { ptx: &ptx, expansions: &expansions, arch };
        let mut body = read::read(item, facts, &graph, tables);
        for pass in passes {
            (pass.run)(&mut body, &graph);
        }
        let lives = live_ranges::LiveRanges::compute(&body);
        let mut webs = coalescing::webs(&body, &lives);
        let selected = selection::select(&body, &lives, &mut webs, &expansions, arch.sm);
        let mut firsts = Vec::with_capacity(selected.blocks.len());
        let mut lines = Vec::new();
        for block in &selected.blocks {
            firsts.push(lines.len());
            lines.extend(block);
        }
        let header = text::Header { name: item.name().unwrap_or("?"), sm: arch.sm };
        let pieces: Vec<&[selection::Fragment]> = lines.iter().map(|line| &line.pieces[..]).collect();
        let names = allocation::VirtualRegisters::number(&pieces, &webs.words)?;
        let apart = text::chunk(&header, &pieces, &firsts, &names.first)?;
        let program = Program::decode(&apart, arch);
        let spacing = expansions.spacing(arch.sm);
        let others: Vec<Option<ClassId>> =
            lines.iter().map(|line| class_of(line.other.as_deref()?, arch)).collect();
        let code = arrangement::Unordered {
            chunk: &apart,
            program: &program,
            others: &others,
            spacing: &spacing,
            names: &names,
            words: &webs.words,
        };
        let (schedule::Arrangement { order, is_other, .. }, registers) =
            arrangement::arrange(&code, &graph, arch);
        let chosen = |&line: &u32| match &lines[line as usize].other {
            Some(other) if is_other[line as usize] => &other[..],
            _ => &lines[line as usize].pieces[..],
        };
        let pieces: Vec<&[selection::Fragment]> = order.iter().map(chosen).collect();
        let chunk = text::chunk(&header, &pieces, &firsts, &registers.first)?;
        let mut program = Program::decode(&chunk, arch);
        let chunk = if arch.sm >= FIRST_CODED {
            let request = schedule::Request { spacing, ..schedule::Request::default() };
            let controls = schedule::compute(&chunk, &program, &request).controls;
            for (inst, &control) in program.instructions.iter_mut().zip(&controls) {
                inst.control = Some(control);
            }
            chunk.with_controls(controls)
        } else {
            chunk
        };
        Some(Self {
            origin: order.iter().map(|&line| lines[line as usize].origin).collect(),
            blocks: graph
                .statements
                .iter()
                .zip(&firsts)
                .map(|(own, &first)| (statements(own), first as u32))
                .collect(),
            chunk: Arc::new(chunk),
            program,
            registers: registers.count,
            shared: body.shared,
            spills: registers.is_short,
            lacks_predicates: registers.lacks_predicates,
            unknown: selected.unknown,
        })
    }
}

fn statements(range: &Range<usize>) -> Range<u32> {
    range.start as u32..range.end as u32
}

/// Returns the instruction class of a mnemonic with its modifiers, which are in the first text fragment that begins with
/// a capital letter. `None` if the instruction set has no such form.
fn class_of(pieces: &[selection::Fragment], arch: &Arch) -> Option<ClassId> {
    let is_mnemonic = |text: &&str| text.starts_with(|letter: char| letter.is_ascii_uppercase());
    let texts = pieces.iter().filter_map(|piece| match piece {
        selection::Fragment::Text(text) => Some(&**text),
        _ => None,
    });
    let mut words = texts.into_iter().find(is_mnemonic)?.split('.');
    let form = arch.isa.find(words.next()?, words)?;
    Some(arch.isa.form(form).class)
}
