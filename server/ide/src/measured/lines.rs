//! What was measured at the lines of a source: by the listing that is attached to it, else by the lines that a profile itself names.

use super::kernel::MeasuredKernel;
use super::tally::Tally;
use crate::compiled::view::CodeView;
use crate::engine::cancel::Answer;
use crate::engine::profiles::Profiles;
use std::collections::BTreeMap;
use std::ops::Range;

/// A line with what was counted of its code.
pub(crate) struct MeasuredLine<'a> {
    /// Bytes of the line, without blanks at both ends.
    pub range: Range<usize>,
    pub tally: Tally<'a>,
    /// The line is as it was when its code was compiled.
    pub is_current: bool,
}

/// The lines of a source.
pub(crate) struct Lines<'a> {
    /// In text order.
    pub all: Vec<MeasuredLine<'a>>,
    /// All samples of the launches that are shown.
    pub samples: f64,
    /// A sentence for a text that has changed since; `None` where it has not.
    pub age: Option<String>,
    /// Names of the profiles.
    pub source: String,
}

/// The lines by the code that was compiled of the text; `None` where no profile has one of its kernels.
pub(crate) fn by_code<'a>(code: &'a CodeView<'_>) -> Answer<Option<Lines<'a>>> {
    let mut lines: BTreeMap<u32, Tally<'a>> = BTreeMap::new();
    let (mut samples, mut age, mut sources) = (0.0, None, Vec::new());
    for (index, chunk) in code.sass.kernels() {
        code.sass.cancel.check()?;
        let Some(kernel) = MeasuredKernel::of(&code.sass, index) else { continue };
        samples += kernel.samples;
        age = age.or_else(|| kernel.age());
        let source = kernel.source();
        if !sources.contains(&source) {
            sources.push(source);
        }
        for inst in 0..chunk.instructions().len() {
            if let (Some(line), Some(tally)) = (code.line_of(index, inst), kernel.tally(inst)) {
                lines.entry(line).or_default().add(&tally);
            }
        }
    }
    if sources.is_empty() {
        return Ok(None);
    }
    if age.is_none() && code.is_stale() {
        age = Some("The profile is of an older text.".to_owned());
    }
    let mut all: Vec<MeasuredLine<'_>> = lines
        .into_iter()
        .filter_map(|(line, tally)| {
            let (moved, range) = code.place(line)?;
            Some(MeasuredLine { range, tally, is_current: !moved.is_touched })
        })
        .collect();
    all.sort_by_key(|line| line.range.start);
    Ok(Some(Lines { all, samples, age, source: sources.join(", ") }))
}

/// The lines that profiles themselves name of a file; `None` where they name none of it.
pub(crate) fn by_profile<'a>(profiles: &'a Profiles, file: &str, text: &str) -> Option<Lines<'a>> {
    let mut lines: BTreeMap<u32, Tally<'a>> = BTreeMap::new();
    let (mut samples, mut sources) = (0.0, Vec::new());
    for kernel in profiles.kernels() {
        let Some(chosen) = profiles.launch_of(kernel) else { continue };
        let launch = chosen.launch;
        let own: Vec<_> = launch.lines.iter().filter(|line| name_of(&line.file) == file).collect();
        if own.is_empty() {
            continue;
        }
        samples += Tally::all(launch).samples;
        if !sources.contains(&chosen.file.name) {
            sources.push(chosen.file.name.clone());
        }
        for line in own {
            for offset in &line.offsets {
                if let Ok(at) = launch.instructions.offsets().binary_search(offset) {
                    lines.entry(line.number).or_default().add(&Tally::of(launch, at));
                }
            }
        }
    }
    if lines.is_empty() {
        return None;
    }
    let mut start = 0;
    let mut all = Vec::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if let Some(tally) = lines.remove(&number) {
            let from = start + (line.len() - line.trim_start().len());
            all.push(MeasuredLine {
                range: from..(start + line.trim_end().len()).max(from),
                tally,
                is_current: true,
            });
        }
        start += line.len();
    }
    let age = Some(
        "Whether the text is the one that was measured is not known: no code of it is at hand.".to_owned(),
    );
    Some(Lines { all, samples, age, source: sources.join(", ") })
}

/// The name of a file in a path of any system.
fn name_of(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
