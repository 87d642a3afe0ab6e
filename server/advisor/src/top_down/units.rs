//! Units of the GPU that limit the speed of a launch.

use super::node::Fact;

/// A unit of the GPU: its name in guides, and the figure for its utilisation in percent.
pub(super) struct Unit {
    pub(super) name: &'static str,
    pub(super) figure: &'static str,
    /// True if the unit's work is proportional to the number of instructions.
    pub(super) by_instruction: bool,
    /// True if each SM has its own unit.
    is_of_sm: bool,
}

impl Unit {
    const fn of_sm(name: &'static str, figure: &'static str) -> Self {
        Self { name, figure, by_instruction: true, is_of_sm: true }
    }

    const fn of_gpu(name: &'static str, figure: &'static str) -> Self {
        Self { name, figure, by_instruction: false, is_of_sm: false }
    }

    /// True if the figure covers only SMs that had work.
    pub(super) fn is_of_active_sms(&self, figure: &Fact) -> bool {
        self.is_of_sm && !figure.source.ends_with("_elapsed")
    }
}

pub(super) static UNITS: [Unit; 10] = [
    Unit::of_sm("issue", "issue_slots"),
    Unit::of_sm("alu", "alu_pipe"),
    Unit::of_sm("fma", "fma_pipe"),
    Unit::of_sm("fp64", "fp64_pipe"),
    Unit::of_sm("xu", "xu_pipe"),
    Unit::of_sm("lsu", "lsu_pipe"),
    Unit::of_sm("l1", "l1_throughput"),
    Unit::of_sm("constants", "constant_unit"),
    Unit::of_gpu("l2", "l2_throughput"),
    Unit::of_gpu("dram", "dram_throughput"),
];

/// True if guides may refer to a unit with this name.
pub(super) fn is_unit(name: &str) -> bool {
    UNITS.iter().any(|unit| unit.name == name)
}
