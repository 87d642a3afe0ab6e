//! Measured figures per source line. They come from the compiled code, or from the lines that a profile
//! names.

use super::kernel::MeasuredKernel;
use super::tally::Tally;
use crate::compiled::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::engine::profile_launch::{all_samples, name_of};
use crate::engine::profiles::{ChosenLaunch, Profiles};
use crate::words::numbers::listed;
use profile::Launch;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::BTreeMap;
use std::ops::Range;

/// A line with its counts in one kernel: the kernel in which the line has the largest share of the
/// samples.
pub(crate) struct MeasuredLine<'a> {
    /// Bytes of the line, without surrounding white space.
    pub range: Range<usize>,
    /// Counts in that kernel only, because one report may contain launches of unrelated kernels.
    pub tally: Tally<'a>,
    /// Number of samples of that kernel's launch.
    pub samples: f64,
    /// Name of the kernel in the profile.
    pub kernel: &'a str,
    /// Other kernels that contain code of the line. Each entry has the line's share of that kernel's
    /// samples.
    pub others: Vec<(&'a str, f64)>,
    /// Instructions of the line as (kernel index in the listing, instruction index). Empty if there is no compiled
    /// code.
    pub instructions: Vec<(usize, usize)>,
    /// True if the line is unchanged since its code was compiled.
    pub is_current: bool,
}

/// Measured lines of a source file.
pub(crate) struct Lines<'a> {
    /// Measured lines in text order.
    pub all: Vec<MeasuredLine<'a>>,
    /// A sentence that the text differs, or may differ, from the measured text; `None` if the texts are equal.
    pub age: Option<String>,
    /// Names of the profiles.
    pub source: String,
}

/// Counts of a line in one kernel.
struct KernelLineCounts<'a> {
    kernel: &'a str,
    samples: f64,
    tally: Tally<'a>,
    instructions: Vec<(usize, usize)>,
}

impl<'a> KernelLineCounts<'a> {
    fn new(kernel: &'a str, samples: f64) -> Self {
        Self { kernel, samples, tally: Tally::default(), instructions: Vec::new() }
    }

    fn share(&self) -> f64 {
        share(&self.tally, self.samples)
    }
}

/// Fraction of a kernel's samples that a tally holds, 0 to 1.
fn share(tally: &Tally<'_>, samples: f64) -> f64 {
    if samples > 0.0 { tally.samples / samples } else { 0.0 }
}

impl<'a> MeasuredLine<'a> {
    /// The line's share of its kernel's samples, 0 to 1.
    pub(crate) fn share(&self) -> f64 {
        share(&self.tally, self.samples)
    }

    /// Name of the measured kernel, without parameters.
    pub(crate) fn short_kernel(&self) -> &'a str {
        short(self.kernel)
    }

    /// Formats a sentence about other kernels that contain code of the line; empty if no other kernel
    /// does.
    pub(crate) fn others_in_words(&self) -> String {
        let shares: Vec<String> = self
            .others
            .iter()
            .map(|(kernel, share)| format!("{:.1} % of the samples of `{}`", 100.0 * share, short(kernel)))
            .collect();
        if shares.is_empty() {
            String::new()
        } else {
            format!(" The line also has {}.", listed(&shares, "and"))
        }
    }

    /// Selects the kernel in which the line has the largest share of the samples; `None` if `kernels` is empty.
    fn new(range: Range<usize>, mut kernels: Vec<KernelLineCounts<'a>>, is_current: bool) -> Option<Self> {
        kernels.sort_by(|one, other| other.share().total_cmp(&one.share()));
        let mut kernels = kernels.into_iter();
        let KernelLineCounts { kernel, samples, tally, instructions } = kernels.next()?;
        let others = kernels.map(|other| (other.kernel, other.share())).collect();
        Some(Self { range, tally, samples, kernel, others, instructions, is_current })
    }
}

fn short(kernel: &str) -> &str {
    kernel.split('(').next().unwrap_or(kernel)
}

/// Returns the lines, as derived from the text's compiled code; `None` if no profile contains a kernel of the code.
pub(crate) fn by_code<'a>(code: &'a CodeView<'_>) -> Cancellable<Option<Lines<'a>>> {
    let mut lines: BTreeMap<u32, Vec<KernelLineCounts<'a>>> = BTreeMap::new();
    let (mut age, mut sources) = (None, Vec::new());
    for (index, chunk) in code.sass.kernels() {
        code.sass.cancel.check()?;
        let Some(kernel) = MeasuredKernel::find(&code.sass, index) else { continue };
        age = age.or_else(|| kernel.age());
        let source = kernel.source();
        if !sources.contains(&source) {
            sources.push(source);
        }
        let mut own: BTreeMap<u32, KernelLineCounts<'a>> = BTreeMap::new();
        for inst in 0..chunk.instructions().len() {
            if let (Some(line), Some(tally)) = (code.line_of(index, inst), kernel.tally(inst)) {
                let name = &kernel.chosen.launch.kernel.demangled;
                let counted = own.entry(line).or_insert_with(|| KernelLineCounts::new(name, kernel.samples));
                counted.tally.add(&tally);
                counted.instructions.push((index, inst));
            }
        }
        for (line, counted) in own {
            lines.entry(line).or_default().push(counted);
        }
    }
    if sources.is_empty() {
        return Ok(None);
    }
    if age.is_none() && code.is_stale() {
        age = Some("The profile is from an older version of the file.".to_owned());
    }
    let mut all: Vec<MeasuredLine<'_>> = lines
        .into_iter()
        .filter_map(|(line, kernels)| {
            let (moved, range) = code.place(line)?;
            MeasuredLine::new(range, kernels, !moved.is_touched)
        })
        .collect();
    all.sort_by_key(|line| line.range.start);
    Ok(Some(Lines { all, age, source: sources.join(", ") }))
}

