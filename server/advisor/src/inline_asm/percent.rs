//! Checks each `%` in the code of an `asm` statement.

use super::codes::{PERCENT_ESCAPE, UNKNOWN_ASM_OPERAND};
use super::statement::Statement;
use crate::finding::{ItemEdit as Edit, ItemFinding as Finding, ItemFix as Fix};
use syntax::cuda::asm::{InvalidPercent, Template};

/// Reports each invalid `%`. nvcc 13.5 reads `%p1` as an operand with a modifier, and leaves `%tid`
/// unchanged.
pub(super) fn check(statement: Statement<'_>, template: &Template) -> Vec<Finding> {
    let count = statement.block.operands.len();
    let found = template.problems.iter().map(|problem| {
        let spelled = statement.slice(&problem.place);
        let (code, message, instead) = match problem.kind {
            InvalidPercent::Number(_) => {
                let has = match count {
                    1 => "the statement has one operand, `%0`".to_owned(),
                    _ => format!("the statement has {count} operands, `%0` to `%{}`", count - 1),
                };
                (UNKNOWN_ASM_OPERAND, format!("`{spelled}` is not an operand: {has}"), None)
            }
            InvalidPercent::Name { is_known } => {
                let known = template.registers.iter().find(|register| {
                    is_known && template.place(&register.range) == problem.place
                });
                let message = match known {
                    Some(known) => {
                        format!("nvcc refers to operands by number only: write `%{}`", known.operand)
                    }
                    None => format!("`{spelled}` is not an operand, and nvcc refers to operands by number only"),
                };
                (UNKNOWN_ASM_OPERAND, message, known.map(|known| format!("%{}", known.operand)))
            }
            InvalidPercent::Modifier => {
                let message = format!(
                    "nvcc reads `{spelled}` as an operand modifier; write `%%` for the `%` of a register name"
                );
                (PERCENT_ESCAPE, message, Some(spelled.replacen('%', "%%", 1)))
            }
            InvalidPercent::End => {
                (PERCENT_ESCAPE, "nvcc does not accept code that ends with `%`".to_owned(), None)
            }
            InvalidPercent::Doubled => {
                let message =
                    "the code of a statement without operands is not substituted: write `%`, because ptxas rejects `%%`";
                (PERCENT_ESCAPE, message.to_owned(), Some("%".to_owned()))
            }
        };
        let mut finding = Finding::new(code, problem.place.clone(), message);
        finding.fixes.extend(instead.map(|text| Fix {
            title: format!("Write `{text}`"),
            edits: vec![Edit { place: problem.place.clone(), text }],
        }));
        finding
    });
    found.collect()
}
