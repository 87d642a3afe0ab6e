//! Launches in the attached profiles, and their top-down trees.

use crate::engine::context::Context;
use crate::measured::change::{MeasuredChange, change};
use advisor::top_down::{self, Thresholds, Tree};
use profile::{Launch, Profile};
use serde::Serialize;
use std::sync::Arc;

/// A profiled launch of a kernel.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MeasuredLaunch {
    /// The kernel, as the profile names it.
    pub kernel: String,
    /// Name of the profile file.
    pub profile: String,
    /// Index among the kernel's launches in all profiles.
    pub number: usize,
    /// True if the editor shows this launch.
    pub is_chosen: bool,
    /// One-line description of the launch, with its size and its time if the profile records them.
    pub title: String,
}

/// Top-down tree of a launch; `None` if its profile has no stall reasons.
pub(crate) fn tree(context: &Context, launch: &Launch) -> Option<Tree> {
    let gpu = crate::engine::profile_launch::gpu_of(launch, &context.machine);
    let gpu = gpu
        .or_else(|| context.wish.gpu.clone())
        .unwrap_or_else(|| context.machine.gpu_for_sm(crate::engine::profile_launch::USUAL_SM));
    let thresholds = thresholds(context);
    top_down::tree(top_down::ProfiledLaunch { launch, gpu: &gpu, thresholds: &thresholds })
}

/// The thresholds that apply: thresholds of the launches file, otherwise the defaults.
pub(super) fn thresholds(context: &Context) -> Thresholds {
    let stated = context.launches.as_ref().map(|file| file.profile.thresholds());
    stated.unwrap_or_default()
}

/// The attached profiles, independent of any document. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ProfilesView(pub(crate) Arc<Context>);

impl ProfilesView {
    /// Returns all launches of all profiles, grouped by kernel.
    pub fn launches(&self) -> Vec<MeasuredLaunch> {
        launches(&self.0)
    }

    /// Returns the thresholds that apply.
    pub fn thresholds(&self) -> Thresholds {
        thresholds(&self.0)
    }

    /// Returns the one-line description and the top-down tree of a kernel's shown launch. `None` if no
    /// profile has a launch of the kernel, or if the profile has no stall reasons.
    pub fn top_down(&self, kernel: &str) -> Option<(String, Tree)> {
        let chosen = self.0.profiles.launch_of(kernel)?;
        Some((title(chosen.launch), tree(&self.0, chosen.launch)?))
    }

    /// Compares the time of a kernel's shown launch with the time in a new profile. `None` if the new
    /// profile has no launch of the kernel.
    pub fn change(&self, kernel: &str, new: &Profile) -> Option<MeasuredChange> {
        change(&self.0, kernel, new)
    }
}

fn launches(context: &Context) -> Vec<MeasuredLaunch> {
    let profiles = &context.profiles;
    let mut all = Vec::new();
    for kernel in profiles.kernels() {
        let chosen = profiles.launch_of(kernel).map_or(0, |chosen| chosen.number);
        for (number, (file, _, launch)) in profiles.launches_of(kernel).into_iter().enumerate() {
            all.push(MeasuredLaunch {
                kernel: kernel.to_owned(),
                profile: profiles.files()[file].name.clone(),
                number,
                is_chosen: number == chosen,
                title: title(launch),
            });
        }
    }
    all
}

fn title(launch: &Launch) -> String {
    let three = |size: [u64; 3]| size.map(|count| count.to_string()).join("x");
    let size = launch.grid.zip(launch.block);
    let size =
        size.map(|(grid, block)| format!("<<<{}, {}>>>", three(grid), three(block))).unwrap_or_default();
    let time = launch.metric("gpu__time_duration.sum").map(|time| format!(", {:.1} us", time / 1000.0));
    format!("{}{size}{}", launch.kernel.demangled, time.unwrap_or_default())
}
