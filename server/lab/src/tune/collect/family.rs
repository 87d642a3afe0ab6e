//! Kinds of problems, with the functions that sample collection needs in addition to those of [`Problem`].

use rand::Rng;
use tuner::features::ELEMENT_BYTES;
use tuner::{Conv, Element, Gemm, Problem, conv};

/// A kind of problem for which random launches are drawn.
pub trait Family: Problem {
    /// Index of the parameter that splits sums over the grid. A kernel's text depends on whether sums are
    /// split, but not on the number of parts. Source: the order of the parameters in `tuner`.
    const GRID_SPLIT: usize;

    /// One shape per element type and layout, each of the smallest size. A kernel's PTX text does not depend on the
    /// problem sizes.
    fn layouts() -> Vec<Self>;
    /// A shape with the same types and layout and random sizes.
    #[must_use]
    fn with_random_sizes(&self, random: &mut impl Rng) -> Self;
    /// Integers in the table that the kernel's parameter `t` points to; empty if the kernel has no such
    /// parameter.
    fn table(&self) -> Vec<i32> {
        Vec::new()
    }
    /// The kernel's parameters, in the notation of the measuring program.
    fn parameters(&self) -> Vec<String>;
    /// The problem sizes, as in a row of the data file. Their columns precede the type and the layout.
    fn sizes(&self) -> Vec<u32> {
        let columns = Self::KIND.problem_columns().iter().zip(self.values());
        columns.take_while(|(name, _)| **name != ELEMENT_BYTES).map(|(_, value)| value as u32).collect()
    }
    /// The parameters for the check of one launch. Leading dimensions, if the problem has any, are made longer than
    /// necessary at random.
    fn check_parameters(&self, tiling: &Self::Tiling, random: &mut impl Rng) -> Vec<String>;

    /// The integers in a row of the data file: the problem sizes, then the tiling parameters.
    fn row(&self, tiling: &Self::Tiling) -> Vec<u32> {
        self.sizes().into_iter().chain(Self::point(tiling)).collect()
    }

    /// Returns a tiling that represents all tilings whose kernels have the same text.
    fn text_of(tiling: &Self::Tiling) -> Self::Tiling {
        let mut point = Self::point(tiling);
        point[Self::GRID_SPLIT] = point[Self::GRID_SPLIT].min(2);
        Self::tiling(&point)
    }

    /// Returns a random tiling whose kernel has the same text.
    fn vary(tiling: &Self::Tiling, random: &mut impl Rng) -> Self::Tiling {
        let mut point = Self::point(tiling);
        if point[Self::GRID_SPLIT] > 1 {
            let parts = &Self::SPACE.parameters[Self::GRID_SPLIT].1[1..];
            point[Self::GRID_SPLIT] = parts[random.random_range(0..parts.len())];
        }
        Self::tiling(&point)
    }

    /// True if a launch is neither too short nor too long to measure, and if its arrays fit into memory.
    fn is_measurable(&self) -> bool {
        (2e6..3e10).contains(&self.flops()) && self.bytes().iter().all(|bytes| *bytes < 1 << 29)
    }
}

/// Name of the entry function in every kernel file.
pub(super) const ENTRY: &str = "kernel";

/// A random size between two bounds, drawn uniformly on a logarithmic scale. Half of the sizes are rounded to
/// multiples of 16, and a quarter to multiples of 4.
fn random_size(random: &mut impl Rng, [least, most]: [f64; 2]) -> u32 {
    let size = random.random_range(least.ln()..=most.ln()).exp().round() as u32;
    match random.random_range(0..4) {
        0 | 1 => size.next_multiple_of(16),
        2 => size.next_multiple_of(4),
        _ => size,
    }
}

impl Family for Gemm {
    // Source: `tuner::gemm::SPACE`, `grid_k`.
    const GRID_SPLIT: usize = 7;

    fn layouts() -> Vec<Self> {
        let transposed = [(false, false), (false, true), (true, false), (true, true)];
        let each = |element| {
            transposed.into_iter().map(move |(a_transposed, b_transposed)| Self {
                m: 1,
                n: 1,
                k: 1,
                element,
                a_transposed,
                b_transposed,
            })
        };
        Element::ALL.into_iter().flat_map(each).collect()
    }

    fn with_random_sizes(&self, random: &mut impl Rng) -> Self {
        loop {
            let [m, n] = [0; 2].map(|_| random_size(random, [8.0, 5000.0]));
            let k = random_size(random, [16.0, 70_000.0]);
            let shape = Self { m, n, k, ..*self };
            if shape.is_measurable() {
                return shape;
            }
        }
    }

    fn parameters(&self) -> Vec<String> {
        let numbers = self.sizes().into_iter().chain(self.leading()).map(|number| number.to_string());
        ["a", "b", "c"].into_iter().map(str::to_owned).chain(numbers).collect()
    }

    fn check_parameters(&self, tiling: &Self::Tiling, random: &mut impl Rng) -> Vec<String> {
        let [lda, ldb, ldc] = self.leading();
        let mut longer = |leading: u32, by: u32| leading + by * random.random_range(0..3);
        let leading = [longer(lda, tiling.vector_a), longer(ldb, tiling.vector_b), longer(ldc, 3)];
        let transposed = [self.a_transposed, self.b_transposed].map(u32::from);
        let numbers = self.sizes().into_iter().chain(leading).chain(transposed);
        numbers.map(|number| number.to_string()).collect()
    }
}

impl Family for Conv {
    // Source: `tuner::conv::SPACE`, `grid_c`.
    const GRID_SPLIT: usize = 11;

    fn layouts() -> Vec<Self> {
        let of = |element| Self { n: 1, c: 1, h: 1, w: 1, k: 1, r: 1, s: 1, pad: 0, stride: 1, element };
        Element::ALL.into_iter().map(of).collect()
    }

    fn with_random_sizes(&self, random: &mut impl Rng) -> Self {
        loop {
            let filter = [[1, 1], [3, 3], [3, 3], [5, 5], [7, 7], [5, 10], [5, 20], [1, 7]];
            let [r, s] = filter[random.random_range(0..filter.len())];
            let stride = [1, 1, 1, 2][random.random_range(0..4)];
            let pad = [0, r.min(s) / 2][random.random_range(0..2)];
            let mut size = |bounds| random_size(random, bounds);
            let shape = Self {
                n: size([1.0, 32.0]),
                c: size([1.0, 1200.0]),
                h: size([4.0, 260.0]),
                w: size([4.0, 700.0]),
                k: size([8.0, 2048.0]),
                r,
                s,
                pad,
                stride,
                ..*self
            };
            if shape.checked().is_ok() && shape.is_measurable() {
                return shape;
            }
        }
    }

    fn table(&self) -> Vec<i32> {
        conv::table(self)
    }

    fn parameters(&self) -> Vec<String> {
        conv::arguments(self).iter().map(ToString::to_string).collect()
    }

    fn check_parameters(&self, _: &Self::Tiling, _: &mut impl Rng) -> Vec<String> {
        let Self { n, c, h, w, k, r, s, pad, stride, .. } = *self;
        let sizes = [n, c, h, w, k, r, s, pad, stride].map(|size| size.to_string());
        sizes.into_iter().chain(self.parameters()).collect()
    }
}
