//! Register proposals for an operand. The register files depend on the operand. The order depends on
//! the state of the registers at the cursor.

use super::register_states::{RegisterState, RegisterStates};
use super::scope::Scope;
use super::site::{OperandSite, Site};
use crate::{Completion, CompletionKind};
use machine::docs::{self, Page};
use machine::{MemorySpace, Opcode, OperandRole, RoleKind};
use model::{Register, RegisterFile};
use std::cmp::Reverse;
use std::ops::Range;
use syntax::sass::{Chunk, LineKind, TokenKind};

/// Largest number of registers per file that an instruction can encode.
const REGISTERS: usize = 256; // Source: fields for registers have eight bits, from Kepler on

/// Largest alignment of a group of consecutive registers.
const WIDEST_ALIGNMENT: u16 = 4; // limit: alignment of the register groups that compilers write

/// Registers that an operand requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RegisterNeed {
    pub files: Vec<RegisterFile>,
    /// True if the operand is only written. The old value of the register is then lost.
    pub written: bool,
    /// Number of consecutive registers.
    pub count: u16,
}

impl RegisterNeed {
    /// Returns the requirement for reading one register of the given files.
    pub(super) fn read(files: &[RegisterFile]) -> Self {
        Self { files: files.to_vec(), written: false, count: 1 }
    }

    /// Returns the requirement of an operand from its role. If the role is uncertain, the register
    /// files of all possible roles are accepted.
    pub(super) fn by_role(site: &OperandSite, form: Option<&Opcode>) -> Self {
        use RegisterFile::{General, Predicate, Uniform, UniformPredicate};
        let Some(form) = form else { return Self::read(&[General, Uniform, Predicate, UniformPredicate]) };
        let possible = site.possible_roles(&form.operands);
        let Some(role) = possible.clone().next_back().map(|role| form.operands[role]) else {
            return Self::read(&[General, Uniform]);
        };
        let page = docs::opcode(&form.mnemonic);
        if let Some(brackets) = site.brackets() {
            return Self { count: brackets.count(form), ..Self::read(brackets.files()) };
        }
        let mut files: Vec<RegisterFile> = Vec::new();
        // The operand may also have the role of a missing optional operand before it.
        for role in possible.clone().rev().map(|role| form.operands[role]) {
            for file in files_of(role.kind, page) {
                if !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        let count = model::registers_in_a_row(role.registers, site.modifiers.iter().map(String::as_str));
        let written = matches!(role.kind, RoleKind::Write | RoleKind::WritePredicate);
        Self { files, written, count: count.max(1).into() }
    }
}

/// Register files for an operand kind, derived from the operand names on the opcode's page: `URd`, `Ra`, `UPq`.
fn files_of(kind: RoleKind, page: Option<Page>) -> Vec<RegisterFile> {
    use RegisterFile::{Barrier, General, Predicate, Uniform, UniformPredicate};
    let text = |names: &[&str], needle: &[&str]| {
        let operands = page.into_iter().flat_map(Page::operands);
        let mut named = operands
            .flat_map(|(named, _)| named.split('`').skip(1).step_by(2))
            .filter(|name| names.iter().any(|known| name.trim_start_matches('U').starts_with(known)));
        named.any(|name| needle.iter().any(|start| name.starts_with(start)))
    };
    let either = |names: &[&str], uniform: &[&str], plain: RegisterFile, other: RegisterFile| match (
        text(names, names),
        text(names, uniform),
    ) {
        (false, true) => vec![other],
        _ => vec![plain],
    };
    // A barrier register is accepted if the page names a barrier register. If the page names no general
    // register, only barrier registers are accepted.
    let or_barrier = |mut files: Vec<RegisterFile>, general: &str| {
        if text(&["Bn"], &["Bn"]) {
            files.retain(|_| text(&[general], &[general]));
            files.push(Barrier);
        }
        files
    };
    match kind {
        RoleKind::Write | RoleKind::ReadWrite => {
            or_barrier(either(&["Rd"], &["URd"], General, Uniform), "Rd")
        }
        RoleKind::WritePredicate => either(&["Pd"], &["UPd"], Predicate, UniformPredicate),
        RoleKind::ReadPredicate => {
            match either(&["Pq", "Pp"], &["UPq", "UPp"], Predicate, UniformPredicate)[..] {
                [Predicate] => vec![Predicate, UniformPredicate],
                _ => vec![UniformPredicate],
            }
        }
        RoleKind::Read => {
            let files = match either(&["Ra", "Rb"], &["URa", "URb"], General, Uniform)[..] {
                [General] => vec![General, Uniform],
                _ => vec![Uniform],
            };
            or_barrier(files, "Ra")
        }
        RoleKind::Address | RoleKind::Other | RoleKind::Target => vec![General, Uniform],
    }
}

/// Kind of brackets around an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brackets {
    /// Brackets of a descriptor: `desc[`, `gdesc[`, `cx[`.
    Descriptor,
    /// Brackets of a constant bank: `c[0x0][`.
    Constant,
    Address,
}

impl Brackets {
    const fn files(self) -> &'static [RegisterFile] {
        match self {
            Self::Descriptor => &[RegisterFile::Uniform],
            Self::Constant | Self::Address => &[RegisterFile::General, RegisterFile::Uniform],
        }
    }

