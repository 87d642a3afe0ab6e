//! Lists of accesses in flight by register.

/// Writes and reads in flight, by register number. Clearing is linear in the number of entries.
#[derive(Debug)]
pub(crate) struct ByRegister<T> {
    written: Vec<Vec<T>>,
    read: Vec<Vec<T>>,
    /// Registers with entries, without duplicates, in the order of their first entries.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

impl<T> ByRegister<T> {
    pub(crate) fn new(registers: usize) -> Self {
        let lists = || std::iter::repeat_with(Vec::new).take(registers).collect();
        Self { written: lists(), read: lists(), touched: Vec::new(), is_touched: vec![false; registers] }
    }

    pub(crate) fn push(&mut self, register: u32, is_read: bool, touch: T) {
        if !std::mem::replace(&mut self.is_touched[register as usize], true) {
            self.touched.push(register);
        }
        self.list_mut(register, is_read).push(touch);
    }

    pub(crate) fn list(&self, register: u32, is_read: bool) -> &[T] {
        let lists = if is_read { &self.read } else { &self.written };
        &lists[register as usize]
    }

    pub(crate) fn list_mut(&mut self, register: u32, is_read: bool) -> &mut Vec<T> {
        let lists = if is_read { &mut self.read } else { &mut self.written };
        &mut lists[register as usize]
    }

    /// Iterates over the accesses of a register: its writes, then its reads.
    pub(crate) fn of_register(&self, register: u32) -> impl Iterator<Item = &T> {
        self.list(register, false).iter().chain(self.list(register, true))
    }

    /// Iterates over all accesses, each with its register number.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, &T)> {
        let touched = self.touched.iter();
        touched.flat_map(|&register| self.of_register(register).map(move |touch| (register, touch)))
    }

    pub(crate) fn clear(&mut self) {
        for register in std::mem::take(&mut self.touched) {
            self.is_touched[register as usize] = false;
            self.list_mut(register, false).clear();
            self.list_mut(register, true).clear();
        }
    }
}
