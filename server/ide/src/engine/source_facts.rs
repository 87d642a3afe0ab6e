//! Facts about kernels that the source of a listing has, and the listing itself does not.

use crate::engine::launch_file::LaunchEntry;
use std::collections::BTreeMap;

/// Launches and parameters of kernels, by the kernels' names in the listing.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceFacts {
    /// Launches that host code makes.
    pub launches: Vec<LaunchEntry>,
    /// Blocks that host code launches kernels with, where the rest of the launch is unknown.
    pub blocks: BTreeMap<String, [u32; 3]>,
    /// Names of parameters, in the order of the declaration.
    pub parameter_names: BTreeMap<String, Vec<String>>,
}

impl SourceFacts {
    /// Whether the source says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.launches.is_empty() && self.blocks.is_empty() && self.parameter_names.is_empty()
    }
}
