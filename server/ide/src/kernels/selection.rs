//! Cycles of selected lines, from the issue of the first selected instruction to the issue of the last.

use crate::Cancelled;
use crate::engine::cancel::Cancellable;
use crate::engine::issue_simulation::meaning;
use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::SassView;
use crate::engine::target::model_on;
use crate::kernels::launch;
use crate::kernels::region_recorder::RegionRecorder;
use crate::words::cycle_words::in_cycles;
use crate::words::numbers::{first_of, thousands};
use machine::Rule;
use model::ModelName;
use model::pipeline::views::Pipe;
use model::pipeline::{Code, InstructionPath, NoPath, Reason, Stop, simulate};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

/// Cycles of a selection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectionCycles {
    /// Number of cycles; `None` if unknown. `text` and `detail` then state the reason.
    pub cycles: Option<u64>,
    pub warps: u32,
    /// One line for a status bar.
    pub text: String,
    /// Stalls by reason, the busiest pipe and the assumptions, as Markdown.
    pub detail: String,
    pub model: String,
    /// The GPU that the figures apply to, and why it was chosen.
    pub gpu: String,
}

/// Largest number of warp instructions simulated for a selection, because the user waits for the
/// result.
const MAX_ISSUES: u64 = 2_000_000; // limit: under a second
/// Largest number of stall reasons in `text`.
const NAMED_REASONS: usize = 3; // limit: one line of text
/// Largest number of instructions listed per assumption.
const NAMED_PLACES: usize = 4; // limit: one line of text

pub(crate) fn cycles(sass: &SassView, range: Range<usize>) -> Cancellable<Option<SelectionCycles>> {
    // A selection of complete lines ends before the first byte of the next line.
    let range = range.start..range.end.saturating_sub(1).max(range.start);
    let touched: Vec<(usize, Range<usize>)> = sass
        .chunks_in(&range)
        .map(|index| (index, sass.instructions_in(index, &range)))
        .filter(|(_, instructions)| !instructions.is_empty())
        .collect();
    let [(index, instructions)] = &touched[..] else { return Ok(None) };
    if instructions.len() < 2 {
        return Ok(None);
    }
    between(sass, *index, instructions.start as u32, instructions.end as u32 - 1).map(Some)
}

/// Returns the cycles from the issue of instruction `first` to the issue of instruction `last` in one
/// chunk.
pub(crate) fn between(sass: &SassView, index: usize, first: u32, last: u32) -> Cancellable<SelectionCycles> {
    Selection { kernel: sass.kernel(index), first, last }.timed()
}

struct Selection<'a> {
    kernel: KernelView<'a>,
    first: u32,
    last: u32,
}

