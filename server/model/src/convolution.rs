//! A convolution layer as modelled in the ICS'17 paper (Zhou et al., section 4.2): its output size, the share of its
//! arithmetic saved by skipping the padding, and the arithmetic intensity of a register-blocked kernel.

use std::num::NonZeroU32;

/// A layer's sizes, named as in the paper (section 2.2): input N x C x H x W, filter K x C x R x S.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer {
    /// Images per batch.
    pub n: NonZeroU32,
    /// Channels of the input.
    pub c: NonZeroU32,
    /// Rows of the input.
    pub h: NonZeroU32,
    /// Columns of the input.
    pub w: NonZeroU32,
    /// Channels of the output.
    pub k: NonZeroU32,
    /// Rows of the filter.
    pub r: NonZeroU32,
    /// Columns of the filter.
    pub s: NonZeroU32,
    /// Rows and columns of zeros on every side of the input.
    pub pad: u32,
    /// Distance between neighbouring outputs, in input rows and in input columns.
    pub stride: NonZeroU32,
}

/// Sizes of a layer along one dimension: its rows or its columns.
#[derive(Debug, Clone, Copy)]
struct AxisSizes {
    input: u64,
    filter: u64,
    pad: u64,
    stride: u64,
}

impl Layer {
    /// P, the number of output rows; a partial last stride is dropped. 0 if the filter is larger than the
    /// padded input. Source: Equation 23.
    pub fn output_rows(&self) -> u64 {
        self.rows().outputs()
    }

    /// Q, the number of output columns. Source: Equation 24.
    pub fn output_columns(&self) -> u64 {
        self.columns().outputs()
    }

    /// Share of multiplications that remain if multiplications by padding zeros are skipped, 0 to 1. The
    /// share scales the cycles of a kernel that skips padding.
    ///
    /// `None` for a layer without output. Source: Equation 25. The sum over the output is factored into a sum
    /// over the rows and a sum over the columns.
    pub fn pad_reduce(&self) -> Option<f64> {
        Some(self.rows().share_inside()? * self.columns().share_inside()?)
    }

    /// Floating-point operations: a multiply-add counts as two, and padding zeros are included. Source: Equation 2.
    pub fn operations(&self) -> f64 {
        let output = self.output_rows() as f64 * self.output_columns() as f64;
        let channels = [self.n, self.k, self.c, self.r, self.s].map(|size| f64::from(size.get()));
        2.0 * output * channels.iter().product::<f64>()
    }

    fn rows(&self) -> AxisSizes {
        AxisSizes::new(self.h, self.r, self.pad, self.stride)
    }

    fn columns(&self) -> AxisSizes {
        AxisSizes::new(self.w, self.s, self.pad, self.stride)
    }
}

impl AxisSizes {
    fn new(input: NonZeroU32, filter: NonZeroU32, pad: u32, stride: NonZeroU32) -> Self {
        let [input, filter, stride] = [input, filter, stride].map(|size| u64::from(size.get()));
        Self { input, filter, pad: u64::from(pad), stride }
    }

    fn outputs(self) -> u64 {
        (self.input + 2 * self.pad).checked_sub(self.filter).map_or(0, |last| last / self.stride + 1)
    }

    /// Returns the share of filter taps, over all outputs, that read the input rather than the padding.
    fn share_inside(self) -> Option<f64> {
        let outputs = self.outputs();
        if outputs == 0 {
            return None;
        }
        // Tap t of output i reads the input if `pad <= i * stride + t < pad + input`, for i in 0..outputs.
        let up_to = |limit: u64, tap: u64| limit.saturating_sub(tap).div_ceil(self.stride).min(outputs);
        let inside = |tap: u64| (up_to(self.pad + self.input, tap) - up_to(self.pad, tap)) as f64;
        let taps = self.filter.min(self.pad + self.input);
        Some((0..taps).map(inside).sum::<f64>() / (outputs as f64 * self.filter as f64))
    }
}

