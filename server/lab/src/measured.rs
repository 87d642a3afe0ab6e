//! Measurements of a GPU, and the errors that prevent them.

use crate::{Figure, OmittedFigure};
use machine::DataError;
use std::io;
use std::time::Duration;
use thiserror::Error;
use toolchain::{Limits, ToolError};

/// Reason why nothing was measured, as a one-line message.
#[derive(Debug, Error)]
pub enum Error {
    #[error("{0}")]
    Tool(#[from] ToolError),
    #[error("no GPU to measure: {0}")]
    NoDevice(String),
    #[error("nvcc compiled the kernel to something other than one code section with room for the programs")]
    Kernel,
    #[error("the build folder cannot be used: {0}")]
    Folder(#[from] io::Error),
    #[error("the measured overlay cannot be loaded: {0}")]
    Overlay(#[from] DataError),
}

/// Limits on a compiler run, which takes seconds. Running all programs takes less than a second.
pub(crate) const BUILDING: Limits =
    Limits { time: Duration::from_mins(2), output_bytes: 1 << 20, memory_bytes: None };

pub(crate) const RUNNING: Limits =
    Limits { time: Duration::from_mins(1), output_bytes: 1 << 20, memory_bytes: None };

/// Figures, and the measurements from which they were computed, as lines `NAME,CYCLES`.
#[derive(Debug, Default)]
pub(crate) struct MeasuredFigures {
    pub(crate) figures: Vec<Figure>,
    pub(crate) left_out: Vec<OmittedFigure>,
    pub(crate) cycles: Vec<String>,
    pub(crate) programs: usize,
}
