//! Reader for the files and logs of profilers: kernel launches with their sizes, metrics by name, and counts per
//! instruction.
//!
//! Accepts texts and files of any kind and returns the parts that it understands. No size in a file is trusted, and a
//! truncated file yields the data before its end.

mod error;
mod instructions;
mod launch;
mod limits;
mod lines;
mod merge;
mod nvprof;
mod pages;
mod report;
mod units;

pub use error::Error;
pub use instructions::Instructions;
pub use launch::{Detail, Function, Instances, Kernel, Launch, Line, Metric, Profile, Value};
pub use merge::merged;

/// Reads a profile of any kind.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    read_with(bytes, &mut |_, _| true)
}

/// Reads a profile of any kind and reports progress as the bytes read and the total.
///
/// `progress` is called at the start and at the end, and for a report of Nsight Compute also after each megabyte or
/// message, whichever is larger. If it returns `false`, reading ends with [`Error::Stopped`].
pub fn read_with(bytes: &[u8], progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<Profile, Error> {
    let all = bytes.len() as u64;
    if !progress(0, all) {
        return Err(Error::Stopped);
    }
    let mut profile = if report::is_report(bytes) {
        report::read(bytes, progress)?
    } else {
        let text = std::str::from_utf8(bytes).map_err(|_| Error::Unknown)?;
        read_text(text)?
    };
    if !progress(all, all) {
        return Err(Error::Stopped);
    }
    profile.launches.iter_mut().for_each(Launch::name_device);
    match (profile.launches.is_empty(), &profile.cut) {
        (false, _) => Ok(profile),
        (true, Some(why)) => Err(Error::Cut(why.clone())),
        (true, None) => Err(Error::Empty),
    }
}

/// Reads a page or a log. Its first row of titles determines the kind, as programs may print other output around it.
fn read_text(text: &str) -> Result<Profile, Error> {
    let mut before = 0;
    for line in text.split_inclusive('\n') {
        if nvprof::is_head(line) {
            return Ok(nvprof::read(text));
        }
        if pages::is_head(line) {
            return pages::read(text, before);
        }
        before += line.len();
    }
    Err(Error::Unknown)
}
