//! The profiled launch of a kernel, and the counts that it supplies.

use super::is_stated;
use crate::engine::kernel_view::KernelView;
use crate::engine::measured::used_data::LaunchWithProfile;
use crate::engine::measured::{self, UsedProfileData};
use crate::engine::names;
use crate::engine::profiles::ChosenLaunch;
use model::launch::StatedBy;
use model::{KernelTiming, Launch};
use std::sync::Arc;

/// Returns the profiled launch that is shown for the kernel; `None` if no profile has a launch of the
/// kernel.
fn shown<'a>(kernel: &KernelView<'a>) -> Option<ChosenLaunch<'a>> {
    let KernelView { sass, chunk, .. } = kernel;
    // A listing lowered from PTX is only an estimate, so no profile measures it.
    if sass.origin.is_some() {
        return None;
    }
    sass.context.profiles.launch_of(names::kernel_name(chunk))
}

/// Returns the same launch as [`shown`]. `None` also if the settings exclude profiles from predictions.
fn chosen<'a>(kernel: &KernelView<'a>) -> Option<ChosenLaunch<'a>> {
    shown(kernel).filter(|_| kernel.sass.context.config.predict_with_profile)
}

/// Returns the kernel's launch that the shown profile measured, its index and its times. `None` if the
/// profile measured none of the kernel's launches.
pub(crate) fn measured_launch(kernel: &KernelView<'_>) -> Option<(usize, Launch, KernelTiming)> {
    let chosen = shown(kernel)?;
    let mut all = super::launches(kernel);
    let sizes: Vec<Launch> = all.iter().map(|(launch, _)| launch.clone()).collect();
    let number = place_of(kernel, &chosen, &sizes)?;
    let (launch, times) = all.swap_remove(number);
    Some((number, launch, times))
}

/// Returns the grid and the block of a profiled launch; `None` unless the profile records both.
fn size_of(launch: &profile::Launch) -> Option<([u32; 3], [u32; 3])> {
    let small = |size: [u64; 3]| {
        let [x, y, z] = size.map(|count| u32::try_from(count.max(1)).ok());
        Some([x?, y?, z?])
    };
    Some((small(launch.grid?)?, small(launch.block?)?))
}

/// Replaces the grid and the block of an assumed launch with the profiled grid and block, if the profile records both.
pub(super) fn size(kernel: &KernelView<'_>, assumed: &mut Launch) {
    if let Some((grid, block)) = chosen(kernel).and_then(|chosen| size_of(chosen.launch)) {
        (assumed.grid, assumed.block, assumed.assumed) = (grid, block, false);
        assumed.block_by = StatedBy::Launch;
    }
}

/// Adds the profile's counts to the measured launch, if `launches` contains it.
pub(super) fn take(kernel: &KernelView<'_>, launches: &mut [Launch]) {
    let Some(chosen) = chosen(kernel) else { return };
    let Some(own) = place_of(kernel, &chosen, launches).and_then(|at| launches.get_mut(at)) else { return };
    let (profile, number) = (&chosen.file.profile, chosen.place().1);
    let known = &kernel.model.taken;
    let is_it = |known: &LaunchWithProfile| known.is_from(profile, number) && known.without == *own;
    if let Some(launch) = known.find(|known| is_it(known).then(|| known.launch.clone())) {
        *own = launch;
        return;
    }
    let find = || measured::places(kernel, &chosen.launch.instructions);
    let places = kernel.sass.context.profiles.places(kernel.chunk.hash(), &chosen, find);
    let without = own.clone();
    let mut taken = measured::take_at(kernel, chosen.launch, &places, own);
    if !is_stated(kernel.sass, kernel.chunk) {
        taken.taken.insert(0, "launch");
    }
    known.keep(LaunchWithProfile {
        without,
        profile: Arc::downgrade(profile),
        number,
        launch: own.clone(),
        taken,
    });
}

/// Returns the profile data that a launch uses, and a description of the profiled launch. `None` if the launch uses no
/// profile data.
pub(crate) fn taken(kernel: &KernelView<'_>, launch: &Launch) -> Option<(UsedProfileData, String)> {
    let chosen = chosen(kernel)?;
    let (profile, number) = (&chosen.file.profile, chosen.place().1);
    let is_it = |known: &LaunchWithProfile| known.is_from(profile, number) && known.launch == *launch;
    let taken = kernel.model.taken.find(|known| is_it(known).then(|| known.taken.clone()))?;
    (!taken.taken.is_empty()).then(|| (taken, chosen.source()))
}

/// Returns the index of the launch that was profiled. If several launches have the same size, they are matched in
/// order, because a profile lists them in the same order. `None` if the match is ambiguous.
fn place_of(kernel: &KernelView<'_>, chosen: &ChosenLaunch<'_>, launches: &[Launch]) -> Option<usize> {
    let name = names::kernel_name(kernel.chunk);
    let measured = kernel.sass.context.profiles.launches_of(name);
    let size = size_of(chosen.launch);
    let fits = |launch: &Launch| match size {
        Some(size) => (launch.grid, launch.block) == size,
        // Without a size, the number of executed warps is unknown. A guess would scale every count.
        None => !launch.assumed,
    };
    let fitting: Vec<usize> = (0..launches.len()).filter(|at| fits(&launches[*at])).collect();
    let (of_file, in_file) = chosen.place();
    let is_peer =
        |(file, _, launch): &&(usize, usize, &profile::Launch)| *file == of_file && size_of(launch) == size;
    let peers: Vec<usize> = measured.iter().filter(is_peer).map(|(_, number, _)| *number).collect();
    match &fitting[..] {
        [only] => Some(*only),
        _ if fitting.len() == peers.len() => {
            let among = peers.iter().position(|peer| *peer == in_file)?;
            fitting.get(among).copied()
        }
        _ => None,
    }
}
