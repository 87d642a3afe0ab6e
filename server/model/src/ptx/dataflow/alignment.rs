//! Known low bits of values, which give the alignment of addresses.

use crate::ptx::{Body, Globals, Meaning, Space, Symbol, SymbolKind};
use machine::ptx::Ptx;
use std::cell::Cell;
use syntax::ptx::{Item, Operand, OperandKind, Statement, TokenKind, literal};

/// Known low bits of a value: `known` is the number of known bits, and `low` is their value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LowBits {
    pub known: u32,
    pub low: u64,
}

/// Maximum length of a chain of definitions that is followed back from an address.
const DEEPEST: u32 = 24; // limit: time

/// Maximum number of definitions that are followed for one address. Without this limit, sums of sums would
/// double the number at each level.
const MAX: u32 = 1024; // limit: time

impl LowBits {
    const NOTHING: Self = Self { known: 0, low: 0 };

    fn constant(value: u64) -> Self {
        Self { known: u64::BITS, low: value }
    }

    fn new(known: u32, low: u64) -> Self {
        let known = known.min(u64::BITS);
        let mask = if known == u64::BITS { u64::MAX } else { (1 << known) - 1 };
        Self { known, low: low & mask }
    }

    fn plus(self, other: Self) -> Self {
        Self::new(self.known.min(other.known), self.low.wrapping_add(other.low))
    }

    fn minus(self, other: Self) -> Self {
        Self::new(self.known.min(other.known), self.low.wrapping_sub(other.low))
    }

    /// Returns the number of low bits that are known to be 0.
    fn zeros(self) -> u32 {
        self.low.trailing_zeros().min(self.known)
    }

    fn times(self, other: Self) -> Self {
        // (a + A 2^i) (b + B 2^j): the unknown part of the product is a multiple of 2^(i + zeros of b) and of
        // 2^(j + zeros of a).
        let known = (self.known + other.zeros()).min(other.known + self.zeros());
        Self::new(known, self.low.wrapping_mul(other.low))
    }

    /// Returns the distance in bytes of an address from the preceding multiple of `bytes`, a power of two.
    /// Unknown bits count as 0. `None` if the address may be a multiple of `bytes`.
    pub fn past(self, bytes: u64) -> Option<u64> {
        let bits = self.known.min(bytes.trailing_zeros());
        let past = Self::new(bits, self.low).low;
        (past != 0).then_some(past)
    }
}

/// Assumed alignment of a kernel's pointer parameters, in bytes: the alignment that the widest access
/// requires. Allocations are aligned more strictly.
pub const POINTER_ALIGNMENT: u64 = 16; // limit: what the widest access needs

impl Body<'_> {
    /// Returns the known low bits of the address in an operand's brackets. No bits are known for an operand
    /// without brackets.
    pub fn address_low_bits(&self, globals: &Globals, instruction: u32, operand: &Operand<'_>) -> LowBits {
        Reader::new(self, globals, None).address(instruction, operand).bits
    }

    /// Returns the known low bits of the address in the thread with x index `thread`. Each pointer parameter
    /// of the kernel is assumed to be a multiple of [`POINTER_ALIGNMENT`].
    pub fn address_low_bits_in_thread(
        &self,
        globals: &Globals,
        instruction: u32,
        operand: &Operand<'_>,
        thread: u32,
    ) -> LowBits {
        let reader = Reader::new(self, globals, Some(thread));
        let value = reader.address(instruction, operand);
        // If a sum contains several parameters, at most one is a pointer and the others are unknown offsets.
        if value.parameters > 1 { LowBits::NOTHING } else { value.bits }
    }

    /// Returns the value of an operand that is a number, or a register whose only reaching definition has a
    /// constant value. `None` for other operands.
    pub fn constant_value(&self, globals: &Globals, instruction: u32, operand: &Operand<'_>) -> Option<u64> {
        let bits = Reader::new(self, globals, None).operand(instruction, operand, 0).bits;
        (bits.known == u64::BITS).then_some(bits.low)
    }
}

/// Low bits of a value, and the number of 64-bit kernel parameters among the terms of the value.
#[derive(Debug, Clone, Copy)]
struct Value {
    bits: LowBits,
    parameters: u32,
}

