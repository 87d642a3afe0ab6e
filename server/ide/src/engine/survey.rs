//! Surveys of a launch's warps, run when first asked for and kept with the kernel's model.

use crate::engine::constant_reads::with_isa;
use crate::engine::kernel::KernelModel;
use model::execution::{Code, Effort, LeastTraffic, Survey, shared_bytes};
use model::{Launch, Program, Trips};
use std::sync::Arc;
use syntax::sass::Chunk;

/// Warps and instructions that are run of a launch: some milliseconds.
const EFFORT: Effort = Effort { warps: 64, instructions: 30_000 };

/// The same if no user waits for the answer.
const FULL_EFFORT: Effort = Effort { warps: 64, instructions: 8_000_000 };

/// The same of a launch that is one of many guesses.
const GUESSED_EFFORT: Effort = Effort { warps: 64, instructions: 300_000 };

impl KernelModel {
    /// Returns the kernel made ready to be run.
    pub(crate) fn runnable(&self, chunk: &Chunk, launch: &Launch) -> Arc<Code> {
        let Some(measured) = &launch.measured else { return self.uncounted(chunk, &launch.trips) };
        let is_it = |(of, _): &(Launch, _)| of == launch;
        if let Some(code) = self.counted.find(|known| is_it(known).then(|| Arc::clone(&known.1))) {
            return code;
        }
        let derived = self.survey_by(chunk, &Launch { measured: None, ..launch.clone() }, EFFORT);
        let code = Arc::new(self.uncounted(chunk, &launch.trips).counted(measured, &derived, launch));
        self.counted.keep((launch.clone(), Arc::clone(&code)));
        code
    }

    /// The same, led by no counts of a launch.
    fn uncounted(&self, chunk: &Chunk, trips: &Trips) -> Arc<Code> {
        if let Some(code) = self.runnable.find(|(of, code)| (of == trips).then(|| Arc::clone(code))) {
            return code;
        }
        let make = |program: &Program| Code::new(chunk, program, trips);
        let code = Arc::new(with_isa(chunk, &self.program, &self.isa_arch, make));
        self.runnable.keep((trips.clone(), Arc::clone(&code)));
        code
    }

    /// Surveys a sample of the launch's warps.
    pub(crate) fn survey(&self, chunk: &Chunk, launch: &Launch) -> Arc<Survey> {
        self.survey_by(chunk, launch, EFFORT)
    }

    /// Surveys a larger sample.
    pub(crate) fn full_survey(&self, chunk: &Chunk, launch: &Launch) -> Arc<Survey> {
        self.survey_by(chunk, launch, FULL_EFFORT)
    }

    /// Surveys as much of the launch as a guess is worth.
    pub(crate) fn guessed_survey(&self, chunk: &Chunk, launch: &Launch) -> Arc<Survey> {
        self.survey_by(chunk, launch, GUESSED_EFFORT)
    }

    fn survey_by(&self, chunk: &Chunk, launch: &Launch, effort: Effort) -> Arc<Survey> {
        let known = self.surveys.find(|(of, by, survey)| {
            let is_whole = !survey.is_cut && !survey.is_short;
            let is_enough = *by == effort || by.instructions > effort.instructions || is_whole;
            (of == launch && is_enough).then(|| Arc::clone(survey))
        });
        if let Some(survey) = known {
            return survey;
        }
        let code = self.runnable(chunk, launch);
        let survey = Arc::new(Survey::run(&code, &self.program.arch, launch, effort));
        self.surveys.keep((launch.clone(), effort, Arc::clone(&survey)));
        survey
    }

    /// Returns the bytes that DRAM moves at least for a launch.
    pub(crate) fn least_traffic(&self, chunk: &Chunk, launch: &Launch) -> LeastTraffic {
        if let Some(known) = self.traffic.find(|(of, traffic)| (of == launch).then_some(*traffic)) {
            return known;
        }
        let traffic = LeastTraffic::estimate(&self.runnable(chunk, launch), &self.program.arch, launch);
        self.traffic.keep((launch.clone(), traffic));
        traffic
    }

    /// Bytes of shared memory that a block of the launch is seen to use, for launches that do not state them.
    pub(crate) fn shared_bytes(&self, chunk: &Chunk, launch: &Launch) -> Option<u32> {
        if let Some(bytes) = self.shared_bytes.find(|(of, bytes)| (of == launch).then_some(*bytes)) {
            return bytes;
        }
        let arch = &self.program.arch;
        let kept = arch.resources.shared_reserved_per_block.value;
        let bytes = shared_bytes(&self.runnable(chunk, launch), arch, launch, kept);
        self.shared_bytes.keep((launch.clone(), bytes));
        bytes
    }
}
