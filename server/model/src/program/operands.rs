//! The registers that an instruction reads and writes.

use super::forms::Form;
use super::instruction::{Access, Register, RegisterFile};
use super::texture::Texels;
use super::word_mask::WordMask;
use machine::{OperandRole, RoleKind};
use rustc_hash::FxHashMap;
use syntax::sass::{Token, TokenKind};

/// Registers that one instruction reads and writes.
#[derive(Debug, Default)]
pub(super) struct Accesses {
    pub reads: Vec<Access>,
    pub writes: Vec<Access>,
}

/// Names that an assembler maps to registers, numbered in order of first use.
#[derive(Debug, Default)]
pub(super) struct NamedRegisters<'a> {
    known: FxHashMap<&'a str, u16>,
}

impl<'a> NamedRegisters<'a> {
    fn number(&mut self, name: &'a str) -> u16 {
        let next = self.known.len().try_into().unwrap_or(u16::MAX);
        *self.known.entry(name).or_insert(next)
    }

    /// Returns the names in the order of their numbers. All names beyond the largest 16-bit number share that number,
    /// and only one of them is returned.
    pub(super) fn all(&self) -> Vec<Box<str>> {
        let mut all: Vec<(u16, &str)> = self.known.iter().map(|(&name, &number)| (number, name)).collect();
        all.sort_unstable();
        all.dedup_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, name)| name.into()).collect()
    }
}

/// Use of an operand by an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
    ReadWrite,
}

/// Syntactic shape of an operand, which limits the roles that the operand can fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Predicate,
    Address,
    Constant,
    Label,
    Integer,
    Barrier,
    Other,
    Value,
}

/// Number of predicates that `PR` denotes.
pub(crate) const PREDICATES: u16 = 7; // Source: the encodings

/// Mask of all predicates that `PR` denotes.
const ALL_PREDICATES: u32 = 0x7f; // Source: the encodings

/// Reads the operands of one instruction, and collects the registers that the instruction accesses.
pub(super) struct Operands<'a, 'n> {
    pub line: &'a str,
    pub form: Form,
    pub names: &'n mut NamedRegisters<'a>,
    pub out: &'n mut Accesses,
    /// Mask of the predicates that `PR` denotes.
    pub mask: u32,
    /// Amount of data of a texture fetch.
    pub texels: Texels,
    /// Words that a 256-bit access moves.
    pub words: WordMask,
    /// Index of the operand after the last destination.
    pub first_source: u8,
}

