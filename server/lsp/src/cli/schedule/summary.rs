//! Summary of the changes, for stderr: the output itself is the rewritten file.

use crate::cli::output::{counted, grouped};
use ide::{PredictedCycles, ScheduledKernel};
use std::collections::BTreeMap;

/// Returns a line of counts, and for each GPU a line with its predicted cycles.
pub(super) fn lines(kernels: &[ScheduledKernel]) -> Vec<String> {
    let sum = |of: fn(&ScheduledKernel) -> usize| kernels.iter().map(of).sum::<usize>();
    let also = |count: usize, what: &str| match count {
        0 => String::new(),
        count => format!(", {what}: {}", grouped(count as u64)),
    };
    let moved = also(sum(|kernel| kernel.moved), "moved instructions");
    let renamed = also(sum(|kernel| kernel.renamed), "renamed values");
    let mut lines = vec![format!(
        "{}, {}: {} changed{moved}{renamed}",
        counted(kernels.len(), "kernel"),
        counted(sum(|kernel| kernel.instructions), "instruction"),
        counted(sum(|kernel| kernel.changed), "control code"),
    )];
    let mut predicted: BTreeMap<&str, (PredictedCycles, usize)> = BTreeMap::new();
    for kernel in kernels {
        let Some(cycles) = kernel.predicted else { continue };
        let of_gpu = predicted.entry(&kernel.gpu).or_insert((PredictedCycles { before: 0, after: 0 }, 0));
        of_gpu.0.before += cycles.before;
        of_gpu.0.after += cycles.after;
        of_gpu.1 += 1;
    }
    lines.extend(predicted.into_iter().map(|(gpu, (cycles, count))| {
        let of =
            if count == kernels.len() { String::new() } else { format!(" of {}", counted(count, "kernel")) };
        format!(
            "predicted {} -> {} cycles{of} on {gpu}: one warp, each basic block once",
            grouped(cycles.before),
            grouped(cycles.after)
        )
    }));
    lines
}
