//! Formats advice, with one line per bottleneck and per step.

use crate::engine::kernel_view::KernelView;
use advisor::steps::{Bottleneck, SignificantBottleneck, Step};
use model::Bottlenecks;

/// Largest number of instruction kinds in one line.
const KINDS: usize = 3; // limit: one line of text
const PLACES: usize = 2; // limit: one line of text

/// Formats a bottleneck, largest contributions first: `mem 0.48, caused by LDS at 0x01e8, 0x01f0 and
/// 230 more (97 %), STS at 0x01c8 (3 %)`.
pub(crate) fn bottleneck_in_words(kernel: &KernelView<'_>, found: &SignificantBottleneck) -> String {
    let mut kinds: Vec<(&str, f64, Vec<u32>)> = Vec::new();
    for cause in &found.causes {
        let mnemonic = kernel.mnemonic(cause.inst as usize);
        match kinds.iter_mut().find(|(known, ..)| *known == mnemonic) {
            Some((_, share, places)) => {
                *share += cause.share;
                places.push(cause.inst);
            }
            None => kinds.push((mnemonic, cause.share, vec![cause.inst])),
        }
    }
    kinds.sort_by(|a, b| b.1.total_cmp(&a.1));
    let one = |(mnemonic, share, places): &(&str, f64, Vec<u32>)| {
        let places = kernel.all_located(places, PLACES);
        format!("{mnemonic} {places} ({:.0} %)", 100.0 * share)
    };
    let made: Vec<String> = kinds.iter().take(KINDS).map(one).collect();
    format!("{} {:.2}, caused by {}", found.bottleneck.name(), found.value, made.join(", "))
}

/// Formats a step: `BW (utilizing bank width): 12 LDS could be 6 LDS.64: mem 0.43 -> 0.31`.
pub(crate) fn step_in_words(step: &Step, before: &Bottlenecks) -> String {
    let said = format!("{} ({}): {}", step.name.short(), step.name.name(), step.message);
    match &step.after {
        Some(_) if step.lowers.is_empty() => said,
        Some(after) => format!("{said}: {}", changes(&step.lowers, before, after)),
        None => format!("{said}; the paper has no equation for its gain"),
    }
}

/// Formats the change of the lowered bottlenecks: `mem 0.43 -> 0.31`.
pub(crate) fn changes(lowers: &[Bottleneck], before: &Bottlenecks, after: &Bottlenecks) -> String {
    let change = |one: &Bottleneck| {
        Some(format!("{} {:.2} -> {:.2}", one.name(), one.value_in(before)?, one.value_in(after)?))
    };
    lowers.iter().filter_map(change).collect::<Vec<_>>().join(", ")
}
