//! Surveys of a launch's warps, run when first asked for and kept with the kernel's model.

use crate::engine::recent::Recent;
use machine::Arch;
use model::execution::{Code, Effort, Survey, shared_bytes};
use model::{Launch, Program, Trips};
use std::sync::Arc;
use syntax::sass::Chunk;

/// A place for what the warps of a kernel's launches do.
#[derive(Debug)]
pub(crate) struct SurveyMemo {
    /// The architecture that the text is for.
    isa_arch: Arc<Arch>,
    runnable: Recent<(Trips, Arc<Code>)>,
    known: Recent<(Launch, Effort, Arc<Survey>)>,
    /// Bytes of shared memory that blocks were seen to use.
    shared: Recent<(Launch, Option<u32>)>,
}

/// Warps and instructions that are run of a launch: some milliseconds.
const EFFORT: Effort = Effort { warps: 64, instructions: 30_000 };

/// The same where nobody waits at a screen.
const FULL_EFFORT: Effort = Effort { warps: 64, instructions: 8_000_000 };

/// The same of a launch that is one of many that nobody states.
const GUESSED_EFFORT: Effort = Effort { warps: 64, instructions: 300_000 };

impl SurveyMemo {
    pub(crate) fn new(isa_arch: &Arc<Arch>) -> Self {
        Self {
            isa_arch: Arc::clone(isa_arch),
            runnable: Recent::default(),
            known: Recent::default(),
            shared: Recent::default(),
        }
    }

    /// Returns the kernel made ready to be run.
    pub(crate) fn runnable(&self, chunk: &Chunk, program: &Program, trips: &Trips) -> Arc<Code> {
        let Self { isa_arch, runnable, .. } = self;
        if let Some(code) = runnable.find(|(of, code)| (of == trips).then(|| Arc::clone(code))) {
            return code;
        }
        let code = Arc::new(if Arc::ptr_eq(isa_arch, &program.arch) {
            Code::new(chunk, program, trips)
        } else {
            Code::new(chunk, &Program::decode(chunk, isa_arch), trips)
        });
        runnable.keep((trips.clone(), Arc::clone(&code)));
        code
    }

    /// Surveys a sample of the launch's warps.
    pub(crate) fn survey(&self, chunk: &Chunk, program: &Program, launch: &Launch) -> Arc<Survey> {
        self.survey_by(chunk, program, launch, EFFORT)
    }

    /// The same from a larger sample.
    pub(crate) fn full_survey(&self, chunk: &Chunk, program: &Program, launch: &Launch) -> Arc<Survey> {
        self.survey_by(chunk, program, launch, FULL_EFFORT)
    }

    /// The same from as much of it as a guess is worth.
    pub(crate) fn guessed_survey(&self, chunk: &Chunk, program: &Program, launch: &Launch) -> Arc<Survey> {
        self.survey_by(chunk, program, launch, GUESSED_EFFORT)
    }

    fn survey_by(&self, chunk: &Chunk, program: &Program, launch: &Launch, effort: Effort) -> Arc<Survey> {
        let known = self.known.find(|(of, by, survey)| {
            let is_enough = *by == effort || by.instructions > effort.instructions || !survey.is_cut;
            (of == launch && is_enough).then(|| Arc::clone(survey))
        });
        if let Some(survey) = known {
            return survey;
        }
        let code = self.runnable(chunk, program, &launch.trips);
        let survey = Arc::new(Survey::run(&code, &program.arch, launch, effort));
        self.known.keep((launch.clone(), effort, Arc::clone(&survey)));
        survey
    }

    /// Bytes of shared memory that a block of the launch is seen to use, for where nobody states them.
    pub(crate) fn shared_bytes(&self, chunk: &Chunk, program: &Program, launch: &Launch) -> Option<u32> {
        if let Some(bytes) = self.shared.find(|(of, bytes)| (of == launch).then_some(*bytes)) {
            return bytes;
        }
        let arch = &program.arch;
        let kept = arch.resources.shared_reserved_per_block.value;
        let bytes = shared_bytes(&self.runnable(chunk, program, &launch.trips), arch, launch, kept);
        self.shared.keep((launch.clone(), bytes));
        bytes
    }
}
