//! Reasons why a CUDA kernel is not tuned, and why the network ranks no variants.

use crate::Shape;
use thiserror::Error;
use tuner::{ProblemKind, SearchError};

/// Error for a kernel without a `[tune]` table in `warplens.toml`. The field is the kernel's name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`warplens.toml` has no `[tune.{0}]` that applies to a kernel in this file")]
pub struct NotTuned(pub String);

/// Reason why there are no variants of a kernel to compile, as a one-line message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TuningError {
    #[error("only CUDA kernels can be tuned by compiling their variants")]
    NotCuda,
    #[error(transparent)]
    NotTuned(#[from] NotTuned),
    /// The table states no launch, as for a Triton kernel.
    #[error("`[tune.{kernel}]` needs `grid` and `block` for CUDA")]
    NoLaunch { kernel: String },
    #[error("no other combination of {} gives a valid launch for {shape}", .parameters.join(", "))]
    NoVariants { parameters: Vec<String>, shape: Shape },
    #[error("no kernel in this file has the parameter `{parameter}`")]
    NoKernel { parameter: String },
    #[error("the value of `{parameter}` is not written as a number")]
    NotANumber { parameter: String },
    #[error("`{parameter}` is defined more than once")]
    DefinedTwice { parameter: String },
    #[error("`{parameter}` is not a macro, constant or template parameter of `{kernel}` in this file")]
    NotDefined { parameter: String, kernel: String },
    #[error("nothing in this file instantiates `{kernel}` with a value of `{parameter}`")]
    NotInstantiated { parameter: String, kernel: String },
    /// A template argument is not a number.
    #[error("a value of `{parameter}` is not written as a number")]
    ArgumentNotANumber { parameter: String },
    #[error("`{kernel}` is used with several values of `{parameter}`: {one} and {other}")]
    SeveralValues { parameter: String, kernel: String, one: i64, other: i64 },
}

/// Reason why the network does not rank the variants of a kernel, as a short phrase.
#[derive(Debug, Error)]
pub(super) enum NoNetwork {
    /// The project ships no network for the GPU.
    #[error("no trained model for {gpu}")]
    OtherGpu { gpu: String },
    #[error("`[tune.{kernel}]` does not state which problem the kernel computes")]
    NoProblem { kernel: String },
    #[error("no trained model of {kind} for {gpu}")]
    OtherProblem { kind: ProblemKind, gpu: String },
    #[error("the tuner has no kernel for the `problem` of `[tune.{kernel}]` at {shape}")]
    NoKernel { kernel: String, shape: Shape },
    /// The table lacks parameters of the tuner's kernels.
    #[error("`[tune.{kernel}]` does not state {}", .parameters.join(", "))]
    Unstated { kernel: String, parameters: Vec<String> },
    #[error("the network: {0}")]
    Search(#[source] SearchError),
    #[error("the network covers only {known} of the {of} variants")]
    FewVariants { known: usize, of: usize },
}
