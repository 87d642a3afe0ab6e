//! Findings in a kernel's text and control codes alone, computed once and kept with its model.

use crate::kernel::KernelModel;
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
}

impl KernelModel {
    /// Findings of all rules that look at nothing but the text, whether they are on or off; in text order.
    pub(crate) fn code_findings(&self, chunk: &Chunk) -> &[Finding] {
        self.hazards.findings.get_or_init(|| {
            let isa_arch = &self.hazards.isa_arch;
            let find = |program: &Program| {
                advisor::check_codes(&Codes::new(chunk, program, &hazards::check(program))).into_boxed_slice()
            };
            // Distances are those of the architecture that the code runs on, not of the GPU that it is timed for.
            if Arc::ptr_eq(isa_arch, &self.program.arch) {
                find(&self.program)
            } else {
                find(&Program::decode(chunk, isa_arch))
            }
        })
    }
}
