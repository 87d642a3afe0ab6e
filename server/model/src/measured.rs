//! Measured counts of a launch, by instruction. They take precedence over derived and assumed counts.

/// Counts that were measured in one launch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeasuredCounts {
    /// Counts in program order. A count that was not measured is `None` for every instruction.
    pub instructions: Vec<InstructionCounts>,
    /// Number of warps in the measured launch, if it is known.
    pub warps: Option<f64>,
}

/// Counts of one instruction, summed over all warps of the launch; `None` if not measured.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct InstructionCounts {
    /// Number of executions by a warp, converged or diverged.
    pub executed: Option<f64>,
    /// Lanes that reached the instruction, whether or not their guard was true.
    pub lanes: Option<f64>,
    /// Lanes whose guard was true.
    pub on: Option<f64>,
    /// Shared memory wavefronts.
    pub wavefronts: Option<f64>,
    /// Tag look-ups in the L1 cache: one per cache line of each request.
    pub lines: Option<f64>,
    /// Global memory sectors, whichever cache serves them.
    pub sectors: Option<f64>,
}

impl MeasuredCounts {
    /// Returns the number of warp instructions in the launch; `None` if some instruction's executions were
    /// not counted, or if no instruction was executed.
    pub fn executed(&self) -> Option<f64> {
        let all: Option<f64> = self.instructions.iter().map(|counted| counted.executed).sum();
        all.filter(|all| *all > 0.0)
    }

    /// Returns the mean number of instructions per warp. `warps` is used if the measured number of warps is unknown.
    pub(crate) fn executed_per_warp(&self, warps: f64) -> Option<f64> {
        Some(self.executed()? / self.warps.unwrap_or(warps).max(1.0))
    }
}

impl InstructionCounts {
    /// Returns a count per execution; `None` if the count was not measured or the instruction was not
    /// executed.
    pub(crate) fn each(&self, count: Option<f64>) -> Option<f64> {
        let executed = self.executed.filter(|executed| *executed > 0.0)?;
        Some(count? / executed)
    }

    /// Returns the share of lanes whose guard was true among the lanes that reached the instruction, 0 to 1;
    /// `None` if the lanes were not measured.
    pub(crate) fn on_share(&self) -> Option<f64> {
        let lanes = self.lanes.filter(|lanes| *lanes > 0.0)?;
        Some((self.on? / lanes).clamp(0.0, 1.0))
    }
}
