//! A launch that was profiled, with its tree.

use ide::profiles::{Launch, Tree};

/// The launch, and its tree where its profile has stall reasons.
pub(super) struct Analysed {
    pub(super) launch: Launch,
    pub(super) tree: Option<Tree>,
}
