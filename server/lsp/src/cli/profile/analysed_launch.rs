//! A profiled launch with its tree.

use ide::profiles::{Launch, Tree};

/// A launch, and its tree if the profile has stall reasons.
pub(super) struct AnalysedLaunch {
    pub(super) launch: Launch,
    pub(super) tree: Option<Tree>,
}
