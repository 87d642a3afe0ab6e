//! The products of a thread: fragments of both tiles loaded from shared memory, and the sums in registers.

use super::threads::{Arrangement, ThreadPosition};
use super::writer::{Bank, Register, Writer, ptx};
use crate::Element;

/// Bytes of the widest load. Source: PTX ISA, `ld`, vectors of 128 bits.
pub(crate) const WIDEST_BYTES: u32 = 16;

/// The elements that a thread multiplies in one row of a tile in shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fragment {
    /// Number of adjacent elements per vector in shared memory.
    pub(crate) vector: u32,
    /// Start of each vector, in elements from the thread's first element.
    pub(crate) vectors: Vec<u32>,
    /// Number of elements between adjacent rows of the tile in shared memory.
    pub(crate) pitch: u32,
}

impl Fragment {
    /// Returns vectors of the greatest width, interleaved over `threads` threads.
    pub(crate) fn interleaved(of_thread: u32, threads: u32, element: Element, pitch: u32) -> Self {
        let vector = of_thread.min(WIDEST_BYTES / element.bytes());
        let vectors = (0..of_thread / vector).map(|number| number * threads * vector).collect();
        Self { vector, vectors, pitch }
    }

    pub(crate) fn elements(&self) -> u32 {
        self.vector * self.vectors.len() as u32
    }

    /// Offset of each element from the thread's first element.
    pub(crate) fn offsets(&self) -> impl Iterator<Item = u32> {
        self.vectors.iter().flat_map(|first| (0..self.vector).map(move |element| first + element))
    }

    /// Emits the load of one row at an address and an offset in bytes. Halves are loaded in pairs. A single half is
    /// duplicated into both halves of a word.
    fn load(&self, w: &mut Writer, element: Element, address: Register, offset: u32) -> Vec<Register> {
        let mut all = Vec::new();
        for first in &self.vectors {
            let at = offset + first * element.bytes();
            let bytes = self.vector * element.bytes();
            all.extend(load_shared(w, element, bytes, address, at));
        }
        all
    }
}

/// The register bank for sums and fragments.
pub(crate) const fn bank(element: Element) -> Bank {
    match element {
        Element::F16 => Bank::Word,
        Element::F32 => Bank::Single,
        Element::F64 => Bank::Double,
    }
}

/// The type suffix of loads and stores of sums and fragments.
pub(crate) const fn memory_type(element: Element) -> &'static str {
    match element {
        Element::F16 => "b32",
        Element::F32 => "f32",
        Element::F64 => "f64",
    }
}

/// `{a, b}` or `a`, with the matching suffix of the opcode: `.v2` or an empty suffix.
pub(crate) fn vector(registers: &[Register]) -> (String, &'static str) {
    let names: Vec<String> = registers.iter().map(ToString::to_string).collect();
    match registers.len() {
        1 => (names[0].clone(), ""),
        2 => (format!("{{{}}}", names.join(", ")), ".v2"),
        _ => (format!("{{{}}}", names.join(", ")), ".v4"),
    }
}

fn load_shared(w: &mut Writer, element: Element, bytes: u32, address: Register, at: u32) -> Vec<Register> {
    if bytes == 2 {
        let half = w.value(Bank::Half, "ld.shared.b16", format_args!("[{address}+{at}]"));
        return vec![w.value(Bank::Word, "mov.b32", format_args!("{{{half}, {half}}}"))];
    }
    let words = bytes / element.bytes().max(4);
    let registers = w.registers(bank(element), words);
    let (names, suffix) = vector(&registers);
    ptx!(w, "ld.shared{suffix}.{} {names}, [{address}+{at}]", memory_type(element));
    registers
}

/// The halves of words, in order.
pub(crate) fn halves(w: &mut Writer, words: &[Register]) -> Vec<Register> {
    let mut all = Vec::new();
    for word in words {
        let pair = w.registers(Bank::Half, 2);
        ptx!(w, "mov.b32 {{{}, {}}}, {word}", pair[0], pair[1]);
        all.extend(pair);
    }
    all
}

/// Registers that are set to zero for a predicated load of this many bytes, and the load's type. A single half has a
/// 16-bit register.
pub(crate) fn zeros(w: &mut Writer, element: Element, bytes: u32) -> (Vec<Register>, &'static str) {
    if bytes == 2 {
        return (vec![w.value(Bank::Half, "mov.b16", format_args!("0"))], "b16");
    }
    let registers = w.registers(bank(element), bytes / element.bytes().max(4));
    set_zero(w, element, &registers);
    (registers, memory_type(element))
}

fn set_zero(w: &mut Writer, element: Element, registers: &[Register]) {
    for register in registers {
        match element {
            Element::F16 => ptx!(w, "mov.b32 {register}, 0"),
            Element::F32 => ptx!(w, "mov.f32 {register}, 0f00000000"),
            Element::F64 => ptx!(w, "mov.f64 {register}, 0d0000000000000000"),
        }
    }
}

/// A thread's share of the product of two tiles.
#[derive(Debug)]
pub(crate) struct Product {
    pub(crate) element: Element,
    pub(crate) rows: Fragment,
    pub(crate) columns: Fragment,
    /// `K_S`: independent partial sums per element of C.
    pub(crate) sums: u32,
    /// Number of steps of a tile, stored as rows in shared memory, that a thread's group multiplies.
    pub(crate) steps: u32,
}

/// Sums in registers, indexed by (sum, column, row). Two rows of halves share a register.
#[derive(Debug)]
pub(crate) struct Sums {
    registers: Vec<Register>,
    columns: usize,
    rows: usize,
}

