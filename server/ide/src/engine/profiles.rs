//! Profiles attached to the session, and the launch shown for each kernel.

use crate::engine::measured::places::Places;
use crate::engine::profile_launch::is_of;
use dashmap::DashMap;
use profile::{Launch, Profile};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

/// A file written by a profiler, with the name that users know it by.
#[derive(Debug, Clone)]
pub struct AttachedProfile {
    pub name: String,
    pub profile: Arc<Profile>,
}

/// All attached profiles, and per kernel the launch that is shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profiles {
    files: Arc<[AttachedProfile]>,
    /// Index of the shown launch, by the kernel's name in the profile; 0 for kernels without an entry.
    chosen: BTreeMap<String, usize>,
    known: Arc<Known>,
}

/// Memoised answers about the files.
#[derive(Debug, Default)]
struct Known {
    /// Names of the kernels in the files, without duplicates.
    kernels: OnceLock<Vec<String>>,
    /// Launches as indices of the file and of the launch in it, by the kernel's name in listings.
    launches: DashMap<Box<str>, Arc<[(usize, usize)]>>,
    /// Positions of a listing's instructions in a profile, by the hash of the kernel's text, the file and the launch.
    places: DashMap<(u64, usize, usize), Arc<Places>>,
}

/// Largest number of memoised answers of one kind; those of edited texts are outdated but remain.
const MOST_KEPT: usize = 4096; // limit: bounds memory

/// The shown launch of a kernel, one of its launches in all profiles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChosenLaunch<'a> {
    pub file: &'a AttachedProfile,
    pub launch: &'a Launch,
    /// Its index among the kernel's launches, from 0, and the number of these launches.
    pub number: usize,
    pub count: usize,
    /// Indices of the file and of the launch in it.
    at: (usize, usize),
}

impl ChosenLaunch<'_> {
    /// The file and the launch in words: `launch 1 of 3 in report.ncu-rep`.
    pub(crate) fn source(&self) -> String {
        let Self { file, number, count, .. } = self;
        match count {
            1 => file.name.clone(),
            _ => format!("launch {} of {count} in {}", number + 1, file.name),
        }
    }

    /// Indices of the file and of the launch in it.
    pub(crate) const fn place(&self) -> (usize, usize) {
        self.at
    }
}

impl Profiles {
    pub(crate) fn new(files: Vec<AttachedProfile>, chosen: BTreeMap<String, usize>) -> Self {
        Self { files: files.into(), chosen, known: Arc::default() }
    }

    /// Returns the same files with another launch of a kernel shown. The choice is stored under the name that the
    /// kernel's first launch has.
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

    /// Returns the kernels with launches in the profiles, in file order, named as in the first of their launches.
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

    /// Returns all launches of a kernel, named as in a listing, in file order: indices of the file and of the launch in
    /// it, and the launch.
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

    /// Returns the shown launch of a kernel; `None` if no profile has one.
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

    /// Converts an index among a kernel's launches in one file to one among all its launches; `None` if the file has no
    /// such launch.
    pub(crate) fn number_in(&self, file: &str, kernel: &str, number: usize) -> Option<usize> {
        let all = self.launches_of(kernel).into_iter().enumerate();
        let mut of_file = all.filter(|(_, (at, ..))| self.files[*at].name == file);
        of_file.nth(number).map(|(number, _)| number)
    }

    /// Returns the launch in another file that corresponds to the shown one, and whether that file is earlier. Both
    /// launches have the same size, and the same number of launches of that size precede them in their files. Earlier
    /// files are searched before later ones.
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
        let (before, behind) = ((0..own).rev(), own + 1..self.files.len());
        let (number, (file, ..)) = before.chain(behind).find_map(|file| same(file).nth(among))?;
        Some((self.launch_at(&all, number)?, *file < own))
    }

    /// Returns the positions of a kernel's instructions in a launch of a profile, memoised by the hash of the kernel's
    /// text.
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

/// Memoises an answer; drops all others first if there are too many.
fn keep<K: Eq + Hash, V>(answers: &DashMap<K, V>, key: K, answer: V) {
    if answers.len() >= MOST_KEPT {
        answers.clear();
    }
    answers.insert(key, answer);
}
