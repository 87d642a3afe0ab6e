//! Launches of a source's kernels by host code of other sources.

use super::hashing::hash_of;
use model::cuda::FoundLaunch;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Maximum number of launches of one function.
const MAX: usize = 64; // limit: time of an answer

/// A launch of a kernel that a header defines.
#[derive(Debug)]
pub(crate) struct HeaderLaunch {
    /// Path of the header.
    pub header: Arc<str>,
    pub launch: FoundLaunch,
}

/// Launches of a source's kernels by host code of other sources, by the name of the kernel.
#[derive(Debug, Default)]
pub struct OtherLaunches {
    of: FxHashMap<String, Vec<FoundLaunch>>,
}

impl OtherLaunches {
    pub(crate) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Adds launches, without those that are equal except for their places.
    pub(crate) fn extend(&mut self, launches: impl Iterator<Item = FoundLaunch>) {
        for launch in launches {
            let own = self.of.entry(launch.function.clone()).or_default();
            let is_same = |known: &FoundLaunch| {
                let elsewhere = launch.elsewhere.clone();
                FoundLaunch { place: launch.place, elsewhere, ..known.clone() } == launch
            };
            if own.len() < MAX && !own.iter().any(is_same) {
                own.push(launch);
            }
        }
    }

    /// Returns the launches of a function.
    pub(crate) fn of_function(&self, function: &str) -> &[FoundLaunch] {
        self.of.get(function).map_or(&[], Vec::as_slice)
    }

    /// Hash of all launches.
    pub(crate) fn hash(&self) -> u64 {
        let mut all: Vec<(&String, &Vec<FoundLaunch>)> = self.of.iter().collect();
        all.sort_by_key(|(function, _)| *function);
        hash_of(&all)
    }
}
