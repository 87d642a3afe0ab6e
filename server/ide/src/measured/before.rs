//! Comparison of samples before and after a change, if profiles of both versions are attached.

use super::kernel::MeasuredKernel;
use super::lines::{MeasuredLine, by_launches};
use crate::compiled::view::CodeView;
use crate::engine::names;
use crate::engine::profiles::{ChosenLaunch, Profiles};
use crate::engine::sass_view::SassView;

/// Compares an instruction's share of the samples in two profiles, in one line. Empty if no other
/// profile has a corresponding launch.
pub(super) fn of_instruction(sass: &SassView, own: &MeasuredKernel<'_>, index: usize, inst: usize) -> String {
    let name = names::kernel_name(&sass.listing().chunks()[index]);
    let Some((other, is_before)) = sass.context.profiles.counterpart(name) else { return String::new() };
    let Some(of_other) = MeasuredKernel::with(sass, index, other) else { return String::new() };
    let share = |kernel: &MeasuredKernel<'_>| Some(share(kernel.tally(inst)?.samples, kernel.samples));
    in_words((&own.chosen, share(own)), (&other, share(&of_other)), is_before)
}

/// Like [`of_instruction`], for a source line, in the kernel that supplies the line's figures. `text` is the source,
/// `file` the source file's name, `code` the compiled code.
pub(super) fn of_line(
    own: &MeasuredLine<'_>,
    profiles: &Profiles,
    code: Option<&CodeView<'_>>,
    (text, file): (&str, &str),
) -> String {
    let pair = profiles.launch_of(own.kernel).zip(profiles.counterpart(own.kernel));
    let Some((shown, (other, is_before))) = pair else { return String::new() };
    let of_other = code.and_then(|code| by_same_code(code, own, other)).or_else(|| {
        let lines = by_launches(&[other], file, text)?;
        let line = lines.all.iter().find(|line| line.range.start == own.range.start);
        Some(line.map_or(0.0, MeasuredLine::share))
    });
    in_words((&shown, Some(share(own.tally.samples, own.samples))), (&other, of_other), is_before)
}

/// The line's share of the samples in the other profile, from the instructions compiled from the line.
/// `None` if the other launch ran different code.
fn by_same_code(code: &CodeView<'_>, line: &MeasuredLine<'_>, other: ChosenLaunch<'_>) -> Option<f64> {
    let (index, _) = line.instructions.first()?;
    let kernel = MeasuredKernel::with(&code.sass, *index, other).filter(MeasuredKernel::is_same_code)?;
    let samples = line.instructions.iter().filter_map(|(_, inst)| Some(kernel.tally(*inst)?.samples)).sum();
    Some(share(samples, kernel.samples))
}

/// Fraction of all samples, 0 to 1; 0 if there are no samples.
fn share(samples: f64, all: f64) -> f64 {
    if all > 0.0 { samples / all } else { 0.0 }
}

/// A launch, and the share of its samples at an instruction or source line; `None` if the launch's code lacks the
/// instruction.
type LaunchShare<'a> = (&'a ChosenLaunch<'a>, Option<f64>);

fn in_words(shown: LaunchShare<'_>, other: LaunchShare<'_>, is_before: bool) -> String {
    let words = |(launch, share): LaunchShare<'_>| match share {
        Some(share) => format!("{:.1} % in {}", 100.0 * share, launch.file.name),
        None => format!("not in the code of {}", launch.file.name),
    };
    let (before, after) = if is_before { (other, shown) } else { (shown, other) };
    format!("**Samples before and after:** {} -> {}.", words(before), words(after))
}
