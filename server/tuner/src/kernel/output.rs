//! Code that writes the sums of a block to the output.

use super::product::{Fragment, Sums, halves, memory_type, vector};
use super::threads::{Arrangement, ThreadPosition};
use super::writer::{Register, Target, Writer, ptx};
use crate::Element;

/// The sums that a thread of group 0 writes, and the type of store.
pub(crate) struct Output<'a> {
    pub(crate) element: Element,
    pub(crate) columns: &'a Fragment,
    pub(crate) sums: &'a Sums,
    pub(crate) place: ThreadPosition,
    pub(crate) threads: Arrangement,
    /// True if several blocks hold partial sums of the same outputs. Their sums are then added to memory
    /// instead of stored.
    pub(crate) adds: bool,
    pub(crate) target: Target,
}

/// Destination of a thread's sums. The rows of each column are spread over lines of the output. Each line is contiguous
/// in memory.
pub(crate) struct Destination {
    /// The thread's first element.
    pub(crate) address: Register,
    /// Elements per line.
    pub(crate) extent: Register,
    /// Number of elements from the thread's first element to the end of its line.
    pub(crate) left: Register,
    /// Elements per store if all lines begin at a multiple of this number. Otherwise stores are narrower.
    pub(crate) width: u32,
    pub(crate) columns: Axis,
    /// The axes that lead from one line of a column to another.
    pub(crate) axes: Vec<Axis>,
    pub(crate) lines: Vec<OutputLine>,
}

/// An axis of the output.
pub(crate) struct Axis {
    /// Elements between adjacent indices.
    pub(crate) stride: Register,
    /// Number of indices from the thread's first index to the end of the axis.
    pub(crate) left: Register,
}

/// Rows of a thread that are on the same line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutputLine {
    /// The offset along each axis, from the thread's first row.
    pub(crate) at: Vec<u32>,
    /// Index of each row in the thread's fragment, with the row's offset along the line from the thread's
    /// first element.
    pub(crate) rows: Vec<(usize, u32)>,
}

impl Output<'_> {
    /// Emits the stores of all sums and the end of the kernel. `locate` emits the code that computes their
    /// destination. Only threads of group 0 execute this code.
    pub(crate) fn write(&self, w: &mut Writer, locate: impl FnOnce(&mut Writer) -> Destination) {
        let end = w.label();
        if self.threads.groups > 1 {
            let is_other = w.predicate("setp.ne.u32", format_args!("{}, 0", self.place.group));
            ptx!(w, "@{is_other} bra {end}");
        }
        let to = locate(w);
        // Additions of single halves take many times as long as additions of pairs.
        let pairs = self.adds && self.element == Element::F16 && to.width > 2;
        for width in [Some(to.width), pairs.then_some(2)].into_iter().flatten().filter(|width| *width > 1) {
            let narrower = w.label();
            let odd = w.word("or.b32", format_args!("{}, {}", to.columns.stride, to.extent));
            ptx!(w, "and.b32 {odd}, {odd}, {}", width - 1);
            let is_odd = w.predicate("setp.ne.u32", format_args!("{odd}, 0"));
            ptx!(w, "@{is_odd} bra {narrower}");
            self.lines(w, &to, width);
            ptx!(w, "bra {end}");
            w.place(narrower);
        }
        self.lines(w, &to, 1);
        w.place(end);
        ptx!(w, "ret");
    }

    /// Emits the stores or reductions for all lines, in vectors of `width` elements.
    fn lines(&self, w: &mut Writer, to: &Destination, width: u32) {
        let bytes = self.element.bytes();
        for line in &to.lines {
            let (mut first, mut is_inside) = (to.address, None);
            for (axis, at) in to.axes.iter().zip(&line.at) {
                if *at > 0 {
                    first = w.long("mad.wide.u32", format_args!("{}, {}, {first}", axis.stride, at * bytes));
                }
                is_inside = Some(inside(w, axis.left, *at, is_inside));
            }
            for (number, offset) in self.columns.offsets().enumerate() {
                let stride = to.columns.stride;
                let address = w.long("mad.wide.u32", format_args!("{stride}, {}, {first}", offset * bytes));
                let is_inside = inside(w, to.columns.left, offset, is_inside);
                let values = self.values(w, number, line, width);
                let each = values.len() / (line.rows.len() / width as usize);
                let starts = line.rows.iter().step_by(width as usize);
                for ((_, row), values) in starts.zip(values.chunks(each)) {
                    let writes = inside(w, to.left, *row, Some(is_inside));
                    self.vector(w, writes, address, row * bytes, values, width);
                }
            }
        }
    }

    /// Registers with the sums of a line's rows in one column, in order. Halves are in pairs, unless `width`
    /// is 1.
    fn values(&self, w: &mut Writer, column: usize, line: &OutputLine, width: u32) -> Vec<Register> {
        let sums = self.sums.column(column);
        let rows = line.rows.iter().map(|(row, _)| *row);
        if self.element != Element::F16 {
            return rows.map(|row| sums[row]).collect();
        }
        let mut words: Vec<usize> = rows.clone().map(|row| row / 2).collect();
        words.dedup();
        let pairs: Vec<Register> = words.iter().map(|word| sums[*word]).collect();
        if width > 1 {
            return pairs;
        }
        let halves = halves(w, &pairs);
        let half_of = |row: usize| words.iter().position(|word| *word == row / 2).map(|at| 2 * at + row % 2);
        rows.filter_map(|row| half_of(row).map(|at| halves[at])).collect()
    }

    fn vector(
        &self,
        w: &mut Writer,
        writes: Register,
        address: Register,
        offset: u32,
        values: &[Register],
        width: u32,
    ) {
        let element = self.element;
        let is_half = element == Element::F16 && width == 1;
        if !self.adds {
            let of = if is_half { "b16" } else { memory_type(element) };
            let (names, suffix) = vector(values);
            ptx!(w, "@{writes} st.global{suffix}.{of} [{address}+{offset}], {names}");
            return;
        }
        let (rounding, of) = match element {
            Element::F16 if is_half => (".noftz", "f16"),
            Element::F16 => (".noftz", "f16x2"),
            Element::F32 => ("", "f32"),
            Element::F64 => ("", "f64"),
        };
        if element != Element::F64 && self.target.adds_vectors() && !is_half {
            let (names, suffix) = vector(values);
            ptx!(w, "@{writes} red.global.add{rounding}{suffix}.{of} [{address}+{offset}], {names}");
            return;
        }
        let step = if is_half { 2 } else { element.bytes().max(4) };
        for (number, value) in values.iter().enumerate() {
            let at = offset + number as u32 * step;
            ptx!(w, "@{writes} red.global.add{rounding}.{of} [{address}+{at}], {value}");
        }
    }
}

/// Emits a predicate that is true if the offset `at` is less than `left` and, if given, `also` is true.
fn inside(w: &mut Writer, left: Register, at: u32, also: Option<Register>) -> Register {
    match also {
        None => w.predicate("setp.gt.s32", format_args!("{left}, {at}")),
        Some(also) => w.predicate("setp.gt.and.s32", format_args!("{left}, {at}, {also}")),
    }
}
