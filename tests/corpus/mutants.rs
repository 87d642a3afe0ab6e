//! Breaks control codes of real listings, one at a time. The hazard check must report each.

use super::files;
use machine::Machine;
use model::dataflow::Definitions;
use model::hazards::{self, Hazard};
use model::{Program, Register, RegisterFile};
use std::collections::BTreeMap;
use syntax::sass::Listing;

/// Part of a control code that is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The stall count after a result of fixed latency is lowered below the latency that the result's next
    /// reader needs.
    Stall,
    /// As for `Stall`, for the stall count before a wait between writer and reader. The awaited instruction
    /// issued before the writer, so the wait may take no time.
    StallBeforeWait,
    /// The wait bit of a reader of a variable-latency result is cleared.
    Wait,
    /// The scoreboard of a variable-latency result is removed.
    Barrier,
}

/// A direct dependence: an instruction reads a register that another instruction wrote, without a write in
/// between.
#[derive(Debug, Clone, Copy)]
struct Dependence {
    writer: u32,
    reader: u32,
    register: Register,
    /// True if the dependence crosses a branch or a loop iteration.
    is_across: bool,
}

#[derive(Debug, Default)]
struct Tally {
    made: u32,
    found: u32,
    /// Waits and barriers for results that a later scoreboard of the same in-order queue also covers: their removal is
    /// harmless.
    covered: u32,
}

/// Largest number of mutants per kernel and kind: the corpus has few large kernels and many small ones.
const MAX_PER_KERNEL: usize = 12;

#[test]
fn broken_control_codes_are_found() {
    let mut tallies: BTreeMap<(Kind, bool), Tally> = BTreeMap::new();
    let mut missed = Vec::new();
    for sample in files::all() {
        let listing = Listing::parse(&sample.text);
        for chunk in listing.chunks().iter().filter(|chunk| !chunk.instructions().is_empty()) {
            let Some(sm) = chunk.sm() else { continue };
            let program = Program::decode(chunk, &Machine::builtin().gpu_for_sm(sm.number).arch);
            // Only compilers' code is known to be free of hazards; Kepler tracks scoreboards in hardware.
            let has_codes = program.instructions.iter().all(|inst| {
                inst.control.is_some_and(|control| control.stall.is_some() && control.kepler.is_none())
            });
            let before = hazards::check(&program);
            if !has_codes || !before.hazards.is_empty() {
                continue;
            }
            for (kind, dependence, mutant) in mutants(&program) {
                let after = hazards::check(&mutant);
                let tally = tallies.entry((kind, dependence.is_across)).or_default();
                tally.made += 1;
                if is_found(&after.hazards, dependence) {
                    tally.found += 1;
                } else if matches!(kind, Kind::Wait | Kind::Barrier) && is_covered(&program, dependence) {
                    tally.covered += 1;
                } else if missed.len() < 400 {
                    let line =
                        |inst: u32| chunk.line_text(program.instructions[inst as usize].line as usize).trim();
                    missed.push(format!(
                        "{}: {kind:?} {:?}\n    {}\n    {}",
                        sample.name,
                        dependence.register,
                        line(dependence.writer),
                        line(dependence.reader)
                    ));
                }
            }
        }
    }
    let (mut made, mut right) = (0, 0);
    for ((kind, is_across), tally) in &tallies {
        let place = if *is_across { "across branches and loops" } else { "in straight code" };
        println!(
            "{kind:?} {place}: {} mutants, {} found, {} of the rest still right (a later scoreboard covers them)",
            tally.made, tally.found, tally.covered
        );
        made += tally.made - tally.covered;
        right += tally.found;
    }
    println!("{right} of {made} wrong mutants found\n{}", missed.join("\n"));
    assert!(made > 300, "only {made} mutants");
    let before_waits = tallies.get(&(Kind::StallBeforeWait, false)).map_or(0, |tally| tally.made);
    assert!(before_waits > 20, "only {before_waits} stall counts in front of waits");
    // At least 99.5 % of the mutants must be found; with few mutants, one may be missed.
    assert!(made - right <= made.div_ceil(200), "{right} of {made} found");
}

