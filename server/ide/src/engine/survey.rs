//! Warp surveys of a launch, simulated on first use and memoized in the kernel's model.

use crate::engine::constant_reads::with_isa;
use crate::engine::kernel::KernelModel;
use model::execution::{Code, MinTraffic, SampleLimits, Survey, shared_bytes};
use model::{Launch, Program, Trips};
use std::sync::Arc;
use syntax::sass::Chunk;

/// Maximum number of warps and of instructions to simulate in a survey, which takes a few milliseconds.
const EFFORT: SampleLimits = SampleLimits { warps: 64, instructions: 30_000 };

/// Limits of the survey of a stated launch for a report. A report may take longer than an editor's answer.
const FULL_EFFORT: SampleLimits = SampleLimits { warps: 64, instructions: 8_000_000 };

/// Limits of the survey of an assumed launch. A document may have many assumed launches.
const GUESSED_EFFORT: SampleLimits = SampleLimits { warps: 64, instructions: 300_000 };

impl KernelModel {
    /// Returns the kernel prepared for simulation, memoized. The simulation follows the launch's profile counts, if the
    /// launch has any.
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

    /// Returns the kernel prepared for simulation with these trip counts and without profile counts,
    /// memoized.
    fn uncounted(&self, chunk: &Chunk, trips: &Trips) -> Arc<Code> {
        if let Some(code) = self.runnable.find(|(of, code)| (of == trips).then(|| Arc::clone(code))) {
            return code;
        }
        let make = |program: &Program| Code::new(chunk, program, trips);
        let code = Arc::new(with_isa(chunk, &self.program, &self.isa_arch, make));
        self.runnable.keep((trips.clone(), Arc::clone(&code)));
        code
    }

    /// Surveys a sample of the launch's warps with [`EFFORT`]. Memoized.
    pub(crate) fn survey(&self, chunk: &Chunk, launch: &Launch) -> Arc<Survey> {
        self.survey_by(chunk, launch, EFFORT)
    }

    /// Surveys the launch with [`FULL_EFFORT`]: more instructions than [`Self::survey`]. Memoized.
    pub(crate) fn full_survey(&self, chunk: &Chunk, launch: &Launch) -> Arc<Survey> {
        self.survey_by(chunk, launch, FULL_EFFORT)
    }

    /// Surveys a sample of the warps of an assumed launch with [`GUESSED_EFFORT`]. Memoized.
    pub(crate) fn guessed_survey(&self, chunk: &Chunk, launch: &Launch) -> Arc<Survey> {
        self.survey_by(chunk, launch, GUESSED_EFFORT)
    }

    fn survey_by(&self, chunk: &Chunk, launch: &Launch, effort: SampleLimits) -> Arc<Survey> {
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

    /// Returns a lower bound on the launch's DRAM traffic in bytes. Memoized.
    pub(crate) fn min_traffic(&self, chunk: &Chunk, launch: &Launch) -> MinTraffic {
        if let Some(known) = self.traffic.find(|(of, traffic)| (of == launch).then_some(*traffic)) {
            return known;
        }
        let traffic = MinTraffic::estimate(&self.runnable(chunk, launch), &self.program.arch, launch);
        self.traffic.keep((launch.clone(), traffic));
        traffic
    }

    /// Returns an estimate of the shared memory that a block uses, in bytes, from simulated warps. Used for launches
    /// that do not state the size. `None` if unknown.
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
