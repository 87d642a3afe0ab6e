//! Symbols of the affine forms that registers hold.

use crate::affine;

/// `constant + sum of coefficient * symbol`, modulo 2^32 for a register and 2^64 for a register pair.
///
/// Unlike forms of CUDA code, these wrap, and their symbols include results of other operations ([`Symbol::Term`]).
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
    /// Completed iterations of a loop, 0 in the first. The index of its back-edge branch identifies the loop.
    Loop(u32),
    /// The 32 bits at that offset of constant bank 0, which holds values set by the driver and the launch parameters.
    Param(u32),
    /// The 64 bits at that offset of constant bank 0, usually a pointer.
    Pointer(u32),
    /// An unknown value that is the same in all lanes of a warp, numbered within the kernel.
    Opaque(u32),
    /// A value computed from other symbols that is not a sum of them.
    ///
    /// [`Addresses::evaluate`](super::Addresses::evaluate) computes it.
    Term(u32),
}
