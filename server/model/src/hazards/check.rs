//! The hazards of a program: instructions that may read or leave a wrong value.

use super::elapsed::Time;
use super::need::{most_of_several, waits};
use super::pair::{Order, Pair};
use super::walk::walk;
use crate::in_flight::WINDOW;
use crate::{Program, Register, RegisterFile};
use machine::{Arch, ClassId, ClassTrait, DistanceKey, File, Known, Source, Usage};

/// An instruction that touches a register too early.
#[derive(Debug, Clone, PartialEq)]
pub struct Hazard {
    /// The instruction whose result or source it is.
    pub first: u32,
    /// The one that comes too early.
    pub second: u32,
    pub register: Register,
    pub order: Order,
    pub lack: Lack,
}

/// The order that is missing between two instructions.
#[derive(Debug, Clone, PartialEq)]
pub enum Lack {
    /// The second issues this many cycles after the first by the stall counts, and needs more.
    Cycles { has: u32, needs: Known<u32> },
    /// The first sets those scoreboards (one bit each), and nothing has waited for one of them.
    Wait { scoreboards: u8 },
    /// The first sets no scoreboard that says when it is over.
    Scoreboard,
}

/// The hazards of a program with control codes, by the second instruction, one for each pair of instructions and order.
///
/// Distances are compared with the smallest that compilers leave; a producer in no table is not checked.
/// Operations that a called function leaves in flight are not tracked. Kepler keeps the order of memory instructions itself.
/// A wait counts as time for what issued at or before the instruction that it is for.
pub fn check(program: &Program) -> Checked {
    check_in(program, Time::StallsAndWaits)
}

/// [`check`], but with the given notion of time: new code must keep its distances by stall counts alone.
pub fn check_in(program: &Program, time: Time) -> Checked {
    let mut checked = Checked::default();
    if program.instructions.iter().all(|inst| inst.control.is_none()) {
        return checked;
    }
    let has_scoreboards =
        program.instructions.iter().any(|inst| inst.control.is_some_and(|control| control.kepler.is_none()));
    walk(program, time, |pair| {
        checked.dependences += 1;
        if let Some(lack) = lack(program, &pair, has_scoreboards) {
            let Pair { first, second, register, order, .. } = pair;
            checked.hazards.push(Hazard { first, second, register, order, lack });
        }
    });
    checked.hazards.sort_by_key(|hazard| (hazard.second, hazard.first, hazard.order, hazard.register));
    checked.hazards.dedup_by_key(|hazard| (hazard.second, hazard.first, hazard.order));
    checked
}

/// Findings of a check, and how much it looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checked {
    pub hazards: Vec<Hazard>,
    /// Pairs of instructions that touch a register while the first is in flight.
    pub dependences: u64,
}

fn lack(program: &Program, pair: &Pair, has_scoreboards: bool) -> Option<Lack> {
    let class = |inst: u32| {
        let class = program.instructions[inst as usize].class;
        class.map(|class| program.arch.class(class))
    };
    // What an unknown opcode does is unknown.
    let (first, second) = (class(pair.first)?, class(pair.second)?);
    // Products of a warpgroup end when `WARPGROUP.DEPBAR` says so, which is not followed.
    if first.has(ClassTrait::Unordered) {
        return None;
    }
    match waits(first, Some(second), pair.register, pair.order) {
        Some(false) => None,
        Some(true) if !has_scoreboards => None,
        Some(true) if pair.scoreboards == 0 => Some(Lack::Scoreboard),
        Some(true) => Some(Lack::Wait { scoreboards: pair.scoreboards }),
        // A class of fixed latency whose instruction sets a scoreboard all the same: the slow ones of some chips.
        None if pair.scoreboards != 0
            && pair.order != Order::WriteAfterRead
            && has_scoreboards
            && !is_over(program, pair) =>
        {
            Some(Lack::Wait { scoreboards: pair.scoreboards })
        }
        None => {
            let needs = least(program, pair)?;
            let has = pair.cycles;
            (has < needs.value).then_some(Lack::Cycles { has, needs })
        }
    }
}

