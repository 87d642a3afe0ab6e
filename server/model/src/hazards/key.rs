//! Keys under which the machine's tables list the distance of a pair of instructions.

use super::pair::{Order, Pair, is_read_in_time};
use crate::{Access, Program, Register, RegisterFile};
use machine::{DistanceKey, File, FunctionUnit, ResultPart, Usage};

impl Pair {
    /// Returns the key of this pair in [`Distances`](machine::Distances). `None` for a pair that scoreboards
    /// order, a write after a read outside the uniform file, a variable-latency result after a fixed-latency
    /// result (which is always later), an unknown opcode, an assembler's register name, or a convergence
    /// barrier.
    pub fn distance_key(&self, program: &Program) -> Option<DistanceKey> {
        let class = |inst: u32| program.instructions[inst as usize].class;
        let (producer, consumer) = (class(self.first)?, class(self.second)?);
        let is_fixed = program.arch.class(producer).latency.is_fixed();
        if !is_fixed && self.order != Order::WriteAfterRead {
            return None;
        }
        let usage = match self.order {
            Order::WriteAfterRead if !is_read_in_time(self.register) => return None,
            Order::WriteAfterRead => Usage::AfterRead,
            Order::WriteAfterWrite if !program.arch.class(consumer).latency.is_fixed() => return None,
            Order::WriteAfterWrite => overwrite(program, self.second, self.register),
            Order::ReadAfterWrite => usage(program, self.second, self.register, self.operand),
        };
        let part = if self.is_last { ResultPart::Last } else { ResultPart::Early };
        Some(DistanceKey { producer, part, file: file(self.register)?, usage, consumer: Some(consumer) })
    }
}

pub(super) fn file(register: Register) -> Option<File> {
    Some(match register.file {
        RegisterFile::General => File::General,
        RegisterFile::Uniform => File::Uniform,
        RegisterFile::Predicate => File::Predicate,
        RegisterFile::UniformPredicate => File::UniformPredicate,
        RegisterFile::ConditionCode => File::ConditionCode,
        RegisterFile::Barrier | RegisterFile::Named => return None,
    })
}

/// Returns the usage in the distance table of a register that `writer` overwrites.
pub(super) fn overwrite(program: &Program, writer: u32, register: Register) -> Usage {
    let writes = program.writes(&program.instructions[writer as usize]);
    let own = writes.iter().find(|write| write.register == register);
    let is_early =
        times_halves(program, writer) && own.is_some_and(|own| has_later(writes, register, own.operand));
    if is_early { Usage::Overwrite.early() } else { Usage::Overwrite }
}

/// True if the halves of the instruction's operands are timed separately, because its pipe processes one half
/// after the other.
fn times_halves(program: &Program, inst: u32) -> bool {
    let class = program.instructions[inst as usize].class;
    class.and_then(|class| program.arch.unit_of(class)).is_some_and(|unit| unit.kind == FunctionUnit::Sp)
}

/// True if `operand` names several registers, and the instruction's pipe reads the halves of its operands at
/// different times.
pub(super) fn is_of_several(program: &Program, reader: u32, operand: Option<u8>) -> bool {
    let reads = program.reads(&program.instructions[reader as usize]);
    times_halves(program, reader)
        && operand.is_some()
        && reads.iter().filter(|read| read.operand == operand).count() > 1
}

/// True if the operand also names later registers, such as the high half of a pair.
fn has_later(accesses: &[Access], register: Register, operand: Option<u8>) -> bool {
    let is_later = |other: &Access| {
        other.operand == operand
            && other.register.file == register.file
            && other.register.index > register.index
    };
    operand.is_some() && accesses.iter().any(is_later)
}

/// Returns the usage in the distance table of a register that `reader` reads through `operand`.
pub(super) fn usage(program: &Program, reader: u32, register: Register, operand: Option<u8>) -> Usage {
    let inst = &program.instructions[reader as usize];
    let Some(operand) = operand else {
        let is_guard = inst.guard.is_some_and(|guard| guard.predicate == register);
        return if is_guard { Usage::Guard } else { Usage::Operand };
    };
    // Results come first; the third operand after them is the addend.
    let is_general = register.file == RegisterFile::General;
    let is_third = is_general && operand >= inst.first_source.saturating_add(2);
    let usage = if is_third { Usage::Addend } else { Usage::Operand };
    let is_early = times_halves(program, reader) && has_later(program.reads(inst), register, Some(operand));
    if is_early { usage.early() } else { usage }
}
