//! Launches of a kernel: the launches that the user states, otherwise one assumed launch.

mod measured;
mod needs;
mod parameters;
#[cfg(test)]
mod tests;
mod to_state;
mod trips;
mod widths;

pub(crate) use measured::{measured_launch, taken};
pub(crate) use needs::to_state;
pub(crate) use to_state::launch_to_state;
pub(crate) use trips::{UNKNOWN_TRIP_COUNT, trips_to_state};

use crate::engine::kernel_view::KernelView;
use crate::engine::launch_file::{LaunchEntry, RefusedLaunch};
use crate::engine::origin::LoweredFunction;
use crate::engine::sass_view::SassView;
use crate::engine::target::Target;
use model::launch::{DeclaredResources, Stated, StatedBy};
use model::{KernelTiming, Launch, Program};
use parameters::{Code, Parameters};
use std::collections::BTreeMap;
use syntax::sass::{Chunk, LineKind};

/// Returns a kernel's launches and their times: the stated launches, otherwise one assumed launch. A
/// launch that an attached profile measured has the profile's counts.
pub(crate) fn launches(kernel: &KernelView<'_>) -> Vec<(Launch, KernelTiming)> {
    let mut launches = all(kernel);
    measured::take(kernel, &mut launches);
    timed(kernel, launches)
}

/// Returns the same launches as [`launches`], but without the counts of attached profiles.
pub(crate) fn uncounted(kernel: &KernelView<'_>) -> Vec<(Launch, KernelTiming)> {
    timed(kernel, all(kernel))
}

fn timed(kernel: &KernelView<'_>, launches: Vec<Launch>) -> Vec<(Launch, KernelTiming)> {
    let KernelView { target, model, .. } = kernel;
    let timed = |launch: Launch| {
        let times = model::paper::kernel_times(&model.program, &model.times, &target.gpu, &launch);
        (launch, times)
    };
    launches.into_iter().map(timed).collect()
}

fn all(kernel: &KernelView<'_>) -> Vec<Launch> {
    let KernelView { sass, chunk, target, model, .. } = kernel;
    let name = chunk.name().unwrap_or_default();
    let stating = sass.text.stated(&sass.context.machine).get(name);
    let mut assumed = assumed(sass, chunk, &model.program, target, stating);
    let parameters = Parameters::new(sass, chunk, target, Code::Modelled(model));
    let stated = sass.context.launches.as_ref().map(|file| file.launches_of(name));
    let mut launches: Vec<Launch> = stated
        .into_iter()
        .flatten()
        .map(|entry| {
            launch_of(entry, chunk, &model.program, stating, &assumed, &parameters, sass.source(chunk))
        })
        .collect();
    if launches.is_empty() {
        measured::size(kernel, &mut assumed);
        parameters.state(None, &mut assumed);
        launches.push(assumed);
    }
    for launch in launches.iter_mut().filter(|launch| launch.shared.by == StatedBy::Assumed) {
        let Some(value) = model.shared_bytes(chunk, launch) else { continue };
        // A value that depends on the block size is unknown if the block size is a guess.
        let of_one_warp = || {
            let block = [target.gpu.arch.resources.warp_size, 1, 1];
            model.shared_bytes(chunk, &Launch { block, ..launch.clone() })
        };
        if !launch.is_guess() || of_one_warp() == Some(value) {
            launch.shared = Stated { value, by: StatedBy::Inferred };
        }
    }
    launches
}

/// Returns the first launch that the user stated for a kernel; `None` if the user stated none.
pub(crate) fn stated(sass: &SassView, chunk: &Chunk, program: &Program, target: &Target) -> Option<Launch> {
    let name = chunk.name().unwrap_or_default();
    let stating = sass.text.stated(&sass.context.machine).get(name);
    let entry = sass.context.launches.as_ref()?.launches_of(name).next()?;
    let parameters = Parameters::new(sass, chunk, target, Code::Decoded(program));
    let assumed = assumed(sass, chunk, program, target, stating);
    Some(launch_of(entry, chunk, program, stating, &assumed, &parameters, sass.source(chunk)))
}

/// Returns the trip counts of the first stated launch, keyed by the address of the loop's branch. Empty
/// if no trip counts are stated.
pub(crate) fn stated_trips(kernel: &KernelView<'_>) -> BTreeMap<u32, u64> {
    let launch = stated(kernel.sass, kernel.chunk, kernel.program(), &kernel.target);
    launch.map(|launch| launch.trips).unwrap_or_default()
}

/// Returns the launch that is assumed for a kernel without stated launches.
fn assumed(
    sass: &SassView,
    chunk: &Chunk,
    program: &Program,
    target: &Target,
    stating: DeclaredResources,
) -> Launch {
    let found = sass.context.blocks.get(chunk.name().unwrap_or_default());
    let stating = DeclaredResources { block: found.copied().or(stating.block), ..stating };
    let mut launch = Launch::assumed(program, &target.gpu, stating);
    if sass.source(chunk).is_some() {
        // The compiler chooses the register count, so the count is only inferred. The PTX declares the
        // shared memory.
        launch.registers.by = StatedBy::Inferred;
    }
    launch
}

