//! The stack frame of a thread in local memory. Register spills are distinguished from array accesses.
//!
//! ptxas addresses both kinds of access from R1. A spilled register is stored to and loaded from a fixed offset. From
//! Volta on, its last load is marked `.LU`. An array is in local memory if one of its indices is not constant, and R1
//! is then added to the offset. Source: listings of ptxas 10.2 to 13.5, compared with the counts that `ptxas -v`
//! prints.

use super::Memory;
use model::{Chunk, MemorySpace, Register, RegisterFile};
use std::collections::BTreeMap;
use std::ops::Range;

/// The stack pointer. Source: the CUDA ABI, which ptxas follows on all generations.
const STACK_POINTER: Register = Register { file: RegisterFile::General, index: 1 };

/// Purpose of an access to local memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// A register spill or its reload. `others` are the matching loads of a store, or the matching stores of
    /// a load.
    Spill { others: Vec<u32> },
    /// An access that is certainly or possibly to an array. `fixed` is true if its offset is a constant.
    Array { fixed: bool },
}

/// A kernel's local-memory accesses.
#[derive(Debug, Default)]
pub struct Frame {
    pub roles: BTreeMap<u32, Role>,
    /// Size of the frame in bytes; `None` if the code does not decrease R1 by a constant.
    pub bytes: Option<u32>,
}

/// An access at a fixed offset in the stack frame. `bytes` are offsets from R1.
#[derive(Debug)]
struct Slot {
    inst: u32,
    bytes: Range<i64>,
    loads: bool,
    is_last_use: bool,
}

impl Frame {
    /// Distinguishes spills from arrays among the local-memory accesses. The result is empty for a kernel
    /// without such accesses.
    pub fn analyse(memory: &Memory<'_>) -> Self {
        let local: Vec<u32> = (0..memory.program.instructions.len() as u32)
            .filter(|&inst| {
                let touched = memory.program.instructions[inst as usize].memory;
                touched.is_some_and(|memory| memory.space == MemorySpace::Local)
            })
            .collect();
        if local.is_empty() {
            return Self::default();
        }
        let pointer = Pointer::analyse(memory);
        let slots: Vec<Slot> = if pointer.is_kept {
            local.iter().filter_map(|&inst| slot(memory, inst)).collect()
        } else {
            Vec::new()
        };
        let mut roles: BTreeMap<u32, Role> =
            local.into_iter().map(|inst| (inst, Role::Array { fixed: false })).collect();
        for one in &slots {
            let others: Vec<&Slot> = slots
                .iter()
                .filter(|other| other.loads != one.loads && overlap(&one.bytes, &other.bytes))
                .collect();
            // If an array may begin at an unknown offset, only the last-use mark identifies a spilled
            // register.
            let is_marked = one.is_last_use
                || others.iter().any(|other| other.is_last_use)
                || others.iter().any(|other| {
                    slots.iter().any(|third| third.is_last_use && overlap(&third.bytes, &other.bytes))
                });
            let role = if !others.is_empty() && (is_marked || !pointer.is_added) {
                Role::Spill { others: others.iter().map(|other| other.inst).collect() }
            } else {
                Role::Array { fixed: true }
            };
            roles.insert(one.inst, role);
        }
        Self { roles, bytes: pointer.bytes }
    }
}

fn overlap(a: &Range<i64>, b: &Range<i64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Uses of R1, the stack pointer, in a kernel.
#[derive(Debug)]
struct Pointer {
    /// True if R1 is only written from the constant bank, or from its own value plus an offset.
    is_kept: bool,
    /// True if R1 is read to compute the address of an array or an argument, and not only as the base of
    /// local accesses.
    is_added: bool,
    bytes: Option<u32>,
}

impl Pointer {
    fn analyse(memory: &Memory<'_>) -> Self {
        let program = memory.program;
        let mut found = Self { is_kept: true, is_added: false, bytes: None };
        for (inst, index) in program.instructions.iter().zip(0_u32..) {
            let reads = program.reads(inst).iter().any(|access| access.register == STACK_POINTER);
            let writes = program.writes(inst).iter().any(|access| access.register == STACK_POINTER);
            let is_local = inst.memory.is_some_and(|memory| memory.space == MemorySpace::Local);
            if writes {
                let text = operands_text(memory.chunk, index);
                let is_bank = text.contains("c[0x0]") || text.contains("c[0]");
                found.is_kept &= reads || is_bank;
                if reads && found.bytes.is_none() {
                    found.bytes = text.rsplit(',').find_map(moved_down);
                }
            } else if reads && !is_local && inst.target.is_none() {
                found.is_added = true;
            }
        }
        found
    }
}

/// Number of bytes by which an operand decreases the stack pointer: 0xa0 for `-0xa0` and `0xffffff60`. `None`
/// for other operands.
fn moved_down(operand: &str) -> Option<u32> {
    let operand = operand.trim();
    let (digits, negative) = operand.strip_prefix('-').map_or((operand, false), |digits| (digits, true));
    let value = u32::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?;
    let bytes = if negative { value } else { value.wrapping_neg() };
    (bytes < 1 << 24 && bytes > 0).then_some(bytes)
}

/// The stack slot of an access of the form `[R1+0x10]`; `None` for any other address.
fn slot(memory: &Memory<'_>, inst: u32) -> Option<Slot> {
    let (_, range) = memory.address_operands(inst).into_iter().next()?;
    let instruction = &memory.chunk.instructions()[inst as usize];
    let line = memory.chunk.line_text(instruction.line as usize);
    let text = line.get(range.start as usize..range.end as usize)?;
    let inside = text.split_once('[')?.1.split(']').next()?.replace(' ', "");
    let rest = inside.strip_prefix("R1")?;
    let start = if rest.is_empty() { 0 } else { offset(rest.strip_prefix('+')?)? };
    let touched = memory.program.instructions[inst as usize].memory?;
    Some(Slot {
        inst,
        bytes: start..start + i64::from(touched.bytes_per_lane),
        loads: touched.loads,
        is_last_use: memory.chunk.modifiers(instruction).any(|modifier| modifier == "LU"),
    })
}

fn offset(text: &str) -> Option<i64> {
    let (digits, sign) = text.strip_prefix('-').map_or((text, 1), |digits| (digits, -1));
    Some(sign * i64::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?)
}

/// Operands of an instruction, as written.
fn operands_text(chunk: &Chunk, inst: u32) -> &str {
    let instruction = &chunk.instructions()[inst as usize];
    let line = chunk.line_text(instruction.line as usize);
    let mut operands = chunk.operands(instruction).filter(|tokens| !tokens.is_empty());
    let Some(first) = operands.next() else { return "" };
    let last = operands.last().unwrap_or(first);
    &line[first[0].start as usize..last[last.len() - 1].end()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_made_by_negative_numbers() {
        assert_eq!(moved_down(" -0xa0"), Some(0xa0));
        assert_eq!(moved_down("0xffffff60"), Some(0xa0));
        assert_eq!((moved_down("RZ"), moved_down("0xa0"), moved_down("0x0")), (None, None, None));
        assert_eq!((offset("0x10"), offset("-0x10"), offset("R2")), (Some(16), Some(-16), None));
    }
}
