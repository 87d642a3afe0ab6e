//! The paper's Table 1, Table 2 and Figure 5 for given samples: sampling acceptance, and the error by network
//! and by number of samples.

use super::dataset::{Dataset, HeldOut};
use super::training::{Progress, TrainError, TrainOptions, fit, split};
use crate::tune::Samples;
use crate::tune::collect::acceptance;
use machine::{Gpu, Machine};
use std::fmt;
use tuner::features::Choice;
use tuner::{Conv, Gemm, ProblemKind};

/// Options that determine the rows of the tables.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// Widths of the hidden layers of each network (Table 2).
    pub hidden: Vec<Vec<usize>>,
    /// Number of networks, from the first in `hidden`, that are also trained without logarithms of the features.
    pub without_logarithms: usize,
    /// Numbers of training samples (Figure 5). Numbers above the number of available samples are skipped.
    pub samples: Vec<usize>,
}

impl Default for TableOptions {
    /// Returns options for the same rows as in the paper.
    fn default() -> Self {
        let hidden: [&[usize]; 7] = [
            &[64],
            &[512],
            &[32, 64, 32],
            &[64, 128, 64],
            &[32, 64, 128, 64, 32],
            &[64, 128, 256, 128, 64],
            &[64, 128, 192, 256, 192, 128, 64],
        ];
        Self {
            hidden: hidden.into_iter().map(<[usize]>::to_vec).collect(),
            without_logarithms: 4,
            samples: vec![10_000, 25_000, 50_000, 75_000, 100_000, 150_000, 200_000],
        }
    }
}

/// A row of a table. Errors are mean squared errors of the natural logarithm of throughput. All errors refer
/// to the same randomly held-out samples.
#[derive(Debug, Clone, PartialEq)]
pub enum TableRow {
    /// Shares of random points that are legal kernels, for uniform sampling and for the generative model (Table 1).
    Accepted {
        uniform: f64,
        categorical: f64,
    },
    Network(NetworkRow),
    Samples(SamplesRow),
}

/// A point of Figure 5.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplesRow {
    pub samples: usize,
    pub error: f64,
    /// The error of a network that also uses the static model's figures; `None` if the static model has no
    /// figures for the GPU.
    pub with_static_figures: Option<f64>,
}

/// A row of Table 2.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkRow {
    pub hidden: Vec<usize>,
    /// Number of trained parameters.
    pub weights: usize,
    pub error: f64,
    /// The error of a network without logarithms of the features; `None` if no such network was trained.
    pub without_logarithms: Option<f64>,
}

/// Trains a network for each row of the tables, and passes each row to the caller when it is complete.
/// `options` has the settings that are common to all rows. `samples` has no columns of the static model.
/// Returns the number of held-out samples.
pub fn tables(
    samples: &Samples,
    options: &TrainOptions,
    rows: &TableOptions,
    found: &mut dyn FnMut(TableRow),
    progress: &mut dyn FnMut(&Progress),
    cancelled: &dyn Fn() -> bool,
) -> Result<usize, TrainError> {
    let gpu = Machine::builtin().gpu(samples.gpu()).ok();
    let mut all = samples.clone();
    let has_figures = gpu.as_ref().is_some_and(|gpu| all.add_static_figures(gpu));
    let split = split(samples, HeldOut::Random, options.seed)?;
    let with_logarithms = Choice { logarithms: true, ..options.features };
    let data = Dataset::new(&all, with_logarithms)?;
    let plain = Dataset::new(&all, Choice { logarithms: false, ..options.features })?;
    let without_figures = Dataset::new(samples, with_logarithms)?;
    if let Some(gpu) = &gpu {
        found(accepted(samples.problem(), gpu, options.seed));
    }
    for (index, hidden) in rows.hidden.iter().enumerate() {
        let options = TrainOptions { hidden: hidden.clone(), ..options.clone() };
        let name = sizes(hidden);
        let fitted = fit(&all, &data, &split, &options, &name, progress, cancelled)?;
        let without_logarithms = if index < rows.without_logarithms {
            let name = format!("{name} without logarithms");
            Some(fit(&all, &plain, &split, &options, &name, progress, cancelled)?.error)
        } else {
            None
        };
        let weights = fitted.network.weights();
        let hidden = hidden.clone();
        found(TableRow::Network(NetworkRow { hidden, weights, error: fitted.error, without_logarithms }));
    }
    for &count in rows.samples.iter().filter(|count| **count <= split.training.len()) {
        let mut split = split.clone();
        split.training.truncate(count);
        let mut error = |samples: &Samples, data: &Dataset, name: String| -> Result<f64, TrainError> {
            Ok(fit(samples, data, &split, options, &name, progress, cancelled)?.error)
        };
        let own = error(samples, &without_figures, format!("{count} samples"))?;
        let with_static_figures = has_figures
            .then(|| error(&all, &data, format!("{count} samples with static figures")))
            .transpose()?;
        found(TableRow::Samples(SamplesRow { samples: count, error: own, with_static_figures }));
    }
    Ok(split.test.len())
}

fn accepted(problem: ProblemKind, gpu: &Gpu, seed: u64) -> TableRow {
    let [uniform, categorical] = match problem {
        ProblemKind::Gemm => acceptance::<Gemm>(gpu, seed),
        ProblemKind::Conv => acceptance::<Conv>(gpu, seed),
    };
    TableRow::Accepted { uniform, categorical }
}

fn sizes(hidden: &[usize]) -> String {
    hidden.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl TableRow {
    /// The header row and the separator of the row's table, in Markdown.
    pub const fn head(&self) -> &'static str {
        match self {
            Self::Accepted { .. } => "| Sampling | Accepted |\n|---|---|\n",
            Self::Network(_) => "| Hidden layer sizes | #weights | MSE (no log) |\n|---|---|---|\n",
            Self::Samples(_) => "| Samples | MSE | MSE with the static model's figures |\n|---|---|---|\n",
        }
    }
}

impl fmt::Display for TableRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figure =
            |error: &Option<f64>| error.map_or_else(|| "-".to_owned(), |error| format!("{error:.4}"));
        match self {
            Self::Accepted { uniform, categorical } => {
                writeln!(f, "| uniform | {:.2} % |", 100.0 * uniform)?;
                writeln!(f, "| categorical | {:.2} % |", 100.0 * categorical)
            }
            Self::Network(NetworkRow { hidden, weights, error, without_logarithms }) => {
                let plain = figure(without_logarithms);
                writeln!(f, "| {} | {weights} | {error:.4} ({plain}) |", sizes(hidden))
            }
            Self::Samples(SamplesRow { samples, error, with_static_figures }) => {
                writeln!(f, "| {samples} | {error:.4} | {} |", figure(with_static_figures))
            }
        }
    }
}
