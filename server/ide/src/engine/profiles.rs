//! Profiles attached to the session, and the selected launch of each kernel.

use crate::engine::measured::places::Places;
use crate::engine::profile_launch::is_of;
use dashmap::DashMap;
use profile::{Launch, Profile};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

/// A file written by a profiler, with the file name that users see.
#[derive(Debug, Clone)]
pub struct AttachedProfile {
    pub name: String,
    pub profile: Arc<Profile>,
}

/// All attached profiles, and the selected launch of each kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profiles {
    files: Arc<[AttachedProfile]>,
    /// Index of the selected launch, by the kernel's name in the profile. 0 for kernels without an entry.
    chosen: BTreeMap<String, usize>,
    known: Arc<ProfileMemo>,
}

/// Memoized answers about the profiles.
#[derive(Debug, Default)]
struct ProfileMemo {
    /// Names of the kernels in the files, without duplicates.
    kernels: OnceLock<Vec<String>>,
    /// Launches by the kernel's name in listings, as pairs of file index and launch index within the file.
    launches: DashMap<Box<str>, Arc<[(usize, usize)]>>,
    /// Positions of a listing's instructions in a profile, by hash of the kernel's text, file index and
    /// launch index.
    places: DashMap<(u64, usize, usize), Arc<Places>>,
}

/// Maximum number of answers in each memo. Answers about old versions of edited kernels stay in the memo.
const MAX_KEPT: usize = 4096; // limit: bounds memory

/// The selected launch of a kernel, chosen from its launches in all profiles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChosenLaunch<'a> {
    pub file: &'a AttachedProfile,
    pub launch: &'a Launch,
    /// Index of the launch among the kernel's launches, from 0. `count` is the number of the kernel's launches.
    pub number: usize,
    pub count: usize,
    /// File index, and launch index within the file.
    at: (usize, usize),
}

impl ChosenLaunch<'_> {
    /// Describes the launch and its file: `launch 1 of 3 in report.ncu-rep`. If the kernel has a single launch, returns
    /// only the file name.
    pub(crate) fn source(&self) -> String {
        let Self { file, number, count, .. } = self;
        match count {
            1 => file.name.clone(),
            _ => format!("launch {} of {count} in {}", number + 1, file.name),
        }
    }

    /// Returns the file index, and the launch index within the file.
    pub(crate) const fn place(&self) -> (usize, usize) {
        self.at
    }
}

impl Profiles {
    pub(crate) fn new(files: Vec<AttachedProfile>, chosen: BTreeMap<String, usize>) -> Self {
        Self { files: files.into(), chosen, known: Arc::default() }
    }

    /// Returns the same profiles with another launch of a kernel selected. The selection is stored under the name that
    /// the kernel has in its first launch.
    pub(crate) fn with_choice(&self, kernel: &str, number: usize) -> Self {
        let mut profiles = self.clone();
        let first = self.launches_of(kernel).first().map(|(.., launch)| launch.kernel.demangled.clone());
        profiles.chosen.insert(first.unwrap_or_else(|| kernel.to_owned()), number);
        profiles
    }

    pub(crate) fn files(&self) -> &[AttachedProfile] {
        &self.files
    }

    pub(crate) fn chosen(&self) -> &BTreeMap<String, usize> {
        &self.chosen
    }

    /// Returns the names of the kernels in the profiles, in file order. A kernel is named as in its first launch.
    pub(crate) fn kernels(&self) -> &[String] {
        self.known.kernels.get_or_init(|| {
            let mut names: Vec<String> = Vec::new();
            for launch in self.files.iter().flat_map(|file| &file.profile.launches) {
                let name = &launch.kernel.demangled;
                // Profilers write the same type differently: `const float *` and `float const*`.
                if !names.contains(name) && !names.iter().any(|own| is_of(launch, own)) {
                    names.push(name.clone());
                }
            }
            names
        })
    }

