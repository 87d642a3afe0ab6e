//! Facts about a listing's kernels that the source code states and the listing does not.

use crate::engine::launch_file::LaunchEntry;
use std::collections::BTreeMap;

/// Launches and parameter names of kernels, by the kernels' names in the listing.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceFacts {
    /// Launches in host code.
    pub launches: Vec<LaunchEntry>,
    /// Block sizes in host code, for launches with an unknown grid.
    pub blocks: BTreeMap<String, [u32; 3]>,
    /// Parameter names, in declaration order.
    pub parameter_names: BTreeMap<String, Vec<String>>,
}

impl SourceFacts {
    /// True if the source states no facts.
    pub(crate) fn is_empty(&self) -> bool {
        self.launches.is_empty() && self.blocks.is_empty() && self.parameter_names.is_empty()
    }
}
