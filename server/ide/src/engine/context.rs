//! Settings and data that all documents' answers depend on.

use crate::engine::config::Config;
use crate::engine::kernel::Memo;
use crate::engine::launch_file::LaunchFile;
use crate::engine::prediction_store::PredictionStore;
use crate::engine::profiles::Profiles;
use crate::engine::ptx_memo::Memo as PtxMemo;
use crate::engine::target::Wish;
use advisor::memory::Limits;
use machine::Machine;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub machine: Arc<Machine>,
    pub config: Config,
    pub launches: Option<LaunchFile>,
    /// Blocks that host code launches kernels with, by their names in the listing, where the rest of the launch is unknown.
    pub blocks: Arc<BTreeMap<String, [u32; 3]>>,
    pub wish: Wish,
    pub memo: Arc<Memo>,
    pub ptx: Arc<PtxMemo>,
    pub profiles: Arc<Profiles>,
    /// Names of the parameters of kernels in the source of a listing, by the kernel's name in the listing.
    pub parameter_names: Arc<BTreeMap<String, Vec<String>>>,
    /// Predictions of earlier sessions.
    pub store: Option<Arc<dyn PredictionStore>>,
}

impl Context {
    /// Returns the excess from which accesses are findings: the settings', where `warplens.toml` states no other.
    pub(crate) fn limits(&self) -> Limits {
        let stated = self.launches.as_ref().map(|file| file.limits).unwrap_or_default();
        Limits {
            wavefronts: stated.wavefronts.unwrap_or(self.config.limits.wavefronts),
            sectors: stated.sectors.unwrap_or(self.config.limits.sectors),
        }
    }

    /// Returns the context of default settings.
    pub(crate) fn new(machine: Arc<Machine>) -> Self {
        Self {
            machine,
            config: Config::default(),
            launches: None,
            blocks: Arc::default(),
            wish: Wish::default(),
            memo: Arc::default(),
            ptx: Arc::default(),
            profiles: Arc::default(),
            parameter_names: Arc::default(),
            store: None,
        }
    }
}
