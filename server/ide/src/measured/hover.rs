//! The measured section of a hover.

use super::before;
use super::hints::{of_line, tooltip};
use super::kernel::MeasuredKernel;
use super::kernel_comparison::KernelComparison;
use super::lines::{Lines, MeasuredLine};
use crate::compiled::lenses::head;
use crate::compiled::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::engine::profiles::Profiles;
use crate::engine::sass_view::SassView;
use crate::kernels::predict::effort::quick;
use std::ops::Range;

/// Returns the measured figures for the instruction or the kernel name at an offset in a listing;
/// `None` if nothing was measured.
pub(crate) fn of_listing(sass: &SassView, offset: usize) -> Cancellable<Option<String>> {
    if sass.context.profiles.files().is_empty() {
        return Ok(None);
    }
    let Some(line) = sass.line_at(offset) else { return Ok(None) };
    let Some(inst) = line.instruction() else { return of_kernel(sass, line.index, offset) };
    let Some(kernel) = MeasuredKernel::find(sass, line.index) else { return Ok(None) };
    let Some(tally) = kernel.tally(inst) else { return Ok(None) };
    let mut words = tooltip(&tally, kernel.samples, kernel.age().as_deref(), &kernel.source());
    add(&mut words, &before::of_instruction(sass, &kernel, line.index, inst));
    if let Some(against) = KernelComparison::find(sass, line.index) {
        add(&mut words, &against.instructions()?.compared(&[inst]).in_words());
    }
    Ok(Some(words))
}

/// Returns the figures of a kernel's launch if the offset is in the kernel's name; otherwise `None`.
fn of_kernel(sass: &SassView, index: usize, offset: usize) -> Cancellable<Option<String>> {
    let chunk = &sass.listing().chunks()[index];
    if chunk.instructions().is_empty() || !sass.name_range(index).contains(&offset) {
        return Ok(None);
    }
    whole(sass, index)
}

/// Measured and predicted figures of a kernel's launch; `None` unless both are known.
fn whole(sass: &SassView, index: usize) -> Cancellable<Option<String>> {
    let Some(against) = KernelComparison::find(sass, index) else { return Ok(None) };
    let words = against.whole(|_| quick())?.in_words();
    Ok((!words.is_empty())
        .then(|| format!("**Measured:**\n\n{words}\nProfile: {}.", against.measured.source())))
}

/// Returns the measured figures of the source line at an offset, and the line's range. `code` is the
/// compiled code of the source file.
pub(crate) fn of_lines(
    lines: &Lines<'_>,
    profiles: &Profiles,
    code: Option<&CodeView<'_>>,
    source: (&str, &str),
    offset: usize,
) -> Cancellable<Option<(Range<usize>, String)>> {
    let own = lines.all.iter().find(|own| own.range.contains(&offset));
    let mut found = own.map(|own| (own.range.clone(), of_line(lines, own)));
    if let (Some((_, words)), Some(own)) = (&mut found, own) {
        add(words, &before::of_line(own, profiles, code, source));
        add(words, &code.map(|code| compared(code, own)).transpose()?.unwrap_or_default());
    }
    let Some(code) = code else { return Ok(found) };
    for (index, _) in code.sass.kernels() {
        code.sass.cancel.check()?;
        let Some(range) = head(code, index).filter(|range| range.contains(&offset)) else { continue };
        if let Some(of_kernel) = whole(&code.sass, index)? {
            match &mut found {
                Some((_, words)) => add(words, &of_kernel),
                None => found = Some((range, of_kernel)),
            }
        }
    }
    Ok(found)
}

/// Compares a line's measured figures with the predicted figures, in the measured kernel.
fn compared(code: &CodeView<'_>, line: &MeasuredLine<'_>) -> Cancellable<String> {
    let insts: Vec<usize> = line.instructions.iter().map(|(_, inst)| *inst).collect();
    let Some((index, _)) = line.instructions.first() else { return Ok(String::new()) };
    let against = KernelComparison::find(&code.sass, *index);
    Ok(match against {
        Some(against) => against.instructions()?.compared(&insts).in_words(),
        None => String::new(),
    })
}

/// Appends a paragraph unless it is empty.
fn add(words: &mut String, more: &str) {
    if !more.is_empty() {
        words.push_str("\n\n");
        words.push_str(more.trim_end());
    }
}
