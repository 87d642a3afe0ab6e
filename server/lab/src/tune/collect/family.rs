//! Kinds of problems: what collection needs of each.

use machine::SmResources;
use rand::Rng;
use tuner::{Element, Launch, ProblemKind, Space, Target, conv, gemm};

/// A kind of problem and its kernels.
pub(super) trait Family: Sync {
    /// A shape with its types and its layout.
    type Shape: Copy + Send + Sync;

    const KIND: ProblemKind;
    const SPACE: Space;

    /// All element types and layouts, as shapes of no size: a kernel's text depends on nothing else of a shape.
    fn layouts() -> Vec<Self::Shape>;
    /// The same types and layout with random sizes.
    fn random_sizes(of: &Self::Shape, random: &mut impl Rng) -> Self::Shape;
    fn element(shape: &Self::Shape) -> Element;
    fn layout(shape: &Self::Shape) -> &'static str;
    fn flops(shape: &Self::Shape) -> f64;
    /// Bytes of both inputs and of the output.
    fn bytes(shape: &Self::Shape) -> [u64; 3];

    fn is_legal(shape: &Self::Shape, values: &[u32], sm: &SmResources, target: Target) -> bool;
    fn fits(shape: &Self::Shape, values: &[u32]) -> bool;
    fn launch(shape: &Self::Shape, values: &[u32]) -> Launch;
    /// The values with those that a kernel's text does not depend on at one value.
    fn text_of(values: &[u32]) -> Vec<u32>;
    /// Values with the same text.
    fn vary(values: &[u32], random: &mut impl Rng) -> Vec<u32>;
    fn ptx(shape: &Self::Shape, values: &[u32], target: Target) -> String;
    /// Integers that the kernel finds at its parameter `t`; none where it has no such parameter.
    fn table(_: &Self::Shape) -> Vec<i32> {
        Vec::new()
    }
    /// The kernel's parameters, in the words of the program that measures.
    fn parameters(shape: &Self::Shape) -> Vec<String>;
    /// The numbers of a row of the data file: the shape's, then the tiling's.
    fn row(shape: &Self::Shape, values: &[u32]) -> Vec<u32>;
    /// The sizes that a check of one launch takes: leading dimensions that are longer than they must be, where there are any.
    fn check_parameters(shape: &Self::Shape, values: &[u32], random: &mut impl Rng) -> Vec<String>;
}

/// The kernel's entry in every file.
pub(super) const ENTRY: &str = "kernel";

/// A size between two bounds, its logarithm uniform; of every four two are multiples of 16, one a multiple of 4.
fn random_size(random: &mut impl Rng, [least, most]: [f64; 2]) -> u32 {
    let size = random.random_range(least.ln()..=most.ln()).exp().round() as u32;
    match random.random_range(0..4) {
        0 | 1 => size.next_multiple_of(16),
        2 => size.next_multiple_of(4),
        _ => size,
    }
}

/// Matrix multiplication.
#[derive(Debug)]
pub(super) struct GemmFamily;

fn tiling(values: &[u32]) -> gemm::Tiling {
    gemm::Tiling::from_values(values.try_into().expect("a point of the space has all values"))
}

const GRID_K: usize = 7;

impl Family for GemmFamily {
    type Shape = gemm::Gemm;

    const KIND: ProblemKind = ProblemKind::Gemm;
    const SPACE: Space = gemm::SPACE;

    fn layouts() -> Vec<gemm::Gemm> {
        let transposed = [(false, false), (false, true), (true, false), (true, true)];
        let each = |element| {
            transposed.into_iter().map(move |(a_transposed, b_transposed)| gemm::Gemm {
                m: 0,
                n: 0,
                k: 0,
                element,
                a_transposed,
                b_transposed,
            })
        };
        Element::ALL.into_iter().flat_map(each).collect()
    }