    /// Number of consecutive registers. Descriptors and global addresses have 64 bits.
    fn count(self, form: &Opcode) -> u16 {
        match (self, form.memory) {
            (Self::Descriptor, _) | (Self::Address, Some(MemorySpace::Global | MemorySpace::Generic)) => 2,
            _ => 1,
        }
    }
}

impl OperandSite {
    /// Returns the range of possible roles: optional roles, followed by the next mandatory role. Empty
    /// if no role is left.
    fn possible_roles(&self, roles: &[OperandRole]) -> Range<usize> {
        let Some(last) = self.role(roles) else { return 0..0 };
        let operands = self.operands();
        let begun = operands.last().is_some_and(|tokens| !tokens.is_empty());
        if begun {
            return last..last + 1;
        }
        let before = &operands[..operands.len().saturating_sub(1)];
        let taken = model::operand_roles(before.iter().copied(), roles);
        let next = taken.iter().flatten().max().map_or(0, |taken| taken + 1);
        next.min(last)..last + 1
    }

    /// Innermost brackets that are open before the word; `None` outside of brackets.
    pub(super) fn brackets(&self) -> Option<Brackets> {
        let operands = self.operands();
        let tokens = operands.last()?;
        let mut open = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            match (token.kind, token.value as u8) {
                (TokenKind::Punct, b'[') => open.push(at),
                (TokenKind::Punct, b']') => _ = open.pop(),
                _ => {}
            }
        }
        let before = tokens[..*open.last()?].last();
        Some(match before.map(|token| token.kind) {
            Some(TokenKind::Keyword) => Brackets::Descriptor,
            _ if tokens.iter().any(|token| token.kind == TokenKind::ConstantBank) => Brackets::Constant,
            _ => Brackets::Address,
        })
    }
}

impl Scope<'_> {
    /// Proposes registers for an operand. For a source: registers with a value (latest write first),
    /// the zero register, other registers that the kernel names. For a destination: free registers that
    /// the kernel names, a new free register, the zero register, registers with a value.
    pub(super) fn registers(&self, wanted: &RegisterNeed, around: &RegisterStates) -> Vec<Completion> {
        let mut found = Vec::new();
        for (rank, &file) in wanted.files.iter().enumerate() {
            let Some(kind) = token_kind(file) else { continue };
            if self.lacks(file) {
                continue;
            }
            let named = named(self.chunk, self.sass.start(self.at.chunk), self.at, kind);
            let step = row_alignment(file, wanted.count);
            let first_unnamed = (0..last_of(file)).step_by(step.into()).find(|&first| {
                (first..first + wanted.count)
                    .all(|index| !named.get(usize::from(index)).is_some_and(|named| *named))
            });
            let new = first_unnamed.filter(|_| wanted.written);
            let own =
                (0..last_of(file)).filter(|&index| named.get(usize::from(index)).is_some_and(|named| *named));
            for index in own.filter(|index| index % step == 0).chain(new) {
                let holds = around.row_holds(file, index, wanted.count);
                let is_new = Some(index) == new;
                let label = Register { file, index }.to_string();
                let detail = in_a_row(file, index, wanted.count, holds, is_new);
                found.push((
                    order(wanted.written, holds, is_new, rank, index),
                    Completion::new(&label, CompletionKind::Register, &detail),
                ));
            }
            if file != RegisterFile::Barrier {
                let zero = Completion::new(zero_name(file), CompletionKind::Register, "");
                found.push(((if wanted.written { 2 } else { 1 }, 0, rank, u16::MAX), zero));
            }
        }
        found.sort_by_key(|(order, _)| *order);
        found.into_iter().map(|(_, item)| item).collect()
    }

    /// True if the architecture lacks this register file.
    fn lacks(&self, file: RegisterFile) -> bool {
        matches!(file, RegisterFile::Uniform | RegisterFile::UniformPredicate)
            && !self.arch.isa.has_mnemonic("R2UR")
    }
}

