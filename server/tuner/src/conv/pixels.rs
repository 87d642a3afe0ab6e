//! The pixels of a block's tile: their order in shared memory, and the pixels that a thread computes.

use crate::Element;
use crate::kernel::{Fragment, OutputLine, Register, WIDEST_BYTES, Writer, ptx};

/// The images, rows and columns of an output: its axes in the order of memory. Source: NCHW, the layout of PyTorch's tensors.
pub(super) const AXES: usize = 3;

/// The order of a tile's pixels in shared memory.
///
/// A position is a mixed-radix number. Its lowest digits count the pixels of a vector, the next digits count
/// threads, and the highest digits count the vectors of a thread. In each of these three groups, columns
/// precede rows, and rows precede images. Vectors of adjacent threads are therefore adjacent for any patch of
/// pixels, and lanes that load adjacent positions read along the columns of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pixels {
    digits: [Digit; 3 * AXES],
    /// Number of pixels per thread.
    of_thread: u32,
    /// Number of threads that compute different pixels. The block's other threads compute the same pixels for other
    /// filters.
    pub(super) threads: u32,
    /// Number of pixels in a vector that are adjacent along the output's columns.
    pub(super) run: u32,
}

/// A digit of a position in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Digit {
    axis: usize,
    /// Number of values of the digit, a power of two.
    count: u32,
    /// Pixels along the axis per unit of the digit.
    step: u32,
}

impl Pixels {
    /// Returns the order of the pixels in a tile. `block` is the tile's number of images, rows and columns, and
    /// `thread` is the number of each that one thread computes.
    pub(super) fn new(thread: [u32; AXES], block: [u32; AXES], element: Element) -> Self {
        let mut left = WIDEST_BYTES / element.bytes();
        let mut vector = [1; AXES];
        for axis in (0..AXES).rev() {
            vector[axis] = thread[axis].min(left);
            left /= vector[axis];
        }
        let threads: [u32; AXES] = std::array::from_fn(|axis| block[axis] / thread[axis]);
        let digits = std::array::from_fn(|at| {
            let axis = AXES - 1 - at % AXES;
            let (vector, threads) = (vector[axis], threads[axis]);
            let (count, step) = match at / AXES {
                0 => (vector, 1),
                1 => (threads, vector),
                _ => (thread[axis] / vector, vector * threads),
            };
            Digit { axis, count, step }
        });
        Self {
            digits,
            of_thread: thread.iter().product(),
            threads: threads.iter().product(),
            run: vector[AXES - 1],
        }
    }

    /// Number of pixels of the tile.
    pub(super) const fn count(&self) -> u32 {
        self.of_thread * self.threads
    }

    /// The pixels that a thread multiplies.
    pub(super) fn fragment(&self, element: Element) -> Fragment {
        Fragment::interleaved(self.of_thread, self.threads, element, self.count())
    }

    /// The image, row and column of the pixel at a position.
    pub(super) fn pixel(&self, place: u32) -> [u32; AXES] {
        let (mut pixel, mut left) = ([0; AXES], place);
        for digit in &self.digits {
            pixel[digit.axis] += left % digit.count * digit.step;
            left /= digit.count;
        }
        pixel
    }

    /// Number of images, rows and columns in the patch that the first `places` positions cover. `places` is a power of
    /// two.
    pub(super) fn of_places(&self, places: u32) -> [u32; AXES] {
        let (mut patch, mut left) = ([1; AXES], places);
        for digit in &self.digits {
            let count = digit.count.min(left);
            patch[digit.axis] *= count;
            left /= count;
        }
        patch
    }

    /// Emits code for [`Self::pixel`] at a position that is less than the power of two `below`.
    pub(super) fn locate(&self, w: &mut Writer, place: Register, below: u32) -> [Register; AXES] {
        let pixel = [(); AXES].map(|()| w.word("mov.u32", format_args!("0")));
        let mut weight = 1;
        for digit in &self.digits {
            let count = digit.count.min(below / weight);
            if count > 1 {
                let (at, bits) = (weight.trailing_zeros(), count.trailing_zeros());
                let value = w.word("bfe.u32", format_args!("{place}, {at}, {bits}"));
                let sum = pixel[digit.axis];
                ptx!(w, "mad.lo.u32 {sum}, {value}, {}, {sum}", digit.step);
            }
            weight = (weight * digit.count).min(below);
        }
        pixel
    }

    /// A thread's pixels grouped by the line of the output that contains them, as offsets from the thread's first
    /// pixel.
    pub(super) fn lines(&self, fragment: &Fragment) -> Vec<OutputLine> {
        let mut lines: Vec<OutputLine> = Vec::new();
        for (number, place) in fragment.offsets().enumerate() {
            let [image, row, column] = self.pixel(place);
            let at = vec![image, row];
            match lines.iter_mut().find(|line| line.at == at) {
                Some(line) => line.rows.push((number, column)),
                None => lines.push(OutputLine { at, rows: vec![(number, column)] }),
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const PATCHES: [([u32; AXES], [u32; AXES]); 6] = [
        ([1, 1, 4], [1, 4, 32]),
        ([1, 2, 8], [2, 8, 8]),
        ([8, 1, 1], [16, 1, 2]),
        ([2, 2, 2], [4, 4, 4]),
        ([1, 1, 1], [1, 1, 64]),
        ([4, 1, 2], [4, 2, 64]),
    ];

    #[test]
    fn each_pixel_of_a_block_is_computed_by_one_thread() {
        for element in Element::ALL {
            for (thread, block) in PATCHES {
                let pixels = Pixels::new(thread, block, element);
                let fragment = pixels.fragment(element);
                let mut found = BTreeSet::new();
                for row in 0..pixels.threads {
                    let first = pixels.pixel(row * fragment.vector);
                    for line in pixels.lines(&fragment) {
                        for (number, column) in &line.rows {
                            let own = [first[0] + line.at[0], first[1] + line.at[1], first[2] + column];
                            let place = row * fragment.vector + fragment.offsets().nth(*number).unwrap();
                            assert_eq!(pixels.pixel(place), own, "{thread:?} {block:?}");
                            assert!(own.iter().zip(block).all(|(at, size)| *at < size));
                            assert!(found.insert(own));
                        }
                    }
                }
                assert_eq!(found.len() as u32, block.iter().product::<u32>());
            }
        }
    }

    #[test]
    fn neighbours_of_a_line_stay_together_in_a_vector() {
        for (thread, block) in PATCHES {
            let pixels = Pixels::new(thread, block, Element::F16);
            for line in pixels.lines(&pixels.fragment(Element::F16)) {
                for run in line.rows.chunks(pixels.run as usize) {
                    let (number, column) = run[0];
                    assert!((0..).zip(run).all(|(at, found)| *found == (number + at, column + at as u32)));
                    assert!(column.is_multiple_of(pixels.run));
                }
            }
        }
    }
}
