//! What the model says without a launch: every instruction's efficiency, latency, dependences and issue cycle.

use super::dag::{Dag, Edge};
use super::dependence::{LastWriters, Latencies, dependences, global_latency, is_global_load, kind_of};
use super::efficiency::{
    coalesced_transactions, compute_efficiency, dispatches, global_efficiency, issue_groups,
    shared_efficiency,
};
use super::units::Reach;
use super::{Efficiency, MissRatio, schedulers};
use crate::{DependsOn, Inst, InstTiming, LatencyKind, LatencyNote, Program};
use machine::{Arch, ClassId, MemorySpace, Source};
use std::ops::Range;

/// The part of a [`crate::Timing`] that is the same for every launch.
#[derive(Debug, Clone, Default)]
pub struct CodeTimes {
    /// One for each instruction.
    pub instructions: Vec<InstTiming>,
    pub(crate) depends_on: Vec<DependsOn>,
    /// One for each block of the program.
    pub(crate) blocks: Vec<BlockTimes>,
    /// For each block and each kind of unit, cycles of dispatch: the sums of Equation 18's C_wu.
    pub(crate) unit_cycles: Vec<u32>,
}

/// One warp's times in a basic block, in cycles.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct BlockTimes {
    /// From the first dispatch until the next block's first: Algorithm 3's C_w and the last dispatch; or what the
    /// schedulers that share units need for them, if that is more.
    pub cycles: u32,
    /// C_weff: the same without latencies.
    pub dispatch: u32,
    /// Latencies on the critical path.
    pub latency: u32,
    pub instructions: u32,
    /// Single-precision floating-point instructions.
    pub single_precision: u32,
    /// The two sums of Equation 19, in lanes times cycles.
    pub compute_lanes: [f32; 2],
    /// The two sums of Equation 20, in bytes a cycle.
    pub memory_bytes: [f32; 2],
}

impl CodeTimes {
    /// What instruction `inst` waits for.
    pub fn depends_on(&self, inst: usize) -> &[DependsOn] {
        let (first, count) = self.instructions[inst].depends_on;
        &self.depends_on[first as usize..][..count as usize]
    }
}

/// Algorithms 1 to 3 over every basic block.
pub fn code_times(program: &Program, miss_ratio: MissRatio) -> CodeTimes {
    let mut times = CodeTimes::default();
    times.instructions.reserve_exact(program.instructions.len());
    times.blocks.reserve_exact(program.blocks.len());
    let mut coster = Coster::new(program, miss_ratio);
    for block in &program.blocks {
        coster.block(&block.instructions, &mut times);
    }
    times
}

/// What [`InstTiming::latency`] rests on, for a hover; `None` where that is `None`.
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
        // At a ratio of 1 or 0 only one of the two counts, and its own source says more.
        let source = match (ratio <= 0.0, ratio >= 1.0) {
            (true, _) => hit.source.clone(),
            (_, true) => miss.source.clone(),
            _ => Source::Derived(format!(
                "Eq. 7 at a miss ratio of {ratio}: {} cycles for a hit ({}), {} for a miss ({})",
                hit.value, hit.source, miss.value, miss.source
            )),
        };
        let cycles = global_latency(arch, miss_ratio);
        return Some(LatencyNote { cycles, kind: LatencyKind::Variable, source });
    }
    let cycles = class.latency.cycles();
    Some(LatencyNote { cycles: cycles.value, kind: kind_of(&class.latency), source: cycles.source.clone() })
}

/// Which equation gives an instruction's efficiency.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Demand {
    /// No unit: an issue slot.
    Slot,
    /// Equation 4 on a kind of unit.
    Compute,
    /// Equation 5; bytes of a lane.
    Shared(u32),
    /// Equation 6; transactions.
    Global(u32),
    /// A kind of unit that the paper's chip lacks (tensor cores): the cycles that the class keeps it busy.
    Busy(u32),
}

/// One instruction, as Algorithm 1 looks at it.
#[derive(Debug, Clone, Copy)]
struct Cost {
    efficiency: Efficiency,
    unit: Option<u16>,
    demand: Demand,
}

/// The kinds of unit that the paper's equations divide by.
const COUNTED_UNITS: [&str; 4] = ["SP", "DP", "SFU", "LDST"];
const LDST: &str = "LDST";
/// The kinds that Equation 19 is about; DPs, which the paper's kernels do not use, are compute units like SPs.
const COMPUTE_UNITS: [&str; 3] = ["SP", "DP", "SFU"];
/// The class of single-precision arithmetic in the machine data.
const SINGLE_PRECISION: &str = "fma";

