//! Pairs of instructions that access one register, and the order that they require.

use crate::{Register, RegisterFile};

/// Two instructions that access the same register; the first may be in flight when the second issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    pub first: u32,
    pub second: u32,
    pub register: Register,
    pub order: Order,
    /// True if the register is the last register that the first instruction's operand names, such as the high
    /// half of a pair.
    pub is_last: bool,
    /// Operand of the second instruction that names the register; `None` for its guard and for implicit accesses.
    pub operand: Option<u8>,
    /// Guaranteed cycles from issue to issue: the minimum over all paths between the two instructions.
    pub cycles: u32,
    /// Minimum number of instructions that wait for scoreboards, over all paths from the first instruction
    /// (exclusive) to the second (inclusive).
    pub waits: u32,
    /// Mask of the scoreboards that signal the end of the first access and that some path does not wait for.
    pub scoreboards: u8,
}

/// Dependence of an instruction on an earlier instruction through a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    ReadAfterWrite,
    WriteAfterWrite,
    WriteAfterRead,
}

/// True if every instruction reads the register at a fixed time after its issue. This time is late enough for
/// a fast write to land first.
/// Source: on an H100 a `UMOV` two cycles after a `ULEA` changes what the `ULEA` reads; compilers leave three cycles.
pub(super) fn is_read_in_time(register: Register) -> bool {
    register.file == RegisterFile::Uniform
}

/// True if a queued instruction reads the register in the queue rather than at its issue.
/// Source: compilers overwrite predicates and uniform registers directly after such an instruction.
pub(super) fn is_read_late(register: Register) -> bool {
    matches!(register.file, RegisterFile::General | RegisterFile::Named)
}
