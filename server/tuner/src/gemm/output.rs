//! The sums of a block on their way to C.

use super::operand::halves;
use crate::Element;
use crate::kernel::{
    Arrangement, Fragment, Place, Product, Register, Sums, Target, Writer, memory_type, ptx, vector,
};

/// What a thread of the first group writes.
pub(super) struct Output<'a> {
    pub(super) product: &'a Product,
    pub(super) sums: &'a Sums,
    pub(super) place: Place,
    pub(super) threads: Arrangement,
    /// Adds to what is there, as several blocks have parts of the same sums (`K_G`).
    pub(super) adds: bool,
    pub(super) target: Target,
}

impl Output<'_> {
    /// Writes to C, column-major with this leading dimension. Each axis is its extent and the block's first element.
    pub(super) fn write(
        &self,
        w: &mut Writer,
        c: Register,
        leading: Register,
        [rows, columns]: [(Register, Register); 2],
    ) {
        let end = w.label();
        if self.threads.groups > 1 {
            let is_other = w.predicate("setp.ne.u32", format_args!("{}, 0", self.place.group));
            ptx!(w, "@{is_other} bra {end}");
        }
        let first =
            |w: &mut Writer, at: Register, fragment: &Fragment, (extent, first): (Register, Register)| {
                let own = w.word("mad.lo.u32", format_args!("{at}, {}, {first}", fragment.vector));
                (own, w.word("sub.s32", format_args!("{extent}, {own}")))
            };
        let (row, rows_left) = first(w, self.place.row, &self.product.rows, rows);
        let (column, columns_left) = first(w, self.place.column, &self.product.columns, columns);
        let bytes = self.product.element.bytes();
        let index = w.long("mul.wide.u32", format_args!("{column}, {leading}"));
        let row = w.long("cvt.u64.u32", format_args!("{row}"));
        ptx!(w, "add.u64 {index}, {index}, {row}");
        ptx!(w, "mad.lo.u64 {index}, {index}, {bytes}, {c}");

        let width = self.product.rows.vector;
        if width > 1 {
            // Whole vectors, where each column of C begins at a whole one.
            let scalar = w.label();
            let odd = w.word("or.b32", format_args!("{leading}, {}", rows.0));
            ptx!(w, "and.b32 {odd}, {odd}, {}", width - 1);
            let is_odd = w.predicate("setp.ne.u32", format_args!("{odd}, 0"));
            ptx!(w, "@{is_odd} bra {scalar}");
            self.columns(w, index, leading, (rows_left, columns_left), width);
            ptx!(w, "bra {end}");
            w.place(scalar);
        }
        self.columns(w, index, leading, (rows_left, columns_left), 1);
        w.place(end);
        ptx!(w, "ret");
    }

    /// Writes all columns in vectors of this size.
    fn columns(
        &self,
        w: &mut Writer,
        first: Register,
        leading: Register,
        (rows_left, columns_left): (Register, Register),
        width: u32,
    ) {
        let bytes = self.product.element.bytes();
        for (number, offset) in self.product.columns.offsets().enumerate() {
            let address = w.long("mad.wide.u32", format_args!("{leading}, {}, {first}", offset * bytes));
            let inside = w.predicate("setp.gt.s32", format_args!("{columns_left}, {offset}"));
            let values = self.sums.column(number);
            let values = match self.product.element {
                Element::F16 if width == 1 => halves(w, values),
                _ => values.to_vec(),
            };
            let each = values.len() / (self.product.rows.elements() / width) as usize;
            let rows: Vec<u32> = self.product.rows.offsets().step_by(width as usize).collect();
            for (row, values) in rows.into_iter().zip(values.chunks(each)) {
                let writes = w.predicate("setp.gt.and.s32", format_args!("{rows_left}, {row}, {inside}"));
                self.vector(w, writes, address, row * bytes, values, width);
            }
        }
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
        let element = self.product.element;
        let is_half = element == Element::F16 && width == 1;
        if !self.adds {
            let of = if is_half { "b16" } else { memory_type(element) };
            let (names, suffix) = vector(values);
            ptx!(w, "@{writes} st.global{suffix}.{of} [{address}+{offset}], {names}");
            return;
        }
        let of = match element {
            Element::F16 if is_half => "noftz.f16",
            Element::F16 => "noftz.f16x2",
            Element::F32 => "f32",
            Element::F64 => "f64",
        };
        if element != Element::F64 && self.target.adds_vectors() && !is_half {
            let (names, suffix) = vector(values);
            let (rounding, of) = of.rsplit_once('.').map_or(("", of), |(rounding, of)| (rounding, of));
            let dot = if rounding.is_empty() { "" } else { "." };
            ptx!(w, "@{writes} red.global.add{dot}{rounding}{suffix}.{of} [{address}+{offset}], {names}");
            return;
        }
        let step = if is_half { 2 } else { element.bytes().max(4) };
        for (number, value) in values.iter().enumerate() {
            let at = offset + number as u32 * step;
            ptx!(w, "@{writes} red.global.add.{of} [{address}+{at}], {value}");
        }
    }
}
