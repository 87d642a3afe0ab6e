//! Figures for a kernel's first launch.

use crate::compiled::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::kernels::launch::uncounted;
use crate::kernels::lenses::occupancy_in_short;
use crate::kernels::predict::PredictionInputs;
use model::Launch;
use model::pipeline::Budget;
use serde::Serialize;

/// Figures for a kernel's first launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelFigures {
    pub instructions: usize,
    /// Registers per thread.
    pub registers: u32,
    /// Shared memory per block, in bytes.
    pub shared: u32,
    pub occupancy: String,
    /// Predicted cycles. Null if unknown.
    pub cycles: Option<f64>,
    pub cycles_in_words: String,
}

/// Returns the figures of the kernel in a chunk. `None` if the kernel has no launch. A kernel that differs between
/// the versions needs a `budget` for a full simulation, because the error of a quick simulation would look like a
/// change.
pub(in crate::compiled) fn figures_of(
    view: &CodeView<'_>,
    chunk: usize,
    budget: fn(&Launch) -> Budget,
) -> Cancellable<Option<KernelFigures>> {
    view.sass.cancel.check()?;
    let kernel = view.sass.kernel(chunk);
    let launches = uncounted(&kernel);
    let Some((launch, times)) = launches.first() else { return Ok(None) };
    let question = PredictionInputs { kernel: &kernel, launch, number: 0, times };
    let cycles = question.cycles(budget(launch))?;
    Ok(Some(KernelFigures {
        instructions: view.code.stacks[chunk].iter().filter(|stack| !stack.is_empty()).count(),
        registers: launch.registers.value,
        shared: launch.shared.value,
        occupancy: occupancy_in_short(&times.occupancy),
        cycles: cycles.number(),
        cycles_in_words: cycles.in_words(),
    }))
}
