//! Comparison of a kernel on several GPUs.

use crate::kernels::predict::{LaunchPrediction, LimitKind};
use serde::Serialize;

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

impl GpuRow {
    pub(crate) fn new(prediction: LaunchPrediction, sm: u16, is_current: bool) -> Self {
        let is_timed = prediction.limiter.kind != LimitKind::NotTimed;
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
