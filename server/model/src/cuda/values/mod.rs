//! Values of a warp: a number for each lane, known, or known but for a part that all lanes share, and the places that hold them.

pub(crate) mod convert;
pub(crate) mod lanes;
pub(crate) mod lvalue;
pub(crate) mod per_lane;
pub(crate) mod strided;
pub(crate) mod symbols;
pub(crate) mod value;
