//! Advice from what was measured, as findings at the instructions and lines that it concerns.

use super::far_off::{FarOff, far_off, of_model};
use super::kernel::MeasuredKernel;
use super::trees::tree;
use crate::compiled::lenses::head;
use crate::compiled::view::CodeView;
use crate::engine::cancel::Answer;
use crate::engine::sass_view::SassView;
use crate::{Diagnostic, Severity};
use advisor::top_down::{Advice, Node, Tree};
use std::ops::Range;

/// The least part of the stalls that advice takes away for a finding of its own.
const LEAST: f64 = 0.05;

/// The group of such findings.
pub(crate) const GROUP: &str = "profile";

/// An advice with the instruction that has most of the stalls it is about.
pub(crate) struct Placed<'a> {
    pub advice: &'a Advice,
    /// Number of the instruction in the listing; `None` for what the whole kernel is about.
    pub inst: Option<usize>,
}

/// The advice of a tree, the most telling first, at the instructions of a kernel's listing.
pub(crate) fn placed<'a>(tree: &'a Tree, kernel: &MeasuredKernel<'_>) -> Vec<Placed<'a>> {
    let at = |node: &Node| {
        let place = node.places.first()?;
        kernel.inst_at(place.address)
    };
    let mut all: Vec<Placed<'_>> = Vec::new();
    for node in tree.root.walk() {
        let inst = at(node);
        for advice in node.advice.iter().filter(|advice| advice.removes >= LEAST) {
            if inst.is_some() || node.name == "stalls" {
                all.push(Placed { advice, inst });
            }
        }
    }
    all.sort_by(|one, other| other.advice.removes.total_cmp(&one.advice.removes));
    all
}

/// The findings of a listing. Of code that has changed since there are none.
pub(crate) fn of_listing(sass: &SassView) -> Answer<Vec<Diagnostic>> {
    let line = |index: usize, inst: usize| {
        let line = sass.listing().chunks()[index].instructions()[inst].line;
        Some(sass.line_range(index, line as usize))
    };
    findings(sass, line, |index| Some(sass.name_range(index)))
}

/// The findings of a source, at its lines.
pub(crate) fn of_code(code: &CodeView<'_>) -> Answer<Vec<Diagnostic>> {
    let line = |index: usize, inst: usize| Some(code.place(code.line_of(index, inst)?)?.1);
    findings(&code.sass, line, |index| head(code, index))
}

fn findings(
    sass: &SassView,
    line: impl Fn(usize, usize) -> Option<Range<usize>>,
    name: impl Fn(usize) -> Option<Range<usize>>,
) -> Answer<Vec<Diagnostic>> {
    let mut findings = Vec::new();
    if sass.context.profiles.files().is_empty() || !sass.context.config.measured_findings {
        return Ok(findings);
    }
    for (index, _) in sass.kernels() {
        sass.cancel.check()?;
        let Some(kernel) = MeasuredKernel::of(sass, index).filter(MeasuredKernel::is_same_code) else {
            continue;
        };
        let place = |inst: Option<usize>| match inst {
            Some(inst) => line(index, inst),
            None => name(index),
        };
        for FarOff { inst, message } in far_off(sass, index)? {
            findings.extend(place(inst).map(|range| of_model(&message, range, &kernel)));
        }
        let Some(tree) = tree(&sass.context, kernel.chosen.launch) else { continue };
        for Placed { advice, inst } in placed(&tree, &kernel) {
            findings.extend(place(inst).map(|range| finding(advice, range, &kernel)));
        }
    }
    Ok(findings)
}

/// A finding that says an advice, with its gain and the profile that it comes from.
fn finding(advice: &Advice, range: Range<usize>, kernel: &MeasuredKernel<'_>) -> Diagnostic {
    let because =
        if advice.because.is_empty() { String::new() } else { format!(", as {}", advice.because.join(", ")) };
    let message = format!(
        "{} At most {:.0} % of the stalls go with it{because} (measured: {}).",
        advice.text,
        100.0 * advice.removes,
        kernel.source()
    );
    Diagnostic {
        range,
        code: advice.code,
        group: GROUP,
        severity: Severity::Info,
        message,
        related: Vec::new(),
        function: Some(kernel.chosen.launch.kernel.demangled.clone()),
        address: None,
    }
}
