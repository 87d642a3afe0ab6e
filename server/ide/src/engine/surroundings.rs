//! What other files of a project tell about a CUDA source.

use super::other_launches::OtherLaunches;
use std::sync::Arc;
use syntax::cuda::Included;

/// What other files tell about a source: the headers that it includes, and the launches of its kernels by sources that
/// include it.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub(crate) included: Option<Arc<Included>>,
    pub(crate) launches: Arc<OtherLaunches>,
}

impl Surroundings {
    /// Returns the surroundings of a source at `path`: the headers that it includes, as by [`Headers::collect`](super::headers::Headers::collect), and the
    /// launches of its kernels by `includers`. `None` if there is neither.
    pub fn new(included: Option<Arc<Included>>, launches: OtherLaunches) -> Option<Self> {
        (included.is_some() || !launches.is_empty()).then(|| Self { included, launches: Arc::new(launches) })
    }

    /// Hash of the texts of the headers and of the launches.
    pub(crate) fn hash(&self) -> (Option<u64>, u64) {
        (self.included.as_ref().map(|included| included.hash()), self.launches.hash())
    }
}
