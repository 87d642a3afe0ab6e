//! Training of networks on samples, with candle. Only in builds with the feature `training`.

mod dataset;
mod gradients;
mod product;
mod tables;
mod training;

pub use dataset::HeldOut;
pub use tables::{NetworkRow, SamplesRow, TableOptions, TableRow, tables};
pub use training::{Progress, Report, TrainError, TrainOptions, TrainedNetwork, train};

#[cfg(test)]
mod synthetic;
#[cfg(test)]
mod tests;
