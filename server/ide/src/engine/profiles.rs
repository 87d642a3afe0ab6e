//! Profiles that are attached to the open documents.

use crate::engine::measured::places::Places;
use crate::engine::profiled::is_of;
use dashmap::DashMap;
use profile::{Launch, Profile};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A file that a profiler wrote, with the name that users know it by.
#[derive(Debug, Clone)]
pub struct AttachedProfile {
    pub name: String,
    pub profile: Arc<Profile>,
}

/// All attached profiles, and the launch of each kernel that is shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profiles {
    files: Vec<AttachedProfile>,
    /// Numbers of launches, by the names that profiles have for kernels; 0 for others.
    chosen: BTreeMap<String, usize>,
    /// Instructions of profiles in listings, by the kernel's text, the file and the launch.
    places: Arc<DashMap<(u64, usize, usize), Arc<Places>>>,
}

/// The most kernels whose instructions are kept: texts that are edited leave theirs behind.
const MOST_KEPT: usize = 4096;

/// A launch of a kernel, among those that the profiles have of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChosenLaunch<'a> {
    pub file: &'a AttachedProfile,
    pub launch: &'a Launch,
    /// Its number among the launches of the kernel, from 0, and how many those are.
    pub number: usize,
    pub count: usize,
    /// Places of the file and of the launch in it.
    at: (usize, usize),
}

impl Profiles {
    pub(crate) fn new(files: Vec<AttachedProfile>, chosen: BTreeMap<String, usize>) -> Self {
        Self { files, chosen, places: Arc::default() }
    }

    pub(crate) fn files(&self) -> &[AttachedProfile] {
        &self.files
    }

    pub(crate) fn chosen(&self) -> &BTreeMap<String, usize> {
        &self.chosen
    }

    /// The kernels that profiles have launches of, in their order, each as the first of them names it.
    pub(crate) fn kernels(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for launch in self.files.iter().flat_map(|file| &file.profile.launches) {
            let name = launch.kernel.demangled.as_str();
            // Profilers write types differently: `const float *` and `float const*` are one.
            if !names.contains(&name) && !names.iter().any(|own| is_of(launch, own)) {
                names.push(name);
            }
        }
        names
    }

    /// All launches of a kernel, as a listing names it, in the order of the files.
    pub(crate) fn launches_of(&self, kernel: &str) -> Vec<(usize, usize, &Launch)> {
        let files = self.files.iter().enumerate();
        let launches = files.flat_map(|(file, own)| {
            own.profile.launches.iter().enumerate().map(move |(at, launch)| (file, at, launch))
        });
        launches.filter(|(.., launch)| is_of(launch, kernel)).collect()
    }

    /// The launch of a kernel that is shown; `None` where no profile has one.
    pub(crate) fn launch_of(&self, kernel: &str) -> Option<ChosenLaunch<'_>> {
        let all = self.launches_of(kernel);
        let name = &all.first()?.2.kernel.demangled;
        let number = self.chosen.get(name).copied().unwrap_or_default().min(all.len() - 1);
        let (file, at, launch) = all[number];
        Some(ChosenLaunch { file: &self.files[file], launch, number, count: all.len(), at: (file, at) })
    }

    /// The instructions of a launch in a listing's kernel, by the hash of its text: from an earlier question, or `find`.
    pub(crate) fn places(
        &self,
        kernel: u64,
        launch: &ChosenLaunch<'_>,
        find: impl FnOnce() -> Places,
    ) -> Arc<Places> {
        let key = (kernel, launch.at.0, launch.at.1);
        if let Some(known) = self.places.get(&key) {
            return Arc::clone(&known);
        }
        let found = Arc::new(find());
        if self.places.len() >= MOST_KEPT {
            self.places.clear();
        }
        self.places.insert(key, Arc::clone(&found));
        found
    }
}