/// Operations per byte that a thread loads from shared memory if it keeps an `r_m` x `r_n` block of the
/// product in registers. Each step loads `r_m + r_n` floats and performs `r_m * r_n` multiply-adds.
///
/// 0 for a block without elements. Source: Equation 22.
pub fn arithmetic_intensity(r_m: u32, r_n: u32) -> f64 {
    let (m, n) = (f64::from(r_m), f64::from(r_n));
    if m == 0.0 || n == 0.0 { 0.0 } else { 2.0 * m * n / (4.0 * (m + n)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn size(size: u32) -> NonZeroU32 {
        NonZeroU32::new(size).unwrap()
    }

    /// Builds a layer from a row of the paper's Table 5: N, K, H and W, R and S, C, pad, stride.
    fn layer([n, k, hw, rs, c, pad, stride]: [u32; 7]) -> Layer {
        Layer {
            n: size(n),
            c: size(c),
            h: size(hw),
            w: size(hw),
            k: size(k),
            r: size(rs),
            s: size(rs),
            pad,
            stride: size(stride),
        }
    }

    /// Evaluates Equation 25 literally, over every output and every filter tap.
    fn counted(layer: &Layer) -> f64 {
        let (rows, columns) = (layer.output_rows(), layer.output_columns());
        let [height, width, taps, other_taps] =
            [layer.h, layer.w, layer.r, layer.s].map(|size| i64::from(size.get()));
        let (pad, stride) = (i64::from(layer.pad), i64::from(layer.stride.get()));
        let on = |at: i64, tap: i64, size: i64| (0..size).contains(&(at * stride + tap - pad));
        let mut actual = 0;
        for (row, column) in
            (0..rows as i64).flat_map(|row| (0..columns as i64).map(move |column| (row, column)))
        {
            let inside = (0..taps).filter(|&tap| on(row, tap, height)).count();
            actual += 2 * inside * (0..other_taps).filter(|&other| on(column, other, width)).count();
        }
        actual as f64 / (2 * rows * columns) as f64 / (taps * other_taps) as f64
    }

    /// Layers of Table 5 of the ICS'17 paper. The input of each is the pooled output of the layer before it in its
    /// network, so the rows of the output are known.
    #[test]
    fn the_papers_layers_have_the_outputs_of_their_networks() {
        let cases: [([u32; 7], u64); 18] = [
            ([128, 64, 224, 11, 3, 3, 4], 55),
            ([128, 192, 27, 5, 64, 2, 1], 27),
            ([128, 384, 13, 3, 192, 1, 1], 13),
            ([128, 256, 13, 3, 384, 1, 1], 13),
            ([128, 256, 13, 3, 256, 1, 1], 13),
            ([128, 64, 224, 3, 3, 1, 1], 224),
            ([128, 128, 112, 3, 64, 1, 1], 112),
            ([128, 256, 56, 3, 128, 1, 1], 56),
            ([128, 256, 56, 3, 256, 1, 1], 56),
            ([128, 512, 28, 3, 256, 1, 1], 28),
            ([128, 512, 28, 3, 512, 1, 1], 28),
            ([128, 512, 14, 3, 512, 1, 1], 14),
            ([128, 512, 14, 3, 512, 1, 1], 14),
            ([128, 96, 231, 11, 3, 0, 4], 56),
            ([128, 256, 28, 5, 96, 0, 1], 24),
            ([128, 512, 12, 3, 256, 1, 1], 12),
            ([128, 1024, 12, 3, 512, 1, 1], 12),
            ([128, 1024, 12, 3, 1024, 1, 1], 12),
        ];
        for (row, rows) in cases {
            let layer = layer(row);
            assert_eq!((layer.output_rows(), layer.output_columns()), (rows, rows), "{row:?}");
            let (found, expected) = (layer.pad_reduce().unwrap(), counted(&layer));
            assert!((found - expected).abs() < 1e-12, "{row:?}: {found} for {expected}");
            assert_eq!(found < 1.0, layer.pad > 0, "{row:?}");
        }
    }

    #[test]
    fn padding_saves_a_rim() {
        // In the first and the last of 13 rows, two of three taps read the input: (37 / 39) squared.
        let conv3 = layer([128, 384, 13, 3, 192, 1, 1]);
        let expected = (37.0_f64 / 39.0).powi(2);
        assert!((conv3.pad_reduce().unwrap() - expected).abs() < 1e-12);
        let operations = 2.0 * 128.0 * 384.0 * 13.0 * 13.0 * 192.0 * 9.0;
        assert!((conv3.operations() - operations).abs() < 1.0);
    }

    #[test]
    fn a_filter_larger_than_its_input_has_no_output() {
        let none = layer([1, 1, 2, 5, 1, 1, 1]);
        assert_eq!((none.output_rows(), none.pad_reduce()), (0, None));
    }

    /// Covers the blocks of the paper's kernels: 12 x 12 for GEMM, 8 x 8 for convolution.
    #[test]
    fn larger_register_blocks_compute_more_for_each_byte() {
        for (block, expected) in
            [((12, 12), 3.0), ((8, 8), 2.0), ((1, 1), 0.25), ((4, 12), 1.5), ((0, 8), 0.0)]
        {
            assert!((arithmetic_intensity(block.0, block.1) - expected).abs() < 1e-12, "{block:?}");
        }
    }

    proptest! {
        #[test]
        fn the_share_is_that_of_counting_every_place(
            h in 1_u32..20, w in 1_u32..20, r in 1_u32..8, s in 1_u32..8, pad in 0_u32..9, stride in 1_u32..6,
        ) {
            let mut layer = layer([1, 1, h, r, 1, pad, stride]);
            (layer.w, layer.s) = (size(w), size(s));
            if let Some(found) = layer.pad_reduce() {
                prop_assert!((found - counted(&layer)).abs() < 1e-9);
            } else {
                prop_assert_eq!(layer.output_rows() * layer.output_columns(), 0);
            }
        }
    }
}
