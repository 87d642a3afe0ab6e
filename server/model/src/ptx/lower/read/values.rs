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

    /// Returns a register, a constant, a special register or the address of a variable as a value of type
    /// `ty`.
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
            _ if name == "WARP_SZ" => self.body.constant(32, words.max(1)),
            _ => self.body.undefined(words),
        };
        Arg::plain(value)
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
