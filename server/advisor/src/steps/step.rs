//! Steps that lower a bottleneck.

use super::bank_width::Merge;
use model::Bottlenecks;
use model::paper::Cause;

/// The bottlenecks of the paper's Equations 18 to 21.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bottleneck {
    /// Instruction-level parallelism.
    Ilp,
    /// Compute efficiency.
    Comp,
    /// Memory efficiency.
    Mem,
    /// Instruction pipeline: latencies that are not hidden.
    Pipe,
}

impl Bottleneck {
    /// All four bottlenecks, in the order of their equations.
    pub const ALL: [Self; 4] = [Self::Ilp, Self::Comp, Self::Mem, Self::Pipe];

    /// Returns the name as reports print it: `pipe`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ilp => "ilp",
            Self::Comp => "comp",
            Self::Mem => "mem",
            Self::Pipe => "pipe",
        }
    }

    /// Returns the value of this bottleneck, 0 (best) to 1; `None` if the kernel has no instructions that the
    /// bottleneck covers.
    pub fn value_in(self, all: &Bottlenecks) -> Option<f64> {
        match self {
            Self::Ilp => all.ilp,
            Self::Comp => all.comp,
            Self::Mem => all.mem,
            Self::Pipe => all.pipe,
        }
    }
}

/// A step from the paper's section 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepName {
    BankWidth,
    DualIssue,
    InstructionScheduling,
    ReadOnlyCache,
    RegisterBlocking,
    RegisterReuse,
}

impl StepName {
    /// Returns the paper's abbreviation.
    pub const fn short(self) -> &'static str {
        match self {
            Self::BankWidth => "BW",
            Self::DualIssue => "DUAL",
            Self::InstructionScheduling => "IS",
            Self::ReadOnlyCache => "ROC",
            Self::RegisterBlocking => "RB",
            Self::RegisterReuse => "RR",
        }
    }

    /// Returns the name in the paper's headings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BankWidth => "utilizing bank width",
            Self::DualIssue => "dual-issue",
            Self::InstructionScheduling => "instruction scheduling",
            Self::ReadOnlyCache => "read-only cache",
            Self::RegisterBlocking => "register blocking",
            Self::RegisterReuse => "register reuse",
        }
    }
}

/// The bottlenecks and steps of a kernel at a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    pub before: Bottlenecks,
    /// The significant bottlenecks, in descending order.
    pub found: Vec<SignificantBottleneck>,
    /// Steps, in the order of the paper's Figures 4 and 7.
    pub steps: Vec<Step>,
}

/// A significant bottleneck.
#[derive(Debug, Clone, PartialEq)]
pub struct SignificantBottleneck {
    pub bottleneck: Bottleneck,
    pub value: f64,
    /// The instructions that cause the bottleneck, in descending order of their share.
    pub causes: Vec<Cause>,
}

/// A step that lowers a bottleneck.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub name: StepName,
    /// The significant bottlenecks that the step lowers; empty if only the issue simulation shows a gain.
    pub lowers: Vec<Bottleneck>,
    /// The instructions to change, in text order.
    pub instructions: Vec<u32>,
    /// The action as a clause, without a capital letter or a period.
    pub message: String,
    /// Bottlenecks that the model predicts for the changed program; `None` if the paper has no equation for the step.
    pub after: Option<Bottlenecks>,
    pub change: Change,
}

/// A step's change to the code, if it can be applied automatically.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// No automatic change. The user must decide.
    Reader,
    /// Merged loads. Not applied if the text contains encodings.
    Merges(Vec<Merge>),
    /// New control codes in the same instruction order.
    Codes,
    /// A new instruction order, with new control codes.
    Order,
}
