//! Reasons why new control codes are not written.

use syntax::sass::rewrite::Unwritable;
use thiserror::Error;

/// Reason why the text of a kernel is not rewritten, as one line without the name of the kernel. Addresses are
/// those of instructions.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(in crate::sass) enum RewriteError {
    #[error("PTX has no control codes; ptxas schedules it")]
    Ptx,
    /// A distance between instructions cannot be kept. The field is the plan's note about it.
    #[error("{0}")]
    Distance(String),
    #[error("with the new codes the file would be read as {new}, not {old}")]
    OtherDialect { new: &'static str, old: &'static str },
    #[error("the new codes would let {second:#06x} issue too early after {first:#06x}")]
    Hazard { first: u32, second: u32 },
    #[error("the instruction at {address:#06x} would change, not only its code")]
    OtherInstruction { address: u32 },
    #[error("the instruction at {address:#06x} has no control code in the text")]
    NoCode { address: u32 },
    #[error("the lines of the instruction at {address:#06x} have a form that cannot be edited")]
    Form { address: u32 },
    #[error("it is unclear which bits of the encoding at {address:#06x} name a register")]
    Encoding { address: u32 },
    /// A reason that concerns the whole kernel.
    #[error(transparent)]
    Kernel(Unwritable),
}
