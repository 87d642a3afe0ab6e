//! Symbols of the affine forms that registers hold.

use crate::affine;

/// `constant + sum of coefficient * symbol`, modulo 2^32 for what a register holds and 2^64 for what a pair does.
///
/// Unlike the forms of CUDA's text it wraps, and its symbols include results of other operations ([`Symbol::Term`]).
pub type Affine = affine::Affine<Symbol>;

/// A quantity that an affine form counts multiples of.
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
    /// The passes of a loop before this one: 0 in the first. By the index of the branch that leads back to the loop's head.
    Loop(u32),
    /// The 32 bits at that offset of constant bank 0: what the driver puts there, and the launch's parameters.
    Param(u32),
    /// The 64 bits at that offset of constant bank 0: mostly a pointer.
    Pointer(u32),
    /// Not known, but the same in all lanes of a warp: numbered within the kernel.
    Opaque(u32),
    /// A value computed from other symbols that is no sum of them.
    ///
    /// [`Addresses::evaluate`](super::Addresses::evaluate) computes it.
    Term(u32),
}