/// Sort key: the rank of a group, followed by the position within the group.
type Order = (u8, usize, usize, u16);

fn order(written: bool, holds: RegisterState, is_new: bool, rank: usize, index: u16) -> Order {
    match (written, holds) {
        (false, RegisterState::Nothing) => (2, 0, rank, index),
        (false, _) => (0, rank, holds.written(), index),
        (true, RegisterState::Nothing) => (u8::from(is_new), rank, 0, index),
        (true, RegisterState::Unread { .. }) => (3, rank, 0, index),
        (true, RegisterState::Live { .. }) => (4, rank, 0, index),
    }
}

/// Formats a group of consecutive registers and its state: `R4 to R7: live, read 2 below`.
fn in_a_row(file: RegisterFile, first: u16, count: u16, holds: RegisterState, is_new: bool) -> String {
    let holds = match holds {
        RegisterState::Nothing if is_new => "free, new in this kernel".to_owned(),
        _ if file == RegisterFile::Barrier => String::new(),
        _ => holds.in_words(),
    };
    if count > 1 {
        let name = |index| Register { file, index };
        format!("{} to {}: {holds}", name(first), name(first + count - 1))
    } else {
        holds
    }
}

/// Flags by register number: true if a word other than the word being written names the register.
fn named(chunk: &Chunk, start: usize, site: &Site, kind: TokenKind) -> Vec<bool> {
    // A long kernel names few registers many times.
    let mut named = vec![false; REGISTERS];
    for (number, line) in chunk.lines().iter().enumerate() {
        if line.kind != LineKind::Instruction {
            continue;
        }
        let line_start = start + line.start as usize;
        for token in chunk.line_tokens(number).iter().filter(|token| token.kind == kind) {
            if line_start + usize::from(token.start) != site.word.start
                && let Some(named) = named.get_mut(token.value as usize)
            {
                *named = true;
            }
        }
    }
    named
}

/// Alignment of a group of consecutive registers. The number of the first register is a multiple of the
/// alignment.
fn row_alignment(file: RegisterFile, count: u16) -> u16 {
    match file {
        RegisterFile::General | RegisterFile::Uniform => count.next_power_of_two().min(WIDEST_ALIGNMENT),
        _ => 1,
    }
}

const fn token_kind(file: RegisterFile) -> Option<TokenKind> {
    match file {
        RegisterFile::General => Some(TokenKind::Register),
        RegisterFile::Uniform => Some(TokenKind::UniformRegister),
        RegisterFile::Predicate => Some(TokenKind::Predicate),
        RegisterFile::UniformPredicate => Some(TokenKind::UniformPredicate),
        RegisterFile::Barrier => Some(TokenKind::Barrier),
        RegisterFile::ConditionCode | RegisterFile::Named => None,
    }
}

/// The number after the last register of a file. It encodes a constant register such as `RZ` or `PT`.
const fn last_of(file: RegisterFile) -> u16 {
    match file {
        RegisterFile::General => 255,
        RegisterFile::Uniform => 63,
        RegisterFile::Barrier => 16,
        _ => 7,
    }
}

const fn zero_name(file: RegisterFile) -> &'static str {
    match file {
        RegisterFile::Uniform => "URZ",
        RegisterFile::Predicate => "PT",
        RegisterFile::UniformPredicate => "UPT",
        _ => "RZ",
    }
}

/// Sorts assembler names. Names that hold a value come first, latest write first. Other names keep their order.
pub(super) fn by_value(names: &mut [Completion], around: &RegisterStates) {
    for name in names.iter_mut() {
        if let Some(holds) = around.name_holds(&name.label)
            && holds != RegisterState::Nothing
        {
            name.detail = holds.in_words();
        }
    }
    names.sort_by_key(|name| {
        let holds = around.name_holds(&name.label).unwrap_or(RegisterState::Nothing);
        (Reverse(holds != RegisterState::Nothing), holds.written())
    });
}
