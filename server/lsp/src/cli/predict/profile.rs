//! The profile that `--profile` names.

use crate::cli::failure::Failure;
use crate::read::{BoundedFile, NAMED_BYTES, never};
use ide::predict::{ProfileFile, StatedLaunches};
use std::path::Path;

/// Adds the counts of a profile to launches. Returns one line per mismatch. Fails if the file is not a profile with
/// instruction counts.
pub(super) fn take(launches: &mut StatedLaunches<'_>, path: &Path) -> Result<Vec<String>, Failure> {
    let name = path.display();
    let bytes = BoundedFile::named(path, NAMED_BYTES).and_then(|file| file.all(&never));
    let bytes = bytes.map_err(|why| Failure::new(format!("cannot read `{name}`: {why}")))?;
    let profile = ProfileFile::read(&bytes).map_err(|why| Failure::new(format!("`{name}`: {why}")))?;
    if !profile.has_counts() {
        return Err(Failure::new(format!(
            "`{name}` has no counts per instruction; expected an Nsight Compute report with section \
             SourceCounters (.ncu-rep), or its source page as CSV (`--page source --csv`)"
        )));
    }
    let cut = profile.cut().map(|why| format!("`{name}` is incomplete: {why}"));
    let doubts = launches.take_profile(&profile).into_iter().map(|doubt| format!("`{name}` {doubt}"));
    Ok(cut.into_iter().chain(doubts).collect())
}
