//! Facts about a CUDA source that other files of its project state.

use super::other_launches::OtherLaunches;
use std::sync::Arc;
use syntax::cuda::Included;

/// Facts about a source that other files state: the headers that it includes, and the launches of its kernels by sources
/// that include it.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub(crate) included: Option<Arc<Included>>,
    pub(crate) launches: Arc<OtherLaunches>,
}

impl Surroundings {
    /// Joins the results of [`Headers::collect`](super::headers::Headers::collect) and
    /// [`Headers::launches_of`](super::headers::Headers::launches_of). `None` if there are neither headers nor launches.
    pub fn new(included: Option<Arc<Included>>, launches: OtherLaunches) -> Option<Self> {
        (included.is_some() || !launches.is_empty()).then(|| Self { included, launches: Arc::new(launches) })
    }

    /// Hash of the texts of the headers and of the launches.
    pub(crate) fn hash(&self) -> (Option<u64>, u64) {
        (self.included.as_ref().map(|included| included.hash()), self.launches.hash())
    }
}