impl Sums {
    /// The registers of one column of C.
    pub(crate) fn column(&self, column: usize) -> &[Register] {
        &self.registers[column * self.rows..(column + 1) * self.rows]
    }

    fn registers_of(&self, sum: usize) -> &[Register] {
        let size = self.columns * self.rows;
        &self.registers[sum * size..(sum + 1) * size]
    }
}

impl Product {
    /// Number of registers for the rows of a fragment. Two halves share a register.
    pub(crate) fn row_registers(&self) -> u32 {
        match self.element {
            Element::F16 => self.rows.elements() / 2,
            Element::F32 | Element::F64 => self.rows.elements(),
        }
    }

    /// Emits sums that are set to zero.
    pub(crate) fn zeroed(&self, w: &mut Writer) -> Sums {
        let (rows, columns) = (self.row_registers(), self.columns.elements());
        let registers = w.registers(bank(self.element), self.sums * rows * columns);
        set_zero(w, self.element, &registers);
        Sums { registers, columns: columns as usize, rows: rows as usize }
    }

    /// Emits the products of the thread's rows of both tiles, fully unrolled. `rows` and `columns` are the
    /// addresses of the thread's first elements.
    pub(crate) fn add(&self, w: &mut Writer, sums: &Sums, rows: Register, columns: Register) {
        let bytes = self.element.bytes();
        let fragments = |w: &mut Writer, step: u32| {
            let rows = self.rows.load(w, self.element, rows, step * self.rows.pitch * bytes);
            let columns = self.columns.load(w, self.element, columns, step * self.columns.pitch * bytes);
            (rows, self.spread(w, &columns))
        };
        let mut next = fragments(w, 0);
        for step in 0..self.steps {
            let (rows, columns) = next;
            // The next fragments are in flight while the current fragments are multiplied.
            next = if step + 1 < self.steps { fragments(w, step + 1) } else { (Vec::new(), Vec::new()) };
            let of = sums.registers_of((step % self.sums) as usize);
            for (column, factor) in columns.iter().enumerate() {
                for (row, other) in rows.iter().enumerate() {
                    let sum = of[column * rows.len() + row];
                    ptx!(w, "fma.rn.{} {sum}, {other}, {factor}, {sum}", self.arithmetic());
                }
            }
        }
    }

    const fn arithmetic(&self) -> &'static str {
        match self.element {
            Element::F16 => "f16x2",
            Element::F32 => "f32",
            Element::F64 => "f64",
        }
    }

    /// Returns one register per element. A half is duplicated into both halves of its register, so that it can multiply
    /// a pair of rows.
    fn spread(&self, w: &mut Writer, columns: &[Register]) -> Vec<Register> {
        if self.element != Element::F16 || self.columns.vector == 1 {
            return columns.to_vec();
        }
        let mut all = Vec::new();
        for pair in columns {
            let halves = w.registers(Bank::Half, 2);
            ptx!(w, "mov.b32 {{{}, {}}}, {pair}", halves[0], halves[1]);
            for half in halves {
                all.push(w.word("mov.b32", format_args!("{{{half}, {half}}}")));
            }
        }
        all
    }

    fn plus(&self, w: &mut Writer, sum: Register, other: Register) {
        ptx!(w, "add.{} {sum}, {sum}, {other}", self.arithmetic());
    }

    /// Emits the reduction of a thread's sums (`K_S`), then of the sums of all groups of the block (`K_L`).
    /// The groups exchange sums through the shared memory of the tiles. Afterwards only the first group holds
    /// the complete sums.
    pub(crate) fn reduce(&self, w: &mut Writer, sums: &Sums, threads: Arrangement, place: ThreadPosition) {
        for sum in 1..self.sums as usize {
            for (to, from) in sums.registers_of(0).iter().zip(sums.registers_of(sum)) {
                self.plus(w, *to, *from);
            }
        }
        if threads.groups == 1 {
            return;
        }
        let word = match self.element {
            Element::F16 => 4,
            Element::F32 | Element::F64 => self.element.bytes(),
        };
        // Adjacent threads, in one group or several groups, store a sum in adjacent words. There are no bank
        // conflicts.
        let group_bytes = threads.group_threads() * word;
        let size = threads.groups / 2 * group_bytes;
        let own = w.word("mov.u32", format_args!("tiles"));
        ptx!(w, "mad.lo.u32 {own}, {}, {word}, {own}", place.in_group);
        ptx!(w, "mad.lo.u32 {own}, {}, {group_bytes}, {own}", place.group);
        let mut groups = threads.groups;
        while groups > 1 {
            let half = groups / 2;
            let gives = w.predicate("setp.ge.u32", format_args!("{}, {half}", place.group));
            let gives_now =
                w.predicate("setp.lt.and.u32", format_args!("{}, {groups}, {gives}", place.group));
            let takes = w.predicate("setp.lt.u32", format_args!("{}, {half}", place.group));
            let to = w.word("sub.u32", format_args!("{own}, {}", half * group_bytes));
            let of = memory_type(self.element);
            ptx!(w, "bar.sync 0");
            for (at, sum) in sums.registers_of(0).iter().enumerate() {
                ptx!(w, "@{gives_now} st.shared.{of} [{to}+{}], {sum}", at as u32 * size);
            }
            ptx!(w, "bar.sync 0");
            for (at, sum) in sums.registers_of(0).iter().enumerate() {
                let other = w.register(bank(self.element));
                ptx!(w, "@{takes} ld.shared.{of} {other}, [{own}+{}]", at as u32 * size);
                let add = self.arithmetic();
                ptx!(w, "@{takes} add.{add} {sum}, {sum}, {other}");
            }
            groups = half;
        }
    }
}
