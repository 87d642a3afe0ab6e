//! Meanings of mnemonics with their modifiers, looked up once for each spelling in a kernel.

use machine::{Arch, ClassId, Flow, MemorySpace, OpcodeId, OperandRole, RegisterCount, RoleKind};
use rustc_hash::FxHashMap;
use syntax::sass::{Chunk, Encoding, Instruction, SmVersion, TokenKind, TokenRange};

use super::instruction::Memory;
use super::texture::Texels;
use super::word_mask::WordMask;

/// Meaning of an opcode with its modifiers, such as `LDG.E.128`, on one architecture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub opcode: Option<OpcodeId>,
    pub class: Option<ClassId>,
    pub flow: Flow,
    pub memory: Option<Memory>,
    /// Number of registers of an operand whose register count follows from the access width.
    pub width_registers: u8,
    /// True for `.X`, which adds the condition code (up to Pascal).
    pub reads_condition_code: bool,
    /// True for `.DIV` and `.CONV`: some threads may not take the branch although no predicate guards it.
    pub may_fall_through: bool,
    /// See [`Inst::are_exclusive`](super::Inst::are_exclusive).
    pub are_exclusive: bool,
}

/// Cache of the forms that were decoded so far, by the text of mnemonic and modifiers.
#[derive(Debug)]
pub(super) struct Forms<'a> {
    arch: &'a Arch,
    known: FxHashMap<&'a str, Form>,
}

impl<'a> Forms<'a> {
    pub(super) fn new(arch: &'a Arch) -> Self {
        Self { arch, known: FxHashMap::default() }
    }

    pub(super) fn form(&mut self, chunk: &'a Chunk, instruction: &Instruction) -> Form {
        let spelling = spelling(chunk, instruction);
        if let Some(form) = self.known.get(spelling) {
            return *form;
        }
        let form = read(self.arch, chunk.mnemonic(instruction), &chunk.modifiers(instruction));
        self.known.insert(spelling, form);
        form
    }
}

/// Returns the text of the mnemonic and its modifiers.
fn spelling<'a>(chunk: &'a Chunk, instruction: &Instruction) -> &'a str {
    let tokens = chunk.tokens(TokenRange {
        start: instruction.mnemonic,
        end: instruction.tokens.end.max(instruction.mnemonic + 1),
    });
    let last = tokens[1..].iter().take_while(|token| token.kind == TokenKind::Modifier).last();
    let end = last.unwrap_or(&tokens[0]).end();
    &chunk.line_text(instruction.line as usize)[tokens[0].start as usize..end]
}

fn read<'a>(arch: &Arch, mnemonic: &str, modifiers: &(impl Iterator<Item = &'a str> + Clone)) -> Form {
    let opcode = arch.isa.find(mnemonic, modifiers.clone());
    let described = opcode.map(|id| arch.isa.form(id));
    let has = |name: &str| modifiers.clone().any(|modifier| modifier == name);
    let bytes = access_bytes(modifiers.clone());
    Form {
        opcode,
        class: described.map(|form| form.class),
        flow: described.map_or(Flow::Next, |form| form.flow),
        memory: described.and_then(|form| Some(memory(form.memory?, &form.operands, bytes))),
        width_registers: (bytes.div_ceil(4)) as u8,
        reads_condition_code: SmVersion::new(arch.sm).encoding() != Encoding::Volta && has("X"),
        may_fall_through: has("DIV") || has("CONV"),
        are_exclusive: mnemonic.ends_with("SETP") && has("AND") && !has("OR") && !has("XOR"),
    }
}

/// Returns the bytes that a lane moves, from the width in the modifiers; 4 if they state no width.
///
/// A matrix load or store (`LDSM.16.M88.4`, `STSM`) moves 4 bytes per lane for each 8 x 8 matrix. The modifier after
/// the shape is the number of matrices. A tensor-memory access (`LDTM.x4`) moves 4 bytes for each register.
fn access_bytes<'a>(modifiers: impl Iterator<Item = &'a str>) -> u32 {
    let mut bytes = 4;
    let mut matrices = false;
    for modifier in modifiers {
        bytes = match modifier {
            "2" if matrices => 8,
            "4" if matrices => 16,
            "U8" | "S8" | "8" => 1,
            "U16" | "S16" | "16" | "F16" => 2,
            "64" | "U64" | "S64" | "F64" | "F32x2" => 8,
            "96" => 12,
            "128" | "F32x4" => 16,
            "256" => 32,
            _ if modifier.strip_prefix("MT").or(modifier.strip_prefix('M')).is_some_and(is_number) => {
                matrices = true;
                4
            }
            _ => match modifier.strip_prefix('x').and_then(|count| count.parse::<u32>().ok()) {
                // 128 registers is the widest.
                Some(count) => 4 * count.clamp(1, 128),
                None => bytes,
            },
        };
    }
    bytes
}