    fn random_sizes(of: &gemm::Gemm, random: &mut impl Rng) -> gemm::Gemm {
        loop {
            let [m, n] = [0; 2].map(|_| random_size(random, [8.0, 5000.0]));
            let k = random_size(random, [16.0, 70_000.0]);
            let shape = gemm::Gemm { m, n, k, ..*of };
            let flops = shape.flops();
            if (2e6..3e10).contains(&flops) && Self::bytes(&shape).iter().all(|bytes| *bytes < 1 << 29) {
                return shape;
            }
        }
    }

    fn element(shape: &gemm::Gemm) -> Element {
        shape.element
    }

    fn layout(shape: &gemm::Gemm) -> &'static str {
        shape.layout()
    }

    fn flops(shape: &gemm::Gemm) -> f64 {
        shape.flops()
    }

    fn bytes(shape: &gemm::Gemm) -> [u64; 3] {
        let [m, n, k] = [shape.m, shape.n, shape.k].map(u64::from);
        [m * k, k * n, m * n].map(|elements| elements * u64::from(shape.element.bytes()))
    }

    fn is_legal(shape: &gemm::Gemm, values: &[u32], sm: &SmResources, target: Target) -> bool {
        tiling(values).is_legal(shape.into(), sm, target)
    }

    fn fits(shape: &gemm::Gemm, values: &[u32]) -> bool {
        tiling(values).fits(shape)
    }

    fn launch(shape: &gemm::Gemm, values: &[u32]) -> Launch {
        tiling(values).launch(shape)
    }

    fn text_of(values: &[u32]) -> Vec<u32> {
        let mut values = values.to_vec();
        values[GRID_K] = values[GRID_K].min(2);
        values
    }

    fn vary(values: &[u32], random: &mut impl Rng) -> Vec<u32> {
        let mut values = values.to_vec();
        if values[GRID_K] > 1 {
            let parts = &gemm::SPACE.parameters[GRID_K].1[1..];
            values[GRID_K] = parts[random.random_range(0..parts.len())];
        }
        values
    }

    fn ptx(shape: &gemm::Gemm, values: &[u32], target: Target) -> String {
        gemm::kernel(shape.into(), &tiling(values), target, ENTRY)
    }

    fn parameters(shape: &gemm::Gemm) -> Vec<String> {
        let [lda, ldb, ldc] = shape.leading();
        let numbers = [shape.m, shape.n, shape.k, lda, ldb, ldc];
        let addresses = ["a", "b", "c"].map(str::to_owned);
        addresses.into_iter().chain(numbers.iter().map(u32::to_string)).collect()
    }

    fn row(shape: &gemm::Gemm, values: &[u32]) -> Vec<u32> {
        [shape.m, shape.n, shape.k].into_iter().chain(values.iter().copied()).collect()
    }

    fn check_parameters(shape: &gemm::Gemm, values: &[u32], random: &mut impl Rng) -> Vec<String> {
        let tiling = tiling(values);
        let [lda, ldb, ldc] = shape.leading();
        let mut longer = |leading: u32, by: u32| leading + by * random.random_range(0..3);
        let leading = [longer(lda, tiling.vector_a), longer(ldb, tiling.vector_b), longer(ldc, 3)];
        let transposed = [shape.a_transposed, shape.b_transposed].map(u32::from);
        let numbers = [shape.m, shape.n, shape.k].into_iter().chain(leading).chain(transposed);
        numbers.map(|number| number.to_string()).collect()
    }
}

/// Convolution. Its layout is one, that of PyTorch's tensors.
#[derive(Debug)]
pub(super) struct ConvFamily;

fn conv_tiling(values: &[u32]) -> conv::Tiling {
    conv::Tiling::from_values(values.try_into().expect("a point of the space has all values"))
}

const GRID_C: usize = 11;

impl Family for ConvFamily {
    type Shape = conv::Conv;

    const KIND: ProblemKind = ProblemKind::Conv;
    const SPACE: Space = conv::SPACE;

    fn layouts() -> Vec<conv::Conv> {
        let of =
            |element| conv::Conv { n: 1, c: 1, h: 1, w: 1, k: 1, r: 1, s: 1, pad: 0, stride: 1, element };
        Element::ALL.into_iter().map(of).collect()
    }