    /// Returns all launches of a kernel in file order, with file index and launch index within the file.
    /// `kernel` is the name in a listing.
    pub(crate) fn launches_of(&self, kernel: &str) -> Vec<(usize, usize, &Launch)> {
        let launch = |(file, at): (usize, usize)| (file, at, &self.files[file].profile.launches[at]);
        if let Some(known) = self.known.launches.get(kernel) {
            return known.iter().copied().map(launch).collect();
        }
        let files = self.files.iter().enumerate();
        let launches =
            files.flat_map(|(file, own)| (0..own.profile.launches.len()).map(move |at| (file, at)));
        let found: Arc<[_]> = launches.filter(|place| is_of(launch(*place).2, kernel)).collect();
        keep(&self.known.launches, kernel.into(), Arc::clone(&found));
        found.iter().copied().map(launch).collect()
    }

    /// Returns the selected launch of a kernel. `None` if the profiles have no launch of the kernel.
    pub(crate) fn launch_of(&self, kernel: &str) -> Option<ChosenLaunch<'_>> {
        let all = self.launches_of(kernel);
        let name = &all.first()?.2.kernel.demangled;
        let number = self.chosen.get(name).copied().unwrap_or_default().min(all.len() - 1);
        self.launch_at(&all, number)
    }

    fn launch_at<'a>(
        &'a self,
        all: &[(usize, usize, &'a Launch)],
        number: usize,
    ) -> Option<ChosenLaunch<'a>> {
        let (file, at, launch) = *all.get(number)?;
        Some(ChosenLaunch { file: &self.files[file], launch, number, count: all.len(), at: (file, at) })
    }

    /// Converts a launch index within one file to an index among the kernel's launches in all files. `None`
    /// if the file has fewer launches of the kernel.
    pub(crate) fn number_in(&self, file: &str, kernel: &str, number: usize) -> Option<usize> {
        let all = self.launches_of(kernel).into_iter().enumerate();
        let mut of_file = all.filter(|(_, (at, ..))| self.files[*at].name == file);
        of_file.nth(number).map(|(number, _)| number)
    }

    /// Returns the launch in another file that corresponds to the selected launch, and true if the other file
    /// is earlier. Both launches have the same grid and block, and the same number of launches of that size
    /// precede them in their files. Searches earlier files before later files. `None` if no file has such a
    /// launch.
    pub(crate) fn counterpart(&self, kernel: &str) -> Option<(ChosenLaunch<'_>, bool)> {
        let shown = self.launch_of(kernel)?;
        let all = self.launches_of(kernel);
        let size = |launch: &Launch| (launch.grid, launch.block);
        let same = |file: usize| {
            let own = all.iter().enumerate();
            own.filter(move |(_, (of, _, launch))| *of == file && size(launch) == size(shown.launch))
        };
        let (own, _) = shown.at;
        let among = same(own).position(|(number, _)| number == shown.number)?;
        let (before, following) = ((0..own).rev(), own + 1..self.files.len());
        let (number, (file, ..)) = before.chain(following).find_map(|file| same(file).nth(among))?;
        Some((self.launch_at(&all, number)?, *file < own))
    }

    /// Returns the positions of a kernel's instructions in a profiled launch. Memoized by the hash of the
    /// kernel's text.
    pub(crate) fn places(
        &self,
        kernel: u64,
        launch: &ChosenLaunch<'_>,
        find: impl FnOnce() -> Places,
    ) -> Arc<Places> {
        let key = (kernel, launch.at.0, launch.at.1);
        if let Some(known) = self.known.places.get(&key) {
            return Arc::clone(&known);
        }
        let found = Arc::new(find());
        keep(&self.known.places, key, Arc::clone(&found));
        found
    }
}

/// Memoizes an answer. Drops all other answers first if the limit is reached.
fn keep<K: Eq + Hash, V>(answers: &DashMap<K, V>, key: K, answer: V) {
    if answers.len() >= MAX_KEPT {
        answers.clear();
    }
    answers.insert(key, answer);
}
