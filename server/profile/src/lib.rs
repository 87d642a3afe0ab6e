//! Reads what profilers wrote of launches: which kernel, how large, each metric by its name, and each instruction's share.
//!
//! Texts and files of any kind come in; what is understood of them comes out. No size that stands in a file is trusted, and a file
//! that ends early gives what stands before its end.

mod instructions;
mod launch;
mod merge;
mod nvprof;
mod pages;
mod report;

pub use instructions::Instructions;
pub use launch::{Detail, Instances, Kernel, Launch, Line, Metric, Value};
pub use merge::merged;

/// What a profiler wrote of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// In the order of the file, which is that of the run.
    pub launches: Vec<Launch>,
    /// Why the file was not read to its end, where it was not.
    pub cut: Option<String>,
}

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
}

/// Reads a profile of any kind.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    let profile = if report::is_report(bytes) {
        report::read(bytes)
    } else {
        let text = std::str::from_utf8(bytes).map_err(|_| Error::Unknown)?;
        match nvprof::read(text) {
            Some(profile) => profile,
            None => pages::read(text)?,
        }
    };
    match (profile.launches.is_empty(), &profile.cut) {
        (false, _) => Ok(profile),
        (true, Some(why)) => Err(Error::Cut(why.clone())),
        (true, None) => Err(Error::Empty),
    }
}

/// A text without a last line that does not end: what stands there may be a part of it.
fn whole_lines(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |end| end + 1)]
}
