//! Advice of the ICS'17 paper in the report of a kernel at a launch.

use super::BottleneckReport;
use crate::engine::kernel_view::KernelView;
use crate::kernels::advice::{self, bottleneck_in_words, step_in_words};
use advisor::steps::{Change, SignificantBottleneck, Step};
use model::{Bottlenecks, Launch};
use serde::Serialize;

/// Causes of the kernel's bottlenecks, and the steps of the ICS'17 paper that lower the bottlenecks.
#[derive(Debug, Clone, Serialize)]
pub struct AdviceReport {
    /// The GPU for which all gains are estimated.
    pub gpu: String,
    /// Significant bottlenecks, worst first.
    pub bottlenecks: Vec<FoundReport>,
    pub steps: Vec<StepReport>,
}

/// A significant bottleneck, and the instructions that cause it.
#[derive(Debug, Clone, Serialize)]
pub struct FoundReport {
    /// Name of the bottleneck: `ilp`, `comp`, `mem` or `pipe`.
    pub name: &'static str,
    pub value: f64,
    /// Instructions with the largest contributions, at most twenty.
    pub instructions: Vec<CauseReport>,
    #[serde(skip)]
    pub in_words: String,
}

/// Contribution of one instruction to a bottleneck.
#[derive(Debug, Clone, Serialize)]
pub struct CauseReport {
    pub address: u32,
    /// Line in the file, 1-based.
    pub line: u32,
    /// Fraction of the bottleneck that the instruction causes, 0 to 1.
    pub share: f64,
}

/// A step of the paper's section 4 that lowers bottlenecks of the kernel.
#[derive(Debug, Clone, Serialize)]
pub struct StepReport {
    /// Abbreviation of the step in the paper, such as `BW`.
    pub step: &'static str,
    /// Bottlenecks that the step lowers.
    pub lowers: Vec<&'static str>,
    pub message: String,
    /// Addresses of the instructions to change.
    pub addresses: Vec<u32>,
    /// All four bottlenecks after the step; null if the paper has no equation for the step's gain.
    pub after: Option<BottleneckReport>,
    /// The edit that an editor can apply: `loads`, `control codes` or `order`. Null if the user must
    /// choose the edit.
    pub edit: Option<&'static str>,
    #[serde(skip)]
    pub in_words: String,
}

/// Largest number of causes per bottleneck in a report.
const MAX_CAUSES: usize = 20; // limit: a report of a few KiB; smaller causes add little

pub(super) fn advice_report(kernel: &KernelView<'_>, launch: &Launch) -> AdviceReport {
    let advice = advice::advise(kernel, launch, false);
    let address = |inst: u32| kernel.program().instructions[inst as usize].address;
    let found = |found: &SignificantBottleneck| FoundReport {
        name: found.bottleneck.name(),
        value: found.value,
        instructions: found
            .causes
            .iter()
            .take(MAX_CAUSES)
            .map(|cause| CauseReport {
                address: address(cause.inst),
                line: kernel.line_of(cause.inst),
                share: cause.share,
            })
            .collect(),
        in_words: bottleneck_in_words(kernel, found),
    };
    let step = |step: &Step| StepReport {
        step: step.name.short(),
        lowers: step.lowers.iter().map(|one| one.name()).collect(),
        message: step.message.clone(),
        addresses: step.instructions.iter().map(|&inst| address(inst)).collect(),
        after: step.after.map(all_four),
        edit: match &step.change {
            Change::Reader => None,
            Change::Merges(_) => Some("loads"),
            Change::Codes => Some("control codes"),
            Change::Order => Some("order"),
        },
        in_words: step_in_words(step, &advice.before),
    };
    AdviceReport {
        gpu: kernel.target.gpu.part.name.clone(),
        bottlenecks: advice.found.iter().map(found).collect(),
        steps: advice.steps.iter().map(step).collect(),
    }
}

pub(super) const fn all_four(all: Bottlenecks) -> BottleneckReport {
    BottleneckReport { ilp: all.ilp, comp: all.comp, mem: all.mem, pipe: all.pipe }
}
