//! Profile counts in the form that the model uses for a kernel's launch.

mod hit_rates;
pub(crate) mod places;
mod same_code;
pub(crate) mod used_data;

pub(crate) use same_code::places;
pub use used_data::UsedProfileData;

use crate::engine::kernel_view::KernelView;
use crate::engine::names::kernel_name;
use crate::engine::profile_launch::is_of;
use hit_rates::{HitRates, hit_rates};
use machine::MemorySpace;
use model::launch::{Stated, StatedBy};
use model::{InstructionCounts, Launch, MeasuredCounts};
use places::Places;
use std::sync::Arc;

/// A file with launches that a profiler recorded.
#[derive(Debug, Clone)]
pub struct ProfileFile(profile::Profile);

impl ProfileFile {
    /// Reads a profile of any supported format.
    pub fn read(bytes: &[u8]) -> Result<Self, profile::Error> {
        profile::read(bytes).map(Self)
    }

    /// Returns why the end of the file was not read. `None` if the whole file was read.
    pub fn cut(&self) -> Option<&str> {
        self.0.cut.as_deref()
    }

    /// True if any launch has execution counts per instruction.
    pub fn has_counts(&self) -> bool {
        self.0.launches.iter().any(|launch| launch.instructions.has(EXECUTED))
    }

    /// Returns the launches of a function, in file order.
    pub(crate) fn launches_of<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a profile::Launch> {
        self.0.launches.iter().filter(move |launch| is_of(launch, function))
    }
}

const EXECUTED: &str = "inst_executed";

/// Accessor of a count in [`InstructionCounts`].
type Field = fn(&mut InstructionCounts) -> &mut Option<f64>;

/// Counts per instruction: the name in reports, the name of the profile's metric, and the accessor.
const COUNTS: [(&str, &str, Field); 6] = [
    ("executed", EXECUTED, |counted| &mut counted.executed),
    ("lanes", "thread_inst_executed", |counted| &mut counted.lanes),
    ("lanes", "thread_inst_executed_true", |counted| &mut counted.on),
    ("wavefronts", "memory_l1_wavefronts_shared", |counted| &mut counted.wavefronts),
    ("lines", "memory_l1_tag_requests_global", |counted| &mut counted.lines),
    ("sectors", "memory_l2_theoretical_sectors_global", |counted| &mut counted.sectors),
];

/// Copies a profile's data about a kernel into a launch: instruction counts, hit rates, and resource usage
/// that the launch does not state. Times and samples are not copied.
pub(crate) fn take(
    kernel: &KernelView<'_>,
    profiled: &profile::Launch,
    launch: &mut Launch,
) -> UsedProfileData {
    take_at(kernel, profiled, &places(kernel, &profiled.instructions), launch)
}

/// Copies the same data as [`take`], for known positions of the instructions in the profile.
pub(crate) fn take_at(
    kernel: &KernelView<'_>,
    profiled: &profile::Launch,
    places: &Places,
    launch: &mut Launch,
) -> UsedProfileData {
    let mut taken = UsedProfileData {
        taken: Vec::new(),
        instructions: places.of.iter().flatten().count(),
        of: places.of.len(),
        same_code: places.is_same,
    };
    let mut measured = MeasuredCounts {
        instructions: vec![InstructionCounts::default(); places.of.len()],
        warps: warps(kernel, profiled),
    };
    for (word, metric, field) in COUNTS {
        let mut has_any = false;
        for (counted, place) in measured.instructions.iter_mut().zip(&places.of) {
            let count = place.and_then(|place| profiled.instructions.count(metric, place));
            has_any |= count.is_some();
            *field(counted) = count.filter(|count| count.is_finite() && *count >= 0.0);
        }
        if has_any && !taken.taken.contains(&word) {
            taken.taken.push(word);
        }
    }
    if taken.taken.is_empty() {
        taken.instructions = 0;
    } else {
        launch.measured = Some(Arc::new(measured));
    }
    take_hit_rates(kernel, profiled, launch, &mut taken);
    take_resources(profiled, launch, &mut taken);
    taken
}

/// Returns the warp count of the profiled launch. `None` if the profile does not state the grid and the
/// block.
fn warps(kernel: &KernelView<'_>, profiled: &profile::Launch) -> Option<f64> {
    let product = |size: Option<[u64; 3]>| Some(size?.iter().fold(1, |all: u64, n| all.saturating_mul(*n)));
    let threads = product(profiled.block)?;
    let warp_size = u64::from(kernel.target.gpu.arch.resources.warp_size.max(1));
    Some(product(profiled.grid)? as f64 * threads.div_ceil(warp_size) as f64).filter(|warps| *warps > 0.0)
}

/// Copies the profile's hit rates into the launch if an address in global memory is unknown. If the code
/// determines all addresses, the caches are simulated instead. The simulation also shows when each sector is
/// requested, and which sectors are in flight for other requests.
fn take_hit_rates(
    kernel: &KernelView<'_>,
    profiled: &profile::Launch,
    launch: &mut Launch,
    taken: &mut UsedProfileData,
) {
    if launch.measured.is_none() {
        return;
    }
    let derived = kernel.model.survey(kernel.chunk, &Launch { measured: None, ..launch.clone() });
    let is_global = |space: MemorySpace| matches!(space, MemorySpace::Global | MemorySpace::Generic);
    if derived.uses.values().all(|access| access.known || !is_global(access.space)) {
        return;
    }
    let HitRates { l1, l2 } = hit_rates(kernel, profiled, launch);
    let own = &mut launch.hit_rate;
    for (rate, own, word) in [(l1, &mut own.l1, "l1_hit"), (l2, &mut own.l2, "l2_hit")] {
        if rate.is_some() && own.is_none() {
            *own = rate;
            taken.taken.push(word);
        }
    }
}

/// Returns a metric of a launch. `None` if the metric is missing, negative or not finite.
fn launch_metric(profiled: &profile::Launch, name: &str) -> Option<f64> {
    profiled.metric(name).filter(|value| value.is_finite() && *value >= 0.0)
}

fn take_resources(profiled: &profile::Launch, launch: &mut Launch, taken: &mut UsedProfileData) {
    let count = |name: &str| launch_metric(profiled, name).map(|value| value as u32);
    let is_open = |by: StatedBy| matches!(by, StatedBy::Inferred | StatedBy::Assumed);
    if let Some(value) = count("launch__registers_per_thread").filter(|_| is_open(launch.registers.by)) {
        launch.registers = Stated { value, by: StatedBy::Launch };
        taken.taken.push("registers");
    }
    let shared =
        count("launch__shared_mem_per_block_static").zip(count("launch__shared_mem_per_block_dynamic"));
    if let Some((own, dynamic)) = shared.filter(|_| is_open(launch.shared.by)) {
        launch.shared = Stated { value: own.saturating_add(dynamic), by: StatedBy::Launch };
        taken.taken.push("shared");
    }
}

/// Returns the function and launch that a message about a profile refers to.
pub(crate) fn subject(kernel: &KernelView<'_>, launch: &Launch) -> String {
    let name = launch.name.as_ref().map_or_else(String::new, |name| format!(" (launch `{name}`)"));
    format!("`{}`{name}", kernel_name(kernel.chunk))
}
