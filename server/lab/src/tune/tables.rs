//! The paper's Table 2 and Figure 5 for the samples at hand: how the error depends on the network and on the number of samples.

use super::Samples;
use super::dataset::{Dataset, HeldOut};
use super::training::{Progress, TrainError, TrainOptions, fit, split};
use std::fmt;
use tuner::features::Choice;

/// What the tables have rows for.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// Widths of hidden layers, a network for each (Table 2).
    pub hidden: Vec<Vec<usize>>,
    /// How many of them are trained without logarithms too, from the first on.
    pub without_logarithms: usize,
    /// Numbers of training samples (Figure 5); those beyond what there is are left out.
    pub samples: Vec<usize>,
}

impl Default for TableOptions {
    /// The paper's rows.
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

/// Mean square errors of the natural logarithm of throughput, all on the same rows, which were held out at random.
#[derive(Debug, Clone, PartialEq)]
pub struct Tables {
    pub networks: Vec<TableRow>,
    /// The error of the network of the options for each number of training samples.
    pub samples: Vec<(usize, f64)>,
    /// Rows that were held out.
    pub held_out: usize,
}

/// A row of Table 2.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRow {
    pub hidden: Vec<usize>,
    /// Numbers that were trained.
    pub weights: usize,
    pub error: f64,
    /// The error without logarithms of the features.
    pub without_logarithms: Option<f64>,
}

/// Trains a network for each row of both tables. `options` gives all that the rows do not.
pub fn tables(
    samples: &Samples,
    options: &TrainOptions,
    rows: &TableOptions,
    progress: &mut dyn FnMut(&Progress),
    cancelled: &dyn Fn() -> bool,
) -> Result<Tables, TrainError> {
    let split = split(samples, HeldOut::Random, options.seed)?;
    let with_logarithms = Choice { logarithms: true, ..options.features };
    let data = Dataset::new(samples, with_logarithms)?;
    let plain = Dataset::new(samples, Choice { logarithms: false, ..options.features })?;
    let mut networks = Vec::new();
    for (index, hidden) in rows.hidden.iter().enumerate() {
        let options = TrainOptions { hidden: hidden.clone(), ..options.clone() };
        let name = sizes(hidden);
        let fitted = fit(samples, &data, &split, &options, &name, progress, cancelled)?;
        let without_logarithms = if index < rows.without_logarithms {
            let name = format!("{name} without logarithms");
            Some(fit(samples, &plain, &split, &options, &name, progress, cancelled)?.error)
        } else {
            None
        };
        let weights = fitted.network.weights();
        networks.push(TableRow { hidden: hidden.clone(), weights, error: fitted.error, without_logarithms });
    }
    let mut by_samples = Vec::new();
    for &count in rows.samples.iter().filter(|count| **count <= split.training.len()) {
        let mut split = split.clone();
        split.training.truncate(count);
        let name = format!("{count} samples");
        let fitted = fit(samples, &data, &split, options, &name, progress, cancelled)?;
        by_samples.push((count, fitted.error));
    }
    Ok(Tables { networks, samples: by_samples, held_out: split.test.len() })
}

fn sizes(hidden: &[usize]) -> String {
    hidden.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| Hidden layer sizes | #weights | MSE (no log) |")?;
        writeln!(f, "|---|---|---|")?;
        for TableRow { hidden, weights, error, without_logarithms } in &self.networks {
            let plain = without_logarithms.map_or_else(|| "-".to_owned(), |error| format!("{error:.4}"));
            writeln!(f, "| {} | {weights} | {error:.4} ({plain}) |", sizes(hidden))?;
        }
        writeln!(f, "\n| Samples | MSE |\n|---|---|")?;
        for (count, error) in &self.samples {
            writeln!(f, "| {count} | {error:.4} |")?;
        }
        writeln!(
            f,
            "\nMean square error of the natural logarithm of throughput on {} samples.",
            self.held_out
        )
    }
}
