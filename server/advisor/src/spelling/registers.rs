//! Registers that do not exist, misaligned register pairs and quads, and misplaced reuse flags.

use super::addresses::brackets;
use super::{SpelledInstruction, spelled};
use crate::assembler::Code;
use crate::codes::Codes;
use crate::finding::Finding;
use machine::{Hardware, OperandRole, RegisterCount, RoleKind};
use model::{TokenKind, WordMask, operand_roles, registers_in_a_row, registers_in_brackets};
use std::slice::from_ref;
use syntax::sass::Token;

/// Codes of rules that apply only to SASS.
pub(crate) const MISPLACED_REUSE: &str = "misplaced-reuse";
pub(crate) const UNALIGNED_REGISTER: &str = "unaligned-register";

/// Reports register numbers past the end of the register file, such as `R256`.
pub(crate) fn check_register_range(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let hardware = Hardware::builtin();
    let fields = hardware.instruction_fields(codes.program.arch.sm);
    for text in spelled(codes) {
        for token in text.chunk.tokens(text.instruction.tokens) {
            let (count, name) = match token.kind {
                TokenKind::Register => (&fields.registers, "R"),
                TokenKind::UniformRegister => (&fields.uniform_registers, "UR"),
                TokenKind::Predicate => (&fields.predicates, "P"),
                TokenKind::UniformPredicate => (&fields.uniform_predicates, "UP"),
                TokenKind::Barrier => (&fields.barriers, "B"),
                TokenKind::Scoreboard => (&hardware.scoreboards, "SB"),
                _ => continue,
            };
            if token.is_zero_register() || token.value < count.value {
                continue;
            }
            let arch = codes.arch();
            let register = token.text(text.line);
            let message = match count.value.checked_sub(1) {
                Some(last) if token.kind == TokenKind::Scoreboard => {
                    format!("a warp has no `{register}`; its scoreboards are SB0 to SB{last}")
                }
                Some(last) => {
                    format!("{arch} has no `{register}`; these registers are {name}0 to {name}{last}")
                }
                None => format!("{arch} has no `{register}` and no other registers of this kind"),
            };
            findings.push(text.absent(Code::OperandValue, from_ref(token), message));
        }
    }
}

/// Reports pairs and quads of registers that do not start at a multiple of their size.
pub(crate) fn check_alignment(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let isa = &codes.program.arch.isa;
    for text in spelled(codes) {
        let Some(id) = text.inst.opcode else { continue };
        let roles = &isa.form(id).operands;
        let operands: Vec<&[Token]> = text.operands().collect();
        for (operand, role) in operands.iter().zip(operand_roles(operands.iter().copied(), roles)) {
            let role = role.map(|role| roles[role]);
            let own = role.and_then(|role| row(&text, operand, role));
            for (register, count) in own.into_iter().chain(address_rows(&text, operand, role)) {
                if !is_second_of_pair(register, &operands) {
                    findings.extend(unaligned(&text, register, count));
                }
            }
        }
    }
}

/// True if another address of the instruction has the preceding uniform register as its offset. The encoding
/// stores both registers as one pair: `[R36+UR20], desc[UR21][R32.64]`.
fn is_second_of_pair(register: &Token, operands: &[&[Token]]) -> bool {
    let is_first = |other: &Token| {
        other.kind == TokenKind::UniformRegister
            && !other.is_zero_register()
            && other.value + 1 == register.value
    };
    let mut inside = operands.iter().flat_map(|operand| brackets(operand)).filter(|one| one.prefix.is_none());
    register.kind == TokenKind::UniformRegister && inside.any(|one| one.inside.iter().any(is_first))
}

/// Returns a finding if a group of `count` registers cannot start at this register.
fn unaligned(text: &SpelledInstruction<'_>, register: &Token, count: u8) -> Option<Finding> {
    let unit = u32::from(count).next_power_of_two().min(MAX_ALIGNED);
    if unit < 2 || register.value.is_multiple_of(unit) {
        return None;
    }
    let name = register.text(text.line);
    let message = format!(
        "`{name}` starts {} here, which must start at {}",
        if count == 2 { "a pair".to_owned() } else { format!("a group of {count} registers") },
        if unit == 2 { "an even number".to_owned() } else { format!("a multiple of {unit}") },
    );
    Some(text.finding(UNALIGNED_REGISTER, from_ref(register), message))
}

