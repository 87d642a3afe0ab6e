//! Values of a warp and lvalues. A value is one number per lane, possibly plus an unknown term that all lanes
//! share.

pub(crate) mod convert;
pub(crate) mod lanes;
pub(crate) mod lvalue;
pub(crate) mod per_lane;
pub(crate) mod strided;
pub(crate) mod symbols;
pub(crate) mod value;
