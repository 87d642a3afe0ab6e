//! Timing that does not depend on a launch: the efficiency, latency, dependences and issue cycle of every instruction.

use super::cost::{Cost, UnitKind, Units};
use super::dag::{Dag, Edge};
use super::dependence::{LastWriters, Latencies, dependences, global_latency, is_global_load, kind_of};
use super::efficiency::{dispatches, issue_groups};
use super::{MissRatio, schedulers};
use crate::{DependsOn, Inst, InstTiming, LatencyKind, LatencyNote, Program};
use machine::{ClassTrait, Source};
use std::ops::Range;
use syntax::stop;

/// The part of a [`crate::Timing`] that is the same for every launch.
#[derive(Debug, Clone, Default)]
pub struct CodeTimes {
    /// Timing of each instruction, by instruction index.
    pub instructions: Vec<InstTiming>,
    pub(crate) depends_on: Vec<DependsOn>,
    /// Times of each block of the program.
    pub(crate) blocks: Vec<BlockTimes>,
    /// Dispatch cycles of each block on each kind of unit: the sums of Equation 18's C_wu.
    pub(crate) unit_cycles: Vec<u32>,
}

/// One warp's times in a basic block, in cycles.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct BlockTimes {
    /// Cycles from the block's first dispatch until the next block's first dispatch. The larger of two numbers:
    /// Algorithm 3's C_w plus the last dispatch, and the cycles that the schedulers need on units that they share.
    pub cycles: u32,
    /// C_weff: the dispatch cycles alone, without latencies.
    pub dispatch: u32,
    /// Sum of the latencies on the critical path.
    pub latency: u32,
    pub instructions: u32,
    /// Number of single-precision floating-point instructions.
    pub single_precision: u32,
    /// The two sums of Equation 19, in lanes times cycles.
    pub compute_lanes: [f64; 2],
    /// The two sums of Equation 20, in bytes per cycle.
    pub memory_bytes: [f64; 2],
}

impl CodeTimes {
    /// Returns the dependences that instruction `inst` waits for.
    pub fn depends_on(&self, inst: usize) -> &[DependsOn] {
        let (first, count) = self.instructions[inst].depends_on;
        &self.depends_on[first as usize..][..count as usize]
    }
}

/// Applies Algorithms 1 to 3 to every basic block.
pub fn code_times(program: &Program, miss_ratio: MissRatio) -> CodeTimes {
    let mut times = CodeTimes::default();
    times.instructions.reserve_exact(program.instructions.len());
    times.blocks.reserve_exact(program.blocks.len());
    times.depends_on.reserve(program.instructions.len());
    let mut coster = Coster::new(program, miss_ratio);
    for block in &program.blocks {
        coster.block(&block.instructions, &mut times);
    }
    times
}

/// Returns the source of [`InstTiming::latency`], for a hover; `None` if the instruction has no latency.
pub fn latency_note(program: &Program, inst: usize, miss_ratio: MissRatio) -> Option<LatencyNote> {
    let arch = &*program.arch;
    let instruction = &program.instructions[inst];
    let class = arch.class(instruction.class?);
    if program.writes(instruction).is_empty() {
        return None;
    }
    if is_global_load(instruction.memory) {
        let (hit, miss) = (&arch.memory.l1_hit, &arch.memory.dram);
        let ratio = miss_ratio.value();
        // At a ratio of 1 or 0 only one of the two counts, and its own source is more specific.
        let source = match (ratio <= 0.0, ratio >= 1.0) {
            (true, _) => hit.source.clone(),
            (_, true) => miss.source.clone(),
            _ => Source::Derived(format!(
                "Eq. 7 at a miss ratio of {ratio}: {} cycles per hit ({}), {} per miss ({})",
                hit.value, hit.source, miss.value, miss.source
            )),
        };
        let cycles = global_latency(arch, miss_ratio);
        return Some(LatencyNote { cycles, kind: LatencyKind::Variable, source });
    }
    let cycles = class.latency.cycles();
    Some(LatencyNote { cycles: cycles.value, kind: kind_of(&class.latency), source: cycles.source.clone() })
}

/// Computes the times of the blocks, one after another, and reuses its buffers.
struct Coster<'a> {
    program: &'a Program,
    units: Units<'a>,
    latencies: Latencies<'a>,
    last: LastWriters,
    dag: Dag,
    costs: Vec<Cost>,
    groups: Vec<Range<u32>>,
    /// Number of dispatches of the current block to each kind of unit.
    demand: Vec<f64>,
}

impl<'a> Coster<'a> {
    fn new(program: &'a Program, miss_ratio: MissRatio) -> Self {
        let arch = &*program.arch;
        Self {
            program,
            units: Units::new(arch),
            latencies: Latencies::new(arch, miss_ratio),
            last: LastWriters::default(),
            dag: Dag::default(),
            costs: Vec::new(),
            groups: Vec::new(),
            demand: vec![0.0; arch.units.len()],
        }
    }

    /// Applies Algorithms 1 to 3 to a block, and computes the block's sums.
    fn block(&mut self, range: &Range<u32>, times: &mut CodeTimes) {
        let instructions = &self.program.instructions[range.start as usize..range.end as usize];
        self.costs.clear();
        self.costs.extend(instructions.iter().map(|inst| self.units.cost(inst)));
        self.groups.clear();
        let count = instructions.len() as u32;
        self.groups.extend(issue_groups(0..count, |i| instructions[i as usize].dual));
        for group in self.groups.iter().filter(|group| group.len() > 1) {
            for index in group.clone() {
                let cost = self.costs[index as usize];
                let Some(unit) = cost.unit else { continue };
                let together = dispatches(group.clone(), index, |i| self.costs[i as usize].unit);
                self.costs[index as usize].efficiency = self.units.efficiency(unit, cost.demand, together);
            }
        }
        self.instructions(range, times);
        self.sums(range, times);
    }