/// Works through blocks, one after another, in memory of its own.
struct Coster<'a> {
    program: &'a Program,
    arch: &'a Arch,
    reach: Reach,
    latencies: Latencies<'a>,
    last: LastWriters,
    dag: Dag,
    costs: Vec<Cost>,
    groups: Vec<Range<u32>>,
    single_precision: Option<ClassId>,
    /// For each kind of unit: lanes that a scheduler reaches.
    units: Vec<f64>,
    /// For each kind of unit: instructions of this block, each as often as it is dispatched.
    demand: Vec<f64>,
}

impl<'a> Coster<'a> {
    fn new(program: &'a Program, miss_ratio: MissRatio) -> Self {
        let arch = &*program.arch;
        let reach = Reach::of(arch);
        let units: Vec<f64> = arch.units.iter().map(|unit| reach.units(unit.lanes.value)).collect();
        Self {
            program,
            arch,
            reach,
            latencies: Latencies::new(arch, miss_ratio),
            last: LastWriters::default(),
            dag: Dag::default(),
            costs: Vec::new(),
            groups: Vec::new(),
            single_precision: arch.class_named(SINGLE_PRECISION),
            demand: vec![0.0; units.len()],
            units,
        }
    }

    fn block(&mut self, range: &Range<u32>, times: &mut CodeTimes) {
        let instructions = &self.program.instructions[range.start as usize..range.end as usize];
        let mut costs = std::mem::take(&mut self.costs);
        costs.clear();
        costs.extend(instructions.iter().map(|inst| self.demand_of(inst)));
        self.costs = costs;
        self.groups.clear();
        let count = instructions.len() as u32;
        self.groups.extend(issue_groups(0..count, |i| instructions[i as usize].dual));
        for group in &self.groups {
            for index in group.clone() {
                let together = dispatches(group.clone(), index, |i| self.costs[i as usize].unit);
                let cost = self.costs[index as usize];
                self.costs[index as usize].efficiency = self.efficiency(cost, together);
            }
        }
        self.instructions(range, times);
        self.sums(range, times);
    }

    /// Lines 22 and 26 of Algorithm 1: the unit and the kind of an instruction.
    fn demand_of(&self, inst: &Inst) -> Cost {
        let slot = Cost { efficiency: Efficiency::FULL, unit: None, demand: Demand::Slot };
        let Some(class) = inst.class.map(|class| self.arch.class(class)) else { return slot };
        let Some(unit) = class.unit else { return slot };
        let name = &*self.arch.units[unit].name;
        let demand = if !COUNTED_UNITS.contains(&name) {
            Demand::Busy(class.issue_cycles.value)
        } else if name == LDST {
            self.memory_demand(inst)
        } else {
            Demand::Compute
        };
        Cost { unit: Some(unit as u16), demand, ..slot }
    }

    fn memory_demand(&self, inst: &Inst) -> Demand {
        let Some(memory) = inst.memory else { return Demand::Compute };
        let width = u32::from(memory.bytes_per_lane);
        match memory.space {
            MemorySpace::Shared => Demand::Shared(width),
            MemorySpace::Global | MemorySpace::Generic | MemorySpace::Local => {
                Demand::Global(coalesced_transactions(width, self.arch.resources.warp_size))
            }
            _ => Demand::Compute,
        }
    }

    /// Lines 28 and 31 of Algorithm 1. Addresses are not known here: no bank conflicts, all accesses coalesced.
    fn efficiency(&self, cost: Cost, dispatches: u32) -> Efficiency {
        let units = cost.unit.map_or(0.0, |unit| self.units[usize::from(unit)]);
        let resources = &self.arch.resources;
        match cost.demand {
            Demand::Slot => Efficiency::FULL,
            Demand::Busy(cycles) => Efficiency::of_cycles(cycles.saturating_mul(dispatches)),
            Demand::Compute => compute_efficiency(dispatches, resources.warp_size, units),
            Demand::Shared(width) => shared_efficiency(
                1,
                dispatches,
                resources.warp_size,
                units,
                width,
                resources.shared_bank_width.value,
            ),
            Demand::Global(transactions) => {
                global_efficiency(transactions, dispatches, resources.warp_size, units)
            }
        }
    }

