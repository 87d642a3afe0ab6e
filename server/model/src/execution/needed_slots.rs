//! Liveness of the registers that addresses and branches depend on, after each instruction.

use super::code::{Addend, ControlTransfer, DecodedInstruction, MemoryAccess};
use super::decode::Work;
use super::kind::Kind;
use crate::flow::{Analysis, Direction, FlowGraph, solve, unite};
use fixedbitset::FixedBitSet;
use machine::MemorySpace;

/// Slots at one program point on which later addresses and branches depend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NeededSlots {
    pub values: FixedBitSet,
    pub flags: FixedBitSet,
}

impl NeededSlots {
    fn new(values: usize, flags: usize) -> Self {
        Self { values: FixedBitSet::with_capacity(values), flags: FixedBitSet::with_capacity(flags) }
    }

    pub(super) fn wants(&self, work: &Work) -> bool {
        work.values.iter().flatten().any(|&slot| self.values.contains(slot.into()))
            || work.results.iter().flatten().any(|&slot| self.flags.contains(slot.into()))
            || matches!(work.kind, Kind::UnpackPredicates(_))
    }

    /// True if later addresses or branches depend on a register that the access loads.
    pub(super) fn has_data(&self, access: &MemoryAccess) -> bool {
        access.data.iter().any(|&slot| self.values.contains(slot.into()))
    }

    fn add_all(&mut self, other: &Self) -> bool {
        unite(&mut self.values, &other.values) | unite(&mut self.flags, &other.flags)
    }

    /// Applies the transfer function of an instruction: converts the state after the instruction to the state
    /// before it.
    fn step_back(&mut self, step: &DecodedInstruction, loaded: &[MemorySpace]) {
        let is_wanted = step.work.as_ref().is_some_and(|work| self.wants(work));
        let ticket = step.access.as_ref().and_then(|access| access.ticket);
        let drawn = ticket.filter(|ticket| self.values.contains(ticket.result.into()));
        // Slots that are written unconditionally are not live before.
        if step.guard.is_none() {
            if let Some(work) =
                step.work.as_ref().filter(|work| !matches!(work.kind, Kind::UnpackPredicates(_)))
            {
                work.values.iter().flatten().for_each(|&slot| self.values.remove(slot.into()));
                work.results.iter().flatten().for_each(|&slot| self.flags.remove(slot.into()));
            }
            step.lost.iter().for_each(|&slot| self.values.remove(slot.into()));
            step.lost_flags.iter().for_each(|&slot| self.flags.remove(slot.into()));
        }
        if let Some(work) = step.work.as_ref().filter(|_| is_wanted) {
            work.inputs.iter().for_each(|input| self.values.insert(input.slot.into()));
            work.flags.iter().for_each(|flag| self.flags.insert(flag.slot.into()));
            if matches!(work.kind, Kind::PackPredicates(_)) {
                self.flags.insert_range(..);
            }
        }
        if let Some(ticket) = drawn {
            self.values.insert(ticket.addend.into());
        }
        if let Some(guard) = step.guard {
            self.flags.insert(guard.slot.into());
        }
        if let ControlTransfer::Branch { conditions, .. } = &step.transfer {
            conditions.iter().for_each(|flag| self.flags.insert(flag.slot.into()));
        }
        if let Some(access) = &step.access {
            self.add_access(access, loaded);
        }
        if let Some(form) = &step.asynchronous {
            form.inputs(|slot| self.values.insert(slot.into()));
        }
    }

    fn add_access(&mut self, access: &MemoryAccess, loaded: &[MemorySpace]) {
        if let Some(condition) = access.condition {
            self.flags.insert(condition.slot.into());
        }
        for addend in [&access.address, &access.destination].into_iter().flatten().flatten() {
            match *addend {
                Addend::Number(_) => {}
                Addend::Word { register, .. } => self.values.insert(register.into()),
                Addend::Pair { low, high } => {
                    self.values.insert(low.into());
                    self.values.insert(high.into());
                }
            }
        }
        if let Some(coordinates) = &access.coordinates {
            coordinates.inputs(|slot| self.values.insert(slot.into()));
        }
        if !access.loads && loaded.contains(&access.space) {
            access.data.iter().for_each(|&slot| self.values.insert(slot.into()));
        }
    }
}

