//! Queries on a Python document about the Triton kernels that have a `[tune]` table in `warplens.toml`.

use super::error::TritonError;
use super::keep::{KeptConfigurations, kept};
use super::rank::ranked;
use super::table::invitation;
use super::{TunedTriton, tuned};
use crate::engine::cancel::{Cancel, Cancellable};
use crate::engine::context::Context;
use crate::engine::target::Target;
use crate::questions::{Costs, Editing, Navigation};
use crate::tune::Tuning;
use crate::tune::error::NotTuned;
use crate::tune::tuned_kernel::{TunedKernel, add, refusal};
use crate::{Shape, TuningOutcome};
use model::Gpu;
use std::sync::Arc;

/// A version of a Python document, with the settings and the cancellation token of the request.
pub(crate) struct PythonView<'a> {
    pub text: &'a str,
    pub context: &'a Arc<Context>,
    pub cancel: &'a Cancel,
}

impl PythonView<'_> {
    /// Returns the GPU that configurations are ranked for.
    fn gpu(&self) -> Gpu {
        Target::for_module(&self.context.machine, &self.context.wish, None).gpu
    }

    /// Calls `work` with the tuned kernel of this name, or with `None` if the document has no such kernel.
    fn with_tuned<T>(
        &self,
        kernel: &str,
        work: impl FnOnce(Option<&TunedTriton<'_>>) -> Cancellable<T>,
    ) -> Cancellable<T> {
        self.cancel.ending(|| {
            let all = tuned(self.text, self.context.launches.as_ref());
            work(all.iter().find(|own| own.kernel.name == kernel))
        })
    }
}

// The cost of Triton code is only known from its PTX. A Python server answers all other queries.
impl Costs for PythonView<'_> {}
impl Editing for PythonView<'_> {}
impl Navigation for PythonView<'_> {}

impl Tuning for PythonView<'_> {
    fn tuned_kernels(&self) -> Cancellable<Vec<TunedKernel>> {
        self.cancel.ending(|| tuned_kernels(self))
    }

    fn rank_configurations(
        &self,
        kernel: &str,
        shape: &Shape,
    ) -> Option<Cancellable<Result<TuningOutcome, TritonError>>> {
        Some(self.with_tuned(kernel, |own| match own {
            Some(own) => ranked(own, shape, &self.gpu(), self.cancel),
            None => Ok(Err(NotTuned(kernel.to_owned()).into())),
        }))
    }

    fn kept_configurations(&self, kernel: &str) -> Cancellable<Vec<KeptConfigurations>> {
        self.with_tuned(kernel, |own| match own {
            Some(own) => kept(own, self.text, &self.gpu(), self.cancel),
            None => Ok(Vec::new()),
        })
    }
}

/// Returns a [`TunedKernel`] per kernel and problem shape, in text order. Empty if these lenses are off.
fn tuned_kernels(view: &PythonView<'_>) -> Cancellable<Vec<TunedKernel>> {
    let config = &view.context.config;
    if !config.code_lens || !config.tune.lens {
        return Ok(Vec::new());
    }
    let gpu = view.gpu();
    let mut all = Vec::new();
    for own in tuned(view.text, view.context.launches.as_ref()) {
        view.cancel.check()?;
        let kernel = &own.kernel;
        let candidates = own.candidates();
        let of_shape = |shape: &Shape| {
            let (title, detail) = match &candidates {
                Ok(found) => invitation(&kernel.name, &shape.to_string(), found.len(), &gpu.part.name),
                Err(why) => refusal(&kernel.name, "ranked", why),
            };
            TunedKernel {
                kernel: kernel.name.clone(),
                range: kernel.name_range.clone(),
                shape: shape.clone(),
                title,
                detail,
                is_refused: false,
                places: std::iter::once(kernel.range.start..kernel.name_range.end).collect(),
            }
        };
        add(&mut all, &own.tuning.shapes, candidates.is_err(), of_shape);
    }
    Ok(all)
}