    /// Algorithms 2 and 3: what each instruction waits for, and when it is dispatched.
    fn instructions(&mut self, range: &Range<u32>, times: &mut CodeTimes) {
        let costs = &self.costs;
        self.dag.build(self.groups.iter().cloned(), |i| costs[i as usize].efficiency);
        let dispatch_cycles = |i: u32| costs[(i - range.start) as usize].efficiency.dispatch_cycles();
        for index in range.clone() {
            let first = times.depends_on.len();
            let out = &mut times.depends_on;
            dependences(self.program, range, index, self.latencies, dispatch_cycles, &mut self.last, out);
            let inst = &self.program.instructions[index as usize];
            let latency = self.latencies.of(self.program, index as usize);
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

    /// The sums that the kernel's equations need of a block.
    fn sums(&mut self, range: &Range<u32>, times: &mut CodeTimes) {
        let block = times.blocks.last_mut().expect("the block was just pushed");
        let instructions = &self.program.instructions[range.start as usize..range.end as usize];
        block.instructions = range.end - range.start;
        let is_single = |inst: &&Inst| inst.class.is_some() && inst.class == self.single_precision;
        block.single_precision = instructions.iter().filter(is_single).count() as u32;
        let first_unit = times.unit_cycles.len();
        times.unit_cycles.resize(first_unit + self.units.len(), 0);
        let unit_cycles = &mut times.unit_cycles[first_unit..];
        self.demand.fill(0.0);
        for group in &self.groups {
            let costs = &self.costs[group.start as usize..group.end as usize];
            let longest = |costs: &mut dyn Iterator<Item = &Cost>| {
                costs.map(|cost| cost.efficiency.dispatch_cycles()).max().unwrap_or(0)
            };
            block.dispatch = block.dispatch.saturating_add(longest(&mut costs.iter()));
            for (index, cost) in costs.iter().enumerate() {
                let Some(unit) = cost.unit.map(usize::from) else { continue };
                self.demand[unit] += self.times_dispatched(cost.demand);
                // Members of a group on one kind of unit share its cycles.
                if costs[..index].iter().all(|other| other.unit != cost.unit) {
                    let mut same = costs.iter().filter(|other| other.unit == cost.unit);
                    unit_cycles[unit] = unit_cycles[unit].saturating_add(longest(&mut same));
                }
            }
        }
        let warp_size = self.arch.resources.warp_size;
        for (unit, described) in self.arch.units.iter().enumerate() {
            if !COUNTED_UNITS.contains(&&*described.name) {
                continue;
            }
            let sharing = self.reach.sharing();
            let shared = schedulers::shared_cycles(self.demand[unit], sharing, warp_size, self.units[unit]);
            block.cycles = block.cycles.max(shared.ceil() as u32);
            if COMPUTE_UNITS.contains(&&*described.name) {
                let offered = f64::from(unit_cycles[unit]) * self.units[unit];
                block.compute_lanes[0] += (shared * self.units[unit]).min(offered) as f32;
                block.compute_lanes[1] += offered as f32;
            }
        }
        for (inst, cost) in instructions.iter().zip(&self.costs) {
            if let Some([achieved, possible]) = self.memory_bytes(inst, cost) {
                block.memory_bytes[0] += achieved;
                block.memory_bytes[1] += possible;
            }
        }
    }

    /// How often an instruction goes to its units: once, or once for each bank's worth or transaction.
    fn times_dispatched(&self, demand: Demand) -> f64 {
        match demand {
            Demand::Slot | Demand::Compute | Demand::Busy(_) => 1.0,
            Demand::Shared(width) => {
                f64::from(width.div_ceil(self.arch.resources.shared_bank_width.value.max(1)).max(1))
            }
            Demand::Global(transactions) => f64::from(transactions),
        }
    }

    /// The terms of Equation 20's sums, in bytes a cycle: what the access moves, and the most that any width would.
    fn memory_bytes(&self, inst: &Inst, cost: &Cost) -> Option<[f32; 2]> {
        let width = u32::from(inst.memory?.bytes_per_lane);
        let warp_size = self.arch.resources.warp_size;
        let rate = |width: u32, efficiency: Efficiency| f64::from(width * warp_size) * efficiency.value();
        let best = [1, 2, 4, 8, 16].map(|width| {
            let demand = match cost.demand {
                Demand::Shared(_) => Demand::Shared(width),
                Demand::Global(_) => Demand::Global(coalesced_transactions(width, warp_size)),
                other => other,
            };
            rate(width, self.efficiency(Cost { demand, ..*cost }, 1))
        });
        match cost.demand {
            Demand::Shared(_) | Demand::Global(_) => {
                Some([rate(width, cost.efficiency) as f32, best.into_iter().fold(0.0, f64::max) as f32])
            }
            _ => None,
        }
    }
}
