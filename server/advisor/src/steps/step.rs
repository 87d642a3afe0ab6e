//! Steps that lower a bottleneck.

use super::bank_width::Merge;
use model::Bottlenecks;
use model::paper::Cause;

/// The paper's bottlenecks: Equations 18 to 21.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bottleneck {
    /// Instruction level parallelism.
    Ilp,
    /// Compute efficiency.
    Comp,
    /// Memory efficiency.
    Mem,
    /// Instruction pipeline: latencies that nothing hides.
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

    /// Picks this bottleneck's value, 0 (best) to 1; `None` without such instructions.
    pub fn value_in(self, all: &Bottlenecks) -> Option<f64> {
        match self {
            Self::Ilp => all.ilp,
            Self::Comp => all.comp,
            Self::Mem => all.mem,
            Self::Pipe => all.pipe,
        }
    }
}

/// A step of the paper's section 4.
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
    /// As the paper abbreviates it.
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

    /// As the paper's headings have it.
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

/// What is said of a kernel at a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    pub before: Bottlenecks,
    /// The significant ones, the worst first.
    pub found: Vec<Found>,
    /// In the order of the paper's Figures 4 and 7.
    pub steps: Vec<Step>,
}

/// A significant bottleneck.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub bottleneck: Bottleneck,
    pub value: f64,
    /// The instructions that make it, the largest part first.
    pub causes: Vec<Cause>,
}

/// A step that lowers a bottleneck.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub name: StepName,
    /// The significant bottlenecks that it lowers; none where only the issue simulation sees a gain.
    pub lowers: Vec<Bottleneck>,
    /// Those to change, in text order.
    pub instructions: Vec<u32>,
    /// What to do: a clause without a capital or a period.
    pub message: String,
    /// By the model, run with the step taken; `None` where the paper has no equation for it.
    pub after: Option<Bottlenecks>,
    pub change: Change,
}

/// What of a step can be written for the reader.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Nothing: the step takes a choice.
    Reader,
    /// Loads made one. Where the text allows it: it may print encodings.
    Merges(Vec<Merge>),
    /// New control codes.
    Codes,
    /// New control codes in another order.
    Order,
}
