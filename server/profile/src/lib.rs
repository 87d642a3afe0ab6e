//! Reader for profiler files and logs: kernel launches with their sizes, metrics by name, and counts per
//! instruction.
//!
//! Any text or file is accepted, and the data that can be read is returned. No size stated in a file is
//! trusted. A truncated file yields the data before its end.

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

/// Reads a profile in any supported format.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    read_with(bytes, &mut |_, _| true)
}

/// Reads a profile in any supported format. Progress is reported as bytes read and total bytes.
///
/// `progress` is called at the start and at the end. For a report of Nsight Compute it is also called after
/// each megabyte or message, whichever is larger. If it returns `false`, reading ends with
/// [`Error::Stopped`].
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

/// Reads a page or a log. Its first row of titles determines the format, because programs may print other
/// output before it.
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
