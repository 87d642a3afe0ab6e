//! State of a running warp: lanes, functions with their variables, shared memory, and arithmetic on values.

mod arithmetic;
pub(crate) mod frame;
pub(crate) mod mask;
pub(crate) mod shared_layout;
pub(crate) mod warp_state;

pub(crate) use warp_state::WarpState;
