//! Reads what profilers wrote of launches: which kernel, how large, each metric by its name, and each instruction's share.
//!
//! Texts and files of any kind come in; what is understood of them comes out. No size that stands in a file is trusted, and a file
//! that ends early gives what stands before its end.

mod error;
mod instructions;
mod launch;
mod lines;
mod merge;
mod nvprof;
mod pages;
mod report;

pub use error::Error;
pub use instructions::Instructions;
pub use launch::{Detail, Instances, Kernel, Launch, Line, Metric, Profile, Value};
pub use merge::merged;

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
