//! Profiles that are attached to the open documents.

use crate::engine::measured::places::Places;
use crate::engine::profile_launch::is_of;
use dashmap::DashMap;
use profile::{Launch, Profile};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

/// A file that a profiler wrote, with the name that users know it by.
#[derive(Debug, Clone)]
pub struct AttachedProfile {
    pub name: String,
    pub profile: Arc<Profile>,
}

/// All attached profiles, and the launch of each kernel that is shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profiles {
    files: Arc<[AttachedProfile]>,
    /// Numbers of launches, by the names that profiles have for kernels; 0 for others.
    chosen: BTreeMap<String, usize>,
    known: Arc<Known>,
}

/// Answers about the files, kept for later questions.
#[derive(Debug, Default)]
struct Known {
    /// Kernels' names, one for each kernel.
    kernels: OnceLock<Vec<String>>,
    /// Places of launches, those of the file and of the launch in it, by the names that listings have for kernels.
    launches: DashMap<Box<str>, Arc<[(usize, usize)]>>,
    /// Instructions of profiles in listings, by the kernel's text, the file and the launch.
    places: DashMap<(u64, usize, usize), Arc<Places>>,
}

/// The most answers of a kind that are kept: those of edited texts are outdated but remain.
const MOST_KEPT: usize = 4096; // limit: bounds memory

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

impl ChosenLaunch<'_> {
    /// The file and the launch in words: `launch 1 of 3 in report.ncu-rep`.
    pub(crate) fn source(&self) -> String {
        let Self { file, number, count, .. } = self;
        match count {
            1 => file.name.clone(),
            _ => format!("launch {} of {count} in {}", number + 1, file.name),
        }
    }

    /// Places of the file and of the launch in it.
    pub(crate) const fn place(&self) -> (usize, usize) {
        self.at
    }
}

impl Profiles {
    pub(crate) fn new(files: Vec<AttachedProfile>, chosen: BTreeMap<String, usize>) -> Self {
        Self { files: files.into(), chosen, known: Arc::default() }
    }

    /// The same files, with another launch of a kernel shown. Choices are known by the name that its first launch has.
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

    /// The kernels that profiles have launches of, in their order, each as the first of them names it.
    pub(crate) fn kernels(&self) -> &[String] {
        self.known.kernels.get_or_init(|| {
            let mut names: Vec<String> = Vec::new();
            for launch in self.files.iter().flat_map(|file| &file.profile.launches) {
                let name = &launch.kernel.demangled;
                // Profilers write types differently: `const float *` and `float const*` are one.
                if !names.contains(name) && !names.iter().any(|own| is_of(launch, own)) {
                    names.push(name.clone());
                }
            }
            names
        })
    }

    /// All launches of a kernel, as a listing names it, in the order of the files.
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

    /// The launch of a kernel that is shown; `None` where no profile has one.
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

    /// The number among all launches of a kernel that one has by its number in a file; `None` where the file has no such launch.
    pub(crate) fn number_in(&self, file: &str, kernel: &str, number: usize) -> Option<usize> {
        let all = self.launches_of(kernel).into_iter().enumerate();
        let mut of_file = all.filter(|(_, (at, ..))| self.files[*at].name == file);
        of_file.nth(number).map(|(number, _)| number)
    }

    /// The matching launch of another file for the shown one, and whether that file is earlier. Both have the same size, and the same
    /// number of launches of that size before them in their files. Earlier files are searched before later ones.
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

    /// The instructions of a launch in a listing's kernel, by the hash of its text: from an earlier question, or `find`.
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

/// Keeps an answer, in the place of all others where those are many.
fn keep<K: Eq + Hash, V>(answers: &DashMap<K, V>, key: K, answer: V) {
    if answers.len() >= MOST_KEPT {
        answers.clear();
    }
    answers.insert(key, answer);
}
