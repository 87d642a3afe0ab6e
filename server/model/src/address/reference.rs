//! Memory references of an instruction: which operands name an address, and how its parts are read.

use super::operand::{AddressTerm, Operand, Operands, Source, Width, parts};
use crate::requests::SharedKind;
use crate::{Memory, Program, Register, RegisterFile};
use machine::MemorySpace;
use syntax::sass::Chunk;

/// A use of memory, by addresses as the text adds them up or as they were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference<A = Sum> {
    pub memory: Memory,
    /// Kind of the access to shared memory, if that is its space or what it copies to.
    pub kind: SharedKind,
    /// In the space of the instruction; what it copies from. `None` where the text is not understood.
    pub address: Option<A>,
    /// In shared memory: what `LDGSTS` copies to.
    pub destination: Option<A>,
}

/// An address as the text adds it up.
#[derive(Debug)]
pub(crate) struct Sum {
    pub addends: Vec<Addend>,
    /// A part of it has 64 bits or is extended to them.
    pub is_wide: bool,
}

/// A part of an address, in registers or in what replaces them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Addend<R = Register> {
    Number(i64),
    /// 32 bits. `signed`: whether it is sign-extended; `None` if the address has 32 bits.
    Word {
        register: R,
        times: i64,
        signed: Option<bool>,
    },
    /// 64 bits, from this register on.
    Pair {
        low: R,
        high: R,
    },
}

impl Reference {
    /// `None` for what is no access to memory by an address.
    pub(crate) fn read(chunk: &Chunk, program: &Program, at: usize, operands: &Operands) -> Option<Self> {
        use MemorySpace::{Generic, Global, Local, Shared};
        let inst = &program.instructions[at];
        let memory =
            inst.memory.filter(|memory| matches!(memory.space, Shared | Global | Local | Generic))?;
        let instruction = &chunk.instructions()[at];
        let (mnemonic, modifiers) = (chunk.mnemonic(instruction), chunk.modifiers(instruction));
        let kind = SharedKind::decode(mnemonic, modifiers, memory.loads, memory.stores);
        let sum = |&(operand, Operand { source, .. }): &(u8, Operand)| {
            let Source::Address(tokens) = source else { return None };
            let is_general = |access: &&crate::Access| {
                access.operand == Some(operand) && access.register.file == RegisterFile::General
            };
            // The text may name the first register of two alone.
            let is_pair = program.reads(inst).iter().filter(is_general).count() == 2;
            Sum::from_parts(&parts(chunk.line_text(inst.line as usize), tokens)?, is_pair)
        };
        let mut all = operands.addresses.iter().rev();
        let address = sum(all.next()?);
        let destination = all.next().filter(|_| kind == SharedKind::Copy).and_then(sum);
        Some(Self { memory, kind, address, destination })
    }
}

impl Sum {
    /// `is_pair`: a lone register is a pair, though the text does not say so. `None` if it is unclear which register
    /// has 64 bits.
    fn from_parts(parts: &[AddressTerm], is_pair: bool) -> Option<Self> {
        let registers = || {
            parts.iter().filter_map(|part| match part {
                AddressTerm::Register { width, .. } => Some(*width),
                AddressTerm::Offset(_) => None,
            })
        };
        let is_alone = registers().count() == 1;
        let has_index = registers().any(|width| matches!(width, Some(Width::Single { .. })));
        let is_wide = is_pair || registers().any(|width| width.is_some());
        let mut addends = Vec::with_capacity(parts.len());
        for part in parts {
            addends.push(match *part {
                AddressTerm::Offset(offset) => Addend::Number(offset),
                AddressTerm::Register { register, times, width } => match width {
                    Some(Width::Single { signed }) => Addend::Word { register, times, signed: Some(signed) },
                    None if !is_wide => Addend::Word { register, times, signed: None },
                    // Next to a pair it might be either; next to a 32-bit index it is a 64-bit base.
                    None if !(is_pair && is_alone || has_index) => return None,
                    _ if times != 1 => return None,
                    _ => Addend::Pair { low: register, high: register.next()? },
                },
            });
        }
        Some(Self { addends, is_wide })
    }
}
