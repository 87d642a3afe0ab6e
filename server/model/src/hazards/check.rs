//! The hazards of a program: instructions that may read or leave a wrong value.

use super::elapsed::Time;
use super::need::{max_of_several, waits};
use super::pair::{Order, Pair};
use super::walk::walk;
use crate::in_flight::WINDOW;
use crate::{Program, Register, RegisterFile};
use machine::{Arch, ClassId, ClassTrait, DistanceKey, File, Known, Source, Usage};

/// An instruction that accesses a register too early.
#[derive(Debug, Clone, PartialEq)]
pub struct Hazard {
    /// The instruction that writes or reads the register first.
    pub first: u32,
    /// The instruction that follows too early.
    pub second: u32,
    pub register: Register,
    pub order: Order,
    pub lack: MissingOrder,
}

/// Ordering that is missing between two instructions.
#[derive(Debug, Clone, PartialEq)]
pub enum MissingOrder {
    /// The second instruction issues `has` cycles after the first, but the pair requires `needs` cycles.
    Cycles { has: u32, needs: Known<u32> },
    /// The scoreboards in this mask signal the end of the first access, and on some path no instruction waits
    /// for any of them.
    Wait { scoreboards: u8 },
    /// The first instruction sets no scoreboard that signals its completion.
    Scoreboard,
}

/// Returns the hazards of a program with control codes, sorted by the second instruction, at most one per pair of
/// instructions and order.
///
/// Distances are compared with the smallest distances in compiled code. Producers without a table entry and
/// operations that a called function leaves in flight are not checked. Kepler orders memory instructions in
/// hardware. A wait counts as elapsed time for instructions that issued no later than the awaited
/// instruction.
pub fn check(program: &Program) -> CheckResult {
    check_in(program, Time::StallsAndWaits)
}

/// Works like [`check`], but with the given clock. New code must keep its distances by stall counts only.
pub fn check_in(program: &Program, time: Time) -> CheckResult {
    let mut checked = CheckResult::default();
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

/// Result of a check, with the number of checked dependences.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckResult {
    pub hazards: Vec<Hazard>,
    /// Number of instruction pairs in which the second instruction accesses a register while the first is in
    /// flight.
    pub dependences: u64,
}

fn lack(program: &Program, pair: &Pair, has_scoreboards: bool) -> Option<MissingOrder> {
    let class = |inst: u32| {
        let class = program.instructions[inst as usize].class;
        class.map(|class| program.arch.class(class))
    };
    // Nothing is known about an unknown opcode.
    let (first, second) = (class(pair.first)?, class(pair.second)?);
    match waits(first, Some(second), pair.register, pair.order) {
        Some(false) => None,
        Some(true) if !has_scoreboards => None,
        Some(true) if pair.scoreboards == 0 => Some(MissingOrder::Scoreboard),
        Some(true) => Some(MissingOrder::Wait { scoreboards: pair.scoreboards }),
        // Slow classes of some chips set a scoreboard although their latency is fixed.
        None if pair.scoreboards != 0
            && pair.order != Order::WriteAfterRead
            && has_scoreboards
            && !is_over(program, pair) =>
        {
            Some(MissingOrder::Wait { scoreboards: pair.scoreboards })
        }
        None => {
            let needs = least(program, pair)?;
            let has = pair.cycles;
            (has < needs.value).then_some(MissingOrder::Cycles { has, needs })
        }
    }
}

/// Maximum number of queued instructions that a fixed-latency pipe completes before a newly issued
/// instruction.
const QUEUED: u32 = 8; // limit: several times what any pipe of fixed latency was seen to hold

/// True if the stall counts between a pair make the scoreboard of the first instruction, which has a fixed
/// latency, unnecessary. The required distance is the smallest distance without a scoreboard in compiled
/// code, otherwise the time that a full pipe takes.
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

/// Returns the number of cycles below which the pair is a hazard: the smallest distance in compiled code, or the
/// architecture's latency if it is smaller, because compilers may leave more cycles than necessary. `None` if no
/// distance is known, or if no distance is necessary.
fn least(program: &Program, pair: &Pair) -> Option<Known<u32>> {
    let arch = &program.arch;
    let key = pair.distance_key(program)?;
    let distances = arch.distances();
    if key.usage.late() == Usage::Overwrite {
        return overwrite(arch, key);
    }
    // If the low half of a pair has no distance, the distance for any register applies.
    let is_early = key.usage != key.usage.late();
    let early = distances.min_of_half(key).filter(|_| is_early);
    let seen = early.or_else(|| distances.least(key.late()))?;
    let most = max_of_several(distances, key, 0);
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

/// True if an instruction can write a uniform register before an instruction that has just issued reads it.
/// Results from outside the uniform datapath take longer.
fn writes_soon(arch: &Arch, writer: ClassId) -> bool {
    arch.class_with(ClassTrait::Uniform).is_some_and(|uniform| uniform.pipe == arch.class(writer).pipe)
}

/// Cycles subtracted from the distance that latencies imply for a pair of writes without a trusted observed
/// distance.
const UNSURE: u32 = 2; // limit: errs towards no finding

/// Returns the smallest distance, in cycles, at which the second of two writes to a register lands last: the difference
/// of their latencies. `None` if a latency is unknown.
fn overwrite(arch: &Arch, key: DistanceKey) -> Option<Known<u32>> {
    let latency = |class| {
        let seen = arch.distances().latency(class, key.file)?;
        let stated = arch.raw_latency(class, class).filter(|_| key.file == File::General);
        Some(stated.map_or(seen, |stated| stated.value.min(seen)))
    };
    let difference = (latency(key.producer)? + 1).saturating_sub(latency(key.consumer?)?);
    // Latencies are those of reads; the cycle in which a write lands is not known exactly.
    let unsure = if arch.distances().trusted(key).is_some() { 0 } else { UNSURE };
    let met = arch.distances().met(key).map_or(u32::MAX, |met| met.value);
    let value = difference.saturating_sub(unsure).min(met);
    let like = arch.distances().min_of_similar(key).next();
    let value = like.map_or(value, |like| value.min(like.value));
    let source =
        Source::Derived("the difference between the smallest known latencies of the two instructions".into());
    Some(Known { value: value.max(1), source })
}
