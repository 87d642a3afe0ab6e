//! Maps the registers of a kernel to slots of a state vector.

use super::forms::Value;
use crate::{Program, Register, RegisterFile};

/// Values of all registers, by slot.
pub(super) type State = Vec<Value>;

/// The tracked registers, and the position of each register in a [`State`].
#[derive(Debug)]
pub(super) struct Slots {
    all: Vec<Register>,
    starts: [usize; FILES],
    counts: [usize; FILES],
}

/// Number of tracked register files: the first files of [`RegisterFile`].
// limit: the files up to and including the condition code.
const FILES: usize = RegisterFile::ConditionCode as usize + 1;

/// Number of registers in a file. Registers with larger indices do not exist and are not tracked.
// Source: instructions name a register in eight bits.
const MAX: usize = 256;

impl Slots {
    pub(super) fn collect(program: &Program) -> Self {
        let mut counts = [0; FILES];
        for access in &program.accesses {
            if let Some(file) = file(access.register.file) {
                counts[file] = counts[file].max((usize::from(access.register.index) + 1).min(MAX));
            }
        }
        let mut slots = Self { all: Vec::new(), starts: [0; FILES], counts };
        for (at, &file) in RegisterFile::ALL[..FILES].iter().enumerate() {
            slots.starts[at] = slots.all.len();
            slots.all.extend((0..counts[at] as u16).map(|index| Register { file, index }));
        }
        slots
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Slot of a register; `None` for an untracked register.
    pub(super) fn slot(&self, register: Register) -> Option<usize> {
        let file = file(register.file)?;
        let index = usize::from(register.index);
        (index < self.counts[file]).then(|| self.starts[file] + index)
    }

    pub(super) fn register(&self, slot: usize) -> Register {
        self.all[slot]
    }

    /// True if the register is in a uniform register file, so that all lanes share its value.
    pub(super) fn is_uniform(&self, slot: usize) -> bool {
        matches!(self.all[slot].file, RegisterFile::Uniform | RegisterFile::UniformPredicate)
    }

    pub(super) fn get(&self, state: &State, register: Register) -> Value {
        self.slot(register).map_or(Value::Unknown, |slot| state[slot])
    }
}

fn file(file: RegisterFile) -> Option<usize> {
    Some(file as usize).filter(|&at| at < FILES)
}
