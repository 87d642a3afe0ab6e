//! The shape parameters of a convolution.

use crate::Element;
use thiserror::Error;

/// `O[n][k][p][q]`, the sum over c, r and s of `I[n][c][p stride - pad + r][q stride - pad + s] F[k][c][r][s]`. All
/// three arrays are contiguous, with the last index fastest. Elements in the padding are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Conv {
    /// Number of images.
    pub n: u32,
    /// Number of channels.
    pub c: u32,
    /// Number of rows of an image.
    pub h: u32,
    /// Number of columns of an image.
    pub w: u32,
    /// Number of filters, which is the number of output channels.
    pub k: u32,
    /// Number of rows of a filter.
    pub r: u32,
    /// Number of columns of a filter.
    pub s: u32,
    /// Rows and columns of zeros on each side of an image.
    pub pad: u32,
    /// Rows or columns of the input between adjacent pixels of the output.
    pub stride: u32,
    pub element: Element,
}

/// Reason why a shape has no kernel.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ShapeError {
    #[error("{0} is zero; expected at least 1")]
    Zero(&'static str),
    #[error("a filter of {r} x {s} does not fit into an input of {h} x {w}, padding included")]
    NothingLeft { r: u32, s: u32, h: u64, w: u64 },
    #[error("{what} is {found}; expected at most {MAX_FILTER}")]
    LargeFilter { what: &'static str, found: u32 },
    #[error("the {what} has {found} elements; expected at most {}, for a 32-bit index", i32::MAX)]
    Large { what: &'static str, found: u128 },
}

/// Maximum number of rows or columns of a filter. limit: the table has 15 bits for each of them, and one value of the
/// 15 bits marks positions outside all filters.
const MAX_FILTER: u32 = 0x7ffe;

impl Conv {
    /// Returns the shape if a kernel can compute it.
    pub fn checked(self) -> Result<Self, ShapeError> {
        let Self { n, c, h, w, k, r, s, stride, .. } = self;
        let sizes =
            [("N", n), ("C", c), ("H", h), ("W", w), ("K", k), ("R", r), ("S", s), ("the stride", stride)];
        if let Some((name, _)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(ShapeError::Zero(name));
        }
        if let Some((what, found)) = [("R", r), ("S", s)].into_iter().find(|(_, size)| *size > MAX_FILTER) {
            return Err(ShapeError::LargeFilter { what, found });
        }
        let padded = |size: u32| u64::from(size) + 2 * u64::from(self.pad);
        if padded(h) < u64::from(r) || padded(w) < u64::from(s) {
            return Err(ShapeError::NothingLeft { r, s, h: padded(h), w: padded(w) });
        }
        let product = |sizes: [u128; 4]| sizes.into_iter().fold(1, u128::saturating_mul);
        let [n, c, k] = [n, c, k].map(u128::from);
        let (high, wide) = (u128::from(padded(h)), u128::from(padded(w)));
        let elements = [
            ("padded input", product([n, c, high, wide])),
            ("filter", product([k, c, r.into(), s.into()])),
            ("output", product([n, k, self.p().into(), self.q().into()])),
        ];
        match elements.into_iter().find(|(_, found)| *found > i32::MAX as u128) {
            Some((what, found)) => Err(ShapeError::Large { what, found }),
            None => Ok(self),
        }
    }

    /// Rows of the output; 0 if the filter is larger than the padded input.
    pub fn p(&self) -> u32 {
        self.output(self.h, self.r)
    }

    /// Columns of the output; 0 if the filter is larger than the padded input.
    pub fn q(&self) -> u32 {
        self.output(self.w, self.s)
    }

    fn output(&self, size: u32, filter: u32) -> u32 {
        let left = (u64::from(size) + 2 * u64::from(self.pad)).checked_sub(filter.into());
        let pixels = left.and_then(|left| left.checked_div(self.stride.into())).map_or(0, |last| last + 1);
        pixels.try_into().unwrap_or(u32::MAX)
    }

    /// Steps of each sum: `C R S`.
    pub fn steps(&self) -> u32 {
        self.c * self.r * self.s
    }

    /// Multiplications and additions: `2 N P Q K C R S`.
    pub fn flops(&self) -> f64 {
        let factors = [self.n, self.p(), self.q(), self.k, self.c, self.r, self.s];
        factors.into_iter().map(f64::from).fold(2.0, |product, factor| product * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Conv =
        Conv { n: 16, c: 1, h: 161, w: 700, k: 32, r: 5, s: 20, pad: 0, stride: 2, element: Element::F32 };

    fn refused(shape: Conv) -> String {
        shape.checked().map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn the_output_is_what_the_filter_reaches() {
        assert_eq!((SHAPE.p(), SHAPE.q(), SHAPE.steps()), (79, 341, 100));
        assert_eq!(SHAPE.checked(), Ok(SHAPE));
        let same = Conv { h: 7, w: 7, r: 5, s: 5, pad: 2, stride: 1, ..SHAPE };
        assert_eq!((same.p(), same.q()), (7, 7));
    }

    #[test]
    fn a_shape_without_a_kernel_is_refused_in_a_line() {
        assert_eq!(refused(Conv { stride: 0, ..SHAPE }), "the stride is zero; expected at least 1");
        assert_eq!(refused(Conv { c: 0, ..SHAPE }), "C is zero; expected at least 1");
        let small = Conv { h: 2, pad: 1, ..SHAPE };
        assert_eq!(
            refused(small),
            "a filter of 5 x 20 does not fit into an input of 4 x 702, padding included"
        );
        let deep = Conv { c: 100_000, ..SHAPE };
        assert_eq!(
            refused(deep),
            "the padded input has 180320000000 elements; expected at most 2147483647, for a 32-bit index"
        );
        let wide = Conv { s: 40_000, w: 50_000, ..SHAPE };
        assert_eq!(refused(wide), "S is 40000; expected at most 32766");
        let most =
            Conv { n: u32::MAX, c: u32::MAX, h: u32::MAX, w: u32::MAX, k: u32::MAX, pad: u32::MAX, ..SHAPE };
        assert!(most.checked().is_err());
    }
}