/// The registers in an operand's brackets, each with the number of consecutive registers that it names.
fn address_rows<'t>(
    text: &SpelledInstruction<'_>,
    operand: &'t [Token],
    role: Option<OperandRole>,
) -> Vec<(&'t Token, u8)> {
    let plain = match role.filter(|role| role.kind == RoleKind::Address).map(|role| role.registers) {
        Some(RegisterCount::Fixed(count)) => count,
        _ => 1,
    };
    let mut rows = Vec::new();
    for one in brackets(operand) {
        let is_described = one.prefix.is_some();
        for (at, register) in one.inside.iter().enumerate() {
            let is_plain = match register.kind {
                TokenKind::Register => !is_described,
                // A uniform register added to another register is an offset. The instruction determines its
                // width.
                TokenKind::UniformRegister => is_described,
                _ => continue,
            };
            if register.is_zero_register() || !is_plain {
                continue;
            }
            let following = &one.inside[at + 1..];
            let suffixes = following.iter().take_while(|token| token.kind == TokenKind::Modifier).count();
            rows.push((
                register,
                registers_in_brackets(text.line, &following[..suffixes], one.prefix, plain),
            ));
        }
    }
    rows
}

/// Maximum alignment of a group of registers. Groups of up to this size start at multiples of their size, and larger
/// groups at multiples of this number.
const MAX_ALIGNED: u32 = 4; // limit: larger rows need no larger multiple

/// The first register of an operand outside of brackets, and the number of consecutive registers in the
/// operand.
fn row<'t>(
    text: &SpelledInstruction<'_>,
    operand: &'t [Token],
    role: OperandRole,
) -> Option<(&'t Token, u8)> {
    // The shape and modifiers of a texture access determine whether its coordinates are in consecutive registers.
    let words = WordMask::read(text.chunk.tokens(text.instruction.tokens)).registers(role.registers);
    let is_row =
        words.is_some() || matches!(role.registers, RegisterCount::Fixed(_) | RegisterCount::ByWidth);
    if !is_row || matches!(role.kind, RoleKind::Address | RoleKind::Target | RoleKind::Other) {
        return None;
    }
    let is_sign =
        |token: &&Token| token.kind == TokenKind::Punct && !token.is_punct(b'[') && !token.is_punct(b'{');
    let register = operand.iter().find(|token| !is_sign(token))?;
    let is_general = matches!(register.kind, TokenKind::Register | TokenKind::UniformRegister);
    if !is_general || register.is_zero_register() {
        return None;
    }
    // A single value is used for both elements of a pair.
    if operand.iter().any(|token| token.kind == TokenKind::Modifier && token.text(text.line) == ".F32") {
        return None;
    }
    let count =
        words.unwrap_or_else(|| registers_in_a_row(role.registers, text.chunk.modifiers(text.instruction)));
    Some((register, count))
}

/// Reports reuse flags on tokens other than source registers.
pub(crate) fn check_reuse(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for text in spelled(codes) {
        for (at, operand) in text.operands().enumerate() {
            let Some(flag) = operand.iter().position(|token| token.text(text.line) == ".reuse") else {
                continue;
            };
            // `|R2|.reuse`
            let is_between = |token: &&Token| token.kind == TokenKind::Modifier || token.is_punct(b'|');
            let owner = operand[..flag].iter().rev().find(|token| !is_between(token));
            let is_register = owner.is_some_and(|owner| {
                matches!(owner.kind, TokenKind::Register | TokenKind::UniformRegister | TokenKind::Name)
            });
            let is_result = at < usize::from(text.inst.first_source);
            let is_in_brackets = operand[..flag].iter().any(|token| token.is_punct(b'['));
            if is_register && !is_result && !is_in_brackets {
                continue;
            }
            let flag = &operand[flag];
            let why = match (is_register, is_in_brackets) {
                (true, true) => "registers of an address are not cached",
                (true, false) => "this register is written",
                _ => "the flag has no effect here",
            };
            let message = format!("`.reuse` caches a register that is read: {why}");
            let mut finding = text.finding(MISPLACED_REUSE, from_ref(flag), message);
            finding.offer("Remove .reuse".to_owned(), "");
            findings.push(finding);
        }
    }
}
