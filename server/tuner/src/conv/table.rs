//! The indirection table: the offset of the input element for each step of the sum. With the table, the main
//! loop needs no division (section 3.3).

use super::Conv;

/// Number of spare steps after the last step of the sum. They read no input. A kernel uses them if its last tile extends
/// past the end of the sum.
pub(super) const SPARE_STEPS: u32 = 64; // limit: the deepest tile of `super::SPACE`

/// Integers per step. Source: the table below: an offset, and a position in the filter.
pub(super) const ENTRY: u32 = 2;

/// A set bit above each of the two fields of a position. A subtraction in one field then does not borrow from
/// the other. Source: the layout of the table: two fields of 15 bits.
pub(super) const GUARDS: u32 = 0x8000_8000;

/// A position outside all filters. Source: the layout of the table: two fields of 15 bits.
const NOWHERE: u32 = 0x7fff_7fff;

/// Returns the table of a shape that [`Conv::checked`] accepts: two integers for each (c, r, s), in order.
///
/// The first integer is the offset in elements from the input element under the filter's first element, `c H W + r W +
/// s`. The second integer has r in its upper half and s in its lower half, each with its highest bit set. The number of
/// steps is rounded up to an even number. The steps are followed by 64 spare steps whose r and s are outside all
/// filters.
pub fn table(conv: &Conv) -> Vec<i32> {
    let steps = conv.steps().next_multiple_of(2) + SPARE_STEPS;
    let mut all = Vec::with_capacity((ENTRY * steps) as usize);
    for c in 0..conv.c {
        for r in 0..conv.r {
            for s in 0..conv.s {
                let distance = (c * conv.h + r) * conv.w + s;
                all.extend([distance as i32, (r << 16 | s | GUARDS) as i32]);
            }
        }
    }
    while all.len() < (ENTRY * steps) as usize {
        all.extend([0, (NOWHERE | GUARDS) as i32]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Element;

    #[test]
    fn a_step_reads_what_the_formula_reads() {
        let conv =
            Conv { n: 2, c: 3, h: 9, w: 11, k: 4, r: 3, s: 5, pad: 2, stride: 2, element: Element::F32 };
        let table = table(&conv);
        assert_eq!(table.len(), 2 * (46 + 64));
        let (c, r, s) = (2, 1, 4);
        let step = ((c * 3 + r) * 5 + s) * 2;
        assert_eq!(table[step], (2 * 9 * 11 + 11 + 4));
        assert_eq!(table[step + 1] as u32, 0x8001_8004);
        assert_eq!(table[2 * 45..][..2], [0, -1]);
    }
}
