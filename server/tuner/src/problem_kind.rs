//! Kinds of problems that kernels are tuned for.

use crate::features::{A_TRANSPOSED, B_TRANSPOSED, ELEMENT_BYTES};
use std::fmt;
use std::str::FromStr;

/// A kind of problem. Each kind has its own tuning parameters, data and network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// Matrix multiplication.
    Gemm,
    /// Convolution of a batch of images.
    Conv,
}

impl ProblemKind {
    pub const ALL: [Self; 2] = [Self::Gemm, Self::Conv];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Gemm => "gemm",
            Self::Conv => "conv",
        }
    }

    /// Columns that describe the problem, and not the kernel.
    pub const fn problem_columns(self) -> &'static [&'static str] {
        match self {
            Self::Gemm => &["m", "n", "k", ELEMENT_BYTES, A_TRANSPOSED, B_TRANSPOSED],
            Self::Conv => &["n", "p", "q", "k", "c", "r", "s", "stride", "padding", "h", "w", ELEMENT_BYTES],
        }
    }

    /// Columns whose product is half the number of multiplications and additions: `M N K` and `N P Q K C R S`.
    pub const fn products(self) -> &'static [&'static str] {
        match self {
            Self::Gemm => &["m", "n", "k"],
            Self::Conv => &["n", "p", "q", "k", "c", "r", "s"],
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ProblemKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("`{text}` is not a kind of problem; expected gemm or conv"))
    }
}