impl Operands<'_, '_> {
    /// Matches operands with roles, from left to right. An optional role is used only if an operand of a
    /// fitting shape is present. Registers of operands without a role count as reads. Returns the operand
    /// that is a branch's target, if any.
    pub(super) fn read<'t>(
        &mut self,
        operands: impl Iterator<Item = &'t [Token]>,
        roles: &[OperandRole],
    ) -> Option<&'t [Token]> {
        let mut next = 0;
        let mut target = None;
        for (at, operand) in operands.enumerate() {
            let shape = shape(operand);
            let role = take_role(roles, &mut next, operand, shape).map(|role| &roles[role]);
            let at = at.try_into().unwrap_or(u8::MAX);
            if role.is_some_and(|role| role.kind == RoleKind::Target) {
                target = Some(operand);
                // An assembler's label looks like one of its registers.
                if operand.iter().all(|token| matches!(token.kind, TokenKind::Name | TokenKind::Comment)) {
                    continue;
                }
            }
            self.operand(operand, at, shape, role.copied());
        }
        target
    }

    /// Adds a read of a register that no operand names: a guard's predicate, the condition code.
    pub(super) fn implied(&mut self, register: Register) {
        self.out.reads.push(Access { register, operand: None });
    }

    fn operand(&mut self, tokens: &[Token], at: u8, shape: Shape, role: Option<OperandRole>) {
        let kind = role.map_or(RoleKind::Read, |role| role.kind);
        let count = role.map_or(1, |role| self.form.registers(role.registers, self.texels, self.words));
        let usage = match kind {
            RoleKind::Write | RoleKind::WritePredicate
                if !matches!(shape, Shape::Address | Shape::Constant) =>
            {
                self.first_source = at.saturating_add(1);
                Use::Write
            }
            RoleKind::ReadWrite => Use::ReadWrite,
            _ => Use::Read,
        };
        let in_address = matches!(shape, Shape::Address | Shape::Constant);
        let mut prefix: Option<&Token> = None;
        let mut depth = 0_u32;
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            let modifiers =
                tokens[index + 1..].iter().take_while(|next| next.kind == TokenKind::Modifier).count();
            let suffixes = &tokens[index + 1..=index + modifiers];
            match token.kind {
                TokenKind::Punct if token.value == u32::from(b'[') => depth += 1,
                TokenKind::Punct if token.value == u32::from(b']') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        prefix = None;
                    }
                }
                TokenKind::Keyword | TokenKind::ConstantBank if depth == 0 => prefix = Some(token),
                _ => {
                    let count = if in_address && depth > 0 {
                        registers_in_brackets(self.line, suffixes, prefix, count)
                    } else if suffixes.iter().any(|suffix| suffix.text(self.line) == ".F32") {
                        // One number replaces both of a pair.
                        count.min(1)
                    } else {
                        count
                    };
                    let usage = if in_address && depth > 0 { Use::Read } else { usage };
                    self.register(token, count, usage, at);
                    self.condition_code(suffixes, usage, at);
                }
            }
            index += 1 + modifiers;
        }
    }

    fn register(&mut self, token: &Token, count: u8, usage: Use, at: u8) {
        match token.kind {
            TokenKind::Name => {
                let index = self.names.number(token.text(self.line));
                return self.access(Register { file: RegisterFile::Named, index }, usage, at);
            }
            TokenKind::StateRegister => return self.state_register(token.text(self.line), usage, at),
            _ => {}
        }
        let Some(Register { file, index: first }) = Register::named_by(token) else { return };
        let count = match file {
            RegisterFile::General | RegisterFile::Uniform => count,
            _ => 1,
        };
        for index in first..=first.saturating_add(u16::from(count.max(1)) - 1) {
            self.access(Register { file, index }, usage, at);
        }
    }

    fn state_register(&mut self, name: &str, usage: Use, at: u8) {
        if name == "CC" {
            return self.access(Register::CONDITION_CODE, usage, at);
        }
        let mask = self.mask;
        let file = if name == "UPR" { RegisterFile::UniformPredicate } else { RegisterFile::Predicate };
        for index in (0..PREDICATES).filter(|index| mask >> index & 1 == 1) {
            self.access(Register { file, index }, usage, at);
        }
    }

    /// Records an access to the condition code if a register has the suffix `.CC`: the operation then writes the
    /// condition code with its result.
    fn condition_code(&mut self, suffixes: &[Token], usage: Use, at: u8) {
        if suffixes.iter().any(|suffix| suffix.text(self.line) == ".CC") {
            self.access(Register::CONDITION_CODE, usage, at);
        }
    }

    fn access(&mut self, register: Register, usage: Use, at: u8) {
        let access = Access { register, operand: Some(at) };
        if usage != Use::Write {
            self.out.reads.push(access);
        }
        if usage != Use::Read {
            self.out.writes.push(access);
        }
    }
}

/// Returns the number of registers that a register in brackets denotes. Its modifiers and the word in front
/// of the brackets determine the number; otherwise the number is `plain`.
pub fn registers_in_brackets(line: &str, suffixes: &[Token], prefix: Option<&Token>, plain: u8) -> u8 {
    if let Some(prefix) = prefix {
        return match prefix.text(line) {
            // A memory descriptor, a matrix descriptor, a bindless constant bank: 64 bits each.
            "desc" | "gdesc" | "cx" => plain.max(2),
            _ => plain,
        };
    }
    let has = |width: &str| suffixes.iter().any(|suffix| suffix.text(line) == width);
    if has(".64") {
        2
    } else if has(".U32") || has(".S32") || has(".X4") || has(".X8") || has(".X16") {
        1
    } else {
        plain
    }
}

