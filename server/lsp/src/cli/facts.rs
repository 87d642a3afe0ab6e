//! Facts about a whole kernel, in words, for all formats.

use super::output::{counted, grouped, printable};
use ide::predict::bottleneck_meaning;
use ide::report::{BottleneckReport, KernelReport, MetricsReport, OccupancyReport, Report, Resources};
use std::fmt::Write;

/// Name of the model that computes SP efficiency and bottlenecks, whichever model computes the other figures.
const PAPER: &str = "paper";
/// Maximum number of stall reasons shown in a line.
const REASONS: usize = 3; // limit: room in a line

/// Labels and their values, in reading order. Their text contains no terminal control sequences.
pub(super) fn facts(outline: &Report, kernel: &KernelReport) -> Vec<(&'static str, String)> {
    let target = format!(
        "{}, timed for {} by the {} model",
        printable(&kernel.arch),
        printable(&outline.gpu),
        outline.model
    );
    // A model that computes all figures is named only once.
    let by = if outline.model == kernel.cycles_model {
        String::new()
    } else {
        format!(", by the {} model", kernel.cycles_model)
    };
    let mut facts = vec![
        ("target", target),
        ("launch", launch(kernel)),
        ("resources", resources(&kernel.resources)),
        ("occupancy", occupancy(&kernel.occupancy)),
        ("cycles", cycles(kernel) + &by),
    ];
    facts.extend(stalls(kernel).map(|text| ("stalls", text)));
    facts.extend(kernel.metrics.as_ref().and_then(metrics).map(|text| ("metrics", text)));
    facts
}

/// The known metrics, as profilers count them; `None` if none is known.
fn metrics(metrics: &MetricsReport) -> Option<String> {
    let count =
        |value: Option<f64>, what| value.map(|value| format!("{} {what}", grouped(value.round() as u64)));
    let share = |value: Option<f64>, what| value.map(|value| format!("{what} {:.1} %", 100.0 * value));
    let known = [
        count(metrics.instructions, "warp instructions"),
        count(metrics.global_loads, "global loads"),
        count(metrics.shared_loads, "shared loads"),
        share(metrics.shared_efficiency, "shared efficiency"),
        share(metrics.warp_execution_efficiency, "warp execution efficiency"),
        share(metrics.branch_divergence, "divergent branches"),
        share(metrics.integer_share, "integer instructions"),
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    (!known.is_empty()).then(|| format!("{}; estimated", known.join(", ")))
}

/// The largest stall reasons, `long_scoreboard 71 %, wait 12 %`; `None` if no model reports any.
fn stalls(kernel: &KernelReport) -> Option<String> {
    let mut shares: Vec<(&String, &f64)> =
        kernel.stalls.as_ref()?.iter().filter(|(_, share)| **share > 0.0).collect();
    shares.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let shares = shares.iter().take(REASONS);
    let text: Vec<String> =
        shares.map(|(reason, share)| format!("{reason} {:.0} %", **share * 100.0)).collect();
    (!text.is_empty()).then(|| text.join(", "))
}

/// A bottleneck score of a kernel by the ICS'17 model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bottleneck {
    pub(super) name: &'static str,
    /// The score, from 0 (best) to 1 (worst); `None` if unknown.
    pub(super) share: Option<f64>,
    pub(super) meaning: &'static str,
}

pub(super) fn bottlenecks(shares: &BottleneckReport) -> [Bottleneck; 4] {
    let one = |name, share: Option<f64>| Bottleneck {
        name,
        share: share.filter(|share| share.is_finite()),
        meaning: bottleneck_meaning(name),
    };
    [one("ilp", shares.ilp), one("comp", shares.comp), one("mem", shares.mem), one("pipe", shares.pipe)]
}

fn launch(kernel: &KernelReport) -> String {
    let Resources { grid, block, launch_assumed, .. } = &kernel.resources;
    let name = kernel.launch.as_deref().map(|name| format!("{}: ", printable(name))).unwrap_or_default();
    let assumed = if *launch_assumed { " (assumed)" } else { "" };
    format!("{name}grid {}, block {}{assumed}", extent(*grid), extent(*block))
}

fn extent([x, y, z]: [u32; 3]) -> String {
    format!("{x} x {y} x {z}")
}

