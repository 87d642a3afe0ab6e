//! Samples in the form that training uses: features, logarithms of throughput, and the held-out rows.

use crate::tune::Samples;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use tuner::features::{Choice, FeatureError, Features};
use tuner::network::Scaling;

/// Choice of the test rows. The network is evaluated on these rows but not trained on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldOut {
    /// Random rows, as in the paper. Training sees other kernels of the same problems.
    Random,
    /// All rows of some problems, to evaluate the network on unseen shapes.
    Shapes,
}

/// Share of rows held out for testing, up to [`MAX_HELD_OUT`]. An equal number is held out for early
/// stopping.
const HELD_OUT_SHARE: f64 = 0.1; // limit: a convention
/// Maximum number of rows held out for testing.
const MAX_HELD_OUT: usize = 10_000; // limit: enough for two significant digits of the error

impl HeldOut {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Shapes => "shapes",
        }
    }
}

/// The features of all rows, row by row, and the natural logarithm of each row's throughput.
#[derive(Debug)]
pub(super) struct Dataset {
    pub(super) features: Features,
    pub(super) inputs: Vec<f32>,
    pub(super) targets: Vec<f32>,
}

/// A split of the rows. The rows are identified by their indices.
#[derive(Debug, Clone)]
pub(super) struct Split {
    pub(super) training: Vec<usize>,
    /// Rows for early stopping.
    pub(super) validation: Vec<usize>,
    /// Rows on which the network is evaluated.
    pub(super) test: Vec<usize>,
}

impl Dataset {
    pub(super) fn new(samples: &Samples, choice: Choice) -> Result<Self, FeatureError> {
        let features = Features::usual(samples.problem(), samples.columns(), choice)?;
        let mut inputs = vec![0.0; samples.len() * features.len()];
        for (row, inputs) in inputs.chunks_mut(features.len()).enumerate() {
            features.evaluate(samples.row(row), inputs);
        }
        let targets = (0..samples.len()).map(|row| samples.throughput(row).ln() as f32).collect();
        Ok(Self { features, inputs, targets })
    }

    pub(super) fn input(&self, row: usize) -> &[f32] {
        &self.inputs[row * self.features.len()..][..self.features.len()]
    }

    /// Collects the features of these rows.
    pub(super) fn gather(&self, rows: &[usize]) -> Vec<f32> {
        rows.iter().flat_map(|row| self.input(*row)).copied().collect()
    }

    /// Mean and standard deviation of each feature over these rows. The deviation is 1 for a constant
    /// feature.
    pub(super) fn scaling(&self, rows: &[usize]) -> Scaling {
        let width = self.features.len();
        let column = |feature| rows.iter().map(move |row| self.inputs[row * width + feature]);
        let (mean, scale) = (0..width).map(|feature| mean_and_deviation(column(feature))).unzip();
        Scaling { mean, scale }
    }
}

/// Mean and standard deviation. The deviation is 1 if all numbers are equal.
pub(super) fn mean_and_deviation(numbers: impl Iterator<Item = f32> + Clone) -> (f32, f32) {
    let count = numbers.clone().count().max(1) as f64;
    let mean = numbers.clone().map(f64::from).sum::<f64>() / count;
    let variance = numbers.map(|number| (f64::from(number) - mean).powi(2)).sum::<f64>() / count;
    let deviation = variance.sqrt();
    // Differences from rounding carry no information.
    let scale = if deviation > 1e-6 * mean.abs().max(1e-3) { deviation } else { 1.0 };
    (mean as f32, scale as f32)
}

impl Split {
    /// Splits samples. The same seed and samples give the same split.
    pub(super) fn new(samples: &Samples, held_out: HeldOut, seed: u64) -> Self {
        let mut groups: Vec<_> = match held_out {
            HeldOut::Random => (0..samples.len()).map(|row| vec![row]).collect(),
            HeldOut::Shapes => samples.shapes(),
        };
        groups.shuffle(&mut StdRng::seed_from_u64(seed ^ 0x51ed_270b));
        let size = ((samples.len() as f64 * HELD_OUT_SHARE) as usize).min(MAX_HELD_OUT);
        let mut groups = groups.into_iter();
        let mut take = || {
            let mut rows = Vec::with_capacity(size);
            while rows.len() < size {
                let Some(group) = groups.next() else { break };
                rows.extend(group);
            }
            rows
        };
        let (test, validation) = (take(), take());
        Self { training: groups.flatten().collect(), validation, test }
    }
}
