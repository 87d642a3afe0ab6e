//! Splits stalls on shared memory into required wavefronts and wavefronts that bank conflicts add (DrGPU, Figure 6).

use super::conflicts::{self, Access, conflicts};
use super::figures::{WAVEFRONTS, fact};
use super::node::{Node, siblings};
use profile::Launch;

/// Shares of the shared-memory wavefronts; empty if the profile does not count them.
pub(super) fn wavefronts(launch: &Launch) -> Vec<Node> {
    let Some(all) = launch.metric(WAVEFRONTS).filter(|all| *all > 0.0) else {
        return by_instruction(launch);
    };
    let metric =
        |operation: &str| format!("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{operation}.sum");
    let parts = [
        ("load_conflicts", "load bank conflicts", "ld"),
        ("store_conflicts", "store bank conflicts", "st"),
        ("atomic_conflicts", "atomic bank conflicts", "atom"),
    ];
    let conflicts = parts.map(|(.., operation)| launch.metric(&metric(operation)).unwrap_or(0.0).max(0.0));
    let needed = (all - conflicts.iter().sum::<f64>()).max(0.0);
    let needed_part = ("needed", "required wavefronts", needed);
    let conflict_parts = parts.iter().zip(conflicts).map(|((name, title, _), count)| (*name, *title, count));
    let parted: Vec<_> = conflict_parts.chain([needed_part]).collect();
    let mut nodes =
        siblings(parted.iter().map(|(name, title, count)| ((*name).into(), (*title).into(), *count)));
    for node in &mut nodes {
        let count = parted.iter().find(|(name, ..)| *name == node.name).map_or(0.0, |(.., count)| *count);
        let source = match parts.iter().find(|(name, ..)| *name == node.name) {
            Some((.., operation)) => metric(operation),
            None => format!("{WAVEFRONTS}, without conflicts"),
        };
        node.facts = vec![fact("wavefronts", "wavefronts", count, "wavefront", source)];
    }
    nodes
}

/// The shares of wavefronts from per-instruction counts, for profiles that have no counters for the whole launch.
fn by_instruction(launch: &Launch) -> Vec<Node> {
    let parts = [
        ("load_conflicts", "load bank conflicts", Access::Load),
        ("store_conflicts", "store bank conflicts", Access::Store),
        ("other_conflicts", "other bank conflicts", Access::Other),
    ];
    let counted = parts.map(|(.., kind)| conflicts(launch, kind).unwrap_or_default());
    let needed: f64 = counted.iter().map(|own| own.wavefronts - own.extra).sum();
    if needed <= 0.0 {
        return Vec::new();
    }
    let conflicts = parts.iter().zip(counted).map(|((name, title, _), own)| (*name, *title, own.extra));
    let parted: Vec<_> = conflicts.chain([("needed", "required wavefronts", needed)]).collect();
    let mut nodes =
        siblings(parted.iter().map(|(name, title, count)| ((*name).into(), (*title).into(), *count)));
    for node in &mut nodes {
        let count = parted.iter().find(|(name, ..)| *name == node.name).map_or(0.0, |(.., count)| *count);
        node.facts = vec![fact("wavefronts", "wavefronts", count, "wavefront", conflicts::SOURCE.into())];
    }
    nodes
}
