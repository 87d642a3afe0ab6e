//! The learned function from a problem and a kernel to throughput: a multi-layer perceptron (section 5.1).

mod file;
mod query;
mod shipped;

use crate::ProblemKind;
use ndarray::{Array1, Array2};
pub use query::Query;
use std::num::NonZeroUsize;

/// Dense layers with rectified linear units between them, over standardised features. The output is the
/// natural logarithm of the throughput in operations per second.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    about: NetworkMetadata,
    scaling: Scaling,
    layers: Vec<Layer>,
}

/// Metadata of a network: its problem, GPU, features and accuracy.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkMetadata {
    pub problem: ProblemKind,
    /// The measured GPU, as named in the data file.
    pub gpu: String,
    /// Names of the features in their order, see [`Features`](crate::features::Features).
    pub features: Vec<String>,
    /// Widths of the layers between the features and the output.
    pub hidden: Vec<usize>,
    /// Number of training samples.
    pub samples: usize,
    /// Date of the training: `2026-11-27`.
    pub date: String,
    pub errors: Vec<MeanSquareError>,
}

/// The mean squared error of predictions against measurements. Both are natural logarithms of the throughput.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanSquareError {
    /// Kind of held-out samples: `random` or `shapes`.
    pub held_out: String,
    /// Number of held-out samples.
    pub samples: usize,
    pub value: f64,
}

/// Mean and scale of each feature. A layer receives `(feature - mean) / scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    pub mean: Vec<f32>,
    pub scale: Vec<f32>,
}

/// One dense layer: `z = a W + b`.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// One row per input, one column per output.
    pub weights: Array2<f32>,
    pub bias: Array1<f32>,
}

/// Reason why bytes are not a network, or why a network cannot process a query.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    #[error("the file of the network cannot be read; expected safetensors: {0}")]
    Format(#[from] safetensors::SafeTensorError),
    #[error("metadata `{key}` is missing or wrong; expected {expected}")]
    Metadata { key: &'static str, expected: &'static str },
    #[error("tensor `{name}` has {found}; expected {expected}")]
    Tensor { name: String, found: String, expected: String },
    #[error("tensor `{name}` has an invalid number; expected {expected}")]
    Number { name: String, expected: &'static str },
    #[error("the problem has {found} features; expected at most {expected}")]
    Features { found: usize, expected: usize },
}

impl Network {
    /// Returns a network of trained layers. Sizes and numbers are checked as for a file.
    pub fn new(about: NetworkMetadata, scaling: Scaling, layers: Vec<Layer>) -> Result<Self, NetworkError> {
        let network = Self { about, scaling, layers };
        network.check()?;
        Ok(network)
    }

    pub fn about(&self) -> &NetworkMetadata {
        &self.about
    }

    /// Returns the network with its measured errors.
    #[must_use]
    pub fn with_errors(mut self, errors: Vec<MeanSquareError>) -> Self {
        self.about.errors = errors;
        self
    }

    /// Number of trained parameters: weights and biases.
    pub fn weights(&self) -> usize {
        self.layers.iter().map(|layer| layer.weights.len() + layer.bias.len()).sum()
    }

    /// Returns a query for rows whose first features equal `shared`. The first layer's sum over the shared features is
    /// computed once. The rows of the query contain only the remaining features.
    pub fn for_problem(&self, shared: &[f32]) -> Result<Query<'_>, NetworkError> {
        let expected = self.about.features.len();
        if shared.len() > expected {
            return Err(NetworkError::Features { found: shared.len(), expected });
        }
        Ok(Query::new(&self.scaling, &self.layers, shared))
    }

    /// Predictions for consecutive rows of features; `None` if cancelled between batches. An incomplete last row is
    /// ignored.
    pub fn predict(
        &self,
        rows: &[f32],
        threads: NonZeroUsize,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Vec<f32>> {
        let width = self.about.features.len();
        let fill = |row: usize, features: &mut [f32]| {
            features.copy_from_slice(&rows[row * width..][..width]);
        };
        Query::new(&self.scaling, &self.layers, &[]).predict(rows.len() / width, &fill, threads, cancelled)
    }

    /// Checks that all sizes match and that all numbers are valid.
    fn check(&self) -> Result<(), NetworkError> {
        let features = self.about.features.len();
        if features == 0 {
            return Err(NetworkError::Metadata { key: "features", expected: "at least one name" });
        }
        for (name, values) in [("mean", &self.scaling.mean), ("scale", &self.scaling.scale)] {
            expect_shape(name, &[values.len()], &[features])?;
            let good = |value: &f32| value.is_finite() && (name == "mean" || *value > 0.0);
            if !values.iter().all(good) {
                let expected = if name == "mean" { "a finite number" } else { "a positive number" };
                return Err(NetworkError::Number { name: name.to_owned(), expected });
            }
        }
        if self.layers.len() != self.about.hidden.len() + 1 {
            return Err(NetworkError::Metadata {
                key: "hidden",
                expected: "a size for each layer but the last",
            });
        }
        let mut inputs = features;
        let sizes = self.about.hidden.iter().copied().chain([1]);
        for (index, (layer, outputs)) in self.layers.iter().zip(sizes).enumerate() {
            expect_shape(&format!("weights.{index}"), layer.weights.shape(), &[inputs, outputs])?;
            expect_shape(&format!("bias.{index}"), layer.bias.shape(), &[outputs])?;
            let parts = [("weights", layer.weights.as_slice()), ("bias", layer.bias.as_slice())];
            for (part, values) in parts {
                if !values.is_some_and(|values| values.iter().all(|value| value.is_finite())) {
                    let name = format!("{part}.{index}");
                    return Err(NetworkError::Number { name, expected: "a finite number" });
                }
            }
            inputs = outputs;
        }
        Ok(())
    }
}

fn expect_shape(name: &str, found: &[usize], expected: &[usize]) -> Result<(), NetworkError> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (format!("shape {found:?}"), format!("shape {expected:?}"));
    Err(NetworkError::Tensor { name: name.to_owned(), found, expected })
}

#[cfg(test)]
mod tests;
