//! Code of the open documents: compiled in the background, read from the cubins that builds write, or assembled on
//! request.
//!
//! This module owns the watcher and the index of the builds' cubins, and the semaphore of the background compiler.
//! Its lock is taken before the locks of `workspace` and `documents`. The code itself belongs to the engine's
//! host.

pub(crate) mod code_changed;
pub(crate) mod cubin_index;
pub(crate) mod cubin_watch;
pub(crate) mod cubins;
pub(crate) mod dense_listing;
pub(crate) mod gains;
pub(crate) mod kernels_text;
pub(crate) mod live;
pub(crate) mod sass_run;

use crate::server::documents::Documents;
use crate::server::transport::connection::Connection;
use crate::server::transport::locked::locked;
use crate::server::workspace::Workspace;
use cubin_index::CubinIndex;
use cubin_watch::BuildOutputs;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::Semaphore;

/// A handle to compiled code; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    pub(crate) documents: Documents,
    workspace: Workspace,
    left: Arc<Mutex<BuildOutputs>>,
    /// Index of the cubins that builds have written. Locked only on threads that may block.
    cubin_index: Arc<Mutex<CubinIndex>>,
    /// Lets one compiler run in the background at a time.
    pub(crate) compiling: Arc<Semaphore>,
}

impl Code {
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self {
            documents: workspace.documents.clone(),
            workspace,
            left: Arc::default(),
            cubin_index: Arc::default(),
            compiling: Arc::new(Semaphore::new(1)),
        }
    }

    /// Locks the `cubins` patterns and the state of their watcher.
    pub(crate) fn lock(&self) -> MutexGuard<'_, BuildOutputs> {
        locked(&self.left)
    }

    const fn connection(&self) -> &Connection {
        &self.documents.connection
    }
}
