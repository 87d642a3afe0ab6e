//! Symbols of affine forms of CUDA expressions: indices and unknown numbers.
//!
//! Unlike 32-bit and 64-bit arithmetic, forms do not wrap: a kernel whose subscripts overflow is incorrect anyway.

use crate::affine::Polynomial;
use syntax::cuda::Expr;

/// A sum of products of quantities.
pub(crate) type Form<'a> = Polynomial<Quantity<'a>>;

/// A symbol of a form: an index of a thread, a block or a loop iteration, or an unknown number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Quantity<'a> {
    /// `threadIdx` along an axis.
    Thread(u8),
    /// `blockIdx` along an axis.
    Block(u8),
    /// Counter of the loop at this nesting depth; 0 is the outermost loop.
    Counter(u8),
    /// Number of completed iterations of the host loop around a launch.
    Pass,
    /// Unknown size of a block along an axis.
    BlockSize(u8),
    /// Unknown size of the grid along an axis.
    GridSize(u8),
    /// A host variable that never changes.
    Named(&'a str),
    /// Result of an operation other than a sum or a product. Results of different expressions never compare
    /// equal.
    Term(*const Expr, Dependence),
}

/// Kinds of indices that a number depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dependence(u8);

impl Dependence {
    pub(crate) const THREADS: Self = Self(0b111);
    pub(crate) const COUNTERS: Self = Self(1 << 6);
    pub(crate) const PASSES: Self = Self(1 << 7);

    pub(crate) fn from_forms<'f, 'a: 'f>(forms: impl IntoIterator<Item = &'f Form<'a>>) -> Self {
        let symbols = forms.into_iter().flat_map(Form::symbols);
        Self(symbols.fold(0, |all, quantity| {
            all | match *quantity {
                Quantity::Thread(axis) => 1 << axis,
                Quantity::Block(axis) => 1 << 3 << axis,
                Quantity::Counter(_) => Self::COUNTERS.0,
                Quantity::Pass => Self::PASSES.0,
                Quantity::Term(_, own) => own.0,
                Quantity::BlockSize(_) | Quantity::GridSize(_) | Quantity::Named(_) => 0,
            }
        }))
    }

    /// True if the number depends on at least one kind of index in `any`.
    pub(crate) fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// Returns, for each axis of the grid, whether the number depends on the block index along that axis.
    pub(crate) fn blocks(self) -> [bool; 3] {
        [0, 1, 2].map(|axis| self.0 >> 3 >> axis & 1 != 0)
    }
}

/// True if a form is a constant plus thread, block and loop indices with constant coefficients.
pub(crate) fn is_linear(form: &Form<'_>) -> bool {
    form.terms().iter().all(|(product, _)| {
        matches!(product.symbols(), [Quantity::Thread(_) | Quantity::Block(_) | Quantity::Counter(_)])
    })
}
