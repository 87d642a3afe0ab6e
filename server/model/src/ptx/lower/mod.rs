//! PTX to the instructions of SASS that ptxas would be expected to make of it, so that all that is known of SASS holds for
//! PTX: addresses, launches, requests of memory, the issue simulation, occupancy. An estimate throughout.
//!
//! A function becomes values that are written once (`read`, `ssa`), simpler ones (`simplify`, `motion`, `combine`), rows of
//! SASS by the table `expansion.csv` (`select`), in another order (`schedule`), with real registers (`allocate`).

mod allocate;
mod alternative;
mod combine;
mod facts;
mod graph;
mod ir;
mod known;
mod live;
mod motion;
mod narrow;
mod operation;
mod read;
mod select;
mod simplify;
mod sink;
mod ssa;
#[cfg(test)]
mod tests;
mod text;
mod webs;

pub use facts::{Facts, Parameter, parameters};

use super::Names;
use super::flow::Flow;
use crate::{Chunk, Program, schedule};
use machine::ptx::{Expansions, Name, Piece, Ptx, Step};
use machine::{Arch, ClassId};
use std::ops::Range;
use std::sync::Arc;
use syntax::ptx::Item;

/// Instructions within which the scheduler moves them. Source: a guess; ptxas stops where registers run short, which is not
/// followed.
const MOST_MOVED: u32 = 96;

/// A function as SASS, estimated.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// The listing, without control codes.
    pub chunk: Arc<Chunk>,
    /// Decoded, with control codes as a scheduler writes them.
    pub program: Program,
    /// The statement of the item that each instruction of the program is for.
    pub origin: Vec<u32>,
    /// Basic blocks of the item's statements, in text order, each with the first instruction that stands for it.
    pub blocks: Vec<(Range<u32>, u32)>,
    /// General registers of a thread; the hardware gives them in larger units.
    pub registers: u32,
    /// Bytes of shared memory that the function and its module declare.
    pub shared: u32,
    /// More registers are wanted at once than a thread can have: ptxas would keep some in memory, which is not followed.
    pub spills: bool,
    /// Statements whose expansion is not known: they stand as an opcode that no machine has.
    pub unknown: Vec<u32>,
}

impl Lowered {
    /// The listing with control codes, as `cuobjdump -sass` prints it; of the encodings only the codes are there.
    pub fn listing(&self) -> String {
        text::with_controls(&self.chunk, &self.program)
    }

    /// Lowers a function for an architecture, in time about linear in its length. `None` for what has no body and for a
    /// function of more than 65,000 registers' worth of values.
    pub fn of(item: &Item, facts: &Facts, arch: &Arc<Arch>) -> Option<Self> {
        let (ptx, expansions) = (Ptx::builtin(), Expansions::builtin());
        let graph = graph::Graph::of(item, &Flow::of(item, &Names::of(item), &ptx)?);
        let tables = read::Tables { ptx: &ptx, expansions: &expansions, arch };
        let mut body = read::read(item, facts, &graph, tables);
        motion::remove_dead(&mut body);
        narrow::narrow(&mut body);
        motion::hoist(&mut body, &graph);
        combine::combine(&mut body);
        motion::remove_dead(&mut body);
        sink::sink(&mut body, &graph, |node| {
            let row = expansions.of(&node.spelling, arch.sm);
            row.is_some_and(|row| row.steps.iter().any(uses_predicate))
        });
        webs::detach(&mut body, &graph);
        let lives = live::Lives::of(&body, |node| {
            select::reads_on(&expansions, arch.sm, &body.nodes[node as usize].spelling)
        });
        let mut webs = webs::webs(&body, &lives);
        let selected = select::select(&body, &mut webs, &expansions, arch.sm);
        let mut firsts = Vec::with_capacity(selected.blocks.len());
        let mut lines = Vec::new();
        for block in &selected.blocks {
            firsts.push(lines.len());
            lines.extend(block);
        }
        let header = text::Header { name: item.name().unwrap_or("?"), sm: arch.sm };
        let pieces: Vec<&[select::Out]> = lines.iter().map(|line| &line.pieces[..]).collect();
        let names = allocate::Unlimited::of(&pieces, &webs.words)?;
        let apart = text::chunk(&header, &pieces, &firsts, &names)?;
        let program = Program::decode(&apart, arch);
        let spacing = expansions.spacing(arch.sm);
        let others: Vec<Option<ClassId>> =
            lines.iter().map(|line| class_of(line.other.as_deref()?, arch)).collect();
        let (order, is_other) = schedule::arrange(&apart, &program, &others, &spacing, MOST_MOVED);
        let registers = allocate::allocate(&program, &order, &names, &webs.words);
        let chosen = |&line: &u32| match &lines[line as usize].other {
            Some(other) if is_other[line as usize] => &other[..],
            _ => &lines[line as usize].pieces[..],
        };
        let pieces: Vec<&[select::Out]> = order.iter().map(chosen).collect();
        let chunk = text::chunk(&header, &pieces, &firsts, &registers)?;
        let mut program = Program::decode(&chunk, arch);
        let plan = schedule::compute(
            &chunk,
            &program,
            &schedule::Request { spacing, ..schedule::Request::default() },
        );
        for (inst, control) in program.instructions.iter_mut().zip(plan.controls) {
            inst.control = Some(control);
        }
        Some(Self {
            origin: order.iter().map(|&line| lines[line as usize].origin).collect(),
            blocks: graph
                .statements
                .iter()
                .zip(&firsts)
                .map(|(own, &first)| (statements(own), first as u32))
                .collect(),
            chunk,
            program,
            registers: registers.count,
            shared: body.shared,
            spills: registers.is_short,
            unknown: selected.unknown,
        })
    }
}

fn statements(range: &Range<usize>) -> Range<u32> {
    range.start as u32..range.end as u32
}

/// Whether a step of an expansion hands a predicate to another, or takes one from it.
fn uses_predicate(step: &Step) -> bool {
    let slots = step.operands.iter().flatten().filter_map(|piece| match piece {
        Piece::Slot(slot) => Some(slot.name),
        Piece::Text(_) => None,
    });
    step.guard.is_some() || slots.into_iter().any(|name| matches!(name, Name::Predicate(_)))
}

/// The class of an instruction by its mnemonic: the first word that begins with a capital letter.
fn class_of(pieces: &[select::Out], arch: &Arch) -> Option<ClassId> {
    let is_mnemonic = |text: &&str| text.starts_with(|letter: char| letter.is_ascii_uppercase());
    let texts = pieces.iter().filter_map(|piece| match piece {
        select::Out::Text(text) => Some(&**text),
        _ => None,
    });
    let mut words = texts.into_iter().find(is_mnemonic)?.split('.');
    let form = arch.isa.find(words.next()?, words)?;
    Some(arch.isa.form(form).class)
}
