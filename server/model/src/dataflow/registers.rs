//! The registers that a kernel names, numbered from 0.

use crate::{Program, Register, RegisterFile};

/// Every register that some instruction reads or writes, in the order of [`Register`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Registers {
    all: Vec<Register>,
    /// Register number by file and index; `NONE` if the kernel does not name the register.
    numbers: [Vec<u32>; RegisterFile::ALL.len()],
}

const NONE: u32 = u32::MAX; // limit: no register has this index

impl Registers {
    pub(crate) fn collect(program: &Program, others: impl Iterator<Item = Register>) -> Self {
        let mut numbers: [Vec<u32>; RegisterFile::ALL.len()] = Default::default();
        for register in program.accesses.iter().map(|access| access.register).chain(others) {
            let file = &mut numbers[register.file as usize];
            let index = usize::from(register.index);
            if index >= file.len() {
                file.resize(index + 1, NONE);
            }
            file[index] = 0;
        }
        let mut all = Vec::new();
        for file in RegisterFile::ALL {
            for (index, number) in numbers[file as usize].iter_mut().enumerate() {
                if *number != NONE {
                    *number = all.len() as u32;
                    all.push(Register { file, index: index as u16 });
                }
            }
        }
        Self { all, numbers }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn all(&self) -> &[Register] {
        &self.all
    }

    /// Number of a register; `None` if the kernel does not name the register.
    pub(crate) fn number(&self, register: Register) -> Option<usize> {
        let number = *self.numbers[register.file as usize].get(usize::from(register.index))?;
        (number != NONE).then_some(number as usize)
    }
}
