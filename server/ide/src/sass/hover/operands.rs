//! Explanations of operands: registers read and written, and numbers in other notations.

use crate::kernels::hover::{View, named};
use crate::sass::token_at::TokenAt;
use crate::words::kind_names::space_name;
use model::{Access, Register, RegisterFile};
use std::fmt::Write;
use syntax::sass::{MappedRegisters, RegisterMapping, Token, TokenKind};

/// Lists the registers that the instruction reads and writes, with the names used in the text.
pub(super) fn write(view: &View<'_>, place: &TokenAt<'_>, text: &mut String) {
    let program = view.kernel.program();
    let inst = &program.instructions[view.inst];
    let mut parts = Vec::new();
    let writes = names(view, program.writes(inst));
    if !writes.is_empty() {
        parts.push(format!("writes {writes}"));
    }
    let reads = names(view, program.reads(inst));
    if !reads.is_empty() {
        parts.push(format!("reads {reads}"));
    }
    if let Some(memory) = inst.memory {
        let does = match (memory.loads, memory.stores) {
            (true, true) => "reads and writes",
            (false, true) => "writes",
            _ => "reads",
        };
        let (space, bytes) = (space_name(memory.space), memory.bytes_per_lane);
        parts.push(format!("{does} {bytes} bytes per lane of {space} memory"));
    }
    if let Some(guard) = inst.guard {
        let not = if guard.negated { "not " } else { "" };
        parts.push(format!("runs only in lanes where {} is {not}set", guard.predicate));
    }
    if !parts.is_empty() {
        let _ = writeln!(text, "\nOperands: {}.", parts.join("; "));
    }
    for special in special_registers(view, place) {
        let _ = writeln!(text, "- {special}");
    }
}

/// Formats a list of registers. Consecutive registers are joined: `R2-R3, R8, P0`.
fn names(view: &View<'_>, accesses: &[Access]) -> String {
    let mut registers: Vec<Register> = accesses.iter().map(|access| access.register).collect();
    registers.sort_unstable();
    registers.dedup();
    let mut parts: Vec<String> = Vec::new();
    let mut index = 0;
    while index < registers.len() {
        let first = registers[index];
        let mut last = first;
        while let Some(next) = registers.get(index + 1)
            && next.file == first.file
            && next.index == last.index + 1
            && first.file != RegisterFile::Named
        {
            last = *next;
            index += 1;
        }
        index += 1;
        parts.push(match first.file {
            RegisterFile::Named => named(view, accesses, first),
            _ if last == first => first.to_string(),
            _ => format!("{first}-{last}"),
        });
    }
    parts.join(", ")
}

/// Describes the registers to which an assembler source maps a name; `None` if the name is not mapped.
pub(super) fn mapped(view: &View<'_>, word: &str) -> Option<String> {
    let mapping = RegisterMapping::read(view.kernel.chunk);
    let registers = mapping.get(word)?;
    let picks = if matches!(registers, MappedRegisters::OneOf(_)) { ", chosen by the assembler" } else { "" };
    Some(format!("**{word}**: {registers}{picks}, according to `<REGISTER_MAPPING>`."))
}

fn special_registers(view: &View<'_>, place: &TokenAt<'_>) -> Vec<String> {
    let instruction = view.kernel.text(view.inst);
    let under_cursor = place.token;
    let tokens = view.kernel.chunk.tokens(instruction.tokens).iter();
    tokens
        .filter(|token| token.kind == TokenKind::SpecialRegister && under_cursor != Some(token))
        .filter_map(|token| {
            let name = view.kernel.chunk.token_text(instruction.line, token);
            Some(format!("`{name}`: {}", view.kernel.model.isa().special_register(name)?))
        })
        .collect()
}

/// Describes how this instruction uses the register under the cursor.
pub(super) fn register(view: &View<'_>, token: &Token, word: &str) -> String {
    if token.is_zero_register() {
        let meaning = match token.kind {
            TokenKind::Register => "reads as 0; writes are discarded",
            TokenKind::UniformRegister => "reads as 0 on the uniform datapath; writes are discarded",
            _ => "always true; writes are discarded",
        };
        return format!("**{word}**: {meaning}.");
    }
    let file = match token.kind {
        TokenKind::Register => RegisterFile::General,
        TokenKind::UniformRegister => RegisterFile::Uniform,
        TokenKind::Predicate => RegisterFile::Predicate,
        _ => RegisterFile::UniformPredicate,
    };
    let register = Register { file, index: token.value as u16 };
    let program = view.kernel.program();
    let inst = &program.instructions[view.inst];
    let is_it = |access: &Access| access.register == register;
    let does = match (program.reads(inst).iter().any(is_it), program.writes(inst).iter().any(is_it)) {
        (true, true) => "read and written here",
        (false, true) => "written here",
        (true, false) => "read here",
        (false, false) => "named here",
    };
    let kind = match file {
        RegisterFile::General => "a 32-bit register per lane",
        RegisterFile::Uniform => "a 32-bit register per warp",
        RegisterFile::Predicate => "one bit per lane",
        _ => "one bit per warp",
    };
    let waits = view
        .kernel
        .model
        .times
        .depends_on(view.inst)
        .iter()
        .find(|dependence| dependence.register == register);
    let from = waits.map_or_else(String::new, |dependence| {
        let writer = view.kernel.located(dependence.on);
        format!("; its value comes from {writer}, {} cycles after its issue", dependence.cycles)
    });
    format!("**{word}**: {kind}, {does}{from}.")
}

/// Formats an integer in other notations.
pub(super) fn integer(word: &str) -> String {
    let value = match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => word.parse(),
    };
    let Ok(value) = value else { return format!("**{word}**") };
    let mut text = format!("**{word}** = {value}");
    if let Ok(low) = u32::try_from(value) {
        if low > i32::MAX as u32 {
            let _ = write!(text, ", as signed {}", low.cast_signed());
        }
        let float = f32::from_bits(low);
        if float.is_normal() && (1e-6..1e9).contains(&float.abs()) {
            let _ = write!(text, ", as float {float}");
        }
    }
    if value.is_power_of_two() && value > 2 {
        let _ = write!(text, " = 2^{}", value.trailing_zeros());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::integer;

    #[test]
    fn integers_are_shown_as_people_read_them() {
        assert_eq!(integer("0x40"), "**0x40** = 64 = 2^6");
        assert_eq!(integer("0x3f800000"), "**0x3f800000** = 1065353216, as float 1");
        assert_eq!(integer("0xffffffff"), "**0xffffffff** = 4294967295, as signed -1");
        assert_eq!(integer("0x1ffffffffffffffff"), "**0x1ffffffffffffffff**");
    }
}
