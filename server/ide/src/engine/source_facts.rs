//! Facts about kernels that are in the source of a listing, but not in the listing itself.

use crate::engine::launch_file::LaunchEntry;
use std::collections::BTreeMap;

/// Launches and parameter names of kernels, by the kernels' names in the listing.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceFacts {
    /// Launches that host code makes.
    pub launches: Vec<LaunchEntry>,
    /// Block sizes in host code, for launches whose grid is not known.
    pub blocks: BTreeMap<String, [u32; 3]>,
    /// Parameter names, in the order of the declaration.
    pub parameter_names: BTreeMap<String, Vec<String>>,
}

impl SourceFacts {
    /// True if the source states nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.launches.is_empty() && self.blocks.is_empty() && self.parameter_names.is_empty()
    }
}
