//! The one loader: built-in data, a user's overlay and calibration output.

use crate::{Arch, Gpu, Part, UnknownGpu};
use std::sync::Arc;
use thiserror::Error;

/// Every architecture and part known.
#[derive(Debug, Clone)]
pub struct Machine {
    pub archs: Vec<Arc<Arch>>,
    pub parts: Vec<Arc<Part>>,
}

/// A data file that does not say what it should.
#[derive(Debug, Clone, Error)]
#[error("{path}:{line}: {expected}")]
pub struct DataError {
    pub path: String,
    /// 1-based.
    pub line: usize,
    /// What was expected there.
    pub expected: String,
}

impl Machine {
    /// What ships with the program.
    pub fn builtin() -> Arc<Self> {
        unimplemented!()
    }

    /// This machine with a user's file over it (the same tables as in `data/`, in one TOML text).
    pub fn overlay(&self, _path: &str, _toml: &str) -> Result<Self, DataError> {
        unimplemented!()
    }

    /// The GPU of that name: a part's id or vendor name (case and spaces aside), or an architecture (`sm_90`, `sm_90a`),
    /// which gives its usual part.
    pub fn gpu(&self, _name: &str) -> Result<Gpu, UnknownGpu> {
        unimplemented!()
    }

    /// The part assumed where only the architecture is known: the first of its `sm` in `parts.toml`; the nearest older
    /// architecture's where this one is unknown.
    pub fn gpu_for_sm(&self, _sm: u16) -> Gpu {
        unimplemented!()
    }
}
