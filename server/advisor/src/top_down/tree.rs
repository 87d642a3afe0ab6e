//! The stall tree of a launch.

use super::figures::Figures;
use super::gain::{Stalls, busiest, gain};
use super::guidance::{GUIDES, Guide, advice};
use super::node::{Advice, Fact, Gain, Node, siblings};
use super::reasons::{Category, REASONS};
use super::stalls::{self, Basis};
use super::thresholds::Thresholds;
use super::{device_memory, instruction_mix, pipes, places, shared_memory};
use machine::Gpu;
use profile::Launch;
use serde::Serialize;
use std::collections::BTreeMap;

/// The stall tree of a launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tree {
    /// All stalls. The root's share is the share of all issue slots (Equation 1). The share is 1 if the profile lacks
    /// the metrics for it.
    pub root: Node,
    /// The data that determines how stalls are split by reason.
    pub basis: Basis,
    /// Name of the GPU whose latencies are used in Table 1.
    pub gpu: String,
    /// Figures of the launch, including figures that nvprof already reported.
    pub figures: Vec<Fact>,
    /// The busiest unit, with its utilisation; `None` if the profile contains no unit utilisation.
    pub busiest: Option<Fact>,
    /// Number of measured stall reasons if the profile lacks common reasons, for example because metrics were
    /// selected by name. Shares then refer only to the measured reasons. `None` if all common reasons are
    /// present.
    pub measured_reasons: Option<usize>,
}

/// A launch, the GPU that executed it, and the thresholds for its advice.
#[derive(Clone, Copy)]
pub struct ProfiledLaunch<'a> {
    pub launch: &'a Launch,
    pub gpu: &'a Gpu,
    pub thresholds: &'a Thresholds,
}

/// Figures at the root of the tree.
const AT_ROOT: [&str; 8] = [
    "ipc",
    "issued_ipc",
    "compute_throughput",
    "memory_throughput",
    "l1_throughput",
    "l2_throughput",
    "dram_throughput",
    "active_warps",
];

/// Figures of the launch, in addition to the figures at the root.
const OF_LAUNCH: [&str; 18] = [
    "theoretical_occupancy",
    "achieved_occupancy",
    "block_threads",
    "registers",
    "waves",
    "warp_execution_efficiency",
    "predicated_on_threads",
    "branch_efficiency",
    "global_load_efficiency",
    "global_store_efficiency",
    "excess_sectors",
    "l1_hit_rate",
    "l2_hit_rate",
    "shared_load_conflicts",
    "shared_store_conflicts",
    "fp64_instructions",
    "fp64_conversions",
    "spills",
];

/// Returns the tree of a launch; `None` if its profile has no stall reasons.
pub fn tree(measured: ProfiledLaunch<'_>) -> Option<Tree> {
    let ProfiledLaunch { launch, gpu, thresholds } = measured;
    let (basis, amounts) = stalls::amounts(launch)?;
    let figures = Figures::new(launch, gpu, thresholds);
    let total: f64 = amounts.iter().map(|(_, amount)| amount).sum();
    let share = |reason: &str| {
        let own = amounts.iter().find(|(own, _)| own.name == reason);
        own.map_or(0.0, |(_, amount)| amount / total)
    };
    let stalled = figures.ipc().map(|(achieved, ideal)| stalls::stalled(achieved, ideal));
    let measured_reasons = stalls::measured_reasons(launch, basis);

    let mut root = Node::new("stalls", "empty issue slots", 1.0);
    let of = |category: Category| amounts.iter().filter(move |(reason, _)| reason.category == category);
    root.children = siblings(Category::ALL.into_iter().map(|category| {
        let amount: f64 = of(category).map(|(_, amount)| amount).sum();
        (category.name().into(), category.title().into(), amount)
    }));
    for node in &mut root.children {
        let own = Category::ALL.into_iter().find(|category| category.name() == node.name);
        let reasons = own.into_iter().flat_map(of);
        node.children =
            siblings(reasons.map(|(reason, amount)| (reason.name.into(), reason.title.into(), *amount)));
    }
    root.weigh(1.0, stalled);
    let lines = places::line_of(launch);
    for node in root.children.iter_mut().flat_map(|category| &mut category.children) {
        let Some(reason) = REASONS.iter().find(|reason| reason.name == node.name) else { continue };
        let (parts, facts) = parts(reason.name, &figures, measured);
        node.children = parts;
        let (of_stalls, of_cycles) = (node.of_stalls, node.of_cycles);
        node.children.iter_mut().for_each(|part| part.weigh(of_stalls, of_cycles));
        node.facts = facts;
        node.places = places::places(launch, reason, &lines);
        node.advice = advice(reason.name, node.of_stalls, &figures, &share, thresholds);
    }
    root.share = stalled.unwrap_or(1.0);
    root.facts = figures.all(&AT_ROOT);
    root.advice = advice("stalls", 1.0, &figures, &share, thresholds);
    // Unmeasured stalls may be as long as the measured stalls.
    let of_time = figures.stalls_of_warp_time().or(stalled).filter(|_| measured_reasons.is_none());
    add_gains(&mut root, of_time, &figures, thresholds);
    let figures_of_launch = figures.all(&OF_LAUNCH);
    let busiest = busiest(&figures);
    Some(Tree {
        root,
        basis,
        gpu: gpu.part.name.clone(),
        figures: figures_of_launch,
        busiest,
        measured_reasons,
    })
}

