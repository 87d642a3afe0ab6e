//! The input parameters of a matrix multiplication.

use crate::Element;

/// `C = op(A) op(B)` with an M x N matrix C and K products per element. Matrices are column-major as in BLAS.
/// `A` is M x K, and is stored as K x M if transposed. `B` is K x N, and is stored as N x K if transposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Gemm {
    pub m: u32,
    pub n: u32,
    pub k: u32,
    pub element: Element,
    pub a_transposed: bool,
    pub b_transposed: bool,
}

impl Gemm {
    /// `nn`, `nt`, `tn` or `tt`: one letter for A and one for B, `t` if transposed.
    pub fn layout(&self) -> &'static str {
        match (self.a_transposed, self.b_transposed) {
            (false, false) => "nn",
            (false, true) => "nt",
            (true, false) => "tn",
            (true, true) => "tt",
        }
    }

    /// The smallest leading dimensions of A, B and C, in elements.
    pub const fn leading(&self) -> [u32; 3] {
        [
            if self.a_transposed { self.k } else { self.m },
            if self.b_transposed { self.n } else { self.k },
            self.m,
        ]
    }

    /// Multiplications and additions: `2 M N K`.
    pub fn flops(&self) -> f64 {
        2.0 * f64::from(self.m) * f64::from(self.n) * f64::from(self.k)
    }
}