impl Value {
    const UNKNOWN: Self = Self::from_low_bits(LowBits::NOTHING);

    const fn from_low_bits(bits: LowBits) -> Self {
        Self { bits, parameters: 0 }
    }

    fn plus(self, other: Self) -> Self {
        Self { bits: self.bits.plus(other.bits), parameters: self.parameters + other.parameters }
    }

    /// Applies an operation other than addition. The result is unknown if one of the values contains a 64-bit
    /// parameter.
    fn of_both(self, other: Self, of: impl FnOnce(LowBits, LowBits) -> LowBits) -> Self {
        let has_pointer = self.parameters + other.parameters > 0;
        if has_pointer { Self::UNKNOWN } else { Self::from_low_bits(of(self.bits, other.bits)) }
    }
}

/// Follows values back to their definitions.
struct Reader<'b, 'a> {
    body: &'b Body<'a>,
    globals: &'b Globals,
    /// The x index of the thread whose values are read. `None` for values that are valid for all threads and
    /// all parameters.
    thread: Option<u32>,
    /// Number of definitions that may still be followed.
    left: Cell<u32>,
}

impl<'b, 'a> Reader<'b, 'a> {
    fn new(body: &'b Body<'a>, globals: &'b Globals, thread: Option<u32>) -> Self {
        Self { body, globals, thread, left: Cell::new(MAX) }
    }

    fn address(&self, instruction: u32, operand: &Operand<'_>) -> Value {
        let Some(inside) = operand.elements().next() else { return Value::UNKNOWN };
        let (base, offset) = inside.base_and_offset();
        let base = self.operand(instruction, &base, 0);
        offset.map_or(base, |offset| base.plus(self.operand(instruction, &offset, 0)))
    }

    fn operand(&self, instruction: u32, operand: &Operand<'_>, depth: u32) -> Value {
        let item = self.body.item;
        match operand.kind() {
            OperandKind::Integer => {
                Value::from_low_bits(constant(operand, item).map_or(LowBits::NOTHING, LowBits::constant))
            }
            OperandKind::Expression => {
                let (base, offset) = operand.base_and_offset();
                match offset.filter(|_| base.kind() == OperandKind::Name) {
                    Some(offset) => {
                        let base = self.operand(instruction, &base, depth);
                        base.plus(self.operand(instruction, &offset, depth))
                    }
                    None => Value::UNKNOWN,
                }
            }
            OperandKind::Name => {
                let Some(token) = operand.name() else { return Value::UNKNOWN };
                let thread = self.thread.filter(|_| item.token_text(token) == "%tid");
                let mut selectors = operand.selectors();
                match (selectors.next(), thread) {
                    (None, None) => {
                        let token = item.tokens().partition_point(|other| other.start < token.start) as u32;
                        self.name(instruction, token, depth)
                    }
                    (Some("x"), Some(thread)) => Value::from_low_bits(LowBits::constant(thread.into())),
                    _ => Value::UNKNOWN,
                }
            }
            _ => Value::UNKNOWN,
        }
    }

    fn name(&self, instruction: u32, token: u32, depth: u32) -> Value {
        let Body { names, item, .. } = self.body;
        let aligned = |align: u64| LowBits::new(align.trailing_zeros(), 0);
        let bits = match names.use_at(token).map(|used| used.what) {
            Some(Meaning::Symbol(symbol, _)) => {
                let symbol = &names.symbols()[symbol as usize];
                match symbol.space {
                    Some(Space::Reg) => return self.register(instruction, token, depth),
                    Some(_) if symbol.kind == SymbolKind::Variable => {
                        alignment(symbol, symbol.type_word(item), self.body.tables()).map(aligned)
                    }
                    _ => None,
                }
            }
            Some(Meaning::Outer) => {
                let name = item.token_text(&item.tokens()[token as usize]);
                let global = self.globals.find(name);
                let variable =
                    global.and_then(|global| Some((global.variable.as_ref()?, global.ty.as_deref())));
                let align = variable.and_then(|(symbol, ty)| alignment(symbol, ty, self.body.tables()));
                align.map(aligned)
            }
            _ => None,
        };
        Value::from_low_bits(bits.unwrap_or(LowBits::NOTHING))
    }