    /// Applies Algorithms 2 and 3: finds the dependences and the dispatch cycle of each instruction.
    fn instructions(&mut self, range: &Range<u32>, times: &mut CodeTimes) {
        let costs = &self.costs;
        self.dag.build(self.groups.iter().cloned(), |i| costs[i as usize].efficiency);
        let dispatch_cycles = |i: u32| costs[(i - range.start) as usize].efficiency.dispatch_cycles();
        for index in range.clone() {
            stop::check_at(index as usize);
            let first = times.depends_on.len();
            let out = &mut times.depends_on;
            dependences(self.program, range, index, self.latencies, dispatch_cycles, &mut self.last, out);
            let inst = &self.program.instructions[index as usize];
            let latency = self.latencies.latency(self.program, index as usize);
            times.instructions.push(InstTiming {
                efficiency: costs[(index - range.start) as usize].efficiency.value(),
                latency: latency.map(|(cycles, _)| cycles).filter(|_| !self.program.writes(inst).is_empty()),
                latency_kind: latency.map_or(LatencyKind::Unknown, |(_, kind)| kind),
                issue_cycle: 0,
                depends_on: (first as u32, (times.depends_on.len() - first) as u16),
                critical: false,
            });
            for dependence in &times.depends_on[first..] {
                let dispatch = dispatch_cycles(dependence.on);
                let edge =
                    Edge { dispatch_cycles: dispatch, latency: dependence.cycles.saturating_sub(dispatch) };
                self.dag.add_dependence(dependence.on - range.start, index - range.start, edge);
            }
        }
        self.dag.relax();
        let path = self.dag.critical_path();
        let own = &mut times.instructions[range.start as usize..];
        for (index, inst) in own.iter_mut().enumerate() {
            inst.issue_cycle = self.dag.cycle(index as u32);
        }
        let end =
            (0..own.len()).map(|i| own[i].issue_cycle.saturating_add(costs[i].efficiency.dispatch_cycles()));
        let cycles = end.max().unwrap_or(0);
        for node in &path.nodes {
            own[*node as usize].critical = true;
        }
        times.blocks.push(BlockTimes { cycles, latency: path.latency, ..BlockTimes::default() });
    }

    /// Computes the sums of a block that Equations 9 to 21 use.
    fn sums(&mut self, range: &Range<u32>, times: &mut CodeTimes) {
        let block = times.blocks.last_mut().expect("the block was just pushed");
        let instructions = &self.program.instructions[range.start as usize..range.end as usize];
        block.instructions = range.end - range.start;
        let arch = &self.program.arch;
        let is_single =
            |inst: &&Inst| inst.class.is_some_and(|class| arch.class(class).has(ClassTrait::SinglePrecision));
        block.single_precision = instructions.iter().filter(is_single).count() as u32;
        let first_unit = times.unit_cycles.len();
        times.unit_cycles.resize(first_unit + self.demand.len(), 0);
        let unit_cycles = &mut times.unit_cycles[first_unit..];
        self.demand.fill(0.0);
        for group in &self.groups {
            let costs = &self.costs[group.start as usize..group.end as usize];
            block.dispatch = block.dispatch.saturating_add(longest(costs, |_| true));
            for (index, cost) in costs.iter().enumerate() {
                let Some(unit) = cost.unit.map(usize::from) else { continue };
                self.demand[unit] += self.units.times_dispatched(cost.demand);
                // Members of a group on one kind of unit share its cycles.
                if costs[..index].iter().all(|other| other.unit != cost.unit) {
                    let cycles = longest(costs, |other| other.unit == cost.unit);
                    unit_cycles[unit] = unit_cycles[unit].saturating_add(cycles);
                }
            }
        }
        let warp_size = self.program.arch.resources.warp_size;
        let sharing = self.units.reach.sharing();
        for (at, unit) in self.units.all().iter().enumerate().filter(|(_, unit)| unit.kind != UnitKind::Other)
        {
            let shared = schedulers::shared_cycles(self.demand[at], sharing, warp_size, unit.lanes);
            block.cycles = block.cycles.max(shared.ceil() as u32);
            if unit.kind == UnitKind::Compute {
                let offered = f64::from(unit_cycles[at]) * unit.lanes;
                block.compute_lanes[0] += (shared * unit.lanes).min(offered);
                block.compute_lanes[1] += offered;
            }
        }
        for (inst, cost) in instructions.iter().zip(&self.costs) {
            if let Some([achieved, possible]) = self.units.memory_rates(inst, cost) {
                block.memory_bytes[0] += achieved;
                block.memory_bytes[1] += possible;
            }
        }
    }
}

/// Returns the cycles of the longest dispatch among the costs that `which` selects; 0 if it selects none.
fn longest(costs: &[Cost], which: impl Fn(&Cost) -> bool) -> u32 {
    let asked = costs.iter().filter(|cost| which(cost));
    asked.map(|cost| cost.efficiency.dispatch_cycles()).max().unwrap_or(0)
}
