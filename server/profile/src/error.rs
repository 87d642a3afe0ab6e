//! Why a file gives no profile.

/// Why a file gives no profile: one line that says what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(
        "expected a profile: a report of Nsight Compute (.ncu-rep), its raw, source or details page as csv, its details as text, or what nvprof prints of metrics, events or its GPU trace"
    )]
    Unknown,
    #[error("expected launches of kernels in the report, but it ends before the first: {0}")]
    Cut(String),
    #[error("expected launches of kernels, but the file has none")]
    Empty,
    #[error("expected counts, but this page has the source alone: print it with `--print-source cuda,sass`")]
    SourceAlone,
    #[error("the reading was stopped")]
    Stopped,
}
