//! Advice derived from measurements, reported as findings at the instructions and lines that it concerns.

use super::kernel::MeasuredKernel;
use super::large_deviations::{LargeDeviation, far_off, of_model};
use super::lines::TextLines;
use super::trees::tree;
use crate::compiled::lenses::head;
use crate::compiled::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::engine::context::Context;
use crate::engine::profile_launch::name_of;
use crate::engine::rules::level;
use crate::engine::sass_view::SassView;
use crate::{Diagnostic, Severity};
use advisor::top_down::RankedAdvice;
use profile::Launch;
use std::ops::Range;

/// Smallest share of the stalls at which general advice, or advice of unknown gain, becomes a finding.
const MIN: f64 = 0.2; // limit: weaker advice is only in the tree

/// Group of the findings that come from profiles.
pub(crate) const GROUP: &str = "profile";

/// A piece of advice with its location in a text.
pub(crate) struct LocatedAdvice {
    pub finding: Diagnostic,
    /// The kernel, as the profile names it.
    pub kernel: String,
    /// Expected speed-up of the launch as a factor; `None` if unknown.
    pub claimed: Option<f64>,
    /// Codes of the static rules whose findings show where to change the code.
    pub rules: &'static [String],
    /// Threads per block; `None` if the profile does not record them.
    pub threads: Option<u64>,
    /// Largest number of resident blocks per SM that registers, shared memory and warps allow.
    pub blocks: Option<u64>,
}

/// Returns the advice for a listing. Advice for code that has changed since the measurement is omitted.
pub(crate) fn of_listing(sass: &SassView) -> Cancellable<Vec<LocatedAdvice>> {
    by_kernels(sass, |index, inst| Some(listed(sass, index, inst)), |index| Some(sass.name_range(index)))
}

/// Returns the advice for a source file, at its lines.
pub(crate) fn of_code(code: &CodeView<'_>) -> Cancellable<Vec<LocatedAdvice>> {
    by_kernels(&code.sass, |index, inst| compiled(code, index, inst), |index| head(code, index))
}

/// Returns the advice for a source file without compiled code, at the lines that profiles name. Empty
/// if the source may differ from the measured source.
pub(crate) fn by_profile(context: &Context, file: &str, text: &str) -> Vec<LocatedAdvice> {
    let profiles = &context.profiles;
    if !context.config.measured_findings {
        return Vec::new();
    }
    let chosen = profiles.kernels().iter().filter_map(|kernel| profiles.launch_of(kernel));
    let lines = TextLines::new(chosen.map(|chosen| chosen.launch), file, text);
    if !lines.are_known() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for kernel in profiles.kernels() {
        let Some(chosen) = profiles.launch_of(kernel) else { continue };
        let own = chosen.launch.lines.iter().filter(|line| name_of(&line.file) == file);
        let Some(first) = own.filter_map(|line| lines.range(line.number)).min_by_key(|range| range.start)
        else {
            continue;
        };
        let line = |address: u64| {
            let of_file =
                |line: &&profile::Line| name_of(&line.file) == file && line.offsets.contains(&address);
            lines.range(chosen.launch.lines.iter().find(of_file)?.number)
        };
        add(context, chosen.launch, &chosen.source(), line, Some(&first), &mut all);
    }
    all
}

/// Findings in a listing for measured figures that deviate strongly from the prediction.
pub(crate) fn of_model_in_listing(sass: &SassView) -> Cancellable<Vec<Diagnostic>> {
    of_models(sass, |index, inst| Some(listed(sass, index, inst)), |index| Some(sass.name_range(index)))
}

/// Findings at source lines for measured figures that deviate strongly from the prediction.
pub(crate) fn of_model_in_code(code: &CodeView<'_>) -> Cancellable<Vec<Diagnostic>> {
    of_models(&code.sass, |index, inst| compiled(code, index, inst), |index| head(code, index))
}

/// Range of an instruction's line in its listing.
fn listed(sass: &SassView, index: usize, inst: usize) -> Range<usize> {
    let line = sass.listing().chunks()[index].instructions()[inst].line;
    sass.line_range(index, line as usize)
}

/// Range of the source line that an instruction was compiled from. `None` if the instruction has no
/// line, or if the line no longer exists.
fn compiled(code: &CodeView<'_>, index: usize, inst: usize) -> Option<Range<usize>> {
    Some(code.place(code.line_of(index, inst)?)?.1)
}

