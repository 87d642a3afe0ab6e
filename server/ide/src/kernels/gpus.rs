//! A kernel on several GPUs, for comparison.

use crate::kernels::predict::{LaunchPrediction, LimitKind};
use serde::Serialize;

/// A kernel's first launch on one GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GpuRow {
    pub gpu: String,
    /// `sm_90`.
    pub sm: String,
    /// True for the GPU that all other figures are for.
    pub is_current: bool,
    /// The occupancy, 0 to 1.
    pub occupancy: f64,
    /// The resource that limits the occupancy.
    pub occupancy_limit: String,
    /// Cycles of the launch in words, with the reason if they are not known.
    pub cycles: String,
    /// Time of the launch in microseconds at the GPU's boost clock; null if it is not known.
    pub microseconds: Option<f64>,
    /// The bottleneck of the launch; null if it depends on instructions without measured timings.
    pub limiter: Option<String>,
    /// The model of the cycles: `pipeline` or `paper`.
    pub model: &'static str,
}

impl GpuRow {
    pub(crate) fn new(prediction: LaunchPrediction, sm: u16, is_current: bool) -> Self {
        let is_timed = prediction.limiter.kind != LimitKind::NotTimed;
        Self {
            gpu: prediction.gpu,
            sm: format!("sm_{sm}"),
            is_current,
            occupancy: prediction.occupancy.fraction,
            occupancy_limit: prediction.occupancy.limiter,
            // Missing values of the launch are the same on each GPU, and are reported with the launch itself.
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