    fn register(&self, instruction: u32, token: u32, depth: u32) -> Value {
        let body = self.body;
        let touch = body.registers.reads(instruction).find(|touch| touch.token == token);
        let Some(touch) = touch.filter(|_| depth < DEEPEST && self.left.get() > 0) else {
            return Value::UNKNOWN;
        };
        self.left.set(self.left.get() - 1);
        let writers = body.definitions().reaching(&body.flow, instruction, touch.register);
        let [writer] = writers[..] else { return Value::UNKNOWN };
        let at = body.definitions().all()[writer as usize].instruction;
        self.result(at, depth + 1)
    }

    fn result(&self, instruction: u32, depth: u32) -> Value {
        let item = self.body.item;
        let statement = self.body.statement(instruction);
        let is_guarded = self.body.flow.nodes()[instruction as usize].is_guarded;
        let Some(opcode) = item.opcode(statement).filter(|_| !is_guarded) else { return Value::UNKNOWN };
        let mut operands = item.operands(statement).skip(1);
        let mut next = || {
            let operand = operands.next();
            operand.map_or(Value::UNKNOWN, |operand| self.operand(instruction, &operand, depth))
        };
        let has = |word: &str| item.modifiers(statement).any(|have| have == word);
        let is_integer = !is_of_floats(item, statement);
        match opcode {
            "mov" | "cvta" => next(),
            "cvt" if is_integer => next(),
            "ld" if self.thread.is_some() && has("param") && (has("u64") || has("b64")) => {
                let bits = LowBits::new(POINTER_ALIGNMENT.trailing_zeros(), 0);
                Value { bits, parameters: 1 }
            }
            "add" if is_integer && !has("sat") => {
                let first = next();
                first.plus(next())
            }
            "sub" if is_integer && !has("sat") => {
                let first = next();
                first.of_both(next(), LowBits::minus)
            }
            "mul" if has("lo") || has("wide") => {
                let first = next();
                first.of_both(next(), LowBits::times)
            }
            "mad" if has("lo") || has("wide") => {
                let first = next();
                let product = first.of_both(next(), LowBits::times);
                product.plus(next())
            }
            "shl" => {
                let first = next();
                first.of_both(next(), |value, by| {
                    let by = u32::try_from(by.low).ok().filter(|_| by.known == u64::BITS);
                    by.filter(|by| *by < u64::BITS)
                        .map_or(LowBits::NOTHING, |by| LowBits::new(value.known + by, value.low << by))
                })
            }
            _ => Value::UNKNOWN,
        }
    }
}

/// Returns the alignment of a variable in bytes: the value of `.align`, or the element size if `.align` is
/// missing. `None` if the alignment is unknown or not a power of two.
pub fn alignment(symbol: &Symbol, ty: Option<&str>, ptx: &Ptx) -> Option<u64> {
    let natural = || {
        let bits = ptx.type_of(ty?)?.bits;
        Some(u64::from(bits / 8) * u64::from(symbol.vector)).filter(|bytes| *bytes > 0)
    };
    symbol.align.or_else(natural).filter(|align| align.is_power_of_two())
}

/// Returns the size of a variable in bytes. `None` if the launch or another module determines the size, or if
/// the type has no size.
pub fn bytes_of(symbol: &Symbol, ty: Option<&str>, ptx: &Ptx) -> Option<u64> {
    let bytes = u64::from(ptx.type_of(ty?)?.bits / 8).checked_mul(u64::from(symbol.vector))?;
    symbol.elements()?.checked_mul(bytes)
}

fn is_of_floats(item: &Item, statement: &Statement) -> bool {
    item.modifiers(statement).any(|word| word.starts_with('f') || word.starts_with("bf"))
}

fn constant(operand: &Operand<'_>, item: &Item) -> Option<u64> {
    let digits = operand.tokens().iter().find(|token| token.kind == TokenKind::Integer)?;
    let value = literal::integer(item.token_text(digits))?;
    match operand.sign() {
        None | Some(b'+') => Some(value),
        Some(b'-') => Some(value.wrapping_neg()),
        _ => None,
    }
}
