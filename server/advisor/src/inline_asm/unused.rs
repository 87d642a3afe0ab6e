//! Operands that the code does not use.

use super::codes::UNUSED_ASM_OPERAND;
use super::constraint::Constraint;
use super::statement::Statement;
use crate::finding::ItemFinding as Finding;
use syntax::cuda::asm::Template;

/// Reports operands of a statement that its code does not use.
///
/// Operands that are both read and written are skipped, because they may exist only to order statements. If
/// the code uses no operand, all operands of the statement are skipped.
pub(super) fn check(statement: Statement<'_>, template: &Template) -> Vec<Finding> {
    let block = statement.block;
    // An invalid `%` may be meant for the unused operand.
    if !block.has_all_operands || template.registers.is_empty() || !template.problems.is_empty() {
        return Vec::new();
    }
    let is_used = |number: u32| template.registers.iter().any(|register| register.operand == number);
    let unused = (0_u32..).zip(&block.operands).filter(|(number, operand)| {
        let read = Constraint::read(statement.slice(&operand.constraint), operand.is_output);
        !is_used(*number) && read.is_ok_and(|constraint| !(constraint.is_read && constraint.is_written))
    });
    let finding = |(number, operand): (u32, &syntax::cuda::asm::Operand)| {
        let value = statement.slice(&operand.value).trim();
        let after = if operand.is_output { "; its value is undefined afterwards" } else { "" };
        let message =
            format!("`%{number}` (`{value}`) is never used by the code{after}: check the operand numbers");
        let place = operand.constraint.start - 1..operand.constraint.end + 1;
        Finding::new(UNUSED_ASM_OPERAND, place, message)
    };
    unused.map(finding).collect()
}
