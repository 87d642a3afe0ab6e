//! Training of a network on measured kernels (section 5), and its error on kernels outside of the training
//! set.

use super::dataset::{Dataset, HeldOut, Split, mean_and_deviation};
use super::gradients::{StandardisedRows, Variables, with_workers};
use crate::tune::Samples;
use candle_nn::{AdamW, Optimizer, ParamsAdamW};
use ndarray::{Array1, Array2};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use std::num::NonZeroUsize;
use tuner::features::{Choice, FeatureError};
use tuner::network::{Layer, MeanSquareError, Network, NetworkError, NetworkMetadata, Scaling};

/// Minimum number of rows for training.
const MIN_SAMPLES: usize = 100; // limit: each kind of held-out rows then has at least one row
/// Share of the epochs in which the learning rate rises.
const RISE: f64 = 0.05; // limit: a convention
/// Final learning rate, as a fraction of the highest learning rate.
const LAST_RATE: f64 = 1e-3; // limit: a convention

/// Settings of a training run.
#[derive(Debug, Clone)]
pub struct TrainOptions {
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    pub features: Choice,
    /// Maximum number of passes over the samples. After its rise, the learning rate falls along a cosine until the
    /// last of these epochs.
    pub epochs: usize,
    /// Number of epochs without a lower validation error after which training stops.
    pub patience: usize,
    /// Number of samples per step.
    pub batch: usize,
    /// The highest learning rate.
    pub learning_rate: f64,
    pub weight_decay: f64,
    /// Random seed. The same seed, samples and options produce the same network on the same kind of computer.
    pub seed: u64,
    pub threads: NonZeroUsize,
    /// Kinds of held-out rows. A separate training run evaluates each kind, and the network of the first kind
    /// is the result.
    pub held_out: Vec<HeldOut>,
    /// Date that is stored in the network's file: `2026-11-27`.
    pub date: String,
}

impl TrainOptions {
    /// Settings for the paper's most accurate network (Table 2).
    pub fn new(threads: NonZeroUsize, date: &str) -> Self {
        Self {
            hidden: vec![64, 128, 192, 256, 192, 128, 64],
            features: Choice { logarithms: true, derived: true },
            epochs: 32,
            patience: 16,
            batch: 2048,
            learning_rate: 4e-3,
            weight_decay: 1e-2,
            seed: 1,
            threads,
            held_out: vec![HeldOut::Random, HeldOut::Shapes],
            date: date.to_owned(),
        }
    }
}

/// The progress of a training run.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Description of the network that is being trained, for the user. Used if several networks are trained.
    pub network: String,
    /// Number of finished epochs.
    pub epoch: usize,
    pub epochs: usize,
    /// Mean squared error of the natural logarithm of throughput over the training rows. `validation_error` is the same
    /// error over the validation rows.
    pub training_error: f64,
    pub validation_error: f64,
}

/// A trained network and its training reports.
#[derive(Debug, Clone)]
pub struct TrainedNetwork {
    /// The bytes of a network file. [`Network::read`] reads them.
    pub weights: Vec<u8>,
    pub report: Report,
}

/// The result of one training run.
#[derive(Debug, Clone)]
pub struct Report {
    pub hidden: Vec<usize>,
    /// Number of trained parameters.
    pub weights: usize,
    pub features: Vec<String>,
    /// Number of training samples.
    pub samples: usize,
    /// Number of epochs until training stopped.
    pub epochs: usize,
    pub errors: Vec<MeanSquareError>,
}