/// True if the check reports a hazard of the writer's result.
fn is_found(hazards: &[Hazard], dependence: Dependence) -> bool {
    hazards.iter().any(|hazard| hazard.first == dependence.writer)
}

/// True if an instruction of the same in-order queue after the writer sets the writer's former scoreboard, before the
/// reader.
fn is_covered(program: &Program, dependence: Dependence) -> bool {
    let returns = |inst: u32| {
        let class = program.instructions[inst as usize].class;
        class.and_then(|class| program.arch.class(class).returns)
    };
    let between = if dependence.writer < dependence.reader {
        dependence.writer + 1..dependence.reader
    } else {
        dependence.writer + 1..program.instructions.len() as u32
    };
    returns(dependence.writer).is_some()
        && between.into_iter().any(|other| {
            let control = program.instructions[other as usize].control;
            returns(other) == returns(dependence.writer)
                && control.is_some_and(|control| control.write_barrier.is_some())
        })
}

fn mutants(program: &Program) -> Vec<(Kind, Dependence, Program)> {
    let mut mutants = Vec::new();
    let mut taken: BTreeMap<Kind, usize> = BTreeMap::new();
    for dependence in dependences(program) {
        for (kind, mutant) in broken(program, dependence) {
            let taken = taken.entry(kind).or_default();
            if *taken < MAX_PER_KERNEL {
                *taken += 1;
                mutants.push((kind, dependence, mutant));
            }
        }
    }
    mutants
}

/// Direct dependences of a kernel, ordered such that consecutive dependences are distant from each other.
fn dependences(program: &Program) -> Vec<Dependence> {
    let definitions = Definitions::compute(program, &program.arch.isa);
    let mut all = Vec::new();
    for (reader, inst) in program.instructions.iter().enumerate() {
        for access in program.reads(inst).iter().filter(|access| access.register.file != RegisterFile::Named)
        {
            let reaching = definitions.reaching(program, reader as u32, access.register);
            if let ([writer], false) = (&reaching.writes[..], reaching.from_entry) {
                let block = program.instructions[*writer as usize].block;
                let is_across = block != inst.block || *writer >= reader as u32;
                all.push(Dependence {
                    writer: *writer,
                    reader: reader as u32,
                    register: access.register,
                    is_across,
                });
            }
        }
    }
    // The stride visits the entire kernel before it returns close to a previous position.
    let stride = all.len() / 7 + 1;
    (0..stride)
        .flat_map(|start| all.iter().copied().skip(start).step_by(stride).collect::<Vec<_>>())
        .collect()
}