/// Instructions that a pipe of fixed latency works off before one that was just issued, at most.
const QUEUED: u32 = 8; // limit: several times what any pipe of fixed latency was seen to hold

/// Whether a pair is so far apart by stall counts that the scoreboard of the first instruction, which has a fixed
/// latency, is not needed. The distance needed is the least that such pairs have in compilers' code without a
/// scoreboard, else the time that a full pipe takes.
fn is_over(program: &Program, pair: &Pair) -> bool {
    let mut pair = *pair;
    if pair.register.file == RegisterFile::Named {
        // An assembler's names denote general registers.
        pair.register.file = RegisterFile::General;
    }
    let needs = pair.distance_key(program).and_then(|key| program.arch.distances().met(key));
    if let Some(needs) = needs {
        return pair.cycles >= needs.value;
    }
    let first = program.instructions[pair.first as usize].class.map(|class| program.arch.class(class));
    first.is_some_and(|first| {
        let full = first.latency.cycles().value + QUEUED * first.issue_cycles.value;
        pair.cycles >= full.max(WINDOW)
    })
}

/// Fewest cycles that the pair needs: what compilers leave, or the architecture's latency where that is less, as a pair
/// that was never met closer may still be.
fn least(program: &Program, pair: &Pair) -> Option<Known<u32>> {
    let arch = &program.arch;
    let key = pair.distance_key(program)?;
    let distances = arch.distances();
    if key.usage.late() == Usage::Overwrite {
        return overwrite(arch, key);
    }
    // Where nothing is known of the low half of a pair: what is known of any register.
    let is_early = key.usage != key.usage.late();
    let early = distances.least_of_half(key).filter(|_| is_early);
    let seen = early.or_else(|| distances.least(key.late()))?;
    let most = most_of_several(distances, key, 0);
    let seen = &Known { value: seen.value.min(most), source: seen.source.clone() };
    if key.usage == Usage::AfterRead {
        return writes_soon(arch, key.consumer?).then(|| seen.clone());
    }
    let stated = match key.file {
        File::General => arch.raw_latency(key.producer, key.consumer?),
        File::Predicate => Some(&arch.predicate_guard),
        _ => None,
    };
    Some(stated.filter(|stated| stated.value < seen.value).unwrap_or(seen).clone())
}

/// Whether an instruction can write a uniform register before one just issued has read it: what comes from elsewhere than the
/// uniform datapath takes longer.
fn writes_soon(arch: &Arch, writer: ClassId) -> bool {
    arch.class_with(ClassTrait::Uniform).is_some_and(|uniform| uniform.pipe == arch.class(writer).pipe)
}

/// Cycles taken off the distance that latencies imply for a pair of writes without a trusted observed distance.
const UNSURE: u32 = 2;

/// Returns the smallest distance, in cycles, at which the second of two writes to a register lands last: the difference
/// of their latencies. `None` if a latency is unknown.
fn overwrite(arch: &Arch, key: DistanceKey) -> Option<Known<u32>> {
    let latency = |class| {
        let seen = arch.distances().latency(class, key.file)?;
        let stated = arch.raw_latency(class, class).filter(|_| key.file == File::General);
        Some(stated.map_or(seen, |stated| stated.value.min(seen)))
    };
    let difference = (latency(key.producer)? + 1).saturating_sub(latency(key.consumer?)?);
    // Latencies are of reads; how far from them a write lands is not known to the cycle.
    let unsure = if arch.distances().trusted(key).is_some() { 0 } else { UNSURE };
    let met = arch.distances().met(key).map_or(u32::MAX, |met| met.value);
    let value = difference.saturating_sub(unsure).min(met);
    let like = arch.distances().least_of_like(key).next();
    let value = like.map_or(value, |like| value.min(like.value));
    let source =
        Source::Derived("the difference of the two latencies, the smallest seen in compilers' code".into());
    Some(Known { value: value.max(1), source })
}
