//! Figures for a kernel's first launch on each GPU that can run the kernel.

use super::snapshot::Snapshot;
use crate::engine::cancel::Cancellable;
use crate::engine::context::Context;
use crate::engine::target::GpuSelection;
use crate::kernels::predict::LaunchPrediction;
use crate::kernels::predict::effort::full;
use serde::Serialize;
use std::sync::Arc;

/// A kernel's first launch on one GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GpuRow {
    pub gpu: String,
    /// Architecture, such as `sm_90`.
    pub sm: String,
    /// True for the GPU that all other views use.
    pub is_current: bool,
    /// Occupancy, 0 to 1.
    pub occupancy: f64,
    /// The resource that limits the occupancy.
    pub occupancy_limit: String,
    /// Formatted cycles of the launch, or `unknown` if values of the launch are missing.
    pub cycles: String,
    /// Time of the launch in microseconds at the GPU's boost clock; null if the time is unknown.
    pub microseconds: Option<f64>,
    /// The bottleneck of the launch; null if it depends on instructions without measured timings.
    pub limiter: Option<String>,
    /// Model that predicted the cycles: `pipeline` or `paper`.
    pub model: &'static str,
}

/// Returns one row of figures per GPU for the kernel at `offset`, the current GPU first. Empty if there is no
/// kernel.
pub(crate) fn on_gpus(snapshot: &Snapshot, offset: usize) -> Cancellable<Vec<GpuRow>> {
    let row = |on: &Snapshot, sm: u16, is_current: bool| -> Cancellable<Option<GpuRow>> {
        let roofline = on.ask(|language| language.roofline(offset, full))?;
        let first = roofline.and_then(|roofline| roofline.launches.into_iter().next());
        Ok(first.map(|launch| GpuRow::new(launch, sm, is_current)))
    };
    let machine = &snapshot.context.machine;
    let current = snapshot.answers(|language| language.current_sm());
    let mut rows = Vec::from_iter(row(snapshot, current, true)?);
    for part in machine.parts.iter().filter(|part| snapshot.answers(|language| language.runs_on(part.sm))) {
        // The current GPU already has a row.
        if rows.iter().any(|row: &GpuRow| row.gpu == part.name) {
            continue;
        }
        let Ok(gpu) = machine.gpu(&part.id) else { continue };
        let wish = GpuSelection { gpu: Some(gpu), ..GpuSelection::default() };
        let context = Arc::new(Context { wish, ..(*snapshot.context).clone() });
        rows.extend(row(&Snapshot { context, ..snapshot.clone() }, part.sm, false)?);
    }
    Ok(rows)
}

impl GpuRow {
    fn new(prediction: LaunchPrediction, sm: u16, is_current: bool) -> Self {
        let is_timed = !prediction.limiter.kind.is_unknown();
        Self {
            gpu: prediction.gpu,
            sm: format!("sm_{sm}"),
            is_current,
            occupancy: prediction.occupancy.fraction,
            occupancy_limit: prediction.occupancy.limiter,
            // Missing values of the launch are the same on every GPU. The launch itself reports them.
            cycles: match prediction.to_state {
                Some(_) => "unknown".to_owned(),
                None => prediction.cycles_in_words,
            },
            microseconds: prediction.microseconds,
            limiter: is_timed.then(|| prediction.limiter.in_words()),
            model: prediction.model,
        }
    }
}