/// Sets the gain of each piece of advice, summed over all nodes to which it applies.
fn add_gains(root: &mut Node, of_time: Option<f64>, figures: &Figures<'_>, thresholds: &Thresholds) {
    let mut removes: BTreeMap<&str, f64> = BTreeMap::new();
    for advice in root.walk().flat_map(|node| &node.advice) {
        *removes.entry(advice.code).or_default() += advice.removes;
    }
    let of = |guide: &&Guide| {
        let stalls = Stalls { removed: *removes.get(guide.code)?, of_time };
        Some((guide.code, gain(guide, stalls, figures, thresholds)?))
    };
    let gains: BTreeMap<&str, Gain> = GUIDES.iter().filter_map(|guide| of(&guide)).collect();
    root.walk_mut(&mut |node| {
        for advice in &mut node.advice {
            advice.gain = gains.get(advice.code).cloned();
            advice.removes = removes.get(advice.code).map_or(advice.removes, |removes| removes.min(1.0));
            advice.say();
        }
        // Advice with a negligible gain is dropped.
        node.advice.retain(|advice| advice.gain.as_ref().is_none_or(Gain::is_worthwhile));
        node.advice.sort_by(Advice::by_gain);
    });
}

/// A piece of advice, with the node that has the most stalls among the nodes to which the advice applies.
#[derive(Debug, Clone, Copy)]
pub struct RankedAdvice<'a> {
    pub node: &'a Node,
    pub advice: &'a Advice,
    /// Largest share of all stalls that the advice removes, over all its nodes, 0 to 1.
    pub removes: f64,
}

impl Tree {
    /// Returns each piece of advice once, at the node with the most stalls among its nodes. Advice with the
    /// largest gain precedes other advice, and general advice is last.
    pub fn ranked(&self) -> Vec<RankedAdvice<'_>> {
        let mut all: Vec<RankedAdvice<'_>> = Vec::new();
        for (node, advice) in
            self.root.walk().flat_map(|node| node.advice.iter().map(move |advice| (node, advice)))
        {
            let own = RankedAdvice { node, advice, removes: advice.removes };
            match all.iter_mut().find(|other| other.advice.code == advice.code) {
                Some(other) if node.of_stalls > other.node.of_stalls => *other = own,
                Some(_) => {}
                None => all.push(own),
            }
        }
        all.sort_by(|one, other| one.advice.by_gain(other.advice));
        all
    }
}

/// The nodes into which the stalls for a reason are split, and the figures for the reason.
fn parts(reason: &str, figures: &Figures<'_>, measured: ProfiledLaunch<'_>) -> (Vec<Node>, Vec<Fact>) {
    let ProfiledLaunch { launch, gpu, thresholds } = measured;
    match reason {
        "long_scoreboard" => (
            device_memory::levels(figures, gpu, &thresholds.known("l1_conflict")),
            figures.all(&[
                "sectors_per_load",
                "sectors_per_store",
                "excess_sectors",
                "achieved_occupancy",
                "theoretical_occupancy",
                "registers",
                "blocks_by_registers",
                "blocks_by_shared",
                "blocks_by_warps",
            ]),
        ),
        "lg_throttle" => (
            Vec::new(),
            figures.all(&["active_warps", "sectors_per_load", "sectors_per_store", "local_accesses"]),
        ),
        "barrier" => (
            Vec::new(),
            figures.all(&[
                "block_threads",
                "active_warps",
                "threads_per_instruction",
                "predicated_on_threads",
            ]),
        ),
        "wait" => (
            instruction_mix::kinds(&figures.executed, gpu),
            figures.all(&["fp64_instructions", "fp64_conversions"]),
        ),
        "math_pipe_throttle" => (pipes::pipes(launch), Vec::new()),
        "short_scoreboard" | "mio_throttle" => (
            shared_memory::wavefronts(launch),
            figures.all(&["active_warps", "shared_load_conflicts", "shared_store_conflicts"]),
        ),
        "drain" => (Vec::new(), figures.all(&["active_warps", "sectors_per_store"])),
        "branch_resolving" => (Vec::new(), figures.all(&["threads_per_instruction", "branch_efficiency"])),
        "imc_miss" => (Vec::new(), figures.all(&["constant_hit_rate"])),
        "no_instruction" => (Vec::new(), figures.all(&["instruction_hit_rate"])),
        _ => (Vec::new(), Vec::new()),
    }
}
