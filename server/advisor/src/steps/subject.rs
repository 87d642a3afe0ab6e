//! A kernel at a launch: the input of the steps.

use super::step::{Bottleneck, SignificantBottleneck};
use model::paper::{MissRatio, code_times, kernel_times};
use model::schedule::Plan;
use model::{Addresses, Bottlenecks, Chunk, Gpu, KernelTiming, Launch, Program};
use std::cell::OnceCell;

/// Smallest decrease of a bottleneck at which a step is offered.
const MIN_FALL: f64 = 0.01; // limit: what two digits show

/// A kernel at a launch: the input of the steps.
pub struct KernelAtLaunch<'a> {
    pub chunk: &'a Chunk,
    /// The kernel's program, decoded for the architecture of the text.
    pub program: &'a Program,
    pub gpu: &'a Gpu,
    pub launch: &'a Launch,
    pub miss_ratio: MissRatio,
    /// True if scheduling is allowed: the text is for this GPU's architecture, and the kernel is not too
    /// long.
    pub may_schedule: bool,
    addresses: OnceCell<Addresses>,
}

impl<'a> KernelAtLaunch<'a> {
    /// Returns the input of the steps. `program` must be decoded from `chunk` for the architecture of the
    /// text.
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

    pub(super) fn addresses(&self) -> &Addresses {
        self.addresses.get_or_init(|| Addresses::compute(self.chunk, self.program))
    }

    /// Returns the program with the GPU's architecture, which determines its latencies.
    pub(super) fn timed(&self, program: &Program) -> Program {
        let mut timed = program.clone();
        timed.arch = self.gpu.arch.clone();
        timed
    }

    /// Computes the time of a changed program at a launch with the model.
    pub(super) fn run(&self, program: &Program, launch: &Launch) -> KernelTiming {
        let program = self.timed(program);
        kernel_times(&program, &code_times(&program, self.miss_ratio), self.gpu, launch)
    }

    pub(super) fn mnemonic(&self, inst: u32) -> &'a str {
        self.chunk.mnemonic(&self.chunk.instructions()[inst as usize])
    }

    pub(super) fn plan(&self, reorder: bool) -> Option<Plan> {
        let has_codes = self.program.instructions.iter().all(|inst| inst.control.is_some());
        let request = model::schedule::Request { reorder, ..Default::default() };
        (has_codes && self.may_schedule).then(|| model::schedule::compute(self.chunk, self.program, &request))
    }
}

/// The kernel, its bottlenecks before a step, and the significant bottlenecks among them.
pub(super) struct StepContext<'a> {
    pub(super) subject: &'a KernelAtLaunch<'a>,
    pub(super) before: &'a Bottlenecks,
    pub(super) found: &'a [SignificantBottleneck],
}

impl StepContext<'_> {
    pub(super) fn is_significant(&self, bottleneck: Bottleneck) -> bool {
        self.found.iter().any(|found| found.bottleneck == bottleneck)
    }

    /// Returns the significant bottlenecks among `wanted` that are lower for the changed program.
    pub(super) fn lowered(&self, wanted: &[Bottleneck], after: &Bottlenecks) -> Vec<Bottleneck> {
        let falls = |bottleneck: &Bottleneck| {
            let fall = bottleneck.value_in(self.before).zip(bottleneck.value_in(after));
            fall.is_some_and(|(before, after)| before - after >= MIN_FALL)
        };
        wanted.iter().copied().filter(|&one| self.is_significant(one)).filter(falls).collect()
    }

    /// An instruction's share of a significant bottleneck, 0 to 1.
    pub(super) fn share(&self, bottleneck: Bottleneck, inst: u32) -> f64 {
        let found = self.found.iter().find(|found| found.bottleneck == bottleneck);
        let cause = found.and_then(|found| found.causes.iter().find(|cause| cause.inst == inst));
        cause.map_or(0.0, |cause| cause.share)
    }
}
