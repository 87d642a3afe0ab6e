//! The figures of each kernel that are compared.

use ide::report::KernelReport;

/// The comparison of two files.
pub(super) struct Diff {
    pub(super) base: String,
    pub(super) new: String,
    /// Kernels in both files, each at each of its launches, in the order of the new file.
    pub(super) kernels: Vec<ComparedKernel>,
    pub(super) only_base: Vec<String>,
    pub(super) only_new: Vec<String>,
}

/// One kernel at one launch in both files.
#[derive(Debug, Clone)]
pub(super) struct ComparedKernel {
    pub(super) name: String,
    pub(super) launch: Option<String>,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    /// True if the kernel has no stated launch, so both versions use the launch that is assumed for the base.
    pub(super) launch_assumed: bool,
    pub(super) base: Figures,
    pub(super) new: Figures,
    /// True if the kernel's cycles or spills grew by more than `--fail-above` allows.
    pub(super) is_worse: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figures {
    /// Number of registers per thread.
    pub(super) registers: u32,
    /// Number of bytes of spill stores and loads in the code, per thread.
    pub(super) spills: u32,
    /// Occupancy: resident warps as a share of the SM's warp slots, 0 to 1.
    pub(super) occupancy: f64,
    /// Number of instructions in the code, each counted once.
    pub(super) instructions: usize,
    /// Cycles of the launch; `None` if they are unknown.
    pub(super) cycles: Option<f64>,
    pub(super) cycles_in_words: String,
}

impl Figures {
    pub(super) fn new(report: &KernelReport) -> Self {
        let resources = &report.resources;
        Self {
            registers: resources.registers,
            spills: resources.spill_stores + resources.spill_loads,
            occupancy: report.occupancy.fraction,
            instructions: report.instruction_count,
            cycles: report.cycles,
            cycles_in_words: report.cycles_in_words.clone(),
        }
    }

    /// True if the cycles or spills of `new` exceed those of `self` by more than `percent`. Unknown cycles
    /// never count as worse.
    pub(super) fn is_worse(&self, new: &Self, percent: f64) -> bool {
        let grew = |base: f64, new: f64| new > base * (1.0 + percent / 100.0);
        grew(self.spills.into(), new.spills.into())
            || self.cycles.zip(new.cycles).is_some_and(|(base, new)| grew(base, new))
    }
}

/// The change from `base` to `new` in percent of `base`. Returns 0 if both are 0, and `None` if only `base` is 0.
pub(super) fn change(base: f64, new: f64) -> Option<f64> {
    if base == 0.0 {
        return (new == 0.0).then_some(0.0);
    }
    Some(100.0 * (new - base) / base)
}

/// The names of kernels, each once.
pub(super) fn names<'a>(kernels: impl Iterator<Item = &'a KernelReport>) -> Vec<String> {
    let mut names: Vec<String> = kernels.map(|own| own.name.clone()).collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(spills: u32, cycles: Option<f64>) -> Figures {
        let (registers, occupancy, instructions) = (32, 1.0, 100);
        Figures { registers, spills, occupancy, instructions, cycles, cycles_in_words: String::new() }
    }

    #[test]
    fn what_grew_by_more_than_is_allowed_is_worse() {
        let base = figures(0, Some(1000.0));
        assert!(base.is_worse(&figures(0, Some(1051.0)), 5.0));
        assert!(!base.is_worse(&figures(0, Some(1050.0)), 5.0));
        assert!(base.is_worse(&figures(8, Some(900.0)), 5.0));
        assert!(!base.is_worse(&figures(0, None), 5.0));
        assert!(!figures(8, None).is_worse(&figures(4, Some(1.0)), 0.0));
    }

    #[test]
    fn changes_are_in_percent_of_the_base() {
        assert_eq!(
            [change(200.0, 150.0), change(0.0, 0.0), change(0.0, 8.0)],
            [Some(-25.0), Some(0.0), None]
        );
    }
}
