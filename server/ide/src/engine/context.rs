//! Settings and data that the answers of all documents depend on.

use crate::engine::config::Config;
use crate::engine::kernel::Memo;
use crate::engine::launch_file::{LaunchEntry, LaunchFile};
use crate::engine::prediction_store::PredictionStore;
use crate::engine::profiles::Profiles;
use crate::engine::ptx_memo::PtxMemo;
use crate::engine::source_facts::SourceFacts;
use crate::engine::target::GpuSelection;
use advisor::memory::Limits;
use machine::Machine;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub machine: Arc<Machine>,
    pub config: Config,
    pub launches: Option<LaunchFile>,
    /// Block sizes in host code for launches with an unknown grid, by the kernel's name in the listing.
    pub blocks: Arc<BTreeMap<String, [u32; 3]>>,
    pub wish: GpuSelection,
    pub memo: Arc<Memo>,
    pub ptx: Arc<PtxMemo>,
    pub profiles: Arc<Profiles>,
    /// Parameter names in the source that a listing was compiled from, by the kernel's name in the listing.
    pub parameter_names: Arc<BTreeMap<String, Vec<String>>>,
    /// Store for predictions that outlive the session. `None` if predictions are not stored.
    pub store: Option<Arc<dyn PredictionStore>>,
}

impl Context {
    /// Returns the limits above which memory accesses are reported. Limits in `warplens.toml` override the
    /// settings.
    pub(crate) fn limits(&self) -> Limits {
        let stated = self.launches.as_ref().map(|file| file.limits).unwrap_or_default();
        Limits {
            wavefronts: stated.wavefronts.unwrap_or(self.config.limits.wavefronts),
            sectors: stated.sectors.unwrap_or(self.config.limits.sectors),
        }
    }

    /// Returns this context with the facts that the source of a listing states about its kernels. A launch in
    /// `warplens.toml` takes precedence over launches of the same kernel in host code.
    pub(crate) fn with_source(self: &Arc<Self>, source: &SourceFacts) -> Arc<Self> {
        if source.is_empty() {
            return Arc::clone(self);
        }
        let is_stated = |kernel: &str| {
            self.launches.as_ref().is_some_and(|file| file.launches_of(kernel).next().is_some())
        };
        let launches = source.launches.iter().filter(|entry| !is_stated(&entry.function)).cloned();
        let launches: Vec<LaunchEntry> = launches.collect();
        let blocks = source.blocks.iter().filter(|(kernel, _)| !is_stated(kernel));
        let blocks = Arc::new(blocks.map(|(kernel, block)| (kernel.clone(), *block)).collect());
        let mut joined = (**self).clone();
        if !launches.is_empty() {
            joined.launches.get_or_insert_default().launches.extend(launches);
        }
        joined.blocks = blocks;
        joined.parameter_names = Arc::new(source.parameter_names.clone());
        Arc::new(joined)
    }

    /// Returns a context with default settings and without launches.
    pub(crate) fn new(machine: Arc<Machine>) -> Self {
        Self {
            machine,
            config: Config::default(),
            launches: None,
            blocks: Arc::default(),
            wish: GpuSelection::default(),
            memo: Arc::default(),
            ptx: Arc::default(),
            profiles: Arc::default(),
            parameter_names: Arc::default(),
            store: None,
        }
    }
}
