//! Special registers that the architecture does not have.

use super::spelled;
use crate::assembler::Code;
use crate::codes::Codes;
use crate::finding::Finding;
use machine::{docs, nearest_name};
use model::TokenKind;
use std::slice::from_ref;

/// Reports special registers whose name is probably a misspelling.
///
/// The tables lack some special registers, so a name that resembles none of the listed names is not reported.
pub(crate) fn check_special_registers(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let isa = &codes.program.arch.isa;
    for text in spelled(codes) {
        for token in text.operands().flatten().filter(|token| token.kind == TokenKind::SpecialRegister) {
            let name = token.text(text.line);
            // A register of another architecture is not a misspelling.
            if docs::special_register(name).is_some() {
                continue;
            }
            let known = isa.special_registers().map(|(known, _)| known);
            let Some(near) = nearest_name(name, known) else { continue };
            let message = format!("{} has no special register `{name}`", codes.arch());
            let mut finding = text.absent(Code::OperandValue, from_ref(token), message);
            finding.suggest(Some(near));
            findings.push(finding);
        }
    }
}
