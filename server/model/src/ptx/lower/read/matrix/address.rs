//! Addresses of a fragment's accesses: a base address for each lane, and offsets from it in lines and bytes.

use super::super::builder::Builder;
use super::fragment::{Accesses, Lane, Matrix, TILE_LINES, UnitOffset};
use crate::ptx::lower::ir::{Address, Arg, Operation, ValueId};

/// `LOP3` truth table of `(a & b) | c`.
const MASKED_OR: u64 = 0xea; // Source: the PTX ISA, lop3

/// Location of a matrix in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatrixLocation {
    /// Address of the first element: one register for shared memory, otherwise a register pair.
    pub base: ValueId,
    /// Offset in bytes that is added to the base.
    pub offset: i64,
    /// Stride between lines, in elements.
    pub stride: ValueId,
}

/// Adds the nodes that compute the addresses of one fragment.
pub(super) struct Addresser<'b, 'a, 's> {
    pub builder: &'b mut Builder<'a>,
    pub matrix: &'s Matrix,
    pub place: MatrixLocation,
}

impl Addresser<'_, '_, '_> {
    /// Returns the addresses of a lane's accesses, in access order.
    pub(super) fn of_lane(&mut self, accesses: &Accesses) -> Vec<Address> {
        let shift = (8 * accesses.unit_bytes / self.matrix.bits).trailing_zeros();
        let (line, column) = self.first_unit(accesses.lane);
        let stride = self.shifted_right(self.place.stride, shift);
        let first = self.place.base;
        let unit_shift = accesses.unit_bytes.trailing_zeros();
        if accesses.is_separate {
            let one = |&access: &UnitOffset| {
                let line = self.plus(line, access.lines);
                let column = self.plus(column, access.bytes / accesses.unit_bytes);
                let base = self.indexed(first, line, column, stride, unit_shift, true);
                self.address(base, 0)
            };
            return accesses.all.iter().map(one).collect();
        }
        let first = self.indexed(first, line, column, stride, unit_shift, false);
        let distance = self.distance(accesses, stride, unit_shift);
        let one = |&access: &UnitOffset| match distance {
            Some((lines, distance)) if access.lines >= lines && access.lines != TILE_LINES => {
                let rest = UnitOffset { lines: access.lines - lines, bytes: 0 };
                let offset = self.advanced(distance, stride, rest, unit_shift).base.unwrap_or(distance);
                let base = self.builder.pure(Operation::Add, "s64", &[offset, first].map(Arg::plain), 2);
                self.address(base, access.bytes)
            }
            _ => self.advanced(first, stride, access, unit_shift),
        };
        accesses.all.iter().map(one).collect()
    }

    /// Returns a number of lines, and the distance in bytes that they span. For a fragment whose accesses have four
    /// different line offsets, ptxas computes this distance once and adds it to addresses. `None` for other fragments, and
    /// if the stride is a constant.
    fn distance(&mut self, accesses: &Accesses, stride: ValueId, unit_shift: u32) -> Option<(u32, ValueId)> {
        let is_wide = self.builder.body.words(self.place.base) == 2;
        if !is_wide || self.matrix.bits == 16 || self.builder.body.constant_of(stride).is_some() {
            return None;
        }
        let lines = accesses.all.iter().map(|access| access.lines);
        let lines = lines.filter(|&lines| lines > 0 && lines != TILE_LINES).min()?;
        if !accesses.all.iter().any(|access| access.lines == lines + TILE_LINES) {
            return None;
        }
        let step = self.builder.body.constant(u64::from(lines) << unit_shift, 1);
        let zero = self.builder.body.constant(0, 2);
        let args = [stride, step, zero].map(Arg::plain);
        Some((lines, self.builder.pure(Operation::AddressWide, "u32", &args, 2)))
    }

    /// Returns the addresses of the rows that the lanes pass to `LDSM`, one for each group of 16 lines. `words` is the
    /// number of tiles in a group.
    pub(super) fn of_rows(&mut self, words: u32, groups: u32) -> Vec<Address> {
        let matrix = *self.matrix;
        let lane = self.lane();
        let lane = if words == 2 { self.masked(lane, 0xf) } else { lane };
        let (bit, next) = (self.shifted_right(lane, 3), self.shifted_right(lane, 4));
        let row = self.masked(lane, u64::from(TILE_LINES) - 1);
        // The number of the tile has a bit for its line and a bit for its position along the line.
        let has_lines = matrix.lines > TILE_LINES;
        let has_along = matrix.along * matrix.bits > 128;
        let (of_line, of_along) = match (has_lines, has_along) {
            (true, true) if matrix.is_wide => (Some(bit), Some(next)),
            (true, true) => (Some(next), Some(bit)),
            (true, false) => (Some(bit), None),
            (false, true) => (None, Some(bit)),
            (false, false) => (None, None),
        };
        let (in_line, in_column) = if matrix.is_natural { (of_line, of_along) } else { (of_along, of_line) };
        let line = match in_line {
            Some(tile) if tile == bit && words == 4 => self.masked_or(tile, row),
            Some(tile) => self.multiply_add(tile, u64::from(TILE_LINES), row),
            None => row,
        };
        let element_shift = matrix.bits.trailing_zeros();
        let (stride, unit_shift) = if element_shift < 3 {
            (self.shifted_right(self.place.stride, 3 - element_shift), 0)
        } else {
            (self.place.stride, element_shift - 3)
        };
        let zero = self.builder.body.constant(0, 1);
        let column = match in_column {
            Some(tile) if tile == bit => {
                let shifted = self.shifted_left(tile, 3);
                self.masked(shifted, u64::from(TILE_LINES))
            }
            Some(tile) => self.shifted_left(tile, 3),
            None => zero,
        };
        let first = self.indexed(self.place.base, line, column, stride, unit_shift, false);
        let step = |group: u32| {
            if matrix.is_natural {
                UnitOffset { lines: 2 * TILE_LINES * group, bytes: 0 }
            } else {
                UnitOffset { lines: 0, bytes: 2 * TILE_LINES * group * matrix.bits / 8 }
            }
        };
        (0..groups).map(|group| self.advanced(first, stride, step(group), unit_shift)).collect()
    }

    fn lane(&mut self) -> ValueId {
        self.builder.special("%laneid", 1)
    }

    /// Returns the line and the column of the lane's first unit.
    fn first_unit(&mut self, lane_order: Lane) -> (ValueId, ValueId) {
        let lane = self.lane();
        let quad = self.shifted_right(lane, 2);
        match lane_order {
            Lane::Line | Lane::Pair => (quad, self.masked(lane, 3)),
            Lane::Column => (self.masked(lane, 3), quad),
            Lane::Bytes => (quad, self.scaled(lane, 2)),
            Lane::Elements => (self.scaled(lane, 1), quad),
            Lane::Quarters => (self.scaled(lane, 2), quad),
        }
    }

    /// Returns the lane's number within its group of four, shifted left.
    fn scaled(&mut self, lane: ValueId, shift: u32) -> ValueId {
        let shifted = self.shifted_left(lane, shift);
        self.masked(shifted, 3 << shift)
    }

    /// Returns the address of a unit: `base + ((line * stride + column) << unit_shift)`. If `is_short` is true,
    /// `line * stride + column` is computed in 32 bits even if the base is a register pair.
    fn indexed(
        &mut self,
        base: ValueId,
        line: ValueId,
        column: ValueId,
        stride: ValueId,
        unit_shift: u32,
        is_short: bool,
    ) -> ValueId {
        let shift = Arg::plain(self.builder.body.constant(u64::from(unit_shift), 1));
        let is_wide = self.builder.body.words(base) == 2;
        let (line, stride) = (Arg::plain(line), Arg::plain(stride));
        if is_wide && !is_short {
            let column = Arg::plain(self.builder.with_zeros(column));
            let at = self.builder.pure(Operation::AddressWide, "u32", &[line, stride, column], 2);
            let (at, base) = (Arg::plain(at), Arg::plain(base));
            return if unit_shift == 0 {
                self.builder.pure(Operation::Add, "s64", &[at, base], 2)
            } else {
                self.builder.pure(Operation::ShiftAdd, "s64", &[at, base, shift], 2)
            };
        }
        let is_base_first = unit_shift == 0 && !is_wide && self.builder.body.constant_of(column) == Some(0);
        let added = Arg::plain(if is_base_first { base } else { column });
        let at = self.builder.pure(Operation::MultiplyAdd, "s32", &[line, stride, added], 1);
        let (index, base) = (Arg::plain(at), Arg::plain(base));
        match (is_wide, unit_shift) {
            (true, _) => {
                let bytes = Arg::plain(self.builder.body.constant(1 << unit_shift, 1));
                self.builder.pure(Operation::AddressWide, "s32", &[index, bytes, base], 2)
            }
            (false, _) if is_base_first => at,
            (false, 0) => self.builder.pure(Operation::Add, "s32", &[index, base], 1),
            (false, _) => self.builder.pure(Operation::ShiftAdd, "s32", &[index, base, shift], 1),
        }
    }

    /// Returns the address of an access, given the address of the lane's first unit.
    fn advanced(&mut self, first: ValueId, stride: ValueId, access: UnitOffset, unit_shift: u32) -> Address {
        let step = u64::from(access.lines) << unit_shift;
        if step == 0 {
            return self.address(first, access.bytes);
        }
        if let Some(stride) = self.builder.body.constant_of(stride) {
            let bytes = stride.wrapping_mul(step) as u32;
            return self.address(first, access.bytes.wrapping_add(bytes));
        }
        let is_wide = self.builder.body.words(first) == 2;
        let base = match (is_wide, step) {
            (true, 1) => {
                let stride = Arg::plain(self.builder.with_zeros(stride));
                self.builder.pure(Operation::Add, "s64", &[Arg::plain(first), stride], 2)
            }
            (true, _) => {
                let step = Arg::plain(self.builder.body.constant(step, 1));
                let args = [Arg::plain(stride), step, Arg::plain(first)];
                self.builder.pure(Operation::AddressWide, "u32", &args, 2)
            }
            (false, _) => self.multiply_add(stride, step, first),
        };
        self.address(base, access.bytes)
    }

    fn address(&self, base: ValueId, bytes: u32) -> Address {
        let offset = self.place.offset.wrapping_add(i64::from(bytes));
        Address { base: Some(base), offset, bank: None }
    }

    fn with_constant(&mut self, operation: Operation, ty: &str, value: ValueId, bits: u64) -> ValueId {
        let other = Arg::plain(self.builder.body.constant(bits, 1));
        self.builder.pure(operation, ty, &[Arg::plain(value), other], 1)
    }

    fn shifted_right(&mut self, value: ValueId, shift: u32) -> ValueId {
        self.with_constant(Operation::ShiftRight, "u32", value, shift.into())
    }

    fn shifted_left(&mut self, value: ValueId, shift: u32) -> ValueId {
        self.with_constant(Operation::ShiftLeft, "b32", value, shift.into())
    }

    fn masked(&mut self, value: ValueId, mask: u64) -> ValueId {
        self.with_constant(Operation::And, "b32", value, mask)
    }

    fn plus(&mut self, value: ValueId, added: u32) -> ValueId {
        self.with_constant(Operation::Add, "s32", value, added.into())
    }

    fn multiply_add(&mut self, factor: ValueId, constant: u64, added: ValueId) -> ValueId {
        let constant = self.builder.body.constant(constant, 1);
        let args = [factor, constant, added].map(Arg::plain);
        self.builder.pure(Operation::MultiplyAdd, "s32", &args, 1)
    }

    /// Returns a lane's row across two tiles: `row`, plus the height of a tile if the lowest bit of `tile` is set.
    fn masked_or(&mut self, tile: ValueId, row: ValueId) -> ValueId {
        let shifted = self.shifted_left(tile, 3);
        let mask = self.builder.body.constant(u64::from(TILE_LINES), 1);
        let table = self.builder.body.constant(MASKED_OR, 1);
        let args = [shifted, mask, row, table].map(Arg::plain);
        self.builder.pure(Operation::Lookup, "b32", &args, 1)
    }
}
