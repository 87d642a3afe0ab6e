//! The `%` of the code.

use super::codes::{PERCENT_ESCAPE, UNKNOWN_ASM_OPERAND};
use super::statement::Statement;
use crate::finding::{ItemEdit as Edit, ItemFinding as Finding, ItemFix as Fix};
use syntax::cuda::asm::{Percent, Template};

/// Says what is wrong with each `%`. As nvcc 13.5 takes them: it reads `%p1` as an operand with a modifier, `%tid` as it stands.
pub(super) fn check(statement: Statement<'_>, template: &Template) -> Vec<Finding> {
    let count = statement.block.operands.len();
    let found = template.problems.iter().map(|problem| {
        let spelled = statement.slice(&problem.place);
        let (code, message, instead) = match problem.kind {
            Percent::Number(_) => {
                let has = match count {
                    1 => "the statement has one operand, `%0`".to_owned(),
                    _ => format!("the statement has {count} operands, `%0` to `%{}`", count - 1),
                };
                (UNKNOWN_ASM_OPERAND, format!("`{spelled}` is no operand: {has}"), None)
            }
            Percent::Name { is_known } => {
                let known = template.registers.iter().find(|register| {
                    is_known && template.place(&register.range) == problem.place
                });
                let message = match known {
                    Some(known) => {
                        format!("nvcc takes operands by their numbers alone: write `%{}`", known.operand)
                    }
                    None => format!("`{spelled}` is no operand, and nvcc takes them by their numbers alone"),
                };
                (UNKNOWN_ASM_OPERAND, message, known.map(|known| format!("%{}", known.operand)))
            }
            Percent::Modifier => {
                let message = format!(
                    "nvcc reads `{spelled}` as a modifier of an operand; the `%` of a register's own name is written `%%`"
                );
                (PERCENT_ESCAPE, message, Some(spelled.replacen('%', "%%", 1)))
            }
            Percent::End => {
                (PERCENT_ESCAPE, "nvcc takes no code that ends with `%`".to_owned(), None)
            }
            Percent::Doubled => {
                let message =
                    "a statement without operands has its code as it stands: write `%`, as ptxas takes no `%%`";
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