fn of_models(
    sass: &SassView,
    line: impl Fn(usize, usize) -> Option<Range<usize>>,
    name: impl Fn(usize) -> Option<Range<usize>>,
) -> Cancellable<Vec<Diagnostic>> {
    let mut findings = Vec::new();
    for (index, kernel) in measured(sass) {
        for LargeDeviation { inst, message } in far_off(sass, index)? {
            let range = match inst {
                Some(inst) => line(index, inst),
                None => name(index),
            };
            findings.extend(range.map(|range| of_model(&message, range, &kernel)));
        }
    }
    Ok(findings)
}

/// Kernels of a listing with a measured launch of exactly this code.
fn measured(sass: &SassView) -> impl Iterator<Item = (usize, MeasuredKernel<'_>)> {
    let is_reported = !sass.context.profiles.files().is_empty() && sass.context.config.measured_findings;
    let kernels = sass.kernels().filter(move |_| is_reported);
    kernels.filter_map(|(index, _)| {
        Some((index, MeasuredKernel::find(sass, index).filter(MeasuredKernel::is_same_code)?))
    })
}

fn by_kernels(
    sass: &SassView,
    line: impl Fn(usize, usize) -> Option<Range<usize>>,
    name: impl Fn(usize) -> Option<Range<usize>>,
) -> Cancellable<Vec<LocatedAdvice>> {
    let mut all = Vec::new();
    for (index, kernel) in measured(sass) {
        sass.cancel.check()?;
        let place = |address: u64| line(index, kernel.inst_at(address)?);
        add(&sass.context, kernel.chosen.launch, &kernel.source(), place, name(index).as_ref(), &mut all);
    }
    Ok(all)
}

/// Adds the advice that is worth following for a launch.
///
/// A piece of advice is placed at the instruction that it concerns, otherwise at the most stalled instruction. Advice
/// about the entire kernel is placed at the kernel's name.
fn add(
    context: &Context,
    launch: &Launch,
    source: &str,
    line: impl Fn(u64) -> Option<Range<usize>>,
    name: Option<&Range<usize>>,
    all: &mut Vec<LocatedAdvice>,
) {
    let Some(tree) = tree(context, launch) else { return };
    let is_worthwhile = |own: &RankedAdvice<'_>| match &own.advice.gain {
        Some(gain) if !own.advice.general => gain.is_worthwhile(),
        _ => own.removes >= MIN,
    };
    let count = |metric: &str| launch.metric(metric).map(|count| count as u64);
    let limits =
        ["registers", "shared_mem", "warps"].map(|by| count(&format!("launch__occupancy_limit_{by}")));
    let blocks = limits.into_iter().flatten().min();
    let threads = launch.block.map(|block| block.iter().product());
    for ranked in tree.ranked().into_iter().filter(is_worthwhile) {
        let range =
            if ranked.node.name == "stalls" { name.cloned() } else { addresses(&ranked).find_map(&line) };
        let severity = level(context, ranked.advice.code, Some(Severity::Info));
        all.extend(range.zip(severity).map(|(range, severity)| LocatedAdvice {
            finding: Diagnostic { severity, ..finding(&ranked, range, launch, source) },
            kernel: launch.kernel.demangled.clone(),
            claimed: ranked.advice.gain.as_ref().map(|gain| gain.times),
            rules: ranked.advice.rules,
            threads,
            blocks,
        }));
    }
}

/// Address of the instruction that a piece of advice concerns, followed by the addresses of the most
/// stalled instructions.
fn addresses<'a>(ranked: &RankedAdvice<'a>) -> impl Iterator<Item = u64> + use<'a> {
    let places = ranked.node.places.iter().map(|place| place.address);
    ranked.advice.address.into_iter().chain(places)
}

/// Builds a finding from the text of the advice, the expected gain and the name of the profile.
fn finding(
    RankedAdvice { advice, .. }: &RankedAdvice<'_>,
    range: Range<usize>,
    launch: &Launch,
    source: &str,
) -> Diagnostic {
    let message = format!("{} {} (measured: {source})", advice.text, advice.sentence);
    Diagnostic {
        range,
        code: advice.code,
        group: GROUP,
        severity: Severity::Info,
        message,
        related: Vec::new(),
        function: Some(launch.kernel.demangled.clone()),
        address: None,
    }
}
