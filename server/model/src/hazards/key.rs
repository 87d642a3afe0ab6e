//! From a pair of instructions to the distance that the machine's tables know.

use super::walk::is_read_in_time;
use super::{Order, Pair};
use crate::{Program, Register, RegisterFile};
use machine::{DistanceKey, File, ResultPart, Usage};

impl Pair {
    /// The entry of [`Distances`](machine::Distances) that is about this pair; `None` for one that scoreboards order, a
    /// write behind a read of another file than the uniform one, a result of variable latency behind one of fixed latency
    /// (it comes later anyhow), an unknown opcode, a name of an assembler's, a convergence barrier.
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
            Order::WriteAfterWrite => Usage::Overwrite,
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

/// What an instruction does with a register that it reads.
pub(super) fn usage(program: &Program, reader: u32, register: Register, operand: Option<u8>) -> Usage {
    let inst = &program.instructions[reader as usize];
    let Some(operand) = operand else {
        let is_guard = inst.guard.is_some_and(|guard| guard.predicate == register);
        return if is_guard { Usage::Guard } else { Usage::Operand };
    };
    // Results stand first; the third operand behind them is the one that is added.
    let is_general = register.file == RegisterFile::General;
    if is_general && operand >= inst.first_source.saturating_add(2) { Usage::Addend } else { Usage::Operand }
}
