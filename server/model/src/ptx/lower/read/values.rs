//! Translates operands to values and addresses.

use super::super::facts::{Declaration, Storage};
use super::super::ir::{Address, Arg, Kind, NOWHERE, Node, Operation, ValueId};
use super::super::types::Type;
use super::builder::Builder;
use machine::ptx::Sign;
use syntax::ptx::{Operand, OperandKind, literal};

impl<'a> Builder<'a> {
    pub(super) fn address(&mut self, operand: &Operand<'a>) -> Address {
        let Some(inside) = operand.elements().next() else {
            return Address { base: None, offset: 0, bank: None };
        };
        let (base, offset) = inside.base_and_offset();
        let offset = offset.and_then(|offset| integer(&offset)).unwrap_or(0);
        if let Some(bits) = integer(&base) {
            return Address { base: None, offset: bits.wrapping_add(offset), bank: None };
        }
        if let Some(Storage::Constant(at)) = self.place(base.text()) {
            return Address { base: None, offset: i64::from(at).wrapping_add(offset), bank: Some(3) };
        }
        let value = self.value(&base, "b32").value;
        self.values.address(self.body, Address { base: Some(value), offset, bank: None })
    }

    pub(super) fn place(&self, name: &str) -> Option<Storage> {
        match self.scopes.find(name) {
            Some(Declaration::Variable(place)) => Some(place),
            Some(Declaration::Register { .. }) => None,
            None => self.facts.place(name),
        }
    }

    /// Returns the value of an operand of type `ty`: a register, a constant, a vector, a special register or the
    /// address of a variable.
    pub(super) fn value(&mut self, operand: &Operand<'a>, ty: &str) -> Arg {
        let words = Type::from_name(ty).words();
        match operand.kind() {
            OperandKind::Integer | OperandKind::Float => {
                let bits = constant(operand, ty).unwrap_or(0);
                Arg::plain(self.body.constant(bits, words))
            }
            OperandKind::Vector => {
                let parts = operand.elements().map(|part| self.value(&part, ty).value).collect();
                Arg::plain(self.pack(parts))
            }
            OperandKind::Name => self.named(operand, words),
            _ => match integer(operand) {
                Some(bits) => Arg::plain(self.body.constant(bits as u64, words)),
                None => Arg::plain(self.body.undefined(words)),
            },
        }
    }

    pub(super) fn named(&mut self, operand: &Operand<'a>, words: u8) -> Arg {
        let name = operand.name().map_or("", |token| self.item.token_text(token));
        let not = operand.sign() == Some(b'!');
        let sign = Sign { not, minus: operand.sign() == Some(b'-'), absolute: false };
        if self.declared(name).is_some() {
            return Arg { value: self.register(name, words), sign };
        }
        if name.starts_with('%') {
            return Arg::plain(self.special(operand.text(), words));
        }
        let value = match self.place(name) {
            Some(Storage::Shared(at)) => {
                let offset = self.body.constant(u64::from(at), 1);
                let value = self.pure(Operation::SharedAddress, "", &[Arg::plain(offset)], 1);
                if words == 2 { self.with_zeros(value) } else { value }
            }
            Some(Storage::Local(at)) => {
                let offset = self.body.constant(u64::from(at), 1);
                self.pure(Operation::LocalAddress, "", &[Arg::plain(offset)], words.max(1))
            }
            Some(Storage::Constant(at)) => self.body.constant(u64::from(at), words.max(1)),
            Some(Storage::Global(at)) => {
                let opcode = self.body.opcodes.made(Operation::Symbol, "");
                let mut node = Node::new(opcode, Kind::Load, self.block, self.origin);
                node.addresses.push(Address { base: None, offset: i64::from(at), bank: Some(4) });
                self.values.add(self.body, self.graph, node, &[2])[0]
            }
            Some(Storage::Parameter(at)) if self.is_entry && words == 2 => self.parameter_address(at),
            _ if name == "WARP_SZ" => self.body.constant(32, words.max(1)),
            _ => self.body.undefined(words),
        };
        Arg::plain(value)
    }

