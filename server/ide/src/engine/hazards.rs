//! Findings in a kernel's text and control codes alone, computed once and kept with its model.

use advisor::Finding;
use advisor::codes::Codes;
use machine::Arch;
use model::{Program, hazards};
use std::sync::{Arc, OnceLock};
use syntax::sass::Chunk;

/// A place for what a kernel's control codes were found to do.
#[derive(Debug)]
pub(crate) struct HazardMemo {
    /// The architecture that the text is for.
    isa_arch: Arc<Arch>,
    findings: OnceLock<Box<[Finding]>>,
}

impl HazardMemo {
    pub(crate) fn new(isa_arch: &Arc<Arch>) -> Self {
        Self { isa_arch: Arc::clone(isa_arch), findings: OnceLock::new() }
    }

    /// Returns the findings of all rules that look at nothing but the text, whether they are on or off; in text order.
    pub(crate) fn findings(&self, chunk: &Chunk, program: &Program) -> &[Finding] {
        self.findings.get_or_init(|| {
            let find = |program: &Program| {
                advisor::check_codes(&Codes::new(chunk, program, &hazards::check(program))).into_boxed_slice()
            };
            // Distances are those of the architecture that the code runs on, not of the GPU that it is timed for.
            if Arc::ptr_eq(&self.isa_arch, &program.arch) {
                find(program)
            } else {
                find(&Program::decode(chunk, &self.isa_arch))
            }
        })
    }
}
