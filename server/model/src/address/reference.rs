//! Memory references of an instruction: the address operands, and the addends of each address.

use super::operand::{AddressTerm, Operand, Operands, Source, Width, parts};
use crate::requests::SharedKind;
use crate::{Memory, Program, Register, RegisterFile};
use machine::MemorySpace;
use syntax::sass::Chunk;

/// A memory reference. Its addresses are as written in the text ([`Sum`]) or evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference<A = Sum> {
    pub memory: Memory,
    /// Kind of the shared memory access. Meaningless unless the instruction accesses shared memory or copies to it.
    pub kind: SharedKind,
    /// Address in the memory space of the instruction; for a copy, the source address. `None` if the address
    /// does not parse.
    pub address: Option<A>,
    /// Address in shared memory to which `LDGSTS` copies.
    pub destination: Option<A>,
}

/// An address as the sum written in the operand.
#[derive(Debug)]
pub(crate) struct Sum {
    pub addends: Vec<Addend>,
    /// True if an addend has 64 bits or is extended to 64 bits.
    pub is_wide: bool,
}

/// An addend of an address. `R` is a register, or a value that replaces the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Addend<R = Register> {
    Number(i64),
    /// A 32-bit value. `signed` is true for sign extension, false for zero extension, and `None` if the
    /// address has 32 bits.
    Word {
        register: R,
        times: i64,
        signed: Option<bool>,
    },
    /// A 64-bit value in two registers.
    Pair {
        low: R,
        high: R,
    },
}

impl Reference {
    /// Reads the memory reference of an instruction; `None` if the instruction does not access memory by an
    /// address.
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
    /// Sums the parsed terms of an address. If `is_pair`, a single register without a modifier denotes a pair.
    /// `None` if it is unclear which register has 64 bits.
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
                    // Next to a pair, a register without a modifier may have 32 or 64 bits. Next to a 32-bit
                    // index, it is a 64-bit base.
                    None if !(is_pair && is_alone || has_index) => return None,
                    _ if times != 1 => return None,
                    _ => Addend::Pair { low: register, high: register.next()? },
                },
            });
        }
        Some(Self { addends, is_wide })
    }
}
