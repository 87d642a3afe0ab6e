//! Special registers that are no register of the architecture's.

use super::spelled;
use crate::assembler::Code;
use crate::codes::Codes;
use crate::finding::Finding;
use machine::{docs, nearest_name};
use model::TokenKind;
use std::slice::from_ref;

/// Special registers whose name is a slip for one that there is.
///
/// The tables do not have all that hardware has, so of a name that is near none of theirs nothing is said.
pub(crate) fn check_special_registers(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let isa = &codes.program.arch.isa;
    for text in spelled(codes) {
        for token in text.operands().flatten().filter(|token| token.kind == TokenKind::SpecialRegister) {
            let name = token.text(text.line);
            // One that only other architectures have is no slip.
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