/// Returns the values and flags that are live after each instruction, and whether any of them is loaded from shared
/// memory.
pub(super) fn wanted_after(
    steps: &[DecodedInstruction],
    values: usize,
    flags: usize,
) -> (Vec<NeededSlots>, bool) {
    let ways = UnknownTargets { returns: returns(steps), joins: joins(steps) };
    let graph = FlowGraph::new(
        (0..steps.len()).map(|at| successors(steps, at, &ways).map(|next| next as u32).collect::<Vec<_>>()),
    );
    let solved = |loaded: &[MemorySpace]| {
        let mut after = vec![NeededSlots::new(values, flags); steps.len()];
        let mut problem = Problem { steps, loaded, leaving: NeededSlots::new(values, flags) };
        solve(&graph, Direction::Backward, &mut problem, &mut after);
        after
    };
    // Data that a load returns was stored before, so the stored registers are live, too.
    let loads =
        |space, access: &MemoryAccess| access.loads && access.space == space && !access.data.is_empty();
    let accesses = || steps.iter().filter_map(|step| step.access.as_ref());
    let mut loaded = Vec::new();
    loaded.extend(accesses().any(|access| loads(MemorySpace::Local, access)).then_some(MemorySpace::Local));
    let after = solved(&loaded);
    let is_wanted = |(step, wanted): (&DecodedInstruction, &NeededSlots)| {
        let access = step.access.as_ref().filter(|access| loads(MemorySpace::Shared, access));
        access.is_some_and(|access| wanted.has_data(access))
    };
    if !steps.iter().zip(&after).any(is_wanted) {
        return (after, false);
    }
    loaded.push(MemorySpace::Shared);
    (solved(&loaded), true)
}

/// Liveness analysis with one node per instruction.
struct Problem<'a> {
    steps: &'a [DecodedInstruction],
    /// Memory whose loads may return live data.
    loaded: &'a [MemorySpace],
    /// Slots that are live before the instruction that [`Analysis::transfer`] last handled.
    leaving: NeededSlots,
}

impl Analysis for Problem<'_> {
    type State = NeededSlots;

    fn transfer(&mut self, at: u32, state: &NeededSlots) {
        self.leaving.clone_from(state);
        self.leaving.step_back(&self.steps[at as usize], self.loaded);
    }

    fn join(&mut self, _: u32, _: u32, state: &mut NeededSlots) -> bool {
        state.add_all(&self.leaving)
    }
}

/// Returns the instructions that a function may return to: the instructions after calls.
fn returns(steps: &[DecodedInstruction]) -> Vec<usize> {
    let calls =
        steps.iter().enumerate().filter(|(_, step)| matches!(step.transfer, ControlTransfer::Call(_)));
    calls.map(|(at, _)| at + 1).filter(|&at| at < steps.len()).collect()
}

/// Returns the instructions at which lanes may reconverge.
fn joins(steps: &[DecodedInstruction]) -> Vec<usize> {
    let targets = steps.iter().filter_map(|step| match step.transfer {
        ControlTransfer::Push(_, target) => Some(target as usize),
        _ => None,
    });
    targets.collect()
}

/// Indices of instructions that returns, pops and jumps to unknown targets may lead to.
struct UnknownTargets {
    returns: Vec<usize>,
    joins: Vec<usize>,
}

fn successors<'a>(
    steps: &'a [DecodedInstruction],
    at: usize,
    ways: &'a UnknownTargets,
) -> impl Iterator<Item = usize> + 'a {
    let next = Some(at + 1).filter(|&next| next < steps.len());
    let (target, others): (Option<u32>, &[usize]) = match &steps[at].transfer {
        ControlTransfer::Branch { target, .. } => (Some(*target), &[]),
        ControlTransfer::Call(target) => (*target, &[]),
        ControlTransfer::Return => (None, &ways.returns),
        // To any reconvergence point.
        ControlTransfer::Pop(_) | ControlTransfer::Lost => (None, &ways.joins),
        _ => (None, &[]),
    };
    next.into_iter()
        .chain(target.map(|target| target as usize))
        .chain(others.iter().copied())
        .filter(|&next| next < steps.len())
}
