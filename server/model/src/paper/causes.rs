//! Contribution of each instruction to the bottlenecks: the terms of Equations 18 to 21.

use super::CodeTimes;
use super::cost::{Cost, UnitKind, Units};
use super::counts::counts;
use super::efficiency::issue_groups;
use crate::{Launch, Program};
use std::ops::Range;

/// Instructions that cause the four bottlenecks of a launch, in descending order of share.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Causes {
    /// Instructions dispatched to units other than the busiest unit.
    pub ilp: Vec<Cause>,
    /// Instructions whose dispatches leave lanes of SPs, DPs or SFUs idle.
    pub comp: Vec<Cause>,
    /// Memory instructions that move fewer bytes per cycle than the widest access would.
    pub mem: Vec<Cause>,
    /// Instructions whose results the critical path waits for.
    pub pipe: Vec<Cause>,
}

/// An instruction and its share of a bottleneck.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cause {
    pub inst: u32,
    /// Share of the bottleneck, above 0; the shares of one bottleneck sum to 1.
    pub share: f64,
}

/// Splits the numerators of Equations 18 to 21 by instruction, weighted by the execution count of its block in the
/// launch.
///
/// `code` must have been computed from `program`.
pub fn causes(program: &Program, code: &CodeTimes, launch: &Launch) -> Causes {
    let runs = counts(program, &launch.trips).of_blocks;
    let mut split = Split::new(program, code, &runs);
    for (block, &runs) in program.blocks.iter().zip(&runs).filter(|(_, runs)| **runs > 0.0) {
        split.block(&block.instructions, runs);
    }
    Causes {
        ilp: ranked(split.ilp),
        comp: ranked(split.comp),
        mem: ranked(split.mem),
        pipe: ranked(split.pipe),
    }
}

struct Split<'a> {
    program: &'a Program,
    code: &'a CodeTimes,
    units: Units<'a>,
    /// The unit to which a warp dispatches for the largest number of cycles.
    busiest: Option<u16>,
    ilp: Vec<f64>,
    comp: Vec<f64>,
    mem: Vec<f64>,
    pipe: Vec<f64>,
}

impl<'a> Split<'a> {
    fn new(program: &'a Program, code: &'a CodeTimes, runs: &[f64]) -> Self {
        let nothing = || vec![0.0; program.instructions.len()];
        Self {
            units: Units::new(&program.arch),
            busiest: busiest(code, runs),
            program,
            code,
            ilp: nothing(),
            comp: nothing(),
            mem: nothing(),
            pipe: nothing(),
        }
    }

    fn block(&mut self, range: &Range<u32>, runs: f64) {
        let program = self.program;
        let is_dual = |inst: u32| program.instructions[inst as usize].dual;
        for group in issue_groups(range.clone(), is_dual) {
            let members: Vec<(u32, Cost)> =
                group.map(|inst| (inst, self.units.cost(&program.instructions[inst as usize]))).collect();
            self.parallelism(&members, runs);
            self.lanes(&members, runs);
            for (inst, cost) in &members {
                let own = Cost { efficiency: super::Efficiency::of_cycles(self.cycles(*inst)), ..*cost };
                if let Some([achieved, possible]) =
                    self.units.memory_rates(&program.instructions[*inst as usize], &own)
                {
                    self.mem[*inst as usize] += runs * (possible - achieved).max(0.0);
                }
            }
        }
        self.latencies(range, runs);
    }

    /// Returns the dispatch cycles of an instruction (1/E), which include the effect of a partner on the same unit.
    fn cycles(&self, inst: u32) -> u32 {
        (1.0 / self.code.instructions[inst as usize].efficiency).round() as u32
    }

    /// Adds a group's term of Equation 18: the group's cycles minus the cycles in which it dispatches to the busiest
    /// unit.
    fn parallelism(&mut self, members: &[(u32, Cost)], runs: f64) {
        let longest = members.iter().map(|(inst, _)| self.cycles(*inst)).max().unwrap_or(0);
        let covered = members.iter().filter(|(_, cost)| cost.unit.is_some() && cost.unit == self.busiest);
        let covered = covered.map(|(inst, _)| self.cycles(*inst)).max().unwrap_or(0);
        if let Some((inst, _)) = members.iter().find(|(inst, _)| self.cycles(*inst) == longest) {
            self.ilp[*inst as usize] += runs * f64::from(longest - covered.min(longest));
        }
    }