/// Returns the number of [`launches`] without computing a model.
pub(crate) fn count(sass: &SassView, chunk: &Chunk) -> usize {
    let name = chunk.name().unwrap_or_default();
    sass.context.launches.as_ref().map_or(0, |file| file.launches_of(name).count()).max(1)
}

/// True if the user states a launch of the kernel.
pub(crate) fn is_stated(sass: &SassView, chunk: &Chunk) -> bool {
    sass.stated_block(chunk).is_some()
}

/// Returns the kernel's launch in `warplens.toml` that is ignored because of an error; `None` if no
/// launch is ignored.
pub(crate) fn refused<'v>(sass: &'v SassView, chunk: &Chunk) -> Option<&'v RefusedLaunch> {
    sass.context.launches.as_ref()?.refused_of(chunk.name().unwrap_or_default())
}

/// Returns the positions of the parameters whose widths are uncertain in a stated launch. See [`widths`].
pub(crate) fn doubtful_widths(kernel: &KernelView<'_>, number: usize) -> Vec<usize> {
    let KernelView { sass, chunk, target, model, .. } = kernel;
    let name = chunk.name().unwrap_or_default();
    let entry = sass.context.launches.as_ref().and_then(|file| file.launches_of(name).nth(number));
    let parameters = || Parameters::new(sass, chunk, target, Code::Modelled(model));
    entry.map_or_else(Vec::new, |entry| parameters().doubtful(entry))
}

/// Converts an entry of a launches file to a launch. Missing values come from the listing and the code.
fn launch_of(
    entry: &LaunchEntry,
    chunk: &Chunk,
    program: &Program,
    stating: DeclaredResources,
    assumed: &Launch,
    parameters: &Parameters<'_>,
    source: Option<&LoweredFunction>,
) -> Launch {
    let static_shared = match (entry.static_shared, stating.shared) {
        (Some(value), _) => Stated { value, by: StatedBy::Launch },
        (None, Some(value)) => Stated { value, by: StatedBy::Listing },
        (None, None) => Stated { value: 0, by: StatedBy::Assumed },
    };
    let shared = Stated {
        value: static_shared.value.saturating_add(entry.dynamic_shared),
        by: if static_shared.by == StatedBy::Assumed && entry.dynamic_shared > 0 {
            StatedBy::Launch
        } else {
            static_shared.by
        },
    };
    let mut launch = Launch {
        name: entry.name.clone(),
        grid: entry.grid,
        block: entry.block,
        cluster: entry.cluster.map(|blocks| blocks.max(1)),
        registers: entry.registers.map_or(assumed.registers, |value| Stated { value, by: StatedBy::Launch }),
        shared,
        trips: trips(entry, source, chunk, program),
        constants: BTreeMap::new(),
        arrays: Vec::new(),
        tensor_maps: Vec::new(),
        hit_rate: entry.hit_rate,
        measured: None,
        convolution: entry.convolution,
        block_by: StatedBy::Launch,
        assumed: false,
    };
    parameters.state(Some(entry), &mut launch);
    launch
}

/// Returns trip counts keyed by the address of the loop's branch. A label as key applies to every
/// backward branch to the label.
fn trips(
    entry: &LaunchEntry,
    source: Option<&LoweredFunction>,
    chunk: &Chunk,
    program: &Program,
) -> BTreeMap<u32, u64> {
    let mut trips = BTreeMap::new();
    let leads_back = |index: usize| program.instructions[index].target.is_some_and(|to| to as usize <= index);
    for (key, &count) in &entry.trips {
        let address = key.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if let Some(source) = source {
            // The user does not see the addresses of a hidden listing, so its keys are labels.
            let back = (0..program.instructions.len()).filter(|&index| leads_back(index));
            let its = back.filter(|&index| source.label(index as u32) == Some(key));
            trips.extend(its.map(|index| (program.instructions[index].address, count)));
        } else if let Some(address) = address {
            trips.insert(address, count);
        } else if let Some(target) = labelled_instruction(chunk, key) {
            let branches = program.instructions.iter().enumerate();
            for (index, branch) in branches {
                if branch.target == Some(target) && index as u32 >= target {
                    trips.insert(branch.address, count);
                }
            }
        }
    }
    trips
}

/// Returns the first instruction after a label's line. `None` if the label is missing or no instruction
/// follows.
pub(crate) fn labelled_instruction(chunk: &Chunk, label: &str) -> Option<u32> {
    let is_it = |line: &usize| {
        chunk.lines()[*line].kind == LineKind::Label
            && chunk.line_tokens(*line)[0].text(chunk.line_text(*line)) == label
    };
    let line = (0..chunk.lines().len()).find(is_it)?;
    let index = chunk.instructions().partition_point(|inst| (inst.line as usize) < line);
    (index < chunk.instructions().len()).then_some(index as u32)
}

/// Word that names the source of a number in reports.
pub(crate) const fn stated_by(by: StatedBy) -> &'static str {
    match by {
        StatedBy::Launch => "launch",
        StatedBy::Listing => "listing",
        StatedBy::Inferred => "inferred",
        StatedBy::Assumed => "assumed",
    }
}
