//! Facts about kernels that the source of a listing has, and the listing itself does not.

use crate::engine::context::Context;
use crate::engine::launch_file::LaunchEntry;
use std::collections::BTreeMap;
use std::sync::Arc;

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
    /// The context with these facts added. A launch that `warplens.toml` states replaces the launches that host code makes of the same
    /// kernel.
    pub(crate) fn in_context(&self, context: &Arc<Context>) -> Arc<Context> {
        if self.launches.is_empty() && self.blocks.is_empty() && self.parameter_names.is_empty() {
            return Arc::clone(context);
        }
        let is_stated = |kernel: &str| {
            context.launches.as_ref().is_some_and(|file| file.launches_of(kernel).next().is_some())
        };
        let launches = self.launches.iter().filter(|entry| !is_stated(&entry.function)).cloned();
        let launches: Vec<LaunchEntry> = launches.collect();
        let blocks = self.blocks.iter().filter(|(kernel, _)| !is_stated(kernel));
        let blocks = Arc::new(blocks.map(|(kernel, block)| (kernel.clone(), *block)).collect());
        let mut joined = (**context).clone();
        if !launches.is_empty() {
            joined.launches.get_or_insert_default().launches.extend(launches);
        }
        joined.blocks = blocks;
        joined.parameter_names = Arc::new(self.parameter_names.clone());
        Arc::new(joined)
    }
}