    /// Zero-extends the lower 16 bits of a word. This is necessary because 16-bit operations leave undefined bits in the
    /// upper half of their results.
    pub(super) fn zero_extended(&mut self, arg: Arg) -> Arg {
        /// Mask of the lower half of a word.
        const LOW: u64 = 0xffff; // limit: 16 bits
        if self.body.words(arg.value) != 1 || arg.sign != Sign::default() {
            return arg;
        }
        if let Some(bits) = self.body.constant_of(arg.value) {
            return Arg::plain(self.body.constant(bits & LOW, 1));
        }
        let opcode = self.body.opcodes.get(self.body.node_of(arg.value).opcode);
        let is_extended = match &*opcode.spelling {
            "shr.u16" | "mul.hi.u16" | "cvt.u16.u8" => true,
            spelling => {
                spelling.starts_with("ld.")
                    && matches!(opcode.ty.bits(), Some(8 | 16))
                    && !opcode.ty.is_signed()
            }
        };
        if is_extended {
            return arg;
        }
        let mask = self.body.constant(LOW, 1);
        Arg::plain(self.pure(Operation::And, "b32", &[arg, Arg::plain(mask)], 1))
    }

    /// Returns the generic address of the kernel parameter at byte `offset`. The driver stores the generic address of the
    /// first parameter in constant bank 0.
    fn parameter_address(&mut self, offset: u32) -> ValueId {
        let Some(figures) = &self.tables.arch.pipeline else { return self.body.undefined(2) };
        let opcode = self.body.opcodes.made(Operation::Load, "param.u64");
        let mut node = Node::new(opcode, Kind::Load, self.block, self.origin);
        let window = i64::from(figures.engine.window.value);
        node.addresses.push(Address { base: None, offset: window, bank: Some(0) });
        let base = self.values.add(self.body, self.graph, node, &[2])[0];
        let offset = self.body.constant(u64::from(offset), 2);
        self.pure(Operation::Add, "s64", &[Arg::plain(base), Arg::plain(offset)], 2)
    }

    /// Returns the value of a special register. For launch dimensions, this is the word of constant bank 0 in
    /// which the driver stores the dimension.
    pub(super) fn special(&mut self, name: &str, words: u8) -> ValueId {
        let (stem, part) = name.split_once('.').unwrap_or((name, "x"));
        let component = match part {
            "x" => 0,
            "y" => 4,
            _ => 8,
        };
        let bank = &self.tables.arch.constant_bank;
        let at = match stem {
            "%ntid" => Some(bank.block.value + component),
            "%nctaid" => Some(bank.grid.value + component),
            _ => None,
        };
        let kind = if stem.contains("clock") || stem.contains("timer") {
            Kind::Effect
        } else {
            Kind::Pure(Operation::Move)
        };
        let opcode = self.body.opcodes.made(Operation::Load, "param.u32");
        let mut node = Node::new(opcode, Kind::Load, self.block, self.origin);
        match at {
            Some(at) if self.reads_bank => {
                node.kind = Kind::Bank(0, at);
                node.block = NOWHERE;
            }
            Some(at) => node.addresses.push(Address { base: None, offset: i64::from(at), bank: Some(0) }),
            None => {
                node.kind = kind;
                node.opcode = self.body.opcodes.made(Operation::Move, name);
            }
        }
        self.values.add(self.body, self.graph, node, &[words.max(1)])[0]
    }
}

/// Returns the signed value of an integer operand; `None` for other operands.
pub(super) fn integer(operand: &Operand<'_>) -> Option<i64> {
    let value = literal::integer(operand.text().trim_start_matches(['-', '+', ' ', '~']))? as i64;
    Some(match operand.sign() {
        Some(b'-') => value.wrapping_neg(),
        Some(b'~') => !value,
        _ => value,
    })
}

/// Returns the bits of a number. The bits of a float are in the format of the instruction's type.
fn constant(operand: &Operand<'_>, ty: &str) -> Option<u64> {
    if let Some(value) = integer(operand) {
        if Type::from_name(ty).is_float() {
            return Some(if ty == "f64" {
                (value as f64).to_bits()
            } else {
                u64::from((value as f32).to_bits())
            });
        }
        return Some(if Type::from_name(ty).words() == 2 { value as u64 } else { u64::from(value as u32) });
    }
    let negative = operand.sign() == Some(b'-');
    let flip = |bits: u64, top: u32| if negative { bits ^ 1 << top } else { bits };
    Some(match literal::float(operand.text().trim_start_matches(['-', '+', ' ']))? {
        literal::Float::Single(bits) => flip(u64::from(bits), 31),
        literal::Float::Double(bits) => flip(bits, 63),
        literal::Float::Decimal(value) if ty == "f64" => flip(value.to_bits(), 63),
        literal::Float::Decimal(value) => flip(u64::from((value as f32).to_bits()), 31),
    })
}
