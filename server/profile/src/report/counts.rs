//! Extracts per-instruction counts from a launch's metrics, and divides them by function.

use super::places::SymbolsByAddress;
use crate::instructions::Instructions;
use crate::launch::{Function, Instances, Metric};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// Metrics that certainly have one instance per instruction, keyed by address. Other metrics with some of
/// these addresses are per instruction as well.
const OF_INSTRUCTIONS: [&str; 2] = ["inst_executed", "smsp__pcsamp_sample_count"];

/// Counts by address, in address order.
type Counts = Vec<(u64, f64)>;

/// Moves the per-instruction counts out of the metrics. Returns the kernel's counts and the counts of other
/// functions.
///
/// An instruction belongs to the last function that starts at or before its address. Instructions before the
/// first function belong to the kernel if the kernel's address is unknown. If no function's address is known,
/// all instructions belong to the kernel.
pub(super) fn take_counts(
    metrics: &mut BTreeMap<Arc<str>, Metric>,
    places: &SymbolsByAddress,
    kernel: Option<&str>,
) -> (Instructions, Vec<Function>) {
    let found = take(metrics);
    let mut addresses: Vec<u64> = found.iter().flat_map(|(_, counts)| counts).map(|(at, _)| *at).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let mut parts = parts(&addresses, places);
    for (name, counts) in &found {
        let mut rest = &counts[..];
        while let Some((address, _)) = rest.first() {
            let at = parts.partition_point(|part| part.last < *address);
            let Some(part) = parts.get_mut(at) else { break };
            let (inside, following) =
                rest.split_at(rest.partition_point(|(address, _)| *address <= part.last));
            let counts = inside.iter().map(|(address, count)| (address - part.start, *count));
            part.instructions.add(Arc::clone(name), counts);
            rest = following;
        }
    }
    let is_placed = kernel.is_some_and(|kernel| places.values().any(|name| **name == *kernel));
    let mut own = Instructions::default();
    let mut functions = Vec::new();
    for part in parts {
        match (kernel, &part.name) {
            // A kernel that was loaded twice may have run at either address.
            (Some(kernel), Some(name)) if name.as_ref() == kernel && own.is_empty() => {
                own = part.instructions;
            }
            (Some(_), None) if !is_placed => own = part.instructions,
            _ => functions.push(Function {
                name: part.name.cloned(),
                instructions: part.instructions,
                lines: Vec::new(),
            }),
        }
    }
    (own, functions)
}

/// The instructions of a function, and their address range.
struct FunctionCounts<'p> {
    start: u64,
    last: u64,
    name: Option<&'p Arc<str>>,
    instructions: Instructions,
}

/// Divides sorted addresses by function.
fn parts<'p>(addresses: &[u64], places: &'p SymbolsByAddress) -> Vec<FunctionCounts<'p>> {
    let mut parts = Vec::new();
    let mut rest = addresses;
    while let Some(first) = rest.first() {
        let (start, name) = match places.range(..=first).next_back() {
            Some((start, name)) => (*start, Some(name)),
            None => (*first, None),
        };
        let next = places.range((Bound::Excluded(start), Bound::Unbounded)).next().map(|(next, _)| *next);
        let (inside, following) =
            rest.split_at(rest.partition_point(|at| next.is_none_or(|next| *at < next)));
        rest = following;
        let last = inside.last().copied().unwrap_or(start);
        let instructions = Instructions::at(inside.iter().map(|address| address - start).collect());
        parts.push(FunctionCounts { start, last, name, instructions });
    }
    parts
}

/// Removes the per-instruction instances from the metrics and returns them.
fn take(metrics: &mut BTreeMap<Arc<str>, Metric>) -> Vec<(Arc<str>, Counts)> {
    let addresses = |metric: &Metric| match &metric.instances {
        Instances::ByNumber(parts) => parts.iter().map(|(address, _)| *address).collect(),
        _ => Vec::new(),
    };
    let anchors = OF_INSTRUCTIONS.iter().filter_map(|name| metrics.get(*name));
    let known: FxHashSet<u64> = anchors.flat_map(addresses).collect();
    let mut found = Vec::new();
    for (name, metric) in metrics {
        let Instances::ByNumber(parts) = &metric.instances else { continue };
        if parts.iter().any(|(address, _)| known.contains(address)) {
            let counts = parts.iter().filter_map(|(address, count)| Some((*address, count.number()?)));
            let mut counts: Counts = counts.collect();
            counts.sort_by_key(|(address, _)| *address);
            found.push((Arc::clone(name), counts));
            metric.instances = Instances::None;
        }
    }
    found
}
