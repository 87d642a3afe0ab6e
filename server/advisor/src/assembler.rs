//! Errors in a PTX module, as the assembler would say them: item by item, given what module scope declares.
//!
//! What is half-written starts no cascade: a statement with a syntax error is not looked at, and a name that means nothing
//! is reported once and fits everywhere.

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
mod spelled;
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
