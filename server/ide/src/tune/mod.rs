//! Input-aware tuning of kernels with tuning parameters in their source. `[tune]` in `warplens.toml` states
//! the variants. The most promising variants are compiled, and their cycles are predicted from the compiled
//! code.

mod error;
mod in_cuda;
pub(crate) mod lens;
mod network;
pub(crate) mod outcome;
pub(crate) mod places;
pub(crate) mod plan;
pub(crate) mod ranking;
#[cfg(test)]
mod tests;
pub(crate) mod triton;
mod tuned_kernel;

pub use error::{NotTuned, TuningError};
pub use tuned_kernel::TunedKernel;

use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::ptx::view::View;
use crate::questions::UnreadDocument;
use crate::{KeptConfigurations, Shape, TritonError, TuningOutcome, TuningPlan};

/// Queries about the tuned kernels of a document. Other queries are in [`crate::questions`].
pub(crate) trait Tuning {
    fn tuned_kernels(&self) -> Cancellable<Vec<TunedKernel>> {
        Ok(Vec::new())
    }

    fn plan_tuning(
        &self,
        _kernel: &str,
        _shape: &Shape,
        _most: usize,
    ) -> Cancellable<Result<TuningPlan, TuningError>> {
        Ok(Err(TuningError::NotCuda))
    }

    fn rank_configurations(
        &self,
        _kernel: &str,
        _shape: &Shape,
    ) -> Option<Cancellable<Result<TuningOutcome, TritonError>>> {
        None
    }

    fn kept_configurations(&self, _kernel: &str) -> Cancellable<Vec<KeptConfigurations>> {
        Ok(Vec::new())
    }
}

impl Tuning for UnreadDocument {}
impl Tuning for SassView {}
impl Tuning for View<'_> {}
