//! Known low bits of values; for addresses, their alignment.

use crate::ptx::{Body, Globals, Meaning, Space, Symbol, SymbolKind};
use machine::ptx::Ptx;
use syntax::ptx::{Item, Operand, OperandKind, Statement, TokenKind, literal};

/// A value's low bits: as many as `known`, with the value `low`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LowBits {
    pub known: u32,
    pub low: u64,
}

/// Writes that are followed from an address to where it comes from.
const DEEPEST: u32 = 24;

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

    /// Low bits that are known to be clear.
    fn zeros(self) -> u32 {
        self.low.trailing_zeros().min(self.known)
    }

    fn times(self, other: Self) -> Self {
        // (a + A 2^i) (b + B 2^j): what is not known is a multiple of 2^(i + zeros of b) and of 2^(j + zeros of a).
        let known = (self.known + other.zeros()).min(other.known + self.zeros());
        Self::new(known, self.low.wrapping_mul(other.low))
    }

    /// Returns how far an address is past a multiple of that many bytes, a power of two. `None` where it is one or may
    /// be.
    pub fn past(self, bytes: u64) -> Option<u64> {
        let bits = self.known.min(bytes.trailing_zeros());
        let past = Self::new(bits, self.low).low;
        (past != 0).then_some(past)
    }
}

impl Body<'_> {
    /// Returns the known low bits of the address in an operand's brackets; none for an operand without any.
    pub fn address_low_bits(&self, globals: &Globals, instruction: u32, operand: &Operand<'_>) -> LowBits {
        let Some(inside) = operand.elements().next() else { return LowBits::NOTHING };
        let (base, offset) = inside.base_and_offset();
        let base = self.low_bits(globals, instruction, &base, 0);
        match offset {
            None => base,
            Some(offset) => base.plus(self.low_bits(globals, instruction, &offset, 0)),
        }
    }

    /// Returns the value of an operand that is a number, or a register that only such a number reaches; `None` of any other.
    pub fn constant_value(&self, globals: &Globals, instruction: u32, operand: &Operand<'_>) -> Option<u64> {
        let bits = self.low_bits(globals, instruction, operand, 0);
        (bits.known == u64::BITS).then_some(bits.low)
    }

    fn low_bits(&self, globals: &Globals, instruction: u32, operand: &Operand<'_>, depth: u32) -> LowBits {
        match operand.kind() {
            OperandKind::Integer => constant(operand, self.item).map_or(LowBits::NOTHING, LowBits::constant),
            OperandKind::Expression => {
                let (base, offset) = operand.base_and_offset();
                match offset.filter(|_| base.kind() == OperandKind::Name) {
                    Some(offset) => self.low_bits(globals, instruction, &base, depth).plus(self.low_bits(
                        globals,
                        instruction,
                        &offset,
                        depth,
                    )),
                    None => LowBits::NOTHING,
                }
            }
            OperandKind::Name if operand.selectors().next().is_none() => {
                let Some(token) = operand.name() else { return LowBits::NOTHING };
                let token = self.item.tokens().partition_point(|other| other.start < token.start) as u32;
                self.low_bits_of_name(globals, instruction, token, depth)
            }
            _ => LowBits::NOTHING,
        }
    }

    fn low_bits_of_name(&self, globals: &Globals, instruction: u32, token: u32, depth: u32) -> LowBits {
        let aligned = |align: u64| LowBits::new(align.trailing_zeros(), 0);
        match self.names.use_at(token).map(|used| used.what) {
            Some(Meaning::Symbol(symbol, _)) => {
                let symbol = &self.names.symbols()[symbol as usize];
                match symbol.space {
                    Some(Space::Reg) => self.low_bits_of_register(globals, instruction, token, depth),
                    Some(_) if symbol.kind == SymbolKind::Variable => {
                        alignment(symbol, symbol.type_word(self.item), self.tables())
                            .map_or(LowBits::NOTHING, aligned)
                    }
                    _ => LowBits::NOTHING,
                }
            }
            Some(Meaning::Outer) => {
                let name = self.item.token_text(&self.item.tokens()[token as usize]);
                let global = globals.find(name);
                let variable =
                    global.and_then(|global| Some((global.variable.as_ref()?, global.ty.as_deref())));
                let align = variable.and_then(|(symbol, ty)| alignment(symbol, ty, self.tables()));
                align.map_or(LowBits::NOTHING, aligned)
            }
            _ => LowBits::NOTHING,
        }
    }

    fn low_bits_of_register(&self, globals: &Globals, instruction: u32, token: u32, depth: u32) -> LowBits {
        let touch = self.registers.reads(instruction).find(|touch| touch.token == token);
        let Some(touch) = touch.filter(|_| depth < DEEPEST) else { return LowBits::NOTHING };
        let writers = self.definitions().reaching(&self.flow, instruction, touch.register);
        let [writer] = writers[..] else { return LowBits::NOTHING };
        let at = self.definitions().all()[writer as usize].instruction;
        self.low_bits_of_result(globals, at, depth + 1)
    }

    fn low_bits_of_result(&self, globals: &Globals, instruction: u32, depth: u32) -> LowBits {
        let statement = self.statement(instruction);
        let item = self.item;
        let is_guarded = self.flow.nodes()[instruction as usize].is_guarded;
        let Some(opcode) = item.opcode(statement).filter(|_| !is_guarded) else { return LowBits::NOTHING };
        let mut operands = item.operands(statement).skip(1);
        let mut next = || {
            let operand = operands.next();
            operand.map_or(LowBits::NOTHING, |operand| self.low_bits(globals, instruction, &operand, depth))
        };
        let has = |word: &str| item.modifiers(statement).any(|have| have == word);
        match opcode {
            "mov" | "cvta" => next(),
            "cvt" if !is_of_floats(item, statement) => next(),
            "add" if !is_of_floats(item, statement) && !has("sat") => {
                let first = next();
                first.plus(next())
            }
            "sub" if !is_of_floats(item, statement) && !has("sat") => {
                let first = next();
                first.minus(next())
            }
            "mul" if has("lo") || has("wide") => {
                let first = next();
                first.times(next())
            }
            "mad" if has("lo") || has("wide") => {
                let first = next();
                let product = first.times(next());
                product.plus(next())
            }
            "shl" => {
                let (value, by) = (next(), next());
                let by = u32::try_from(by.low).ok().filter(|_| by.known == u64::BITS);
                by.filter(|by| *by < u64::BITS)
                    .map_or(LowBits::NOTHING, |by| LowBits::new(value.known + by, value.low << by))
            }
            _ => LowBits::NOTHING,
        }
    }
}

/// Bytes that a variable's start is a multiple of: what `.align` says, else the size of its element.
pub fn alignment(symbol: &Symbol, ty: Option<&str>, ptx: &Ptx) -> Option<u64> {
    let natural = || {
        let bits = ptx.type_of(ty?)?.bits;
        Some(u64::from(bits / 8) * u64::from(symbol.vector)).filter(|bytes| *bytes > 0)
    };
    symbol.align.or_else(natural).filter(|align| align.is_power_of_two())
}

/// Bytes that a variable takes. `None` where a launch or another module says it, and for what has no size.
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
