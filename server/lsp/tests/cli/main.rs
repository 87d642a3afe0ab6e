//! The real binary on real files: exit codes, one-line failures, and the output for terminals and pipes.
#![expect(clippy::disallowed_methods, reason = "tests read their own files")]
#![expect(
    clippy::unwrap_used,
    reason = "a test that meets what it did not expect should fail there and then"
)]

mod advice;
mod analyze;
#[cfg(unix)]
mod binary;
#[cfg(unix)]
mod calibrate;
mod check;
mod completions;
mod cuda;
mod cycles;
mod diff;
#[cfg(unix)]
mod matrix;
mod predict;
mod predict_counted;
mod predict_data;
mod profile;
mod ptx;
mod refusals;
mod run;
mod schedule;
mod transcripts;
#[cfg(unix)]
mod tune;
#[cfg(unix)]
#[cfg(feature = "training")]
mod tune_collect;
mod tune_gemm;
#[cfg(feature = "training")]
mod tune_train;