/// Lines of a file that the shown launches name; `None` if the launches name no line of the file.
pub(crate) fn by_profile<'a>(profiles: &'a Profiles, file: &str, text: &str) -> Option<Lines<'a>> {
    let shown = profiles.kernels().iter().filter_map(|kernel| profiles.launch_of(kernel));
    by_launches(&shown.collect::<Vec<_>>(), file, text)
}

/// Like [`by_profile`], but for the given launches.
pub(super) fn by_launches<'a>(launches: &[ChosenLaunch<'a>], file: &str, text: &str) -> Option<Lines<'a>> {
    let mut lines: BTreeMap<u32, Vec<KernelLineCounts<'a>>> = BTreeMap::new();
    let mut sources = Vec::new();
    for chosen in launches {
        let launch = chosen.launch;
        let own: Vec<_> = launch.lines.iter().filter(|line| name_of(&line.file) == file).collect();
        if own.is_empty() {
            continue;
        }
        let mut of_launch: BTreeMap<u32, KernelLineCounts<'a>> = BTreeMap::new();
        if !sources.contains(&chosen.file.name) {
            sources.push(chosen.file.name.clone());
        }
        for line in own {
            for offset in &line.offsets {
                if let Ok(at) = launch.instructions.offsets().binary_search(offset) {
                    let new = || KernelLineCounts::new(&launch.kernel.demangled, all_samples(launch));
                    let counted = of_launch.entry(line.number).or_insert_with(new);
                    counted.tally.add(&Tally::new(launch, at));
                }
            }
        }
        for (line, counted) in of_launch {
            lines.entry(line).or_default().push(counted);
        }
    }
    if lines.is_empty() {
        return None;
    }
    let places = TextLines::new(launches.iter().map(|chosen| chosen.launch), file, text);
    let place = |(number, kernels): (u32, Vec<KernelLineCounts<'a>>)| {
        MeasuredLine::new(places.range(number)?, kernels, true)
    };
    let mut all: Vec<MeasuredLine<'_>> = lines.into_iter().filter_map(place).collect();
    all.sort_by_key(|line| line.range.start);
    Some(Lines { all, age: places.age, source: sources.join(", ") })
}

/// Lines of a file named by a profile, mapped to the current text.
pub(crate) struct TextLines<'a> {
    text: &'a str,
    /// Byte offset of each line's first character.
    starts: Vec<usize>,
    /// Current line of each measured line, counted from 0; `None` for a deleted line. The vector is
    /// `None` if the texts are equal or the profile contains no source. Line numbers are then used
    /// unchanged.
    moved: Option<Vec<Option<usize>>>,
    /// A sentence that the text differs, or may differ, from the measured text; `None` if the texts are equal.
    pub age: Option<String>,
}

impl<'a> TextLines<'a> {
    /// Maps the lines of a file. The measured text is the first source of this file that the launches contain.
    pub(crate) fn new<'l>(launches: impl IntoIterator<Item = &'l Launch>, file: &str, text: &'a str) -> Self {
        let measured = launches.into_iter().find_map(|launch| {
            let mut sources = launch.sources.iter();
            sources.find(|(path, _)| name_of(path) == file).map(|(_, source)| source)
        });
        let (moved, age) = moved_lines(measured.map(|source| &**source), text);
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        Self { text, starts, moved, age }
    }

    /// True if it is known which lines are unchanged since the measurement.
    pub(crate) fn are_known(&self) -> bool {
        self.moved.is_some() || self.age.is_none()
    }

    /// Byte range of a measured line (counted from 1) in the current text, without surrounding white
    /// space. `None` if the line was deleted.
    pub(crate) fn range(&self, number: u32) -> Option<Range<usize>> {
        let line = number.checked_sub(1)? as usize;
        let now = match &self.moved {
            Some(moved) => (*moved.get(line)?)?,
            None => line,
        };
        let start = *self.starts.get(now)?;
        let own = &self.text[start..self.starts.get(now + 1).copied().unwrap_or(self.text.len())];
        let from = start + (own.len() - own.trim_start().len());
        Some(from..(start + own.trim_end().len()).max(from))
    }
}

/// Returns the current line of each measured line, counted from 0, and a sentence if the texts may
/// differ. The lines are `None` if the texts are equal or the profile contains no source. Line numbers
/// are then used unchanged.
fn moved_lines(measured: Option<&str>, text: &str) -> (Option<Vec<Option<usize>>>, Option<String>) {
    let Some(measured) = measured else {
        let unknown = "It is unknown whether this is the text that was measured: the profile has no source, and the text has not been compiled.";
        return (None, Some(unknown.to_owned()));
    };
    if measured == text {
        return (None, None);
    }
    let before: Vec<&str> = measured.lines().collect();
    let after: Vec<&str> = text.lines().collect();
    let mut moved = vec![None; before.len()];
    for op in capture_diff_slices(Algorithm::Myers, &before, &after) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            (0..len).for_each(|at| moved[old_index + at] = Some(new_index + at));
        }
    }
    let same = moved.iter().flatten().count();
    let age = format!(
        "The profile is from an older version of the file: {same} of its {} lines are unchanged, and only those have figures.",
        before.len()
    );
    (Some(moved), Some(age))
}
