//! Reasons why new control codes are not written.

use syntax::sass::rewrite::Unwritable;
use thiserror::Error;

/// Reason why the text of a kernel is not rewritten, as one line without the name of the kernel. Each address is the
/// address of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(in crate::sass) enum RewriteError {
    #[error("PTX has no control codes; ptxas schedules it")]
    Ptx,
    /// A required distance, in cycles, between two instructions cannot be kept. The field is the explanation.
    #[error("{0}")]
    Distance(String),
    #[error("with the new control codes, the file would be parsed as {new} instead of {old}")]
    OtherDialect { new: &'static str, old: &'static str },
    #[error(
        "with the new control codes, the instruction at {second:#06x} would issue too early after the one at {first:#06x}"
    )]
    Hazard { first: u32, second: u32 },
    #[error("the instruction at {address:#06x} itself would change, not only its control code")]
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