    /// Adds a group's terms of Equation 19: lanes that are available during the group's cycles, but are used neither by
    /// the group's dispatches nor by other schedulers that share the lanes.
    fn lanes(&mut self, members: &[(u32, Cost)], runs: f64) {
        for (at, (inst, cost)) in members.iter().enumerate() {
            let Some(unit) = cost.unit else { continue };
            let lanes = self.units.all()[usize::from(unit)];
            let is_first = members[..at].iter().all(|(_, other)| other.unit != cost.unit);
            if lanes.kind != UnitKind::Compute || !is_first {
                continue;
            }
            let on_unit = || members.iter().filter(|(_, other)| other.unit == cost.unit);
            let cycles = on_unit().map(|(inst, _)| self.cycles(*inst)).max().unwrap_or(0);
            let dispatches: f64 = on_unit().map(|(_, cost)| self.units.times_dispatched(cost.demand)).sum();
            let warps = dispatches * f64::from(self.units.reach.sharing());
            let used = warps * f64::from(self.program.arch.resources.warp_size);
            self.comp[*inst as usize] += runs * (f64::from(cycles) * lanes.lanes - used).max(0.0);
        }
    }

    /// Adds the terms of Equation 21: the cycles by which each instruction on the critical path delays the
    /// next instruction.
    fn latencies(&mut self, range: &Range<u32>, runs: f64) {
        let path = range.clone().filter(|&inst| self.code.instructions[inst as usize].critical);
        let path: Vec<u32> = path.collect();
        for pair in path.windows(2) {
            let issue = |inst: u32| self.code.instructions[inst as usize].issue_cycle;
            let waited = issue(pair[1]).saturating_sub(issue(pair[0])).saturating_sub(self.cycles(pair[0]));
            self.pipe[pair[0] as usize] += runs * f64::from(waited);
        }
    }
}

/// Returns the index of the unit with the largest C_wu of Equation 18; `None` if the program has no blocks or the
/// architecture has no units.
fn busiest(code: &CodeTimes, runs: &[f64]) -> Option<u16> {
    let units = code.unit_cycles.len().checked_div(code.blocks.len())?;
    let cycles = |unit: usize| -> f64 {
        let own = code.unit_cycles.iter().skip(unit).step_by(units.max(1));
        own.zip(runs).map(|(&cycles, &runs)| runs * f64::from(cycles)).sum()
    };
    (0..units).max_by(|&a, &b| cycles(a).total_cmp(&cycles(b))).map(|unit| unit as u16)
}

fn ranked(parts: Vec<f64>) -> Vec<Cause> {
    let all: f64 = parts.iter().sum();
    let parts = parts.into_iter().zip(0..).filter(|(part, _)| *part > 0.0);
    let mut ranked: Vec<Cause> = parts.map(|(part, inst)| Cause { inst, share: part / all }).collect();
    ranked.sort_by(|a, b| b.share.total_cmp(&a.share));
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::decode;
    use crate::launch::DeclaredResources;
    use crate::paper::{MissRatio, code_times, kernel_times};
    use machine::Machine;

    fn of(lines: &[&str], trips: &[(u32, u64)]) -> (Causes, crate::Bottlenecks) {
        let gpu = Machine::builtin().gpu("k20m").expect("the data include the paper's GPU");
        let program = decode(35, lines);
        let launch = Launch {
            trips: trips.iter().copied().collect(),
            ..Launch::assumed(&program, &gpu, DeclaredResources::default())
        };
        let code = code_times(&program, MissRatio::default());
        let bottlenecks = kernel_times(&program, &code, &gpu, &launch).bottlenecks;
        (causes(&program, &code, &launch), bottlenecks)
    }

    fn insts(causes: &[Cause]) -> Vec<u32> {
        causes.iter().map(|cause| cause.inst).collect()
    }

    #[test]
    fn each_bottleneck_has_its_own_instructions() {
        let code = ["LDS R0, [R9]", "LDS.64 R2, [R8]", "FFMA R4, R0, R2, R4", "FFMA R5, R3, R2, R5", "EXIT"];
        let (causes, _) = of(&code, &[]);
        assert_eq!(insts(&causes.mem), [0]);
        assert_eq!(insts(&causes.comp), [2, 3]);
        // The path waits for the second load, whose latency ends last.
        assert_eq!(insts(&causes.pipe), [1]);
        // Loads keep LDST busy for four of seven cycles; the rest is dispatched at other times.
        assert_eq!(insts(&causes.ilp), [2, 3, 4]);
        for of_one in [&causes.ilp, &causes.comp, &causes.mem, &causes.pipe] {
            assert!((of_one.iter().map(|cause| cause.share).sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn what_runs_more_often_comes_first() {
        let code = ["FFMA R4, R0, R2, R4", "FFMA R5, R3, R2, R5", "@P0 BRA 0x8", "EXIT"];
        let (causes, bottlenecks) = of(&code, &[(0x10, 99)]);
        assert_eq!(insts(&causes.comp), [1, 0]);
        assert!((causes.comp[0].share - 0.99).abs() < 1e-12);
        assert!(bottlenecks.comp.is_some_and(|comp| (comp - 1.0 / 3.0).abs() < 1e-9));
    }

    #[test]
    fn nothing_makes_what_is_not_there() {
        assert_eq!(of(&["EXIT"], &[]).0.mem, []);
        assert_eq!(of(&["LDS.64 R2, [R8]", "EXIT"], &[]).0.mem, []);
    }
}
