//! Which registers an address or a branch will still depend on, behind each instruction.

use super::code::{Access, Addend, Go, Step};
use super::decode::Work;
use super::kind::Kind;

/// The slots that addresses and branches depend on from some place on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub values: Slots,
    pub flags: Slots,
}

/// A set of slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slots(Box<[u64]>);

impl Slots {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)].into())
    }

    pub(super) fn has(&self, slot: u16) -> bool {
        self.0[usize::from(slot) / 64] >> (slot % 64) & 1 == 1
    }

    fn add(&mut self, slot: u16) {
        self.0[usize::from(slot) / 64] |= 1 << (slot % 64);
    }

    fn remove(&mut self, slot: u16) {
        self.0[usize::from(slot) / 64] &= !(1 << (slot % 64));
    }

    /// Whether that was more than before.
    fn add_all(&mut self, other: &Self) -> bool {
        let mut is_more = false;
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            is_more |= other & !*own != 0;
            *own |= other;
        }
        is_more
    }
}

impl Wanted {
    fn new(values: usize, flags: usize) -> Self {
        Self { values: Slots::new(values), flags: Slots::new(flags) }
    }

    pub(super) fn wants(&self, work: &Work) -> bool {
        work.values.iter().flatten().any(|&slot| self.values.has(slot))
            || work.results.iter().flatten().any(|&slot| self.flags.has(slot))
            || matches!(work.kind, Kind::UnpackPredicates { .. })
    }

    fn add_all(&mut self, other: &Self) -> bool {
        self.values.add_all(&other.values) | self.flags.add_all(&other.flags)
    }

    /// From behind an instruction to before it.
    fn step_back(&mut self, step: &Step, stores_data: bool) {
        let is_wanted = step.work.as_ref().is_some_and(|work| self.wants(work));
        // What is certainly written here matters no more before.
        if step.guard.is_none() {
            if let Some(work) =
                step.work.as_ref().filter(|work| !matches!(work.kind, Kind::UnpackPredicates { .. }))
            {
                work.values.iter().flatten().for_each(|&slot| self.values.remove(slot));
                work.results.iter().flatten().for_each(|&slot| self.flags.remove(slot));
            }
            step.lost.iter().for_each(|&slot| self.values.remove(slot));
            step.lost_flags.iter().for_each(|&slot| self.flags.remove(slot));
        }
        if let Some(work) = step.work.as_ref().filter(|_| is_wanted) {
            work.inputs.iter().for_each(|input| self.values.add(input.slot));
            work.flags.iter().for_each(|flag| self.flags.add(flag.slot));
            if matches!(work.kind, Kind::PackPredicates { .. }) {
                self.flags.0.fill(u64::MAX);
            }
        }
        if let Some(guard) = step.guard {
            self.flags.add(guard.slot);
        }
        if let Go::Branch { conditions, .. } = &step.go {
            conditions.iter().for_each(|flag| self.flags.add(flag.slot));
        }
        if let Some(access) = &step.access {
            self.add_access(access, stores_data);
        }
    }

    fn add_access(&mut self, access: &Access, stores_data: bool) {
        for addend in [&access.address, &access.destination].into_iter().flatten().flatten() {
            match *addend {
                Addend::Number(_) => {}
                Addend::Word { slot, .. } => self.values.add(slot),
                Addend::Pair { low, high } => {
                    self.values.add(low);
                    self.values.add(high);
                }
            }
        }
        if stores_data && !access.loads {
            access.data.iter().for_each(|&slot| self.values.add(slot));
        }
    }
}

/// Returns the values and flags that are live behind each instruction.
pub(super) fn wanted_after(steps: &[Step], values: usize, flags: usize) -> Vec<Wanted> {
    // What local memory gives back it was given before.
    let loads_local =
        |step: &Step| step.access.as_ref().is_some_and(|access| access.loads && !access.data.is_empty());
    let stores_data = steps.iter().any(loads_local);
    let mut after = vec![Wanted::new(values, flags); steps.len()];
    // At the head of each block of straight code.
    let mut before = vec![Wanted::new(values, flags); steps.len()];
    let returns: Vec<usize> = returns(steps);
    let mut is_more = true;
    while is_more {
        is_more = false;
        for at in (0..steps.len()).rev() {
            let mut all = std::mem::replace(&mut after[at], Wanted::new(0, 0));
            for next in successors(steps, at, &returns) {
                all.add_all(&before[next]);
            }
            let mut own = all.clone();
            after[at] = all;
            own.step_back(&steps[at], stores_data);
            is_more |= before[at].add_all(&own);
        }
    }
    after
}

/// Returns the places that a function may return to: behind any call.
fn returns(steps: &[Step]) -> Vec<usize> {
    let calls = steps.iter().enumerate().filter(|(_, step)| matches!(step.go, Go::Call { .. }));
    calls.map(|(at, _)| at + 1).filter(|&at| at < steps.len()).collect()
}

fn successors<'a>(steps: &'a [Step], at: usize, returns: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
    let next = Some(at + 1).filter(|&next| next < steps.len());
    let (target, returns, targets): (Option<u32>, &[usize], bool) = match &steps[at].go {
        Go::Branch { target, .. } => (Some(*target), &[], false),
        Go::Call { target } => (*target, &[], false),
        Go::Return => (None, returns, false),
        // To wherever lanes were told to join.
        Go::Pop { .. } | Go::Lost => (None, &[], true),
        _ => (None, &[], false),
    };
    let joins = steps.iter().filter(move |_| targets).filter_map(|step| match step.go {
        Go::Push { target, .. } => Some(target as usize),
        _ => None,
    });
    next.into_iter()
        .chain(target.map(|target| target as usize))
        .chain(returns.iter().copied())
        .chain(joins)
        .filter(|&next| next < steps.len())
}
