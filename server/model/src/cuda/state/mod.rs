//! State of a warp while it runs: its lanes, its functions with their variables, its shared memory, and arithmetic on
//! its values.

mod arithmetic;
pub(crate) mod frame;
pub(crate) mod mask;
pub(crate) mod shared_layout;
pub(crate) mod warp_state;

pub(crate) use warp_state::WarpState;
