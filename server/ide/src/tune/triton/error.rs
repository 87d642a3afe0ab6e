//! Reasons why configurations of a Triton kernel are not ranked.

use crate::Shape;
use crate::tune::error::NotTuned;
use thiserror::Error;
use tuner::ProblemKind;
use tuner::triton::NoRate;

/// Reason why the configurations of a Triton kernel are not ranked, or why one has no estimate, as a
/// one-line message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TritonError {
    #[error(transparent)]
    NotTuned(#[from] NotTuned),
    #[error("`[tune.{kernel}]` has a `block`, but Triton sets the block size")]
    HasBlock { kernel: String },
    #[error("for Triton kernels only a problem of kind \"gemm\" can be ranked, not \"{kind}\"")]
    OtherProblem { kind: ProblemKind },
    #[error("`[tune.{kernel}]` states neither `problem` nor `grid`")]
    NeitherProblemNorGrid { kernel: String },
    /// No parameter has the role `role`, such as `block_m`. `meaning` describes the role.
    #[error(
        "no parameter is known to be {meaning}; name one in `[tune.{kernel}.parameters]`, such as NAME = {{ as = \"{role}\" }}"
    )]
    NoParameter { meaning: &'static str, kernel: String, role: &'static str },
    /// The source does not determine its list of configurations. `gap` describes the unknown part.
    #[error("the source does not determine the configurations of {gap}")]
    UnknownList { gap: String },
    #[error("its list of configurations is empty")]
    EmptyList,
    #[error("`warplens.toml` has {count} combinations of values; at most {most} can be ranked")]
    TooMany { count: u64, most: u64 },
    #[error("`{kernel}` has no `triton.autotune`; state `values` in `[tune.{kernel}.parameters]`")]
    NoList { kernel: String },
    #[error("no configuration meets the conditions of `where` for {shape}")]
    NoneAllowed { shape: Shape },
    #[error("unknown: no `problem` is stated")]
    NoProblem,
    #[error("unknown: `problem.{size}` is not a size for {shape}")]
    ProblemSize { size: String, shape: Shape },
    #[error("unknown: `{name}` has no value")]
    NoValue { name: String },
    #[error("unknown: {name} = {value} is not a size")]
    NotASize { name: String, value: String },
    /// The value is an expression that the text does not determine.
    #[error("unknown: {name} is `{expression}`")]
    UnknownValue { name: String, expression: String },
    #[error("unknown: {0}")]
    NoRate(#[from] NoRate),
}
