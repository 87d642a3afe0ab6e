//! Branches to labels or addresses that the kernel does not contain.

use super::{SpelledInstruction, spelled};
use crate::assembler::Code;
use crate::codes::Codes;
use crate::finding::Finding;
use machine::RoleKind;
use model::{Chunk, Dialect, Flow, TokenKind, operand_roles};
use std::slice::from_ref;
use syntax::sass::{Instruction, Token};

/// Reports branches whose target is not in the kernel.
///
/// Skips incomplete kernels, because the missing code may contain the target. Also skips targets that name other
/// functions.
pub(crate) fn check_labels(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    if !is_whole(codes.chunk) || is_included(codes) {
        return;
    }
    for text in spelled(codes) {
        if text.inst.flow != Flow::Branch || text.inst.target.is_some() {
            continue;
        }
        let Some(operand) = text.operands().last() else { continue };
        let Some(message) = missing(&text, operand) else { continue };
        findings.push(text.finding(Code::UndefinedLabel.name(), operand, message));
    }
}

/// Reports code labels in operands that an instruction reads as a value.
pub(crate) fn check_label_operands(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for text in spelled(codes) {
        let Some(id) = text.inst.opcode else { continue };
        let form = codes.program.arch.isa.form(id);
        // A move may pass a code address to a return.
        if form.flow != Flow::Next || matches!(&*form.mnemonic, "MOV" | "UMOV" | "LEPC") {
            continue;
        }
        let operands: Vec<&[Token]> = text.operands().collect();
        for (operand, role) in operands.iter().zip(operand_roles(operands.iter().copied(), &form.operands)) {
            if role.is_none_or(|role| form.operands[role].kind != RoleKind::Read) {
                continue;
            }
            let is_label =
                |token: &&Token| token.kind == TokenKind::Label && token.text(text.line).starts_with(".L");
            let Some(label) = operand.iter().find(is_label) else { continue };
            let message = format!("`{}` reads a value here, not a label", text.mnemonic());
            findings.push(text.finding(Code::OperandKind.name(), from_ref(label), message));
        }
    }
}

/// True if the text is a complete kernel. A complete listing ends with padding, or with a branch or exit of
/// all threads. A complete source contains an `EXIT`.
fn is_whole(chunk: &Chunk) -> bool {
    if chunk.dialect().is_some_and(Dialect::is_source) {
        return chunk.instructions().iter().any(|instruction| chunk.mnemonic(instruction) == "EXIT");
    }
    let ends = |last: &Instruction| {
        let is_guarded = chunk.tokens(last.tokens).first().is_some_and(|token| token.kind == TokenKind::At);
        !is_guarded && matches!(chunk.mnemonic(last), "NOP" | "BRA" | "EXIT" | "RET" | "JMP" | "KILL")
    };
    chunk.name().is_some() && chunk.instructions().last().is_some_and(ends)
}

/// True if another source includes this text: the text uses register names that it does not map.
fn is_included(codes: &Codes<'_>) -> bool {
    !codes.program.names.is_empty() && codes.program.mapped == 0
}

/// Returns a message if the target is missing; `None` if the target exists or may be defined elsewhere.
fn missing(text: &SpelledInstruction<'_>, operand: &[Token]) -> Option<String> {
    let token = operand
        .iter()
        .find(|token| matches!(token.kind, TokenKind::Label | TokenKind::Name | TokenKind::Integer))?;
    let name = token.text(text.line);
    let is_register = |token: &Token| {
        matches!(token.kind, TokenKind::Register | TokenKind::UniformRegister | TokenKind::ConstantBank)
    };
    if operand.iter().any(|token| is_register(token) || token.is_punct(b'-') || token.is_punct(b'+')) {
        return None;
    }
    match token.kind {
        TokenKind::Label if name.starts_with('.') => Some(format!("the kernel has no label `{name}`")),
        TokenKind::Integer => Some(format!("the kernel has no instruction at `{name}`")),
        TokenKind::Name if text.chunk.dialect().is_some_and(Dialect::is_source) => {
            Some(format!("no label `{name}`"))
        }
        _ => None,
    }
}