impl Selection<'_> {
    fn timed(&self) -> Cancellable<SelectionCycles> {
        let Some(code) = self.wanted_code() else { return Ok(self.unknown(&self.why_no_model())) };
        let KernelView { sass, chunk, model, .. } = &self.kernel;
        let trips = launch::stated_trips(&self.kernel);
        let of_branch = |branch: u32| {
            let stated = || trips.get(&model.program.instructions[branch as usize].address).copied();
            let trips = model.trips(chunk, branch).map(u64::from).or_else(stated)?;
            Some(u32::try_from(trips).unwrap_or(u32::MAX))
        };
        let way = match InstructionPath::between(&model.program, of_branch, self.first, self.last) {
            Ok(way) => way,
            Err(why) => return Ok(self.unknown(&self.why_no_way(why))),
        };
        let mut watch = RegionRecorder::new(&code, (self.first, self.last), way.path.rounds, 1, &sass.cancel);
        match simulate(&code, &way.path, 1, MAX_ISSUES, &mut watch) {
            Ok(_) => {}
            Err(Stop::Cancelled) => return Err(Cancelled),
            Err(Stop::TooLong) => {
                let most = thousands(MAX_ISSUES as f64);
                return Ok(self.unknown(&format!("a warp issues more than {most} instructions on this path")));
            }
        }
        let Some(cycles) = watch.region.cycles() else {
            return Ok(self.unknown("the warp does not reach the selected lines"));
        };
        let stalls = watch.stalls.total();
        let named: Vec<String> = stalls
            .iter()
            .take(NAMED_REASONS)
            .map(|(reason, sum)| format!("{} {sum}", reason.name()))
            .collect();
        let named = if named.is_empty() { "no stalls".to_owned() } else { named.join(", ") };
        let text = format!("{}, 1 warp · {} · {named}", in_cycles(cycles), self.place());
        // One warp runs on one sub-core.
        let busiest = watch.pressure.busiest(cycles, 1);
        let assumptions = self.assumptions(&code, &way, &watch.seen);
        let before = if way.path.start == self.first {
            "empty pipelines".to_owned()
        } else {
            format!("started at {}", self.located(way.path.start))
        };
        let mut detail = self.detail(cycles, watch.issues, &stalls, busiest, &assumptions);
        let (model, gpu) = (ModelName::Pipeline.name(), self.kernel.target.describe());
        let _ = writeln!(detail, "\nGPU: {gpu}  \nModel: {model}; single warp with warm caches, {before}");
        Ok(self.said(Some(cycles), &text, &detail))
    }

    fn wanted_code(&self) -> Option<Code> {
        let KernelView { sass, chunk, model, .. } = &self.kernel;
        if sass.wants_paper() { None } else { model.code(chunk) }
    }

    fn why_no_model(&self) -> String {
        let target = &self.kernel.target;
        let part = &target.gpu.part.name;
        if self.kernel.sass.wants_paper() {
            "the setting `model` is `paper`, and selections are timed only by `pipeline`".to_owned()
        } else if target.gpu.arch.pipeline.is_none() {
            format!("the `pipeline` model is not calibrated for {part}")
        } else if target.isa_sm == target.gpu.arch.sm {
            "an instruction of the kernel has no control code".to_owned()
        } else {
            format!("the control codes of sm_{} do not determine the cycles on {part}", target.isa_sm)
        }
    }

    fn unknown(&self, why: &str) -> SelectionCycles {
        let short = why.split(';').next().unwrap_or(why);
        let detail = format!("**Cycles unknown**: {why}.\n\nGPU: {}\n", self.kernel.target.describe());
        let text = format!("Cycles unknown: {} · {}", short.replace('`', ""), self.place());
        self.said(None, &text, &detail)
    }

    fn said(&self, cycles: Option<u64>, text: &str, detail: &str) -> SelectionCycles {
        SelectionCycles {
            cycles,
            warps: 1,
            text: format!("{text} · {}", model_on(ModelName::Pipeline, &self.kernel.target)),
            detail: detail.to_owned(),
            model: ModelName::Pipeline.name().to_owned(),
            gpu: self.kernel.target.describe(),
        }
    }

    /// Formats the extent of the selection: `0x0100..0x01f0`.
    fn place(&self) -> String {
        if let Some(source) = self.kernel.source() {
            return format!("lines {}..{}", source.line_of(self.first), source.line_of(self.last));
        }
        if self.kernel.text(self.first as usize).address.is_some() {
            let address = |inst: u32| self.kernel.program().instructions[inst as usize].address;
            format!("{:#06x}..{:#06x}", address(self.first), address(self.last))
        } else {
            format!("instructions {}..{}", self.first + 1, self.last + 1)
        }
    }

    fn located(&self, inst: u32) -> String {
        self.kernel.located(inst)
    }

    fn detail(
        &self,
        cycles: u64,
        issues: u64,
        stalls: &[(Reason, u64)],
        busiest: Option<(Pipe, f64)>,
        assumptions: &[String],
    ) -> String {
        let mut text = format!(
            "**{}** from the issue of {} to the issue of {}, {} instructions\n\n",
            in_cycles(cycles),
            self.located(self.first),
            self.located(self.last),
            thousands(issues as f64)
        );
        if stalls.is_empty() {
            text.push_str("- No stalls\n");
        }
        for &(reason, sum) in stalls {
            let _ = writeln!(text, "- `{}` {}: {}", reason.name(), in_cycles(sum), meaning(reason));
        }
        if let Some((pipe, share)) = busiest {
            let _ = writeln!(text, "- Busiest: {}, {:.0} % of the time", pipe.name(), 100.0 * share.min(1.0));
        }
        for assumption in assumptions {
            let _ = writeln!(text, "- Assumed: {assumption}");
        }
        text
    }

    fn assumptions(&self, code: &Code, way: &InstructionPath, seen: &BTreeSet<u32>) -> Vec<String> {
        let mut assumptions = Vec::new();
        let mut assume = |what: &str, places: Vec<u32>| {
            if !places.is_empty() {
                // Formatted as `` `LDS` at 0x0240, `LDS` at 0x0250 and 3 more ``.
                let named: Vec<String> = places.iter().map(|&inst| self.located(inst)).collect();
                assumptions.push(format!("{what}: {}", first_of(&named, NAMED_PLACES)));
            }
        };
        let unknown = code.unknown_requests.iter().copied().filter(|inst| seen.contains(inst));
        assume("fully coalesced, because the addresses are unknown", unknown.collect());
        let not_taken = way.not_taken.iter().copied().filter(|inst| seen.contains(inst));
        assume("forward branches not taken", not_taken.collect());
        let unmeasured = seen.iter().copied().filter(|&inst| code.rule(inst as usize) == Rule::Other);
        assume("typical times for instructions that were not timed", unmeasured.collect());
        assumptions
    }

    fn why_no_way(&self, why: NoPath) -> String {
        let NoPath::Trips { address } = why else { return why.to_string() };
        let instructions = &self.kernel.program().instructions;
        let branch = instructions.partition_point(|inst| inst.address < address) as u32;
        let key = self.kernel.sass.loop_key(self.kernel.chunk, branch, address);
        let at = match self.kernel.source() {
            Some(source) => format!("on line {}", source.line_of(branch)),
            None => format!("at {address:#06x}"),
        };
        format!(
            "the iteration count of the loop that ends {at} is unknown; state it in a launch in warplens.toml: `trips = {{ \
             \"{key}\" = 128 }}`"
        )
    }
}
