//! Events that end an access of a register.

/// The end of an access: an instruction's result is written, or its sources have been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Event(u32);

impl Event {
    pub(crate) const fn written(inst: u32) -> Self {
        Self(2 * inst)
    }

    pub(crate) const fn read(inst: u32) -> Self {
        Self(2 * inst + 1)
    }

    pub(crate) const fn inst(self) -> u32 {
        self.0 / 2
    }

    pub(crate) const fn is_read(self) -> bool {
        self.0 % 2 == 1
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}