/// Returns the number of consecutive registers that an operand names, under these modifiers (without dots).
pub fn registers_in_a_row<'a>(count: RegisterCount, modifiers: impl Iterator<Item = &'a str>) -> u8 {
    match count {
        RegisterCount::Fixed(count) => count,
        RegisterCount::ByWidth => access_bytes(modifiers).div_ceil(4) as u8,
        // The operands are not considered here.
        RegisterCount::LowerWords | RegisterCount::UpperWords => {
            WordMask::ALL.registers(count).unwrap_or_default()
        }
        _ => Texels::UNKNOWN.registers(count),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Derives from the operands whether an instruction loads or stores. An access loads if it writes a register, stores
/// if it reads a register besides the address, and does both (`LDGSTS`) if it has two addresses and writes no
/// register.
fn memory(space: MemorySpace, operands: &[OperandRole], bytes: u32) -> Memory {
    let kinds = || operands.iter().map(|role| role.kind);
    let loads = kinds().any(|kind| matches!(kind, RoleKind::Write | RoleKind::ReadWrite));
    let stores = operands.iter().skip_while(|role| role.kind != RoleKind::Address).any(|role| {
        // A load from a surface reads the handle after the address.
        let is_data = space != MemorySpace::Surface || role.registers == RegisterCount::ByWidth;
        is_data && matches!(role.kind, RoleKind::Read | RoleKind::ReadWrite)
    });
    let copies = kinds().filter(|&kind| kind == RoleKind::Address).count() > 1 && !loads;
    Memory {
        space,
        bytes_per_lane: bytes.try_into().unwrap_or(u8::MAX),
        loads: loads || copies,
        stores: (stores && space != MemorySpace::Texture) || copies,
    }
}

impl Form {
    pub(super) fn registers(&self, count: RegisterCount, texels: Texels, words: WordMask) -> u8 {
        match count {
            RegisterCount::Fixed(count) => count,
            RegisterCount::ByWidth => self.width_registers,
            _ => words.registers(count).unwrap_or_else(|| texels.registers(count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use RoleKind::{Address, Read, Write};

    #[test]
    fn the_width_is_read_from_the_modifiers() {
        let bytes = |modifiers: &str| access_bytes(modifiers.split('.'));
        let cases = [
            ("E", 4),
            ("E.64", 8),
            ("U.128", 16),
            ("E.U8", 1),
            ("S16", 2),
            ("E.BYPASS.LTC128B.128", 16),
            ("16.M88.4", 16),
            ("16.M88.2", 8),
            ("16.M88", 4),
            ("16.MT88.4", 16),
            ("E.ADD.F64.RN", 8),
            ("x4", 16),
            ("x999999999", 512),
        ];
        for (modifiers, expected) in cases {
            assert_eq!(bytes(modifiers), expected, "{modifiers}");
        }
    }

    #[test]
    fn an_access_is_recognised_by_its_operands() {
        let role = |kind| OperandRole { kind, registers: RegisterCount::Fixed(1), optional: false };
        let of = |kinds: &[RoleKind]| {
            let roles: Vec<_> = kinds.iter().map(|&kind| role(kind)).collect();
            let memory = memory(MemorySpace::Global, &roles, 4);
            (memory.loads, memory.stores)
        };
        assert_eq!(of(&[Write, Address]), (true, false));
        assert_eq!(of(&[Address, Read]), (false, true));
        assert_eq!(of(&[Write, Address, Read]), (true, true));
        assert_eq!(of(&[Address, Address]), (true, true));
        assert_eq!(of(&[Address]), (false, false));
    }
}
