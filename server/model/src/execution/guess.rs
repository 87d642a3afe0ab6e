//! Assumed outcomes of branches whose conditions depend on data.

use crate::{Program, Trips};
use machine::Flow;
use syntax::sass::Chunk;

/// Assumption about a branch whose condition is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guess {
    /// Branches back to a loop's head until the loop has run `trips` times.
    Back {
        trips: u64,
        source: TripSource,
    },
    /// Leaves the loop that ends at branch `back` once the loop has run `trips` times.
    Out {
        back: u32,
        trips: u64,
        source: TripSource,
    },
    Taken,
    NotTaken,
    /// Early exit of a loop that can also end at its back edge. The exit is assumed not to be taken, except in
    /// the best case.
    Early,
    /// About half of the warps take the branch, except in the best and the worst case.
    Either {
        /// True if the taken side seems to have fewer instructions.
        shorter: bool,
    },
}

/// Assumption about addresses, branches and trip counts that depend on memory contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scenario {
    /// The likely case, between the best and the worst case.
    #[default]
    Usual,
    /// The best case: all lanes request one nearby sector, branches take the shorter side, loops end at once.
    Best,
    /// The worst case: each lane requests a different line from DRAM, all lanes conflict in one bank, all atomics
    /// update one word, lanes diverge at each branch, and loops run [`MAX_UNSTATED_TRIPS`] times.
    Worst,
}

/// Source of a loop's trip count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TripSource {
    Launch,
    Assumed,
    /// The loop waits until another block has written a word. See [`SPIN_TRIPS`].
    Spin,
}

/// Assumed trip count of a loop whose trip count is not stated.
pub const UNSTATED_TRIPS: u64 = 8; // limit: a convention

/// Worst-case value of [`UNSTATED_TRIPS`]. The value is a convention, because no bound exists.
pub const MAX_UNSTATED_TRIPS: u64 = 64; // limit: a convention

/// Number of times that a loop reads a word that another block is about to write: once too early, then once
/// more. With two reads, the predicted time of a grid barrier matches an H200 (`async/cluster`, 2026-11-30).
const SPIN_TRIPS: u64 = 2; // Source: measured, see above

/// Maximum number of instructions in a loop that waits for a word.
const MAX_SPIN_INSTRUCTIONS: usize = 24; // limit: such loops are short

/// Returns, by instruction, the assumed outcome of a branch whose condition is not known.
pub(super) fn guesses(chunk: &Chunk, program: &Program, trips: &Trips) -> Vec<Guess> {
    let insts = &program.instructions;
    let stated = |at: usize| trips.get(&insts[at].address).copied();
    let is_call =
        |at: usize| insts[at].flow == Flow::Call || chunk.mnemonic(&chunk.instructions()[at]) == "RET";
    // Loops as pairs of head and back edge; all code between the two counts as the body.
    let loops: Vec<(usize, usize)> = insts
        .iter()
        .enumerate()
        .filter(|(_, inst)| inst.flow == Flow::Branch)
        .filter_map(|(at, inst)| inst.target.map(|target| (target as usize, at)))
        .filter(|(head, back)| head <= back)
        .collect();
    let mut guesses = vec![Guess::NotTaken; insts.len()];
    for (at, inst) in insts.iter().enumerate() {
        let Some(target) = inst.target.filter(|_| inst.flow == Flow::Branch).map(|target| target as usize)
        else {
            continue;
        };
        guesses[at] = if target <= at {
            let (trips, source) = match stated(at) {
                Some(trips) => (trips, TripSource::Launch),
                None if spins(chunk, program, target, at) => (SPIN_TRIPS, TripSource::Spin),
                None => (UNSTATED_TRIPS, TripSource::Assumed),
            };
            Guess::Back { trips, source }
        } else {
            let around = loops.iter().filter(|(head, back)| (*head..*back).contains(&at) && target > *back);
            let innermost = around.min_by_key(|(head, back)| back - head);
            let skipped: Vec<u64> = loops
                .iter()
                .filter(|(head, back)| *head > at && *back < target)
                .filter_map(|(_, back)| stated(*back))
                .collect();
            match innermost {
                Some(&(_, back)) => match (stated(at).or_else(|| stated(back)), insts[back].guard) {
                    (Some(trips), _) => Guess::Out { back: back as u32, trips, source: TripSource::Launch },
                    // The loop has no other end.
                    (None, None) => {
                        Guess::Out { back: back as u32, trips: UNSTATED_TRIPS, source: TripSource::Assumed }
                    }
                    (None, Some(_)) => Guess::Early,
                },
                None if !skipped.is_empty() => {
                    if skipped.iter().all(|&trips| trips == 0) {
                        Guess::Taken
                    } else {
                        Guess::NotTaken
                    }
                }
                // Calls lead to slow paths, such as an assertion or a division of numbers out of range.
                None if (at + 1..target.min(insts.len())).any(is_call) => {
                    if reaches_call((chunk, program), target, &is_call) {
                        Guess::NotTaken
                    } else {
                        Guess::Taken
                    }
                }
                None if reaches_call((chunk, program), target, &is_call) => Guess::NotTaken,
                None => Guess::Either { shorter: skips_more(program, at, target) },
            }
        };
    }
    guesses
}

/// True if a loop only polls memory that other threads write.
fn spins(chunk: &Chunk, program: &Program, head: usize, back: usize) -> bool {
    let body = head..=back;
    let reads = |at: usize| {
        let instruction = &chunk.instructions()[at];
        program.instructions[at].memory.is_some_and(|memory| memory.loads && !memory.stores)
            && chunk.modifiers(instruction).any(|modifier| modifier == "STRONG")
    };
    let is_harmless = |at: usize| {
        let inst = &program.instructions[at];
        at == back || inst.flow == Flow::Next && !inst.memory.is_some_and(|memory| memory.stores)
    };
    back - head < MAX_SPIN_INSTRUCTIONS && body.clone().any(reads) && body.clone().all(is_harmless)
}

/// True if the target side of a forward jump is shorter than the skipped code.
///
/// The skipped code may fall through to the target, jump past the target side to a join, or jump elsewhere.
/// In the last case, the target is out of line and adds to the work.
fn skips_more(program: &Program, at: usize, target: usize) -> bool {
    let insts = &program.instructions;
    let Some(last) = target.checked_sub(1).filter(|&last| last > at).and_then(|last| insts.get(last)) else {
        return true;
    };
    match last.flow {
        Flow::Branch if last.guard.is_none() => match last.target.map(|join| join as usize) {
            Some(join) if join > target => join - target <= target - at,
            _ => false,
        },
        Flow::Exit if last.guard.is_none() => false,
        _ => true,
    }
}

/// True if the code that starts at `from` reaches a call before a branch or a reconvergence.
fn reaches_call((chunk, program): (&Chunk, &Program), from: usize, is_call: &impl Fn(usize) -> bool) -> bool {
    let goes_on = |at: &usize| {
        let is_join = chunk.mnemonic(&chunk.instructions()[*at]) == "BSYNC";
        is_call(*at) || program.instructions[*at].flow == Flow::Next && !is_join
    };
    (from..program.instructions.len()).take_while(goes_on).any(is_call)
}
