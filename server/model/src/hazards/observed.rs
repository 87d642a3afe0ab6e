//! What compilers leave between instructions: least distances, counted over any number of programs.

use super::walk::walk;
use crate::Program;
use machine::{ClassId, DistanceKey};
use std::collections::BTreeMap;

/// Least distances of code that is known to be right, with how often each pair was met.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    pub pairs: BTreeMap<DistanceKey, Least>,
    /// Least stall counts behind a class.
    pub next: BTreeMap<ClassId, Least>,
    pub kernels: u64,
    pub instructions: u64,
    /// Pairs of instructions that touch a register.
    pub dependences: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Least {
    /// From issue to issue, by stall counts.
    pub cycles: u32,
    /// Pairs met at that distance.
    pub count: u32,
}

/// Beyond so many cycles no result is still on its way that no scoreboard orders.
pub(super) const WINDOW: u32 = 64;

impl Observed {
    /// Adds a program with control codes; one without adds nothing. All must be for one architecture.
    pub fn add(&mut self, program: &Program) {
        if program.instructions.iter().all(|inst| inst.control.is_none()) {
            return;
        }
        self.kernels += 1;
        self.instructions += program.instructions.len() as u64;
        for inst in &program.instructions {
            let stall = inst.control.and_then(|control| control.stall).filter(|_| !inst.dual);
            if let Some((class, stall)) = inst.class.zip(stall) {
                lessen(&mut self.next, class, u32::from(stall));
            }
        }
        walk(program, WINDOW, |pair| {
            self.dependences += 1;
            if let Some(key) = pair.distance_key(program).filter(|_| pair.scoreboards == 0) {
                lessen(&mut self.pairs, key, pair.cycles);
            }
        });
    }
}

fn lessen<K: Ord>(table: &mut BTreeMap<K, Least>, key: K, cycles: u32) {
    let known = table.entry(key).or_insert(Least { cycles, count: 0 });
    if cycles < known.cycles {
        *known = Least { cycles, count: 0 };
    }
    if cycles == known.cycles {
        known.count = known.count.saturating_add(1);
    }
}
