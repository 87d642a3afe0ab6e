//! Simulated cycles from one instruction of a kernel to another, for a given number of warps.

mod error;
mod regions;
mod run;

pub use error::{CyclesError, RegionError};

use crate::engine::cancel::Cancellable;
use crate::engine::names;
use crate::engine::sass_view::SassView;
use regions::{FoundRegions, Span};
use std::sync::Arc;
use syntax::sass::Chunk;

/// Regions of a function to be timed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Regions {
    /// Regions between pairs of SM clock reads: the first and second read, the third and fourth read,
    /// and so on.
    ClockReads,
    /// The region between two instructions.
    Range(RangeText),
}

/// Start and end of a region. Each is a hexadecimal address or a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeText {
    /// Name of the region as the user wrote it.
    pub text: String,
    pub from: String,
    pub to: String,
}

/// Cycles of the regions of one function.
#[derive(Debug, Clone)]
pub struct FunctionCycles {
    /// Name of the function in the listing.
    pub name: String,
    /// The GPU that the cycles are predicted for, and why it was chosen.
    pub gpu: String,
    /// True if the GPU is assumed because the user did not name a GPU.
    pub is_gpu_assumed: bool,
    pub regions: Vec<RegionCycles>,
    /// Reasons for missing regions. If the function has no requested region, both `problems` and
    /// `regions` are empty.
    pub problems: Vec<CyclesError>,
}

/// Cycles of one region, for each requested number of warps.
#[derive(Debug, Clone)]
pub struct RegionCycles {
    /// Index of the region, counted from 1, or the range as the user wrote it.
    pub name: String,
    /// Address of the first instruction. `to` is the address of the last instruction.
    pub from: u32,
    pub to: u32,
    /// Simulations for the requested numbers of warps, in the requested order.
    pub runs: Vec<Run>,
    pub assumptions: Vec<Assumption>,
}

/// An assumption as a sentence without a full stop, and the affected instructions: `LDS at 0x0240`. If no instructions
/// are listed, the assumption applies to the entire region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumption {
    pub what: String,
    pub places: Vec<String>,
}

/// Simulation of a region with a given number of warps.
#[derive(Debug, Clone)]
pub struct Run {
    pub warps: u32,
    /// Cycles from the earliest issue of the first instruction to the latest issue of the last
    /// instruction.
    pub cycles: u64,
    /// Number of instructions issued by all warps.
    pub issues: u64,
    /// Stall cycles by reason, summed over all warps, largest first. Reasons have ncu's names.
    pub stalls: Vec<(&'static str, u64)>,
    pub busiest: Option<BusiestPipe>,
    /// Timeline of a single warp; `None` if several warps were simulated.
    pub timeline: Option<Timeline>,
}

/// The pipe with the largest busy fraction. `share` is its busy fraction, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BusiestPipe {
    pub pipe: &'static str,
    pub share: f64,
}

/// Issues of one warp in order.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    pub steps: Vec<TimedIssue>,
    /// Number of issues omitted after the issues in `steps`.
    pub left_out: u64,
}

/// One issue of one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedIssue {
    pub address: u32,
    /// Text of the instruction, from the guard to the last operand.
    pub text: Arc<str>,
    /// Issue cycle, counted from the first issue of the region.
    pub cycle: u64,
    /// Number of cycles strictly between the previous issue and this issue.
    pub stall_cycles: u64,
    /// Stall reason, with ncu's name.
    pub reason: &'static str,
    /// Address of the instruction that caused the stall; `None` if no instruction caused it.
    pub on: Option<u32>,
}

pub(crate) fn functions(sass: &SassView) -> impl Iterator<Item = &Arc<Chunk>> {
    let chunks = sass.listing().chunks().iter();
    chunks.filter(|chunk| chunk.name().is_some() || !chunk.instructions().is_empty())
}

/// Returns why the `pipeline` model does not apply to a function named `function` (all functions for
/// `None`). Reports the first function that the model does not support. `None` if the model applies to
/// all of them.
pub(crate) fn pipeline_refusal(sass: &SassView, function: Option<&str>) -> Option<CyclesError> {
    sass.kernels_named(function)
        .map(|(_, chunk)| regions::TimedFunction::new(sass, chunk))
        .find_map(|subject| run::RegionTimer::new(&subject, &[1]).err())
}

/// Returns the cycles of the functions named `function` (all for `None`), in text order. Each function
/// is computed when the iterator reaches it.
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
            let FoundRegions { spans, mut problems } = subject.find(regions, function.is_some());
            let mut timed = Vec::new();
            let has_code = !subject.program.instructions.is_empty();
            if has_code && (!spans.is_empty() || !problems.is_empty()) {
                match run::RegionTimer::new(&subject, warps) {
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
    bench: &run::RegionTimer<'_>,
    spans: Vec<Span>,
    timed: &mut Vec<RegionCycles>,
    problems: &mut Vec<CyclesError>,
) -> Cancellable<()> {
    for span in spans {
        match bench.time(span)? {
            Ok(region) => timed.push(region),
            Err(problem) => problems.push(problem),
        }
    }
    Ok(())
}
