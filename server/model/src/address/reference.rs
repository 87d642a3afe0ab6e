//! Memory references of an instruction: the operands that name addresses, and the parts of each address.

use super::operand::{AddressTerm, Operand, Operands, Source, Width, parts};
use crate::requests::SharedKind;
use crate::{Memory, Program, Register, RegisterFile};
use machine::MemorySpace;
use syntax::sass::Chunk;

/// A memory reference, with addresses as written in the text ([`Sum`]) or as evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference<A = Sum> {
    pub memory: Memory,
    /// Kind of the access to shared memory, if the instruction accesses it or copies to it.
    pub kind: SharedKind,
    /// Address in the memory space of the instruction; for a copy, the source. `None` if the text is not understood.
    pub address: Option<A>,
    /// Address in shared memory to which `LDGSTS` copies.
    pub destination: Option<A>,
}

/// An address as the sum written in the operand.
#[derive(Debug)]
pub(crate) struct Sum {
    pub addends: Vec<Addend>,
    /// True if a part of the address has 64 bits or is extended to 64 bits.
    pub is_wide: bool,
}

/// A part of an address. `R` is a register, or a value that replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Addend<R = Register> {
    Number(i64),
    /// 32 bits. `signed` is true for sign extension, false for zero extension, and `None` if the address has 32 bits.
    Word {
        register: R,
        times: i64,
        signed: Option<bool>,
    },
    /// 64 bits in two registers.
    Pair {
        low: R,
        high: R,
    },
}

impl Reference {
    /// Reads the memory reference of an instruction; `None` if it does not access memory by an address.
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
            // The text may name only the first register of a pair.
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
    /// `is_pair`: a single register without a modifier is a pair. `None` if it is unclear which register has 64 bits.
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
                    // Next to a pair, such a register may be either; next to a 32-bit index it is a 64-bit base.
                    None if !(is_pair && is_alone || has_index) => return None,
                    _ if times != 1 => return None,
                    _ => Addend::Pair { low: register, high: register.next()? },
                },
            });
        }
        Some(Self { addends, is_wide })
    }
}
