//! The network as candle variables, and the gradient of its error over a batch, computed by several threads.
//!
//! A batch is divided into shards of a fixed size. Each thread differentiates complete shards, and the
//! gradients are added in shard order. The result therefore does not depend on the number of threads, not
//! even in the last bit.

use super::product::product;
use candle_core::backprop::GradStore;
use candle_core::{Device, Error, Result, Tensor, Var};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rand_distr::StandardNormal;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// Maximum number of rows per shard.
const SHARD: usize = 128; // limit: efficient products; a batch still fills several threads
/// Number of elements at which candle begins to split an operation across all cores. Such splits make training with
/// shards ten times as slow on 16 cores. Source: `PAR_ELEMWISE_MIN` of candle-core 0.11.
const DIVIDED: usize = 64 * 1024;

/// Weights and bias of each layer.
#[derive(Debug, Clone)]
pub(super) struct Variables(Vec<(Var, Var)>);

/// Standardised rows, and the target value of each row.
#[derive(Debug)]
pub(super) struct StandardisedRows {
    pub(super) width: usize,
    pub(super) inputs: Vec<f32>,
    pub(super) targets: Vec<f32>,
}

impl Variables {
    /// Initial variables: weights as in He et al. for rectified linear units (ICCV'15), and biases of zero.
    pub(super) fn start(features: usize, hidden: &[usize], seed: u64) -> Result<Self> {
        let mut random = StdRng::seed_from_u64(seed);
        let mut inputs = features;
        let layers = hidden.iter().copied().chain([1]).map(|outputs| {
            let deviation = (2.0 / inputs as f64).sqrt();
            let mut weight = || (random.sample::<f64, _>(StandardNormal) * deviation) as f32;
            let weights = (0..inputs * outputs).map(|_| weight()).collect();
            let weights = Var::from_vec::<_, f32>(weights, (inputs, outputs), &Device::Cpu)?;
            inputs = outputs;
            Ok((weights, Var::zeros((1, outputs), candle_core::DType::F32, &Device::Cpu)?))
        });
        Ok(Self(layers.collect::<Result<_>>()?))
    }

    /// Number of rows per shard.
    fn shard(&self) -> usize {
        let widest = self.0.iter().map(|(_, bias)| bias.elem_count()).max().unwrap_or(1);
        SHARD.min((DIVIDED - 1) / widest).max(1)
    }

    pub(super) fn layers(&self) -> &[(Var, Var)] {
        &self.0
    }

    pub(super) fn all(&self) -> Vec<Var> {
        self.0.iter().flat_map(|(weights, bias)| [weights.clone(), bias.clone()]).collect()
    }

    /// The network's output for each row of a feature matrix, as a matrix of one column.
    pub(super) fn forward(&self, inputs: &Tensor) -> Result<Tensor> {
        // The gradient of a bias is a sum over rows. A matrix product computes it many times faster than
        // candle's sum.
        let ones = Tensor::ones((inputs.dim(0)?, 1), inputs.dtype(), inputs.device())?;
        let mut values = inputs.clone();
        for (index, (weights, bias)) in self.0.iter().enumerate() {
            values = (product(&values, weights)? + product(&ones, bias)?)?;
            if index + 1 < self.0.len() {
                values = values.relu()?;
            }
        }
        Ok(values)
    }
}

impl StandardisedRows {
    /// The sum of the squared errors over `rows`, divided by `count`, and the gradient of this quotient.
    fn gradients(&self, variables: &Variables, rows: &[usize], count: usize) -> Result<(f64, Vec<Tensor>)> {
        let width = self.width;
        let inputs: Vec<f32> =
            rows.iter().flat_map(|row| &self.inputs[row * width..][..width]).copied().collect();
        let targets: Vec<f32> = rows.iter().map(|row| self.targets[*row]).collect();
        let inputs = Tensor::from_vec(inputs, (rows.len(), width), &Device::Cpu)?;
        let targets = Tensor::from_vec(targets, (rows.len(), 1), &Device::Cpu)?;
        let difference = (variables.forward(&inputs)? - targets)?;
        let error = (difference.sqr()?.sum_all()? / count as f64)?;
        let mut store = error.backward()?;
        let gradients = variables.all().into_iter().map(|variable| {
            store.remove(&variable).ok_or_else(|| Error::Msg("a layer has no gradient".to_owned()))
        });
        Ok((f64::from(error.to_scalar::<f32>()?), gradients.collect::<Result<_>>()?))
    }
}

/// The threads that compute the gradients of shards.
#[derive(Debug)]
pub(super) struct Workers<'a> {
    variables: &'a Variables,
    shards: Sender<Shard>,
    results: Receiver<ShardResult>,
}

#[derive(Debug)]
struct Shard {
    place: usize,
    rows: Vec<usize>,
    /// Number of rows of the batch.
    count: usize,
}

type ShardResult = (usize, Result<(f64, Vec<Tensor>)>);

impl Workers<'_> {
    /// The mean squared error over a batch of rows, and its gradient.
    pub(super) fn gradients(&self, rows: &[usize]) -> Result<(f64, GradStore)> {
        let stopped = || Error::Msg("a thread of the training ended early".to_owned());
        let (shards, count) = (rows.chunks(self.variables.shard()), rows.len());
        let mut results: Vec<_> = (0..shards.len()).map(|_| None).collect();
        for (place, rows) in shards.enumerate() {
            let shard = Shard { place, rows: rows.to_vec(), count };
            self.shards.send(shard).map_err(|_| stopped())?;
        }
        for _ in 0..results.len() {
            let (place, result) = self.results.recv().map_err(|_| stopped())?;
            results[place] = Some(result?);
        }
        let mut results = results.into_iter().flatten();
        let (mut error, mut sums) = results.next().ok_or_else(stopped)?;
        for (further, gradients) in results {
            error += further;
            for (sum, gradient) in sums.iter_mut().zip(gradients) {
                *sum = (&*sum + gradient)?;
            }
        }
        let mut store = GradStore::default();
        for (variable, sum) in self.variables.all().iter().zip(sums) {
            store.insert(variable, sum);
        }
        Ok((error, store))
    }
}

/// Calls `body` with threads that compute gradients. The threads end after the call.
pub(super) fn with_workers<T>(
    variables: &Variables,
    data: &StandardisedRows,
    threads: NonZeroUsize,
    body: impl FnOnce(&Workers<'_>) -> Result<T>,
) -> Result<T> {
    let (shards, queue) = channel::<Shard>();
    let queue = Mutex::new(queue);
    let (send, results) = channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.get() {
            let (queue, send) = (&queue, send.clone());
            scope.spawn(move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(Shard { place, rows, count }) = next else { break };
                    let result = data.gradients(variables, &rows, count);
                    if send.send((place, result)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        // The threads end when `shards` is dropped with the workers.
        let workers = Workers { variables, shards, results };
        body(&workers)
    })
}