fn resources(resources: &Resources) -> String {
    if resources.shared_unknown {
        return format!(
            "{} per thread ({}), unknown shared memory per block",
            counted(resources.registers as usize, "register"),
            resources.registers_source,
        );
    }
    format!(
        "{} per thread ({}), {}{} bytes of shared memory per block ({}){}",
        counted(resources.registers as usize, "register"),
        resources.registers_source,
        resources.shared_mark(),
        grouped(u64::from(resources.shared)),
        resources.shared_source,
        stack(resources)
    )
}

/// Formats stack and spills: `, 104 bytes of stack per thread, spills of 96 bytes stored and 96 bytes loaded`. Empty
/// if there are neither.
pub(super) fn stack(resources: &Resources) -> String {
    let stack = resources.stack.filter(|bytes| *bytes > 0);
    let mut text = stack
        .map(|bytes| format!(", {} bytes of stack per thread", grouped(bytes.into())))
        .unwrap_or_default();
    let (stored, loaded) = (resources.spill_stores, resources.spill_loads);
    if stored + loaded > 0 {
        let (stored, loaded) = (grouped(stored.into()), grouped(loaded.into()));
        let _ = write!(text, ", spills of {stored} bytes stored and {loaded} bytes loaded");
    }
    text
}

fn occupancy(occupancy: &OccupancyReport) -> String {
    format!(
        "{:.1} %: {} of {} warps per SM, {}; limited by {}",
        occupancy.fraction * 100.0,
        occupancy.active_warps,
        occupancy.max_warps,
        counted(occupancy.active_blocks as usize, "block"),
        printable(&occupancy.limiter)
    )
}

fn cycles(kernel: &KernelReport) -> String {
    let launch = if kernel.resources.launch_assumed { "the assumed launch" } else { "the launch" };
    if kernel.is_left_out {
        let efficiency = kernel.sp_efficiency.map(|share| format!("; SP efficiency {:.1} %", share * 100.0));
        return format!("not predicted for {launch}{}", efficiency.unwrap_or_default());
    }
    let cycles = match whole_cycles(kernel) {
        Some(cycles) => format!("{cycles} for {launch}"),
        None if kernel.low.is_some() || kernel.not_timed.is_some() || kernel.endless_wait.is_some() => {
            kernel.cycles_in_words.clone()
        }
        None => "unknown".to_owned(),
    };
    let efficiency = kernel.sp_efficiency.map(|share| format!("SP efficiency {:.1} %", share * 100.0));
    let ipc = kernel.ipc.map(|ipc| format!(", IPC {ipc:.2}")).unwrap_or_default();
    if kernel.cycles_model != PAPER {
        let efficiency = efficiency.map(|text| format!("; {text} by the {PAPER} model")).unwrap_or_default();
        let estimated = if kernel.quick { "quick estimate" } else { "estimated" };
        return format!("{cycles}, {estimated}{ipc}{efficiency}");
    }
    // With unknown trip counts, the launch has rates but no cycles.
    let once = kernel.cycles.is_none() && (efficiency.is_some() || !ipc.is_empty());
    let once = if once { ", each loop with an unknown count counted once" } else { "" };
    cycles + &efficiency.map(|text| format!(", {text}")).unwrap_or_default() + &ipc + once
}

/// Total cycles of the launch, grouped by thousands; `None` if unknown.
pub(super) fn whole_cycles(kernel: &KernelReport) -> Option<String> {
    kernel.cycles.map(|cycles| grouped(cycles.round().max(0.0) as u64))
}

/// Returns the causes of the significant bottlenecks and the steps that reduce them, one line each; empty if there
/// are none.
pub(super) fn advice(kernel: &KernelReport) -> Vec<String> {
    let Some(advice) = kernel.advice.as_ref().filter(|advice| !advice.bottlenecks.is_empty()) else {
        return Vec::new();
    };
    let head = format!("estimated by the {PAPER} model for {}", printable(&advice.gpu));
    let found = advice.bottlenecks.iter().map(|found| &found.in_words);
    let lines = found.chain(advice.steps.iter().map(|step| &step.in_words));
    std::iter::once(head).chain(lines.map(|line| printable(line).into_owned())).collect()
}
