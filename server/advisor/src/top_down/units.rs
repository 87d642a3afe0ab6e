//! Units of the GPU that bound how fast a launch can be.

/// A unit of the GPU: its name in guides, and the figure that says in percent how much of the time it is busy.
pub(super) struct Unit {
    pub(super) name: &'static str,
    pub(super) figure: &'static str,
    /// Its work is that of instructions: fewer of them keep it busy for less time.
    pub(super) by_instruction: bool,
}

impl Unit {
    const fn new(name: &'static str, figure: &'static str, by_instruction: bool) -> Self {
        Self { name, figure, by_instruction }
    }
}

pub(super) static UNITS: [Unit; 9] = [
    Unit::new("issue", "issue_slots", true),
    Unit::new("alu", "alu_pipe", true),
    Unit::new("fma", "fma_pipe", true),
    Unit::new("fp64", "fp64_pipe", true),
    Unit::new("xu", "xu_pipe", true),
    Unit::new("lsu", "lsu_pipe", true),
    Unit::new("l1", "l1_throughput", true),
    Unit::new("l2", "l2_throughput", false),
    Unit::new("dram", "dram_throughput", false),
];

/// Whether guides may name the unit.
pub(super) fn is_unit(name: &str) -> bool {
    UNITS.iter().any(|unit| unit.name == name)
}
