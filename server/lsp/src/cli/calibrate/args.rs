//! The arguments of `warplens calibrate`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// The file for the overlay. Default: standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Build in this folder, which must be new or empty, and keep everything there: sources, kernels, cycles
    #[arg(long, value_name = "FOLDER")]
    pub(crate) keep: Option<PathBuf>,

    /// Instead of measuring, find the smallest distances between instructions in these compiler listings, or in all
    /// files of these folders. With `-o FOLDER` the tables are written to `FOLDER/sm_90/distances.csv`
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["keep", "list"])]
    pub(crate) from_listings: Vec<PathBuf>,

    /// Only list the programs, each with its measurements and the figures computed from them
    #[arg(long, conflicts_with_all = ["output", "keep"])]
    pub(crate) list: bool,
}