    fn random_sizes(of: &conv::Conv, random: &mut impl Rng) -> conv::Conv {
        loop {
            let filter = [[1, 1], [3, 3], [3, 3], [5, 5], [7, 7], [5, 10], [5, 20], [1, 7]];
            let [r, s] = filter[random.random_range(0..filter.len())];
            let stride = [1, 1, 1, 2][random.random_range(0..4)];
            let pad = [0, r.min(s) / 2][random.random_range(0..2)];
            let mut size = |bounds| random_size(random, bounds);
            let shape = conv::Conv {
                n: size([1.0, 32.0]),
                c: size([1.0, 1200.0]),
                h: size([4.0, 260.0]),
                w: size([4.0, 700.0]),
                k: size([8.0, 2048.0]),
                r,
                s,
                pad,
                stride,
                ..*of
            };
            let is_measurable = |shape: &conv::Conv| {
                (2e6..3e10).contains(&shape.flops())
                    && Self::bytes(shape).iter().all(|bytes| *bytes < 1 << 29)
            };
            if shape.checked().is_ok() && is_measurable(&shape) {
                return shape;
            }
        }
    }

    fn element(shape: &conv::Conv) -> Element {
        shape.element
    }

    fn layout(_: &conv::Conv) -> &'static str {
        "nchw"
    }

    fn flops(shape: &conv::Conv) -> f64 {
        shape.flops()
    }

    fn bytes(shape: &conv::Conv) -> [u64; 3] {
        let product = |sizes: [u32; 4]| sizes.into_iter().map(u64::from).product::<u64>();
        let conv::Conv { n, c, h, w, k, r, s, .. } = *shape;
        [[n, c, h, w], [k, c, r, s], [n, k, shape.p(), shape.q()]]
            .map(|sizes| product(sizes) * u64::from(shape.element.bytes()))
    }

    fn is_legal(shape: &conv::Conv, values: &[u32], sm: &SmResources, target: Target) -> bool {
        conv_tiling(values).is_legal(shape.element, sm, target)
    }

    fn fits(shape: &conv::Conv, values: &[u32]) -> bool {
        conv_tiling(values).fits(shape)
    }

    fn launch(shape: &conv::Conv, values: &[u32]) -> Launch {
        conv_tiling(values).launch(shape)
    }

    fn text_of(values: &[u32]) -> Vec<u32> {
        let mut values = values.to_vec();
        values[GRID_C] = values[GRID_C].min(2);
        values
    }

    fn vary(values: &[u32], random: &mut impl Rng) -> Vec<u32> {
        let mut values = values.to_vec();
        if values[GRID_C] > 1 {
            let parts = &conv::SPACE.parameters[GRID_C].1[1..];
            values[GRID_C] = parts[random.random_range(0..parts.len())];
        }
        values
    }

    fn ptx(shape: &conv::Conv, values: &[u32], target: Target) -> String {
        conv::kernel(shape.element, &conv_tiling(values), target, ENTRY)
    }

    fn table(shape: &conv::Conv) -> Vec<i32> {
        conv::table(shape)
    }

    fn parameters(shape: &conv::Conv) -> Vec<String> {
        conv::arguments(shape).iter().map(ToString::to_string).collect()
    }

    fn row(shape: &conv::Conv, values: &[u32]) -> Vec<u32> {
        let conv::Conv { n, c, h, w, k, r, s, pad, stride, .. } = *shape;
        let of_shape = [n, shape.p(), shape.q(), k, c, r, s, stride, pad, h, w];
        of_shape.into_iter().chain(values.iter().copied()).collect()
    }

    fn check_parameters(shape: &conv::Conv, _: &[u32], _: &mut impl Rng) -> Vec<String> {
        let conv::Conv { n, c, h, w, k, r, s, pad, stride, .. } = *shape;
        let sizes = [n, c, h, w, k, r, s, pad, stride].map(|size| size.to_string());
        sizes.into_iter().chain(Self::parameters(shape)).collect()
    }
}
