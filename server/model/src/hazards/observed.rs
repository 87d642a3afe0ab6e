//! Smallest distances that compilers leave between instructions, collected over any number of programs.

use super::elapsed::Time;
use super::walk::walk;
use crate::Program;
use machine::{ClassId, DistanceKey};
use std::collections::BTreeMap;

/// Smallest distances in code that is known to be correct, with the number of observations of each pair.
#[derive(Debug, Clone, Default)]
pub struct ObservedDistances {
    pairs: BTreeMap<DistanceKey, DistanceHistogram>,
    /// Smallest stall count of each class.
    pub next: BTreeMap<ClassId, MinCycles>,
    pub kernels: u64,
    pub instructions: u64,
    /// Number of pairs of instructions that access the same register.
    pub dependences: u64,
}

/// Observed pairs, by distance.
#[derive(Debug, Clone, Default)]
struct DistanceHistogram {
    distances: BTreeMap<u32, DistanceCount>,
}

/// Number of pairs observed at one distance.
#[derive(Debug, Clone, Copy, Default)]
struct DistanceCount {
    count: u32,
    /// Number of pairs with no wait between the two instructions.
    without_wait: u32,
}

/// A smallest distance or stall count, and the number of pairs that were observed at this value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinCycles {
    /// Guaranteed cycles from issue to issue.
    pub cycles: u32,
    /// Number of pairs observed at this distance.
    pub count: u32,
}

/// Pairs that, with a wait in between, are closer than any pair with the same key without a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitDependentPair {
    pub key: DistanceKey,
    pub least: MinCycles,
    /// Smallest distance of pairs without a wait.
    pub without_wait: MinCycles,
}

/// Minimum number of observations at which a smallest distance is not regarded as an accident.
const OFTEN: u32 = 32; // limit: fewer may be an accident

impl ObservedDistances {
    /// Adds a program; a program without control codes is ignored. All programs must be for the same
    /// architecture.
    pub fn add(&mut self, program: &Program) {
        if program.instructions.iter().all(|inst| inst.control.is_none()) {
            return;
        }
        self.kernels += 1;
        self.instructions += program.instructions.len() as u64;
        for inst in &program.instructions {
            let stall = inst.stall().filter(|_| !inst.dual);
            if let Some((class, stall)) = inst.class.zip(stall) {
                lessen(&mut self.next, class, u32::from(stall));
            }
        }
        walk(program, Time::StallsAndWaits, |pair| {
            self.dependences += 1;
            if let Some(key) = pair.distance_key(program).filter(|_| pair.scoreboards == 0) {
                let met = self.pairs.entry(key).or_default().distances.entry(pair.cycles).or_default();
                met.count = met.count.saturating_add(1);
                met.without_wait = met.without_wait.saturating_add(u32::from(pair.waits == 0));
            }
        });
    }

    /// Returns the smallest distance of each pair. If this distance was rarely observed, also returns the
    /// smallest distance that was often observed.
    pub fn pairs(&self) -> impl Iterator<Item = (DistanceKey, MinCycles)> {
        self.pairs.iter().flat_map(|(key, seen)| {
            let all = seen.distances.iter().map(|(&cycles, met)| MinCycles { cycles, count: met.count });
            let least = all.clone().next();
            let often = all.skip(1).find(|other| other.count >= OFTEN);
            let rows = least.into_iter().chain(often.filter(|_| least.is_some_and(|own| own.count < OFTEN)));
            rows.map(|row| (*key, row))
        })
    }

    /// Returns pairs whose distance in compiled code may rely on a wait, although a wait guarantees no time.
    /// These pairs are closer with a wait in between than without one, and the smallest distance without a wait
    /// was observed often.
    pub fn leaning(&self) -> impl Iterator<Item = WaitDependentPair> {
        self.pairs.iter().filter_map(|(&key, seen)| {
            let mut without = seen.distances.iter().filter(|(_, met)| met.without_wait > 0);
            let (&cycles, met) = without.next().filter(|(_, met)| met.without_wait >= OFTEN)?;
            let without_wait = MinCycles { cycles, count: met.without_wait };
            let (&closest, _) = seen.distances.first_key_value()?;
            let count = seen.distances.range(..cycles).map(|(_, met)| met.count).sum();
            (closest < cycles).then_some(WaitDependentPair {
                key,
                least: MinCycles { cycles: closest, count },
                without_wait,
            })
        })
    }
}

fn lessen<K: Ord>(table: &mut BTreeMap<K, MinCycles>, key: K, cycles: u32) {
    let known = table.entry(key).or_insert(MinCycles { cycles, count: 0 });
    if cycles < known.cycles {
        *known = MinCycles { cycles, count: 0 };
    }
    if cycles == known.cycles {
        known.count = known.count.saturating_add(1);
    }
}
