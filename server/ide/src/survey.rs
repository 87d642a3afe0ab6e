//! What the warps of a launch do, run when first asked for and kept with the kernel's model.

use crate::kernel::KernelModel;
use machine::Arch;
use model::execution::{Code, Effort, Survey};
use model::{Launch, Program};
use std::sync::{Arc, Mutex};
use syntax::sass::Chunk;

/// A place for what the warps of a kernel's launches do.
#[derive(Debug)]
pub(crate) struct SurveyMemo {
    /// The architecture that the text is for.
    isa_arch: Arc<Arch>,
    known: Mutex<Vec<(Launch, Arc<Survey>)>>,
}

/// Launches of a kernel that are kept.
const MOST: usize = 16;

/// Warps and instructions that are run of a launch: some milliseconds.
const EFFORT: Effort = Effort { warps: 64, instructions: 200_000 };

impl SurveyMemo {
    pub(crate) fn new(isa_arch: &Arc<Arch>) -> Self {
        Self { isa_arch: Arc::clone(isa_arch), known: Mutex::default() }
    }
}

impl KernelModel {
    /// The kernel made ready to be run.
    pub(crate) fn runnable(&self, chunk: &Chunk, launch: &Launch) -> Code {
        let isa_arch = &self.surveys.isa_arch;
        if Arc::ptr_eq(isa_arch, &self.program.arch) {
            return Code::new(chunk, &self.program, launch);
        }
        Code::new(chunk, &Program::decode(chunk, isa_arch), launch)
    }

    /// What a sample of the launch's warps does.
    pub(crate) fn survey(&self, chunk: &Chunk, launch: &Launch) -> Arc<Survey> {
        let find = |known: &Vec<(Launch, Arc<Survey>)>| {
            known.iter().find(|(of, _)| of == launch).map(|(_, survey)| Arc::clone(survey))
        };
        let lock = || self.surveys.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = find(&lock()) {
            return known;
        }
        let survey =
            Arc::new(Survey::of(&self.runnable(chunk, launch), &self.program.arch, launch, EFFORT));
        let mut known = lock();
        if known.len() >= MOST {
            known.remove(0);
        }
        known.push((launch.clone(), Arc::clone(&survey)));
        survey
    }
}
