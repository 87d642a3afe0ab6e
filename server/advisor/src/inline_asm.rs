//! Errors that nvcc and ptxas would report in CUDA's `asm` statements: in the operands and in the PTX of the
//! strings.
//!
//! Text from macros, and names that unread headers may declare, are unknown. They never count as errors.

mod code;
pub(crate) mod codes;
mod constraint;
mod percent;
mod statement;
mod types;
mod unused;

pub use code::Code;
pub use constraint::{Constraint, ConstraintError, Letter};
pub use statement::Statement;
pub use types::ValueType;

use crate::finding::ItemFinding as Finding;
use syntax::cuda::asm::Template;

/// Returns the errors in the operands of a statement and in the operand references of its code.
pub fn check_operands(statement: Statement<'_>, template: &Template) -> Vec<Finding> {
    let mut found = percent::check(statement, template);
    found.extend(constraint::check(statement));
    found.extend(unused::check(statement, template));
    found
}
