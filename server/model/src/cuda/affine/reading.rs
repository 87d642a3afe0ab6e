//! Questions on a kernel at a launch that its text answers without a run.

use super::numbers::AtLaunch;
use super::passes::{self, FreeLoop};
use super::tiles::{self, Tiles};
use super::touched::touches;
use crate::cuda::source::environment::Environment;
use crate::cuda::source::launch::Configuration;
use syntax::cuda::Function;

/// The tiles of a launch, with the bounds that they reach over; `None` where they are not known, or where the launch has other blocks
/// than the bounds need.
pub fn tiles(env: &Environment, kernel: &Function, launch: &Configuration) -> Option<Tiles> {
    let at = AtLaunch::new(env, kernel, launch)?;
    tiles::tiles(&at, &touches(&at))
}

/// The one outermost loop of a kernel, if its passes need nothing of each other.
pub fn free_loop(env: &Environment, kernel: &Function, launch: &Configuration) -> Option<FreeLoop> {
    let at = AtLaunch::new(env, kernel, launch)?;
    passes::only_loop(&at, &touches(&at))
}
