//! Symbols of the affine forms that registers hold.

use crate::affine;

/// `constant + sum of coefficient * symbol`, modulo 2^32 for a register and 2^64 for a register pair.
///
/// Unlike the forms of CUDA code, these forms wrap. Their symbols include results of other operations
/// ([`Symbol::Term`]).
pub type Affine = affine::Affine<Symbol>;

/// A symbol of an affine form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    TidX,
    TidY,
    TidZ,
    /// The lane within its warp, 0 to 31.
    Lane,
    CtaidX,
    CtaidY,
    CtaidZ,
    /// Number of completed iterations of a loop, 0 during the first iteration. The loop is identified by the index of
    /// its back-edge branch.
    Loop(u32),
    /// 32-bit word at this byte offset of constant bank 0. The bank holds driver values and launch
    /// parameters.
    Param(u32),
    /// 64-bit word at this byte offset of constant bank 0, usually a pointer.
    Pointer(u32),
    /// An unknown value that is the same in all lanes of a warp, numbered within the kernel.
    Opaque(u32),
    /// A value computed from other symbols by an operation other than a sum.
    ///
    /// [`Addresses::evaluate`](super::Addresses::evaluate) computes the value.
    Term(u32),
}
