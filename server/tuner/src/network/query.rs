//! Inference for rows that share the features of their problem (Algorithm 1).

use super::{Layer, Scaling};
use ndarray::linalg::{general_mat_mul, general_mat_vec_mul};
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis, Slice, s};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Number of rows that pass through the layers together. limit: with this number, the activations of a wide network fit
/// in the private cache of a core.
const BATCH: usize = 128;

/// A network to which the shared features of all rows have been applied.
#[derive(Debug, Clone)]
pub struct Query<'a> {
    mean: &'a [f32],
    scale: &'a [f32],
    /// The first layer: its bias plus the contribution of the shared features, and the weights of the other features.
    first: (Array1<f32>, ArrayView2<'a, f32>),
    later: &'a [Layer],
    is_only_layer: bool,
}

impl<'a> Query<'a> {
    /// Returns a query. `layers` must not be empty, and `shared` must not be longer than the features.
    pub(super) fn new(scaling: &'a Scaling, layers: &'a [Layer], shared: &[f32]) -> Self {
        let (mean_shared, mean) = scaling.mean.split_at(shared.len());
        let (scale_shared, scale) = scaling.scale.split_at(shared.len());
        let first = &layers[0];
        let (weights_shared, weights) = first.weights.view().split_at(Axis(0), shared.len());
        let mut bias = first.bias.clone();
        for (row, weights) in weights_shared.outer_iter().enumerate() {
            bias.scaled_add((shared[row] - mean_shared[row]) / scale_shared[row], &weights);
        }
        Self { mean, scale, first: (bias, weights), later: &layers[1..], is_only_layer: layers.len() == 1 }
    }

    /// Number of features per row.
    pub fn features(&self) -> usize {
        self.mean.len()
    }

    /// The natural logarithm of the throughput for each of `rows` rows. `fill` writes the features of the row
    /// with the given number. Threads call `fill` concurrently. `None` if `cancelled` returns true. The
    /// calling thread polls `cancelled` between batches.
    pub fn predict(
        &self,
        rows: usize,
        fill: &(dyn Fn(usize, &mut [f32]) + Sync),
        threads: NonZeroUsize,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Vec<f32>> {
        let mut predictions = vec![0.0; rows];
        let stopped = AtomicBool::new(false);
        let batches = Mutex::new(predictions.chunks_mut(BATCH).enumerate());
        let work = |go_on: &dyn Fn() -> bool| {
            let mut buffers = self.buffers();
            while go_on() {
                let next = batches.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((batch, predictions)) = next else { break };
                self.predict_batch(batch * BATCH, fill, &mut buffers, predictions);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.get().min(rows.div_ceil(BATCH)) {
                scope.spawn(|| work(&|| !stopped.load(Ordering::Relaxed)));
            }
            work(&|| {
                if cancelled() {
                    stopped.store(true, Ordering::Relaxed);
                }
                !stopped.load(Ordering::Relaxed)
            });
        });
        (!stopped.into_inner()).then_some(predictions)
    }

    /// The features, then the outputs of each layer except the last, for the rows of one batch.
    fn buffers(&self) -> Vec<Array2<f32>> {
        let last = usize::from(!self.is_only_layer);
        let hidden = self.later.iter().take(self.later.len().saturating_sub(1)).map(|layer| layer.bias.len());
        let widths =
            [self.features()].into_iter().chain([self.first.0.len()].into_iter().take(last)).chain(hidden);
        widths.map(|width| Array2::zeros((BATCH, width))).collect()
    }

    fn predict_batch(
        &self,
        first_row: usize,
        fill: &(dyn Fn(usize, &mut [f32]) + Sync),
        buffers: &mut [Array2<f32>],
        predictions: &mut [f32],
    ) {
        let rows = predictions.len();
        let mut features = buffers[0].slice_mut(s![..rows, ..]);
        for (index, mut row) in features.outer_iter_mut().enumerate() {
            let Some(row) = row.as_slice_mut() else { continue };
            fill(first_row + index, row);
            for ((value, mean), scale) in row.iter_mut().zip(self.mean).zip(self.scale) {
                *value = (*value - mean) / scale;
            }
        }
        let first = [(&self.first.0, self.first.1)].into_iter();
        let layers = first.chain(self.later.iter().map(|layer| (&layer.bias, layer.weights.view())));
        for (index, (bias, weights)) in layers.enumerate() {
            let (before, following) = buffers.split_at_mut(index + 1);
            let input = before[index].slice(s![..rows, ..]);
            if let Some(output) = following.first_mut() {
                dense(&input, &weights, bias, output.slice_axis_mut(Axis(0), Slice::from(..rows)));
            } else {
                // The last layer has one output.
                let mut output = ArrayViewMut1::from(&mut *predictions);
                output.fill(bias[0]);
                general_mat_vec_mul(1.0, &input, &weights.column(0), 1.0, &mut output);
            }
        }
    }
}

/// `max(0, input weights + bias)`.
fn dense(
    input: &ArrayView2<'_, f32>,
    weights: &ArrayView2<'_, f32>,
    bias: &Array1<f32>,
    mut output: ArrayViewMut2<'_, f32>,
) {
    output.assign(bias);
    general_mat_mul(1.0, input, weights, 1.0, &mut output);
    output.mapv_inplace(|value| value.max(0.0));
}
