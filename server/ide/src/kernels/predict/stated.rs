//! The launches that the user states, in file order, with their kernels.

use super::effort::full;
use super::error::PredictError;
use super::{Ceiling, LaunchPrediction, PredictionInputs, rates};
use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::engine::measured::{self, ProfileFile, UsedProfileData};
use crate::engine::names;
use crate::engine::names::is_launched_as;
use crate::engine::sass_view::SassView;
use crate::kernels::launch::uncounted;
use model::pipeline::Budget;
use model::{KernelTiming, Launch};
use std::collections::HashMap;
use std::sync::Arc;

/// Launches of a document's kernels. They can be predicted one by one, in any order, on any thread.
#[derive(Debug)]
pub struct StatedLaunches<'a> {
    launches: Vec<LaunchToPredict<'a>>,
    unmatched: Vec<UnmatchedLaunch>,
}

#[derive(Debug)]
struct LaunchToPredict<'a> {
    kernel: Arc<KernelView<'a>>,
    launch: Launch,
    /// Index of the launch among the kernel's launches.
    number: usize,
    times: KernelTiming,
    /// Data from a profile; `None` if no profile is used.
    taken: Option<UsedProfileData>,
}

/// Launches of a kernel with their indices.
type IndexedLaunches = std::iter::Enumerate<std::vec::IntoIter<(Launch, KernelTiming)>>;

/// A launch of a function that the document does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmatchedLaunch {
    pub name: Option<String>,
    pub function: String,
}

/// Returns the stated launches of the document's kernels, in file order. If `function` is given, returns only launches
/// of the kernel with that name in the listing.
pub(crate) fn stated_launches<'a>(sass: &'a SassView, function: Option<&str>) -> StatedLaunches<'a> {
    let mut found = StatedLaunches { launches: Vec::new(), unmatched: Vec::new() };
    let mut kernels: HashMap<usize, (Arc<KernelView<'_>>, IndexedLaunches)> = HashMap::new();
    let entries = sass.context.launches.iter().flat_map(|file| &file.launches);
    for entry in entries {
        if function.is_some_and(|function| !is_launched_as(function, &entry.function)) {
            continue;
        }
        let its_kernels = kernels_where(sass, |name| {
            function.is_none_or(|function| function == name) && is_launched_as(name, &entry.function)
        });
        if its_kernels.is_empty() {
            let (name, function) = (entry.name.clone(), entry.function.clone());
            found.unmatched.push(UnmatchedLaunch { name, function });
        }
        for index in its_kernels {
            let (kernel, its) = kernels.entry(index).or_insert_with(|| {
                let kernel = sass.kernel(index);
                let its = uncounted(&kernel).into_iter().enumerate();
                (Arc::new(kernel), its)
            });
            if let Some((number, (launch, times))) = its.next() {
                let kernel = Arc::clone(kernel);
                found.launches.push(LaunchToPredict { kernel, launch, number, times, taken: None });
            }
        }
    }
    found
}

/// Returns the assumed launch of each kernel, or of the kernel named `function` in the listing. The assumed launch is
/// one full wave of the largest block. For a kernel with stated launches, returns the first stated launch instead.
pub(crate) fn assumed_launches<'a>(sass: &'a SassView, function: Option<&str>) -> StatedLaunches<'a> {
    let of = |index: usize| {
        let kernel = Arc::new(sass.kernel(index));
        let (launch, times) = uncounted(&kernel).into_iter().next()?;
        Some(LaunchToPredict { kernel, launch, number: 0, times, taken: None })
    };
    let kernels = kernels_where(sass, |name| function.is_none_or(|function| function == name));
    StatedLaunches { launches: kernels.into_iter().filter_map(of).collect(), unmatched: Vec::new() }
}

/// Returns the indices of the kernels whose name satisfies `fits`. If several kernels share a name, returns only one of
/// them: the first with code for its target GPU, otherwise the first.
fn kernels_where(sass: &SassView, fits: impl Fn(&str) -> bool) -> Vec<usize> {
    let mut found: Vec<(&str, usize, bool)> = Vec::new();
    for (index, chunk) in sass.kernels() {
        let name = names::kernel_name(chunk);
        if !fits(name) {
            continue;
        }
        let target = sass.target(chunk);
        let is_native = target.isa_sm == target.gpu.arch.sm;
        match found.iter_mut().find(|(known, ..)| *known == name) {
            Some(known) if is_native && !known.2 => *known = (name, index, is_native),
            Some(_) => {}
            None => found.push((name, index, is_native)),
        }
    }
    found.into_iter().map(|(_, index, _)| index).collect()
}

impl StatedLaunches<'_> {
    /// Number of launches whose function is in the document.
    pub fn len(&self) -> usize {
        self.launches.len()
    }

    /// True if no launch has a function in the document.
    pub fn is_empty(&self) -> bool {
        self.launches.is_empty()
    }

    /// Returns the launches whose function is not in the document.
    pub fn unmatched(&self) -> &[UnmatchedLaunch] {
        &self.unmatched
    }

    /// Returns the ceilings of the part, or of all parts, without duplicates. The memory ceilings of each part come
    /// first.
    pub fn ceilings(&self) -> Vec<Ceiling> {
        let mut ceilings: Vec<Ceiling> = Vec::new();
        for launch in &self.launches {
            let its = rates::ceilings(&launch.kernel.target.gpu);
            ceilings
                .extend(its.into_iter().filter(|ceiling| !ceilings.contains(ceiling)).collect::<Vec<_>>());
        }
        ceilings
    }

    /// Predicts the launch with index `number`. About `effort` warp instructions are simulated. An
    /// assumed launch uses the same budget as in every other view. `Err` if no block of the launch fits
    /// on an SM.
    ///
    /// # Panics
    ///
    /// If `number` is not less than `len()`.
    pub fn predict(&self, number: usize, effort: u64) -> Cancellable<Result<LaunchPrediction, PredictError>> {
        let LaunchToPredict { kernel, launch, number: among, times, taken } = &self.launches[number];
        let budget = if launch.assumed { full(launch) } else { Budget::new(effort) };
        let predicted = PredictionInputs { kernel, launch, number: *among, times }.predict(budget)?;
        Ok(predicted.map(|predicted| LaunchPrediction { profile: taken.clone(), ..predicted }))
    }

    /// Applies a profile's counts. They override derived and assumed counts. The launches of a function
    /// correspond to the profile's launches of that function, in order. Returns one line per mismatch.
    pub fn take_profile(&mut self, profile: &ProfileFile) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut without = Vec::new();
        for stated in &mut self.launches {
            let LaunchToPredict { kernel, launch, number, times, .. } = stated;
            let Some(profiled) = profile.launches_of(names::kernel_name(kernel.chunk)).nth(*number) else {
                without.push(measured::subject(kernel, launch));
                continue;
            };
            let taken = measured::take(kernel, profiled, launch);
            let KernelView { model, target, .. } = &**kernel;
            *times = model::paper::kernel_times(&model.program, &model.times, &target.gpu, launch);
            let line = taken.other_code(names::kernel_name(kernel.chunk));
            lines.extend(line.filter(|line| !lines.contains(line)));
            stated.taken = Some(taken);
        }
        if let Some(first) = without.first() {
            let others = without.len() - 1;
            let others = if others > 0 { format!(" and {others} more") } else { String::new() };
            lines.push(format!("has no launch of {first}{others}; the prediction does not use the profile"));
        }
        lines
    }
}
