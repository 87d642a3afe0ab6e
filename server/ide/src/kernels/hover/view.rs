//! The instruction that a hover describes.

use crate::ModelChoice;
use crate::engine::cancel::Cancellable;
use crate::engine::issue_simulation::Issues;
use crate::engine::kernel_view::KernelView;
use crate::kernels::heat::Shares;
use crate::words::markdown::code;
use model::{Access, Register, RegisterFile};
use syntax::sass::TokenKind;

/// One instruction with all known facts about it.
pub(crate) struct View<'a> {
    pub(crate) kernel: &'a KernelView<'a>,
    /// Issue cycles by the `pipeline` model; `None` if the model does not apply.
    pub(crate) issues: Option<&'a Issues>,
    /// True if issue cycles of either model are shown.
    pub(crate) has_cycles: bool,
    pub(crate) inst: usize,
    /// Fractions of the time of all warps at the first launch; `None` if the launch is not simulated.
    pub(crate) shares: Option<Shares>,
}

impl<'a> View<'a> {
    pub(crate) fn new(kernel: &'a KernelView<'a>, inst: usize) -> Cancellable<Self> {
        let issues = kernel.issues();
        let has_cycles = issues.is_some() || kernel.sass.context.config.model != ModelChoice::Pipeline;
        Ok(Self { kernel, issues, has_cycles, inst, shares: Shares::compute(kernel)? })
    }
}

/// Name of a register as spelled in the text of this instruction.
pub(super) fn register_in_text(view: &View<'_>, register: Register) -> String {
    let program = view.kernel.program();
    let inst = &program.instructions[view.inst];
    match register.file {
        RegisterFile::Named => {
            let reads = program.reads(inst);
            let accesses = if reads.iter().any(|access| access.register == register) {
                reads
            } else {
                program.writes(inst)
            };
            named(view, accesses, register)
        }
        _ => register.to_string(),
    }
}

/// Name of a register in an assembler source, in backticks. The name comes from the operand that
/// accesses the register.
pub(crate) fn named(view: &View<'_>, accesses: &[Access], register: Register) -> String {
    let access = accesses.iter().find(|access| access.register == register);
    let instruction = view.kernel.text(view.inst);
    let operand = access
        .and_then(|access| access.operand)
        .and_then(|operand| view.kernel.chunk.operands(instruction).nth(operand.into()));
    let name = operand.and_then(|tokens| tokens.iter().find(|token| token.kind == TokenKind::Name));
    name.map_or_else(
        || register.to_string(),
        |token| code(view.kernel.chunk.token_text(instruction.line, token)),
    )
}
