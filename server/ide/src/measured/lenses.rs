//! Code lenses above kernels, with the measured figures of the kernels' launches.

use super::kernel::MeasuredKernel;
use super::kernel_comparison::{CYCLES, KernelComparison, OCCUPANCY};
use crate::engine::cancel::Cancellable;
use crate::engine::names;
use crate::engine::sass_view::SassView;
use crate::kernels::predict::effort::quick;
use crate::words::numbers::thousands;
use crate::{Lens, LensLocation, LensSubject};
use profile::Launch;
use std::fmt::Write;

/// Returns the lens positions for a listing or a source file's code. `place` returns the range of a
/// kernel.
pub(crate) fn places(
    sass: &SassView,
    place: impl Fn(usize) -> Option<std::ops::Range<usize>>,
) -> Vec<LensLocation> {
    if !sass.context.config.code_lens || sass.context.profiles.files().is_empty() {
        return Vec::new();
    }
    let profiles = &sass.context.profiles;
    let measured =
        sass.kernels().filter(|(_, chunk)| profiles.launch_of(names::kernel_name(chunk)).is_some());
    measured
        .filter_map(|(kernel, _)| {
            Some(LensLocation { range: place(kernel)?, kernel, of: LensSubject::Measured })
        })
        .collect()
}

/// Returns the lens above a kernel; `None` if no profile has a launch of the kernel.
pub(crate) fn lens(
    sass: &SassView,
    kernel: usize,
    range: std::ops::Range<usize>,
) -> Cancellable<Option<Lens>> {
    let Some(measured) = MeasuredKernel::find(sass, kernel) else { return Ok(None) };
    let launch = measured.chosen.launch;
    let mut title = "measured".to_owned();
    if !measured.is_same_code() {
        title.push_str(" (for different code)");
    }
    let mut figures = figures(launch);
    let whole = KernelComparison::find(sass, kernel).map(|against| against.whole(|_| quick())).transpose()?;
    if let (Some(whole), Some(cycles)) = (&whole, figures.first_mut())
        && whole.pair().is_some()
    {
        let _ = write!(cycles, " (predicted: {})", whole.predicted_in_words());
    }
    if !figures.is_empty() {
        let _ = write!(title, ": {}", figures.join(" · "));
    }
    let age = measured.age().map(|age| format!("\n\n{age}")).unwrap_or_default();
    let predicted = whole.map(|whole| whole.in_words()).unwrap_or_default();
    let predicted = if predicted.is_empty() { predicted } else { format!("\n\n{}", predicted.trim_end()) };
    let detail = format!("{}{predicted}{age}\n\nProfile: {}.", figures.join("; "), measured.source());
    let _ = write!(title, " · {}", measured.source());
    Ok(Some(Lens { range, title, detail, is_of_loop: false, is_quick: false, to_state: None }))
}

/// Figures of a launch, most important first.
fn figures(launch: &Launch) -> Vec<String> {
    let metric = |name: &str| launch.metric(name);
    let mut words = Vec::new();
    if let Some(cycles) = CYCLES.iter().find_map(|name| metric(name)) {
        words.push(format!("{} cycles", thousands(cycles)));
    }
    let percent = [
        ("SM", "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
        ("memory", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
        ("DRAM", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
        ("occupancy", OCCUPANCY),
    ];
    words.extend(percent.iter().filter_map(|(title, name)| Some(format!("{title} {:.0} %", metric(name)?))));
    let samples = crate::engine::profile_launch::samples(launch, None);
    let total: f64 = samples.iter().map(|(_, count)| count).sum();
    if let Some((reason, count)) = samples.iter().max_by(|(_, one), (_, other)| one.total_cmp(other))
        && total > 0.0
    {
        words.push(format!("{reason} {:.0} %", 100.0 * count / total));
    }
    words
}
