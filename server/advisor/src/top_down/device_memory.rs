//! Splits stalls on device memory in proportion to the average cycles that each memory level adds to an access
//! (DrGPU, Table 1).

use super::figures::{Figures, fact};
use super::node::{Fact, Node, siblings};
use machine::{Gpu, Known};

/// The memory levels with their shares of the average cycles, and the figures from which the shares are computed.
/// Empty if the profile lacks a miss ratio or the number of cache lines per request.
///
/// Latencies are from issue to use and come from the machine data. `conflict` is the number of cycles per additional
/// cache line of an access, `cc` in the table.
pub(super) fn levels(figures: &Figures<'_>, gpu: &Gpu, conflict: &Known<f64>) -> Vec<Node> {
    let (Some(lines), Some(l1_miss), Some(l2_miss)) =
        (figures.get("lines_per_request"), figures.get("l1_miss_ratio"), figures.get("l2_miss_ratio"))
    else {
        return Vec::new();
    };
    let times = &gpu.arch.memory;
    let cycles = |known: &Known<u32>| f64::from(known.value);
    let l1 = cycles(&times.l1_hit) + conflict.value * (lines.value - 1.0).max(0.0);
    let l2 = l1_miss.value * cycles(&times.l2_hit);
    let dram = l1_miss.value * l2_miss.value * cycles(&times.dram);
    let mut levels = siblings([
        ("l1".into(), "L1 cache".into(), l1),
        ("l2".into(), "L2 cache".into(), l2),
        ("dram".into(), "device memory".into(), dram),
    ]);
    let latency = |name: &'static str, title: &'static str, known: &Known<u32>| {
        fact(name, title, cycles(known), "cycle", known.source.to_string())
    };
    let equation = |value: f64, number: &str| {
        let source = format!("DrGPU, Equation {number}");
        fact("average_cycles", "average cycles per access", value, "cycle", source)
    };
    for level in &mut levels {
        let facts: Vec<Fact> = match &*level.name {
            "l1" => {
                vec![equation(l1, "2"), latency("l1_latency", "L1 hit latency", &times.l1_hit), lines.clone()]
            }
            "l2" => vec![
                equation(l2, "3"),
                latency("l2_latency", "L2 hit latency", &times.l2_hit),
                l1_miss.clone(),
            ],
            _ => vec![
                equation(dram, "4"),
                latency("dram_latency", "device memory latency", &times.dram),
                l1_miss.clone(),
                l2_miss.clone(),
            ],
        };
        level.facts = facts;
    }
    levels
}
