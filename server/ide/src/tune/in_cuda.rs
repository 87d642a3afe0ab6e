//! Tuning of kernels in a CUDA document that have a `[tune]` table in `warplens.toml`.

use super::Tuning;
use super::error::{NotTuned, TuningError};
use super::lens::invitation;
use super::plan::{TuningPlan, plan, tuned};
use super::tuned_kernel::{TunedKernel, add, refusal};
use crate::Shape;
use crate::cuda::view::CudaView;
use crate::engine::cancel::Cancellable;
use std::ops::Range;

impl Tuning for CudaView<'_> {
    fn tuned_kernels(&self) -> Cancellable<Vec<TunedKernel>> {
        self.cancel.ending(|| tuned_kernels(self))
    }

    fn plan_tuning(
        &self,
        kernel: &str,
        shape: &Shape,
        most: usize,
    ) -> Cancellable<Result<TuningPlan, TuningError>> {
        self.cancel.ending(|| match tuned(self).into_iter().find(|own| own.kernel.name == kernel) {
            Some(own) => plan(self, &own, shape, most),
            None => Ok(Err(NotTuned(kernel.to_owned()).into())),
        })
    }
}

/// Returns an entry per tuned kernel and problem shape, in text order.
fn tuned_kernels(view: &CudaView<'_>) -> Cancellable<Vec<TunedKernel>> {
    if !view.context.config.code_lens || !view.context.config.tune.lens {
        return Ok(Vec::new());
    }
    let most = view.context.config.tune.variants as usize;
    let mut all = Vec::new();
    for own in tuned(view) {
        view.cancel.check()?;
        let range = own.name_range();
        let places = own.places(view);
        let combinations = usize::try_from(own.tuning.combinations()).unwrap_or(usize::MAX);
        let numbers = places.iter().flatten().flat_map(|place| place.numbers.iter().cloned());
        let offered: Vec<Range<usize>> = std::iter::once(range.clone()).chain(numbers).collect();
        let of_shape = |shape: &Shape| {
            let kernel = &own.kernel.name;
            let (title, detail) = match &places {
                Ok(_) => invitation(kernel, &shape.to_string(), combinations.min(most)),
                Err(why) => refusal(kernel, "tuned", why),
            };
            let (range, places) = (range.clone(), offered.clone());
            let (kernel, shape) = (kernel.clone(), shape.clone());
            TunedKernel { kernel, range, shape, title, detail, is_refused: false, places }
        };
        add(&mut all, &own.tuning.shapes, places.is_err(), of_shape);
    }
    Ok(all)
}
