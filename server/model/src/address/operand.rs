//! Parses an instruction's operands for the address analysis.

use crate::program::operand_roles;
use crate::{Inst, Program, Register};
use machine::RoleKind;
use syntax::sass::{Chunk, Encoding, Instruction, Token, TokenKind};

/// A source or destination operand with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operand<'a> {
    pub source: Source<'a>,
    /// True for a minus sign, as in `-R2`.
    pub negated: bool,
    /// True for an inversion, as in `~R2` and `!P0`.
    pub inverted: bool,
    /// True for an absolute value, as in `|R2|`.
    pub magnitude: bool,
    /// Selected 16-bit half: `R2.H1` is the upper half, `R2.H0` the lower half.
    pub half: Option<Half>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    Low,
    High,
}

impl Half {
    fn named(modifier: &str) -> Option<Self> {
        match modifier {
            ".H0" => Some(Self::Low),
            ".H1" => Some(Self::High),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    Register(Register),
    /// `RZ`, `URZ`.
    Zero,
    /// `PT`, `UPT`.
    True,
    /// A number that fits in 32 bits.
    Integer(u32),
    /// A number that does not fit in 32 bits.
    Long(u64),
    Constant {
        bank: u32,
        offset: u32,
    },
    Special(&'a str),
    Float(&'a str),
    /// `[R2.64+0x10]`, and constants that a register indexes.
    Address(&'a [Token]),
    /// An operand that is not analysed, such as a name that an assembler defines.
    Other,
}

/// The operands of an instruction, grouped by role.
#[derive(Debug, Default)]
pub(crate) struct Operands<'a> {
    pub written: Vec<Operand<'a>>,
    pub written_predicates: Vec<Operand<'a>>,
    pub read: Vec<Operand<'a>>,
    pub read_predicates: Vec<Operand<'a>>,
    /// Address operands, each with its operand index in the instruction.
    pub addresses: Vec<(u8, Operand<'a>)>,
    pub others: Vec<Operand<'a>>,
}

impl<'a> Operands<'a> {
    /// Parses the operands of an instruction; `None` if the architecture does not have the opcode.
    pub(crate) fn read(
        chunk: &'a Chunk,
        instruction: &Instruction,
        program: &Program,
        inst: &Inst,
    ) -> Option<Self> {
        let roles = &program.arch.isa.form(inst.opcode?).operands;
        let line = chunk.line_text(instruction.line as usize);
        let taken = operand_roles(chunk.operands(instruction), roles);
        let mut operands = Self::default();
        let prints_bits = program.encoding() != Encoding::Volta && chunk.mnemonic(instruction) == "IADD3";
        for ((tokens, role), at) in chunk.operands(instruction).zip(taken).zip(0_u8..) {
            let mut operand = operand(line, tokens);
            // The immediate of Maxwell's `IADD3` has 20 bits and a sign, and is printed without it: 0xfffff is -1.
            if let Source::Integer(value @ 0x8_0000..=0xf_ffff) = operand.source
                && prints_bits
            {
                operand.source = Source::Integer(value | 0xfff0_0000);
            }
            match role.map(|role| roles[role].kind) {
                Some(RoleKind::Write) => operands.written.push(operand),
                Some(RoleKind::WritePredicate) => operands.written_predicates.push(operand),
                Some(RoleKind::Read) => operands.read.push(operand),
                Some(RoleKind::ReadPredicate) => operands.read_predicates.push(operand),
                Some(RoleKind::Address) => operands.addresses.push((at, operand)),
                Some(RoleKind::ReadWrite) => {
                    operands.written.push(operand);
                    operands.read.push(operand);
                }
                Some(RoleKind::Other | RoleKind::Target) | None => operands.others.push(operand),
            }
        }
        Some(operands)
    }

    /// The immediate that an instruction like `HFMA2.MMA R6, -RZ, RZ, 0, 5.96e-08` loads on the floating-point pipe.
    /// The last operand is the lower half (its bits are the low half of the encoding's immediate).
    ///
    /// `None` unless both factors are `RZ` and a 16-bit float represents each addend exactly.
    pub(crate) fn two_halves(&self) -> Option<u32> {
        let [a, b, high, low] = *self.read.as_slice() else { return None };
        let bits = |operand: Operand| {
            let bits = match operand.source {
                // A sum with a NaN input is the canonical NaN (PTX ISA, `fma` of `.f16`).
                Source::Float(text) if text.trim_start_matches('+') == "QNAN" && !operand.negated => 0x7fff,
                Source::Float(text) => half(text)?,
                Source::Integer(value) => half(&value.to_string())?,
                _ => return None,
            };
            Some(u32::from(if operand.negated { bits ^ 0x8000 } else { bits }))
        };
        let is_sum = a.source == Source::Zero && b.source == Source::Zero;
        Some(bits(high)? << 16 | bits(low)?).filter(|_| is_sum)
    }

    /// Iterates over the operands in `others` as truth tables of `LOP3` and `PLOP3`; `None` for an operand that is
    /// not a number below 256.
    pub(crate) fn tables(&self) -> impl Iterator<Item = Option<u8>> {
        self.others.iter().map(|operand| match operand.source {
            Source::Integer(value) => u8::try_from(value).ok(),
            _ => None,
        })
    }

    /// Name of the special register that the instruction reads; `None` if no operand is a special register.
    pub(crate) fn special(&self) -> Option<&'a str> {
        self.others.iter().find_map(|operand| match operand.source {
            Source::Special(name) => Some(name),
            _ => None,
        })
    }
}

/// Parses one operand from its tokens.
pub(crate) fn operand<'a>(line: &'a str, tokens: &'a [Token]) -> Operand<'a> {
    let mut operand =
        Operand { source: Source::Other, negated: false, inverted: false, magnitude: false, half: None };
    let mut rest = tokens;
    while let [first, after @ ..] = rest
        && first.kind == TokenKind::Punct
    {
        match first.value as u8 {
            b'-' => operand.negated = true,
            b'~' | b'!' => operand.inverted = true,
            b'+' => {}
            b'|' => operand.magnitude = true,
            _ => break,
        }
        rest = after;
    }
    if operand.magnitude
        && let Some(end) = rest.iter().position(|token| token.is_punct(b'|'))
    {
        rest = &rest[..end];
    }
    if let [register, modifiers @ ..] = rest
        && modifiers.iter().all(|token| token.kind == TokenKind::Modifier)
    {
        operand.half = modifiers.iter().find_map(|token| Half::named(token.text(line)));
        if operand.half.is_some() {
            rest = std::slice::from_ref(register);
        }
    }
    // `c[0x0][0x160].H1`.
    if let [constant @ .., last] = rest
        && last.kind == TokenKind::Modifier
        && constant.iter().any(|token| token.kind == TokenKind::ConstantBank)
    {
        operand.half = Half::named(last.text(line));
        if operand.half.is_some() {
            rest = constant;
        }
    }
    operand.source = source(line, rest);
    operand
}

impl Operand<'_> {
    /// True if the operand is the entire source, possibly negated or inverted, without `|...|`, `.H0` or `.H1`.
    pub(crate) fn is_plain(&self) -> bool {
        !self.magnitude && self.half.is_none()
    }
}

fn source<'a>(line: &'a str, tokens: &'a [Token]) -> Source<'a> {
    let [first, after @ ..] = tokens else { return Source::Other };
    if let Some(constant) = constant(tokens) {
        return constant;
    }
    let is_bracket = |token: &Token| token.is_punct(b'[');
    if tokens.iter().any(is_bracket) {
        return Source::Address(tokens);
    }
    // `.reuse` requests the register cache and `.64` denotes a register pair; `.H1` and others select bits.
    let plain = after.iter().all(|token| {
        token.kind == TokenKind::Comment
            || token.kind == TokenKind::Modifier && matches!(token.text(line), ".reuse" | ".64" | ".CC")
    });
    if !plain {
        return Source::Other;
    }
    match first.kind {
        TokenKind::Integer => integer(first.text(line), first.value),
        TokenKind::Float => Source::Float(first.text(line)),
        TokenKind::SpecialRegister => Source::Special(first.text(line)),
        TokenKind::StateRegister if first.text(line) == "CC" => Source::Register(Register::CONDITION_CODE),
        _ => register(first),
    }
}

/// Parses an integer; `low` holds its low 32 bits.
fn integer<'a>(text: &str, low: u32) -> Source<'a> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let value = digits.map_or_else(|| text.parse(), |digits| u64::from_str_radix(digits, 16));
    match value {
        Ok(value) if value > u64::from(u32::MAX) => Source::Long(value),
        _ => Source::Integer(low),
    }
}

/// Parses a register, `RZ` or `PT`.
fn register<'a>(token: &Token) -> Source<'a> {
    match token.kind {
        TokenKind::Register | TokenKind::UniformRegister if token.is_zero_register() => Source::Zero,
        TokenKind::Predicate | TokenKind::UniformPredicate if token.is_zero_register() => Source::True,
        TokenKind::Barrier => Source::Other,
        _ => Register::named_by(token)
            .filter(|_| token.value <= u16::MAX.into())
            .map_or(Source::Other, Source::Register),
    }
}

/// Parses a constant such as `c[0x0][0x160]`; `None` if the operand is not a constant.
fn constant(tokens: &[Token]) -> Option<Source<'_>> {
    if !tokens.iter().any(|token| token.kind == TokenKind::ConstantBank) {
        return None;
    }
    let parts = tokens.iter().filter(|token| token.kind != TokenKind::Punct);
    let numbers: Vec<u32> =
        parts.clone().filter(|token| token.kind == TokenKind::Integer).map(|token| token.value).collect();
    // `c[0x0][RZ]` is the first word.
    let is_zero = |token: &Token| token.kind == TokenKind::Register && token.is_zero_register();
    let zeros = parts.clone().filter(|token| is_zero(token)).count();
    let is_number = |token: &Token| matches!(token.kind, TokenKind::ConstantBank | TokenKind::Integer);
    let only = parts.clone().all(|token| is_number(token) || is_zero(token));
    let sign = |token: &Token| token.kind == TokenKind::Punct && matches!(token.value as u8, b'-' | b'|');
    Some(match *numbers {
        [bank, offset] if only && !tokens.iter().any(sign) => Source::Constant { bank, offset },
        [bank] if only && zeros == 1 && !tokens.iter().any(sign) => Source::Constant { bank, offset: 0 },
        _ => Source::Address(tokens),
    })
}

/// A register or a number in an address's brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressTerm {
    Register {
        register: Register,
        /// Scale factor: 4 for `.X4`.
        times: i64,
        /// `.64` denotes a register pair. `.U32` and `.S32` denote a single register that is added to a 64-bit base.
        /// `None` if the register has no such modifier.
        width: Option<Width>,
    },
    Offset(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Pair,
    Single { signed: bool },
}

/// Parses the terms of an address in the last brackets of an operand (`desc[UR4][R2.64]`). `None` if a term
/// is not supported.
pub(crate) fn parts(line: &str, tokens: &[Token]) -> Option<Vec<AddressTerm>> {
    let open = tokens.iter().rposition(|token| token.is_punct(b'['))?;
    let close = open + tokens[open..].iter().position(|token| token.is_punct(b']'))?;
    let mut parts = Vec::new();
    let mut negative = false;
    for token in &tokens[open + 1..close] {
        match token.kind {
            TokenKind::Punct if token.is_punct(b'-') => negative = !negative,
            TokenKind::Punct if token.is_punct(b'+') => {}
            TokenKind::Integer => {
                let value = i64::from(token.value);
                parts.push(AddressTerm::Offset(if negative { -value } else { value }));
                negative = false;
            }
            TokenKind::Register | TokenKind::UniformRegister if !negative => match register(token) {
                Source::Register(register) => {
                    parts.push(AddressTerm::Register { register, times: 1, width: None });
                }
                Source::Zero => parts.push(AddressTerm::Offset(0)),
                _ => return None,
            },
            TokenKind::Modifier => {
                let text = token.text(line);
                match (parts.last_mut(), text) {
                    (Some(AddressTerm::Register { times, .. }), ".X4" | ".X8" | ".X16") => {
                        *times = text[2..].parse().ok()?;
                    }
                    (Some(AddressTerm::Register { width, .. }), ".64") => *width = Some(Width::Pair),
                    (Some(AddressTerm::Register { width, .. }), ".U32") => {
                        *width = Some(Width::Single { signed: false });
                    }
                    (Some(AddressTerm::Register { width, .. }), ".S32") => {
                        *width = Some(Width::Single { signed: true });
                    }
                    (_, ".reuse")
                    | (Some(AddressTerm::Offset(_)), ".64" | ".U32" | ".X4" | ".X8" | ".X16") => {}
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
    Some(parts)
}

/// Bits of the 16-bit float that represents a number exactly; `None` if no such float exists.
fn half(text: &str) -> Option<u16> {
    let value: f64 = text.trim_start_matches('+').parse().ok()?;
    let sign = u16::from(value.is_sign_negative()) << 15;
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return None;
    }
    if magnitude.is_infinite() {
        return Some(sign | 0x7c00);
    }
    // Multiples of 2^-24, the smallest number above 0. From 2^-14 on, the mantissa has 11 bits, the first implied.
    let steps = magnitude * f64::from(1 << 24);
    let mut mantissa = steps as u64;
    if steps.fract() != 0.0 || mantissa > 0x7ff << 29 {
        return None;
    }
    let mut exponent = 0;
    while mantissa >= 0x800 {
        if mantissa & 1 == 1 {
            return None;
        }
        mantissa >>= 1;
        exponent += 1;
    }
    Some(
        sign | if mantissa < 0x400 {
            mantissa as u16
        } else {
            (exponent + 1) << 10 | (mantissa as u16 & 0x3ff)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn halves_are_read_bit_by_bit() {
        let cases = [
            ("0", Some(0)),
            ("-0", Some(0x8000)),
            ("5.9604644775390625e-08", Some(1)),
            ("2.384185791015625e-07", Some(4)),
            ("6.103515625e-05", Some(0x400)),
            ("1", Some(0x3c00)),
            ("-2", Some(0xc000)),
            ("1.5", Some(0x3e00)),
            ("65504", Some(0x7bff)),
            ("+INF", Some(0x7c00)),
            ("1e-9", None),
            ("65536", None),
            ("QNAN", None),
            ("2049", None),
        ];
        for (text, expected) in cases {
            assert_eq!(half(text), expected, "{text}");
        }
    }
}
