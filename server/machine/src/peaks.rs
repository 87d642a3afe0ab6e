//! Peak arithmetic rates of a part.

use crate::operations::{OperationKind, Operations, PeakRule};
use crate::{ClassId, Gpu};

impl Gpu {
    /// Peak operations of a kind per second at the boost clock, without sparsity; `None` if the part has no
    /// such units, or if their rate is unknown.
    pub fn operations_per_second(&self, kind: OperationKind) -> Option<f64> {
        let arch = &self.arch;
        let (warp, sub_cores) =
            (f64::from(arch.resources.warp_size), f64::from(arch.resources.sub_partitions.value));
        // The highest rate of each pipe. The rates of several pipes are added.
        let mut pipes: Vec<(usize, f64)> = Vec::new();
        for row in arch.isa.operations.iter().filter(|row| row.kind == kind) {
            let Some(peak) = row.peak else { continue };
            let Some(class) = self.class_of(row) else { continue };
            let class = arch.class(class);
            let rate = match peak {
                PeakRule::Units => {
                    let Some(unit) = class.unit else { continue };
                    f64::from(row.count) * f64::from(arch.units[unit].lanes.value)
                }
                PeakRule::Pipe => {
                    let Some(of_warp) = row.of_warp(warp, std::iter::empty()) else { continue };
                    of_warp * sub_cores / f64::from(class.issue_cycles.value.max(1))
                }
            };
            match pipes.iter_mut().find(|(pipe, _)| *pipe == class.pipe) {
                Some((_, best)) => *best = best.max(rate),
                None => pipes.push((class.pipe, rate)),
            }
        }
        let in_a_cycle: f64 = pipes.iter().map(|(_, rate)| rate).sum();
        let cycles = f64::from(self.part.sm_count.value) * f64::from(self.part.boost_mhz.value) * 1e6;
        (in_a_cycle > 0.0).then_some(in_a_cycle * cycles)
    }

    fn class_of(&self, row: &Operations) -> Option<ClassId> {
        let isa = &self.arch.isa;
        isa.find(&row.mnemonic, row.requires.iter().map(|need| &**need)).map(|form| isa.form(form).class)
    }
}
