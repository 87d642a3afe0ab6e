//! Demand that an instruction places on the units, and the equation (4 to 6) that determines its efficiency.

use super::Efficiency;
use super::efficiency::{coalesced_transactions, compute_efficiency, global_efficiency, shared_efficiency};
use super::units::SchedulerShare;
use crate::{Inst, Memory};
use machine::{Arch, FunctionUnit, MemorySpace};

/// Demand that an instruction places on its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Demand {
    /// Only an issue slot, no unit.
    Slot,
    /// Dispatch to a compute unit (Equation 4).
    Compute,
    /// Access to shared memory (Equation 5), with the number of bytes per lane.
    Shared(u32),
    /// Access to global memory (Equation 6), with the number of transactions.
    Global(u32),
    /// A unit that the paper's chip lacks, such as a tensor core: the cycles for which the class keeps the
    /// unit busy.
    Busy(u32),
}

/// Cost of an instruction in Algorithm 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub efficiency: Efficiency,
    /// Index into [`Arch::units`].
    pub unit: Option<u16>,
    pub demand: Demand,
}

/// Kind of unit in the equations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitKind {
    /// Counted by Equation 19. The paper names SPs and SFUs. DPs, which the paper's kernels do not use, are
    /// treated like SPs.
    Compute,
    /// LDST, counted by Equation 20.
    Memory,
    /// Units that the paper's chip lacks.
    Other,
}

impl UnitKind {
    fn from_unit(unit: FunctionUnit) -> Self {
        match unit {
            FunctionUnit::Sp | FunctionUnit::Dp | FunctionUnit::Sfu => Self::Compute,
            FunctionUnit::Ldst => Self::Memory,
            FunctionUnit::Tensor => Self::Other,
        }
    }
}

/// Units of an architecture, and the share of the units that one scheduler reaches.
#[derive(Debug)]
pub(super) struct Units<'a> {
    arch: &'a Arch,
    pub reach: SchedulerShare,
    all: Vec<UnitCosts>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct UnitCosts {
    pub kind: UnitKind,
    /// Number of lanes that a scheduler reaches.
    pub lanes: f64,
    /// Efficiency of a single instruction by Equation 4.
    alone: Efficiency,
    /// Maximum rate of an access to shared memory, in bytes per cycle.
    max_shared: f64,
    /// Maximum rate of an access to global memory, in bytes per cycle.
    max_global: f64,
}

impl<'a> Units<'a> {
    pub(super) fn new(arch: &'a Arch) -> Self {
        let reach = SchedulerShare::from_arch(arch);
        let warp_size = arch.resources.warp_size;
        let all = arch.units.iter().map(|unit| {
            let lanes = reach.units(unit.lanes.value);
            UnitCosts {
                kind: UnitKind::from_unit(unit.kind),
                lanes,
                alone: compute_efficiency(1, warp_size, lanes),
                max_shared: 0.0,
                max_global: 0.0,
            }
        });
        let mut units = Self { arch, reach, all: all.collect() };
        for at in 0..units.all.len() {
            let most = |demand: &dyn Fn(u32) -> Demand| {
                let rate = |width| units.rate(width, units.efficiency(at as u16, demand(width), 1));
                [1, 2, 4, 8, 16].map(rate).into_iter().fold(0.0, f64::max)
            };
            let shared = most(&Demand::Shared);
            let global = most(&|width| Demand::Global(coalesced_transactions(width, warp_size)));
            (units.all[at].max_shared, units.all[at].max_global) = (shared, global);
        }
        units
    }

    /// Returns the costs by index into [`Arch::units`].
    pub(super) fn all(&self) -> &[UnitCosts] {
        &self.all
    }

    /// Returns the unit of an instruction dispatched without a partner, and its demand on the unit: lines 22 and 26 of
    /// Algorithm 1.
    pub(super) fn cost(&self, inst: &Inst) -> Cost {
        let class = inst.class.map(|class| self.arch.class(class));
        let Some((class, unit)) = class.and_then(|class| Some((class, class.unit?))) else {
            return Cost { efficiency: Efficiency::FULL, unit: None, demand: Demand::Slot };
        };
        let demand = match self.all[unit].kind {
            UnitKind::Compute => Demand::Compute,
            UnitKind::Memory => inst.memory.map_or(Demand::Compute, |memory| self.access(memory)),
            UnitKind::Other => Demand::Busy(class.issue_cycles.value),
        };
        let unit = unit as u16;
        Cost { efficiency: self.efficiency(unit, demand, 1), unit: Some(unit), demand }
    }

    fn access(&self, memory: Memory) -> Demand {
        let width = u32::from(memory.bytes_per_lane);
        match memory.space {
            MemorySpace::Shared => Demand::Shared(width),
            MemorySpace::Global | MemorySpace::Generic | MemorySpace::Local => {
                Demand::Global(coalesced_transactions(width, self.arch.resources.warp_size))
            }
            _ => Demand::Compute,
        }
    }

    /// Returns the efficiency by lines 28 and 31 of Algorithm 1. Accesses are assumed to be ideal, because their
    /// addresses are unknown.
    pub(super) fn efficiency(&self, unit: u16, demand: Demand, dispatches: u32) -> Efficiency {
        let UnitCosts { lanes, alone, .. } = self.all[usize::from(unit)];
        let resources = &self.arch.resources;
        let (warp_size, bank_width) = (resources.warp_size, resources.shared_bank_width.value);
        match demand {
            Demand::Slot => Efficiency::FULL,
            Demand::Busy(cycles) => Efficiency::of_cycles(cycles.saturating_mul(dispatches)),
            Demand::Compute if dispatches == 1 => alone,
            Demand::Compute => compute_efficiency(dispatches, warp_size, lanes),
            Demand::Shared(width) => shared_efficiency(1, dispatches, warp_size, lanes, width, bank_width),
            Demand::Global(transactions) => global_efficiency(transactions, dispatches, warp_size, lanes),
        }
    }

    /// Returns the number of times that an instruction is dispatched to its units: once, or once per bank
    /// width or transaction.
    pub(super) fn times_dispatched(&self, demand: Demand) -> f64 {
        match demand {
            Demand::Slot | Demand::Compute | Demand::Busy(_) => 1.0,
            Demand::Shared(width) => {
                f64::from(width.div_ceil(self.arch.resources.shared_bank_width.value.max(1)).max(1))
            }
            Demand::Global(transactions) => f64::from(transactions),
        }
    }

    /// Returns the terms of Equation 20, in bytes per cycle: the rate of the access, and the maximum rate of an access
    /// of any width. `None` for instructions that access neither shared nor global memory.
    pub(super) fn memory_rates(&self, inst: &Inst, cost: &Cost) -> Option<[f64; 2]> {
        let unit = &self.all[usize::from(cost.unit?)];
        let most = match cost.demand {
            Demand::Shared(_) => unit.max_shared,
            Demand::Global(_) => unit.max_global,
            _ => return None,
        };
        Some([self.rate(u32::from(inst.memory?.bytes_per_lane), cost.efficiency), most])
    }

    /// Returns the bytes per cycle of a warp that moves `width` bytes per lane.
    fn rate(&self, width: u32, efficiency: Efficiency) -> f64 {
        f64::from(width * self.arch.resources.warp_size) * efficiency.value()
    }
}
