//! Settings and data that all documents' answers depend on.

use crate::engine::config::Config;
use crate::engine::kernel::Memo;
use crate::engine::launch_file::LaunchFile;
use crate::engine::ptx_memo::Memo as PtxMemo;
use crate::engine::target::Wish;
use machine::Machine;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub machine: Arc<Machine>,
    pub config: Config,
    pub launches: Option<LaunchFile>,
    pub wish: Wish,
    pub memo: Arc<Memo>,
    pub ptx: Arc<PtxMemo>,
}

impl Context {
    /// Returns the context of settings that nobody has changed.
    pub(crate) fn new(machine: Arc<Machine>) -> Self {
        Self {
            machine,
            config: Config::default(),
            launches: None,
            wish: Wish::default(),
            memo: Arc::default(),
            ptx: Arc::default(),
        }
    }
}