/// Returns the index of an operand's role; `None` if no remaining role fits. Advances `next` past this role and past
/// optional roles that do not fit.
fn take_role(roles: &[OperandRole], next: &mut usize, operand: &[Token], shape: Shape) -> Option<usize> {
    let mut open = *next..roles.len();
    let found = open.find(|&role| !roles[role].optional || fits(roles[role].kind, shape))?;
    // `BRA.DIV UR4, 0x20`: a register before the target is read.
    if roles[found].kind == RoleKind::Target && !is_place(operand) {
        return None;
    }
    *next = found + 1;
    Some(found)
}

/// Returns the index of each operand's role, in text order; `None` for an operand that no role describes.
pub fn operand_roles<'t>(
    operands: impl Iterator<Item = &'t [Token]>,
    roles: &[OperandRole],
) -> Vec<Option<usize>> {
    let mut next = 0;
    operands.map(|operand| take_role(roles, &mut next, operand, shape(operand))).collect()
}

/// Returns the predicates of `PR` that the last operand selects, as in `R2P PR, R0, 0x3` or `P2R R0, PR, RZ, 0x7f`.
/// Returns all predicates if there is no such operand.
pub(super) fn mask(instruction: &[Token]) -> u32 {
    match instruction {
        [.., comma, number] if comma.value == u32::from(b',') && number.kind == TokenKind::Integer => {
            number.value
        }
        _ => ALL_PREDICATES,
    }
}

/// True if an operand can be a branch target. A single register cannot, but `` R6 `(function) `` and `R2
/// -0x6e0` can.
fn is_place(operand: &[Token]) -> bool {
    let names_place = |token: &Token| matches!(token.kind, TokenKind::Label | TokenKind::Integer);
    operand.iter().any(names_place) || !operand.iter().any(|token| is_register(token.kind))
}

fn is_register(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Register
            | TokenKind::UniformRegister
            | TokenKind::Predicate
            | TokenKind::UniformPredicate
            | TokenKind::StateRegister
    )
}

fn shape(tokens: &[Token]) -> Shape {
    let mut shape = None;
    for token in tokens {
        let met = match token.kind {
            TokenKind::ConstantBank => return Shape::Constant,
            TokenKind::Punct if token.is_punct(b'[') => return Shape::Address,
            TokenKind::Predicate | TokenKind::UniformPredicate | TokenKind::StateRegister => Shape::Predicate,
            TokenKind::Label => Shape::Label,
            TokenKind::Integer => Shape::Integer,
            TokenKind::Scoreboard => Shape::Other,
            TokenKind::Barrier => Shape::Barrier,
            TokenKind::Punct | TokenKind::Modifier | TokenKind::Keyword | TokenKind::Comment => continue,
            _ => Shape::Value,
        };
        shape = shape.or(Some(met));
    }
    shape.unwrap_or(Shape::Other)
}

/// True if an operand of the given shape can fill an optional role.
fn fits(role: RoleKind, shape: Shape) -> bool {
    match role {
        RoleKind::WritePredicate | RoleKind::ReadPredicate => shape == Shape::Predicate,
        RoleKind::Address => matches!(shape, Shape::Address | Shape::Constant),
        RoleKind::Target => matches!(shape, Shape::Label | Shape::Integer),
        RoleKind::Write | RoleKind::ReadWrite => matches!(shape, Shape::Value | Shape::Barrier),
        RoleKind::Read => {
            matches!(shape, Shape::Value | Shape::Barrier | Shape::Constant | Shape::Integer | Shape::Label)
        }
        RoleKind::Other => shape != Shape::Predicate,
    }
}

/// Roles of an opcode that the architecture does not have. The list is empty, so that all operands count as
/// reads.
pub(super) const UNKNOWN_ROLES: &[OperandRole] = &[];
