//! The elements of a block's tile that each thread computes.

use super::writer::{Register, Writer, ptx};
use machine::units::WARP_SIZE;
use std::iter;

/// The arrangement of a block's threads over its tile of C: rows x columns x groups along K. All are powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrangement {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) groups: u32,
}

/// A thread's position in the arrangement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadPosition {
    pub(crate) row: Register,
    pub(crate) column: Register,
    pub(crate) group: Register,
    /// The thread's number in its group.
    pub(crate) in_group: Register,
}

/// The axis that a bit of a thread's number indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BitAxis {
    Row,
    Column,
}

impl Arrangement {
    pub(crate) const fn threads(self) -> u32 {
        self.rows * self.columns * self.groups
    }

    pub(crate) const fn group_threads(self) -> u32 {
        self.rows * self.columns
    }

    /// The axis of each bit of a thread's number within its group, from the lowest bit.
    ///
    /// A warp covers a patch that is as square as possible, so that it reads the fewest elements for its
    /// products. Its lanes alternate between both axes (Morton order). Adjacent lanes then share addresses in
    /// the pattern in which two wavefronts of wide loads merge. Source: `shared_load_merge` in
    /// `machine/data`, and the routable patterns named there.
    fn bits(self) -> Vec<BitAxis> {
        let (rows, columns) = (self.rows.trailing_zeros(), self.columns.trailing_zeros());
        let lanes = WARP_SIZE.trailing_zeros().min(rows + columns);
        // Half of a warp's bits, rounded up, count along rows if the rows have that many.
        let lane_rows = rows.min(lanes.div_ceil(2).max(lanes.saturating_sub(columns)));
        let lane_columns = lanes - lane_rows;
        let (mut left_rows, mut left_columns) = (lane_rows, lane_columns);
        let mut bits: Vec<BitAxis> = iter::from_fn(|| {
            let next = if left_rows > 0 && (left_rows > left_columns || left_columns == 0) {
                left_rows -= 1;
                BitAxis::Row
            } else if left_columns > 0 {
                left_columns -= 1;
                BitAxis::Column
            } else {
                return None;
            };
            Some(next)
        })
        .collect();
        bits.extend(iter::repeat_n(BitAxis::Row, (rows - lane_rows) as usize));
        bits.extend(iter::repeat_n(BitAxis::Column, (columns - lane_columns) as usize));
        bits
    }

    /// Emits the code that computes the position of the thread with this number.
    pub(crate) fn place(self, w: &mut Writer, thread: Register) -> ThreadPosition {
        let (group, in_group) = w.split(thread, self.group_threads());
        let bits = self.bits();
        let mut axis = |of: BitAxis| {
            let sum = w.word("mov.u32", format_args!("0"));
            let from = bits.iter().enumerate().filter(|(_, bit)| **bit == of).map(|(at, _)| at);
            for (to, at) in from.enumerate() {
                let bit = w.word("bfe.u32", format_args!("{in_group}, {at}, 1"));
                ptx!(w, "mad.lo.u32 {sum}, {bit}, {}, {sum}", 1 << to);
            }
            sum
        };
        let (row, column) = (axis(BitAxis::Row), axis(BitAxis::Column));
        ThreadPosition { row, column, group, in_group }
    }
}

#[cfg(test)]
mod tests {
    use super::BitAxis::{Column, Row};
    use super::*;

    #[test]
    fn every_thread_has_a_place_of_its_own() {
        for (rows, columns) in [(16, 16), (1, 64), (64, 1), (2, 4), (8, 32), (32, 2), (1, 1)] {
            let bits = Arrangement { rows, columns, groups: 1 }.bits();
            let along = |of| bits.iter().filter(|bit| **bit == of).count() as u32;
            assert_eq!((1 << along(Row), 1 << along(Column)), (rows, columns));
        }
    }

    #[test]
    fn a_warp_covers_eight_by_four_threads_in_morton_order() {
        let bits = Arrangement { rows: 16, columns: 16, groups: 1 }.bits();
        assert_eq!(bits[..5], [Row, Column, Row, Column, Row]);
        assert_eq!(bits[5..], [Row, Column, Column]);
    }
}
