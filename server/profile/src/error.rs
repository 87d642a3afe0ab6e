//! Reasons why a file contains no readable profile.

/// Reason why a file contains no readable profile, as a one-line message that states what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(
        "expected an Nsight Compute report (.ncu-rep), its raw, source or details page as CSV, its details as \
         text, or nvprof output (metrics, events, GPU trace)"
    )]
    Unknown,
    #[error("expected kernel launches in the report, but it ends before the first: {0}")]
    Cut(String),
    #[error("expected kernel launches, but the file has none")]
    Empty,
    #[error(
        "expected instruction counts, but this page has only source lines: print it with `--print-source cuda,sass`"
    )]
    SourceAlone,
    #[error("reading was cancelled")]
    Stopped,
}
