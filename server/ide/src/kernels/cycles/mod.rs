//! Cycles from one instruction of a kernel to another, for a given number of warps, by simulation of the issue.

mod regions;
mod run;

use crate::engine::cancel::Cancellable;
use crate::engine::names;
use crate::engine::sass_view::SassView;
use regions::{Found, Span};
use std::sync::Arc;
use syntax::sass::Chunk;

/// Regions to time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Regions {
    /// Between the first and the second read of the SM's clock, between the third and the fourth, and so on.
    ClockReads,
    /// Between two instructions.
    Range(RangeText),
}

/// Start and end of a region, each an address in hexadecimal or a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeText {
    /// The region's name as the user wrote it.
    pub text: String,
    pub from: String,
    pub to: String,
}

/// Cycles of the regions of one function.
#[derive(Debug, Clone)]
pub struct FunctionCycles {
    /// The function's name in the listing.
    pub name: String,
    /// The GPU that the cycles are for, and why.
    pub gpu: String,
    /// True if the GPU is assumed, not named by the user.
    pub is_gpu_assumed: bool,
    pub regions: Vec<RegionCycles>,
    /// Why regions are missing, one line each. Empty, like `regions`, if the function has no requested region.
    pub problems: Vec<String>,
}

/// Cycles of one region, for each requested number of warps.
#[derive(Debug, Clone)]
pub struct RegionCycles {
    /// Its index from 1, or the range as the user wrote it.
    pub name: String,
    /// Addresses of the first and the last instruction.
    pub from: u32,
    pub to: u32,
    /// One run per requested number of warps, in the requested order.
    pub runs: Vec<Run>,
    pub assumptions: Vec<Assumption>,
}

/// An assumption as a sentence without a full stop, and the instructions that it concerns: `LDS at 0x0240`. With no
/// instructions, it concerns the whole region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumption {
    pub what: String,
    pub places: Vec<String>,
}

/// Simulation of a region with a given number of warps.
#[derive(Debug, Clone)]
pub struct Run {
    pub warps: u32,
    /// Cycles from the earliest issue of the first instruction to the latest issue of the last.
    pub cycles: u64,
    /// Instructions issued by all warps.
    pub issues: u64,
    /// Cycles that warps waited, summed over all warps, by reason in ncu's terms, the largest first.
    pub stalls: Vec<(&'static str, u64)>,
    pub busiest: Option<Busiest>,
    /// Timeline of a single warp; `None` for several.
    pub timeline: Option<Timeline>,
}

/// The pipe that was busy for the largest fraction of the cycles; `share` is 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Busiest {
    pub pipe: &'static str,
    pub share: f64,
}

/// The issues of one warp in order.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    pub steps: Vec<TimedIssue>,
    /// Number of issues that were left out after those in `steps`.
    pub left_out: u64,
}

/// One issue of one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedIssue {
    pub address: u32,
    /// The instruction's text from the guard to the last operand.
    pub text: Arc<str>,
    /// Cycle of the issue, counted from the first issue of the region.
    pub cycle: u64,
    /// Cycles strictly between the previous issue and this one.
    pub stall_cycles: u64,
    /// Reason of the stall in ncu's terms.
    pub reason: &'static str,
    /// The address of the instruction that was waited for; `None` if the stall is not on an instruction.
    pub on: Option<u32>,
}

pub(crate) fn functions(sass: &SassView) -> impl Iterator<Item = &Arc<Chunk>> {
    let chunks = sass.listing().chunks().iter();
    chunks.filter(|chunk| chunk.name().is_some() || !chunk.instructions().is_empty())
}

/// Returns why the `pipeline` model does not apply to the functions of this name (all for `None`): the reason of the
/// first to which it does not. `None` if it applies to all.
pub(crate) fn pipeline_refusal(sass: &SassView, function: Option<&str>) -> Option<String> {
    sass.kernels_named(function)
        .map(|(_, chunk)| regions::TimedFunction::new(sass, chunk))
        .find_map(|subject| run::Bench::new(&subject, &[1]).err())
}

/// Returns the cycles of the functions of this name (all for `None`), in text order; each is computed when the iterator
/// reaches it.
pub(crate) fn cycles<'a>(
    sass: &'a SassView,
    function: Option<&'a str>,
    regions: &'a Regions,
    warps: &'a [u32],
) -> impl Iterator<Item = Cancellable<FunctionCycles>> + 'a {
    functions(sass)
        .filter(move |chunk| function.is_none_or(|wanted| names::kernel_name(chunk) == wanted))
        .map(move |chunk| {
            sass.cancel.check()?;
            let subject = regions::TimedFunction::new(sass, chunk);
            let Found { spans, mut problems } = subject.find(regions, function.is_some());
            let mut timed = Vec::new();
            let has_code = !subject.program.instructions.is_empty();
            if has_code && (!spans.is_empty() || !problems.is_empty()) {
                match run::Bench::new(&subject, warps) {
                    Ok(bench) => time(&bench, spans, &mut timed, &mut problems)?,
                    Err(problem) => problems = vec![problem],
                }
            }
            Ok(FunctionCycles {
                name: names::kernel_name(chunk).to_owned(),
                gpu: subject.target.describe(),
                is_gpu_assumed: sass.context.wish.gpu.is_none(),
                regions: timed,
                problems,
            })
        })
}

fn time(
    bench: &run::Bench<'_>,
    spans: Vec<Span>,
    timed: &mut Vec<RegionCycles>,
    problems: &mut Vec<String>,
) -> Cancellable<()> {
    for span in spans {
        match bench.time(span)? {
            Ok(region) => timed.push(region),
            Err(problem) => problems.push(problem),
        }
    }
    Ok(())
}