fn broken(program: &Program, dependence: Dependence) -> Vec<(Kind, Program)> {
    let Dependence { writer, reader, .. } = dependence;
    let inst = |at: u32| &program.instructions[at as usize];
    let mut broken = Vec::new();
    let Some((written, _)) = inst(writer).control.zip(inst(reader).control) else { return broken };
    if let Some(needed) = needed(program, dependence)
        && let Some(distance) = distance(program, dependence)
    {
        let stall = u32::from(written.stall.unwrap_or(0));
        // Lowers the stall count to one cycle less than the latency that the architecture's tables state.
        let lowered = |stall: u32| {
            (stall + needed).checked_sub(distance + 1).filter(|&lowered| lowered >= 1 && lowered < stall)
        };
        let with_stall = |at: u32, stall: u32| {
            let mut mutant = program.clone();
            if let Some(control) = &mut mutant.instructions[at as usize].control {
                control.stall = Some(stall as u8);
            }
            mutant
        };
        if let Some(lowered) = lowered(stall) {
            broken.push((Kind::Stall, with_stall(writer, lowered)));
        }
        if let Some(at) = before_idle_wait(program, dependence)
            && let Some(lowered) =
                lowered(u32::from(inst(at).control.and_then(|control| control.stall).unwrap_or(0)))
        {
            broken.push((Kind::StallBeforeWait, with_stall(at, lowered)));
        }
    }
    let Some(scoreboard) = written.write_barrier else { return broken };
    let waits = |at: u32| {
        let control = program.instructions[at as usize].control;
        control.is_some_and(|control| control.wait_mask >> scoreboard & 1 == 1)
    };
    // An earlier wait on some path may have awaited the result. The wait of this reader is then for another
    // result.
    let mut between = if writer < reader { writer + 1..reader } else { 0..program.instructions.len() as u32 };
    let is_first = !between.any(|at| at != reader && waits(at))
        && !program.counted_waits.iter().any(|wait| wait.scoreboard == scoreboard);
    if waits(reader) && is_first {
        let mut mutant = program.clone();
        if let Some(control) = &mut mutant.instructions[reader as usize].control {
            control.wait_mask &= !(1 << scoreboard);
        }
        broken.push((Kind::Wait, mutant));
        let mut mutant = program.clone();
        if let Some(control) = &mut mutant.instructions[writer as usize].control {
            control.write_barrier = None;
        }
        broken.push((Kind::Barrier, mutant));
    }
    broken
}

/// The instruction before the last wait at or before the reader. `None` if an instruction from the writer on
/// sets the awaited scoreboard.
fn before_idle_wait(program: &Program, dependence: Dependence) -> Option<u32> {
    let Dependence { writer, reader, is_across, .. } = dependence;
    let control = |at: u32| program.instructions[at as usize].control;
    let mask = |at: u32| control(at).map_or(0, |control| control.wait_mask);
    let waiting = (writer + 1..reader + 1).rfind(|&at| mask(at) != 0).filter(|_| !is_across)?;
    let set = |at: u32| {
        let control = control(at)?;
        Some([control.write_barrier, control.read_barrier])
    };
    let is_set =
        (writer..waiting).filter_map(set).flatten().flatten().any(|board| mask(waiting) >> board & 1 == 1);
    (!is_set && waiting > writer + 1).then_some(waiting - 1)
}

/// The latency that the architecture's tables state for a result of fixed latency. The hazard check also uses
/// other sources.
fn needed(program: &Program, dependence: Dependence) -> Option<u32> {
    let class = |at: u32| program.instructions[at as usize].class;
    let arch = &program.arch;
    match dependence.register.file {
        RegisterFile::General => {
            arch.raw_latency(class(dependence.writer)?, class(dependence.reader)?).map(|known| known.value)
        }
        RegisterFile::Predicate => {
            let guard = program.instructions[dependence.reader as usize].guard?;
            let is_fixed = arch.class(class(dependence.writer)?).latency.is_fixed();
            (is_fixed && guard.predicate == dependence.register).then_some(arch.predicate_guard.value)
        }
        _ => None,
    }
}

/// Cycles from the writer to the reader by stall counts: within a basic block, or from the end of a block to
/// the start of the next.
fn distance(program: &Program, dependence: Dependence) -> Option<u32> {
    let Dependence { writer, reader, is_across, .. } = dependence;
    let cycles = |from: u32, to: u32| -> u32 {
        let stall = |at: u32| {
            let inst = &program.instructions[at as usize];
            let stall = inst.control.and_then(|control| control.stall).unwrap_or(1);
            if inst.dual { 0 } else { u32::from(stall).max(1) }
        };
        (from..to).map(stall).sum()
    };
    if !is_across {
        return Some(cycles(writer, reader));
    }
    let block = |at: u32| program.instructions[at as usize].block;
    let from = &program.blocks[block(writer) as usize];
    let to = &program.blocks[block(reader) as usize];
    let is_next = program.flow.successors(block(writer)).contains(&block(reader));
    is_next.then(|| cycles(writer, from.instructions.end) + cycles(to.instructions.start, reader))
}
