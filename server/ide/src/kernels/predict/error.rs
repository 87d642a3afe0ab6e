//! Reasons why a launch has no prediction.

use thiserror::Error;

/// Reason why a launch has no prediction, as a one-line message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PredictError {
    /// No block of the launch fits on an SM. `shared` is the shared memory of a block in bytes.
    #[error(
        "launch{} of `{function}`: no block of {threads} threads with {registers} registers each and {shared} bytes of \
         shared memory fits on an SM of {gpu}; use a smaller block, or correct the launch's `registers`, \
         `static_shared` and `dynamic_shared`",
        quoted(.launch.as_deref())
    )]
    DoesNotFit {
        /// Name of the launch. `None` if it is unnamed.
        launch: Option<String>,
        function: String,
        threads: u32,
        registers: u32,
        shared: u32,
        gpu: String,
    },
    /// The compiled code lacks the kernel of a variant.
    #[error("the compiled code has no kernel `{kernel}` with these values")]
    NoInstance { kernel: String },
    #[error("the compiled code has no kernel `{kernel}`")]
    NoKernel { kernel: String },
    #[error("`{kernel}` has no launch")]
    NoLaunch { kernel: String },
    /// The compiler refused the source of a variant. The field is its message in one line.
    #[error("{0}")]
    NotCompiled(String),
    /// The source of a variant is not CUDA.
    #[error("expected CUDA")]
    NotCuda,
}

/// Formats the name of a launch with a leading blank; empty if the launch is unnamed.
fn quoted(launch: Option<&str>) -> String {
    launch.map_or_else(String::new, |name| format!(" `{name}`"))
}
