//! The bottlenecks of a kernel, the instructions that make them, and the steps that lower them.
//!
//! Source: Zhou et al., "A Performance Analysis Framework for Exploiting GPU Microarchitectural Capability" (ICS'17):
//! bottlenecks in section 3.3, steps in section 4. A step is a file here. It is offered where the model, run on the
//! program with the step taken, says that a bottleneck falls; where the paper gives no equation for it, it says so.

mod bank_width;
mod dual_issue;
mod instruction_scheduling;
mod read_only_cache;
mod register_blocking;
mod register_reuse;
#[cfg(test)]
mod tests;

pub use bank_width::{Merge, merges};

use model::paper::{self, Cause, MissRatio, code_times, kernel_times};
use model::schedule::Plan;
use model::{Addresses, Bottlenecks, Chunk, Gpu, KernelTiming, Launch, Program};
use std::cell::OnceCell;

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
    pub const ALL: [Self; 4] = [Self::Ilp, Self::Comp, Self::Mem, Self::Pipe];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Ilp => "ilp",
            Self::Comp => "comp",
            Self::Mem => "mem",
            Self::Pipe => "pipe",
        }
    }

    pub fn of(self, all: &Bottlenecks) -> Option<f64> {
        match self {
            Self::Ilp => all.ilp,
            Self::Comp => all.comp,
            Self::Mem => all.mem,
            Self::Pipe => all.pipe,
        }
    }
}

/// From which value on a bottleneck is spoken of. The paper calls code highly optimized whose metrics are "close to 0"
/// (section 3.3) and gives no number; a tenth of an SM's capability is worth a reader's time.
pub const SIGNIFICANT: f64 = 0.1;

/// What a bottleneck has to fall by for a step to be offered: what two digits show.
const LEAST_FALL: f64 = 0.01;

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

/// A kernel at a launch, as the steps look at it.
pub struct Subject<'a> {
    pub chunk: &'a Chunk,
    /// Decoded for the architecture of the text.
    pub program: &'a Program,
    pub gpu: &'a Gpu,
    pub launch: &'a Launch,
    pub miss_ratio: MissRatio,
    /// Control codes for another architecture's text say nothing of this GPU, and a long kernel takes long to schedule.
    pub may_schedule: bool,
    addresses: OnceCell<Addresses>,
}

impl<'a> Subject<'a> {
    /// `program` was decoded from `chunk` for the architecture of the text.
    pub fn new(
        chunk: &'a Chunk,
        program: &'a Program,
        gpu: &'a Gpu,
        launch: &'a Launch,
        miss_ratio: MissRatio,
        may_schedule: bool,
    ) -> Self {
        Self { chunk, program, gpu, launch, miss_ratio, may_schedule, addresses: OnceCell::new() }
    }

    fn addresses(&self) -> &Addresses {
        self.addresses.get_or_init(|| Addresses::of(self.chunk, self.program))
    }

    /// The program as it runs on the GPU.
    fn timed(&self, program: &Program) -> Program {
        let mut timed = program.clone();
        timed.arch = self.gpu.arch.clone();
        timed
    }

    /// What the model says of a changed program at a launch.
    fn run(&self, program: &Program, launch: &Launch) -> KernelTiming {
        let program = self.timed(program);
        kernel_times(&program, &code_times(&program, self.miss_ratio), self.gpu, launch)
    }

    fn mnemonic(&self, inst: u32) -> &'a str {
        self.chunk.mnemonic(&self.chunk.instructions()[inst as usize])
    }

    fn plan(&self, reorder: bool) -> Option<Plan> {
        let has_codes = self.program.instructions.iter().all(|inst| inst.control.is_some());
        let request = model::schedule::Request { reorder, ..Default::default() };
        (has_codes && self.may_schedule).then(|| model::schedule::compute(self.chunk, self.program, &request))
    }
}

/// The bottlenecks of a kernel at a launch that are significant, and the steps that lower them.
pub fn advise(subject: &Subject<'_>) -> Advice {
    let timed = subject.timed(subject.program);
    let code = code_times(&timed, subject.miss_ratio);
    let before = kernel_times(&timed, &code, subject.gpu, subject.launch).bottlenecks;
    let mut found = Vec::new();
    for bottleneck in Bottleneck::ALL {
        if let Some(value) = bottleneck.of(&before).filter(|&value| value >= SIGNIFICANT) {
            found.push(Found { bottleneck, value, causes: Vec::new() });
        }
    }
    if found.is_empty() {
        return Advice { before, found, steps: Vec::new() };
    }
    let causes = paper::causes(&timed, &code, subject.launch);
    for one in &mut found {
        one.causes.clone_from(match one.bottleneck {
            Bottleneck::Ilp => &causes.ilp,
            Bottleneck::Comp => &causes.comp,
            Bottleneck::Mem => &causes.mem,
            Bottleneck::Pipe => &causes.pipe,
        });
    }
    found.sort_by(|a, b| b.value.total_cmp(&a.value));
    let scene = Scene { subject, before: &before, found: &found };
    let steps = [
        register_reuse::step(&scene),
        register_blocking::step(&scene),
        bank_width::step(&scene),
        dual_issue::step(&scene),
        instruction_scheduling::step(&scene),
        read_only_cache::step(&scene),
    ];
    let steps = steps.into_iter().flatten().collect();
    Advice { before, found, steps }
}

/// What a step is judged by.
struct Scene<'a> {
    subject: &'a Subject<'a>,
    before: &'a Bottlenecks,
    found: &'a [Found],
}

impl Scene<'_> {
    fn is_significant(&self, bottleneck: Bottleneck) -> bool {
        self.found.iter().any(|found| found.bottleneck == bottleneck)
    }

    /// The significant bottlenecks among these that fall.
    fn lowered(&self, wanted: &[Bottleneck], after: &Bottlenecks) -> Vec<Bottleneck> {
        let falls = |bottleneck: &Bottleneck| {
            let fall = bottleneck.of(self.before).zip(bottleneck.of(after));
            fall.is_some_and(|(before, after)| before - after >= LEAST_FALL)
        };
        wanted.iter().copied().filter(|&one| self.is_significant(one)).filter(falls).collect()
    }

    /// The part that an instruction has in a significant bottleneck.
    fn share(&self, bottleneck: Bottleneck, inst: u32) -> f64 {
        let found = self.found.iter().find(|found| found.bottleneck == bottleneck);
        let cause = found.and_then(|found| found.causes.iter().find(|cause| cause.inst == inst));
        cause.map_or(0.0, |cause| cause.share)
    }
}
