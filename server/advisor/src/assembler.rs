//! Errors that the assembler would report in a PTX module. Each item is checked with the declarations at
//! module scope.
//!
//! An error causes no follow-up errors: statements with a syntax error are skipped, and an unresolved name is
//! reported once and then accepted in every operand.

mod address;
mod call_parameters;
mod calls;
mod code;
mod constants;
mod declarations;
mod directives;
mod facts;
mod findings;
mod function_limits;
mod header;
mod instruction;
mod module_names;
mod names;
mod needs;
mod operands;
mod spelled_instruction;
mod value;
mod vector;

#[cfg(test)]
mod tests;

use crate::finding::ItemFinding as Finding;
use facts::Facts;
use findings::Findings;
use model::ptx::Names;
use syntax::ptx::Item;

pub(crate) use code::Code;
pub(crate) use facts::Context;
pub use header::Heading;
pub(crate) use header::check_header;

/// Returns the errors in an item, in text order.
pub(crate) fn check(item: &Item, names: &Names, context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Findings::new(Facts { item, names, context });
    let checks = [
        names::check,
        declarations::check,
        module_names::check,
        directives::check,
        instruction::check,
        constants::check,
        function_limits::check,
    ];
    for check in checks {
        check(&mut findings);
    }
    findings.sorted()
}
