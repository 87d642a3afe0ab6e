//! Errors in the `asm` statements of CUDA, as nvcc and ptxas would say them: in the operands, and in the PTX of the strings.
//!
//! What macros write, or what headers that are not read may declare, is unknown and never an error.

mod code;
pub(crate) mod codes;
mod constraint;
mod percent;
mod statement;
mod types;
mod unused;

pub use code::Code;
pub use constraint::{Constraint, Letter};
pub use statement::Statement;
pub use types::ValueType;

use crate::finding::ItemFinding as Finding;
use syntax::cuda::asm::Template;

/// Returns the errors in the operands of a statement and in how its code names them.
pub fn check_operands(statement: Statement<'_>, template: &Template) -> Vec<Finding> {
    let mut found = percent::check(statement, template);
    found.extend(constraint::check(statement));
    found.extend(unused::check(statement, template));
    found
}