/// Reason why no network was trained.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    #[error("{found} samples; expected at least {MIN_SAMPLES}")]
    TooFewSamples { found: usize },
    #[error("samples of {found} problems; expected at least 3, to hold out whole problems")]
    TooFewShapes { found: usize },
    #[error("option `{name}` is {found}; expected {expected}")]
    Option { name: &'static str, found: String, expected: &'static str },
    #[error("the error diverged in epoch {epoch}; expected a lower learning rate")]
    Diverged { epoch: usize },
    #[error("the training was cancelled")]
    Cancelled,
    #[error(transparent)]
    Features(#[from] FeatureError),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error("candle: {0}")]
    Candle(#[from] candle_core::Error),
}

/// A callback that receives the progress after each epoch.
type ProgressCallback<'a> = &'a mut dyn FnMut(&Progress);

/// Trains a network once per kind of held-out rows. Checks `cancelled` between steps.
pub fn train(
    samples: &Samples,
    options: &TrainOptions,
    progress: ProgressCallback<'_>,
    cancelled: &dyn Fn() -> bool,
) -> Result<TrainedNetwork, TrainError> {
    options.check()?;
    let data = Dataset::new(samples, options.features)?;
    let mut first: Option<FittedNetwork> = None;
    let mut errors = Vec::new();
    // Some rows are held out for early stopping, even if no error is evaluated.
    let all = if options.held_out.is_empty() { &[HeldOut::Random][..] } else { &options.held_out };
    for &held_out in all {
        let split = split(samples, held_out, options.seed)?;
        let name = format!("{} held out", held_out.name());
        let fitted = fit(samples, &data, &split, options, &name, progress, cancelled)?;
        errors.push(MeanSquareError {
            held_out: held_out.name().to_owned(),
            samples: split.test.len(),
            value: fitted.error,
        });
        first.get_or_insert(fitted);
    }
    let Some(FittedNetwork { network, samples, epochs, .. }) = first else {
        return Err(TrainError::Cancelled);
    };
    let network = network.with_errors(errors);
    let NetworkMetadata { hidden, features, errors, .. } = network.about().clone();
    let report = Report { hidden, weights: network.weights(), features, samples, epochs, errors };
    Ok(TrainedNetwork { weights: network.write(), report })
}

/// Splits the samples. Returns `Err` if a part of the split has too few rows.
pub(super) fn split(samples: &Samples, held_out: HeldOut, seed: u64) -> Result<Split, TrainError> {
    if samples.len() < MIN_SAMPLES {
        return Err(TrainError::TooFewSamples { found: samples.len() });
    }
    let split = Split::new(samples, held_out, seed);
    if split.training.is_empty() || split.validation.is_empty() {
        return Err(TrainError::TooFewShapes { found: samples.shapes().len() });
    }
    Ok(split)
}

/// A network with its mean squared error on the held-out rows.
pub(super) struct FittedNetwork {
    pub(super) network: Network,
    pub(super) error: f64,
    pub(super) samples: usize,
    pub(super) epochs: usize,
}

/// Trains one network on the training rows of a split.
pub(super) fn fit(
    samples: &Samples,
    data: &Dataset,
    split: &Split,
    options: &TrainOptions,
    name: &str,
    progress: ProgressCallback<'_>,
    cancelled: &dyn Fn() -> bool,
) -> Result<FittedNetwork, TrainError> {
    let scaling = data.scaling(&split.training);
    let (mean, deviation) = mean_and_deviation(split.training.iter().map(|row| data.targets[*row]));
    let standardised = standardised(data, &scaling, mean, deviation);
    let variables = Variables::start(data.features.len(), &options.hidden, options.seed)?;
    let about = about(samples, data, options, split.training.len());
    let network = || network(&variables, about.clone(), scaling.clone(), (mean, deviation));
    let settings = ParamsAdamW { weight_decay: options.weight_decay, ..ParamsAdamW::default() };
    let mut optimizer = AdamW::new(variables.all(), settings)?;
    let mut random = StdRng::seed_from_u64(options.seed.wrapping_add(1));
    let mut order = split.training.clone();
    let steps = order.len().div_ceil(options.batch);
    let mut best: Option<(f64, usize, Network)> = None;
    let mut stopped = None;
    let mut done = 0;
    with_workers(&variables, &standardised, options.threads, |workers| {
        for epoch in 0..options.epochs {
            order.shuffle(&mut random);
            let mut sum = 0.0;
            for (step, rows) in order.chunks(options.batch).enumerate() {
                if cancelled() {
                    stopped = Some(TrainError::Cancelled);
                    return Ok(());
                }
                let passed = (epoch * steps + step) as f64 / (options.epochs * steps) as f64;
                optimizer.set_learning_rate(options.learning_rate * rate(passed));
                let (error, gradients) = workers.gradients(rows)?;
                optimizer.step(&gradients)?;
                sum += error * rows.len() as f64;
            }
            let measured = network().and_then(|network| {
                Ok((
                    mean_square_error(&network, data, &split.validation, options.threads, cancelled)?,
                    network,
                ))
            });
            let (validation_error, network) = match measured {
                Ok(measured) => measured,
                Err(TrainError::Network(NetworkError::Number { .. })) => {
                    stopped = Some(TrainError::Diverged { epoch: epoch + 1 });
                    return Ok(());
                }
                Err(error) => {
                    stopped = Some(error);
                    return Ok(());
                }
            };
            done = epoch + 1;
            progress(&Progress {
                network: name.to_owned(),
                epoch: done,
                epochs: options.epochs,
                training_error: sum / order.len() as f64 * f64::from(deviation).powi(2),
                validation_error,
            });
            match &best {
                Some((least, since, _)) if *least <= validation_error => {
                    if done - since >= options.patience {
                        break;
                    }
                }
                _ => best = Some((validation_error, done, network)),
            }
        }
        Ok(())
    })?;
    if let Some(error) = stopped {
        return Err(error);
    }
    let (_, _, network) = best.ok_or(TrainError::Diverged { epoch: done })?;
    let error = mean_square_error(&network, data, &split.test, options.threads, cancelled)?;
    Ok(FittedNetwork { network, error, samples: split.training.len(), epochs: done })
}

/// The description of a network that was trained on `count` samples.
pub(super) fn about(
    samples: &Samples,
    data: &Dataset,
    options: &TrainOptions,
    count: usize,
) -> NetworkMetadata {
    NetworkMetadata {
        problem: samples.problem(),
        gpu: samples.gpu().to_owned(),
        features: data.features.names().to_vec(),
        hidden: options.hidden.clone(),
        samples: count,
        date: options.date.clone(),
        errors: Vec::new(),
    }
}

/// Learning rate as a fraction of the highest rate. It rises linearly, then falls along a cosine (Loshchilov
/// and Hutter, ICLR'17).
fn rate(passed: f64) -> f64 {
    if passed < RISE {
        return (passed / RISE).max(LAST_RATE);
    }
    let falling = (passed - RISE) / (1.0 - RISE);
    LAST_RATE + (1.0 - LAST_RATE) * 0.5 * (1.0 + (std::f64::consts::PI * falling).cos())
}

pub(super) fn standardised(data: &Dataset, scaling: &Scaling, mean: f32, deviation: f32) -> StandardisedRows {
    let width = data.features.len();
    let mut inputs = data.inputs.clone();
    for row in inputs.chunks_mut(width) {
        for ((value, mean), scale) in row.iter_mut().zip(&scaling.mean).zip(&scaling.scale) {
            *value = (*value - mean) / scale;
        }
    }
    let targets = data.targets.iter().map(|target| (target - mean) / deviation).collect();
    StandardisedRows { width, inputs, targets }
}

/// Converts the variables to a network. Its last layer also applies the mean and the scale of the predicted
/// values.
pub(super) fn network(
    variables: &Variables,
    about: NetworkMetadata,
    scaling: Scaling,
    (mean, deviation): (f32, f32),
) -> Result<Network, TrainError> {
    let last = variables.layers().len() - 1;
    let layers = variables.layers().iter().enumerate().map(|(index, (weights, bias))| {
        let shape = weights.dims2()?;
        let weights = weights.flatten_all()?.to_vec1::<f32>()?;
        let weights = Array2::from_shape_vec(shape, weights).map_err(candle_core::Error::wrap)?;
        let bias = Array1::from_vec(bias.flatten_all()?.to_vec1::<f32>()?);
        let layer = Layer { weights, bias };
        Ok(if index == last {
            Layer { weights: layer.weights * deviation, bias: layer.bias * deviation + mean }
        } else {
            layer
        })
    });
    let layers = layers.collect::<Result<_, candle_core::Error>>()?;
    Ok(Network::new(about, scaling, layers)?)
}

fn mean_square_error(
    network: &Network,
    data: &Dataset,
    rows: &[usize],
    threads: NonZeroUsize,
    cancelled: &dyn Fn() -> bool,
) -> Result<f64, TrainError> {
    let predicted = network.predict(&data.gather(rows), threads, cancelled).ok_or(TrainError::Cancelled)?;
    let squares = predicted.iter().zip(rows).map(|(predicted, row)| {
        let difference = f64::from(*predicted) - f64::from(data.targets[*row]);
        difference * difference
    });
    Ok(squares.sum::<f64>() / rows.len().max(1) as f64)
}

impl TrainOptions {
    fn check(&self) -> Result<(), TrainError> {
        let wrong = |name, found: &dyn std::fmt::Display, expected| {
            Err(TrainError::Option { name, found: found.to_string(), expected })
        };
        if self.hidden.iter().any(|size| !(1..=4096).contains(size)) || self.hidden.len() > 32 {
            let sizes = format!("{:?}", self.hidden);
            return wrong("hidden", &sizes, "at most 32 sizes from 1 to 4096");
        }
        if self.epochs == 0 || self.batch == 0 || self.patience == 0 {
            let (name, value) = [("epochs", self.epochs), ("batch", self.batch), ("patience", self.patience)]
                .into_iter()
                .find(|(_, value)| *value == 0)
                .unwrap_or(("epochs", 0));
            return wrong(name, &value, "at least 1");
        }
        if !(self.learning_rate > 0.0 && self.learning_rate.is_finite()) {
            return wrong("learning_rate", &self.learning_rate, "a positive number");
        }
        Ok(())
    }
}
