//! Launches before and after a change, from two profiles.

use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::profile::args::{ProfileArgs, ProfileFormat};
use crate::compared;
use crate::read::name_of;
use clap::ColorChoice;
use ide::profiles::{ComparedLaunch, ComparedProfiles, Launch, LaunchName, Profile, Thresholds, compare};
use serde::Serialize;
use std::io;
use std::path::Path;

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    /// The files' names.
    before: &'a str,
    after: &'a str,
    launches: &'a [ComparedLaunch],
    only_before: &'a [LaunchName],
    only_after: &'a [LaunchName],
}

/// Prints the changes from the launches `before`, read from `path`, to the launches `after`.
pub(super) fn write(
    args: &ProfileArgs,
    (path, before): (&Path, Vec<Launch>),
    after: Vec<Launch>,
    thresholds: &Thresholds,
) -> Result<(), Failure> {
    let after_name = match &args.reports[..] {
        [only] => name_of(only),
        [] => "now".to_owned(),
        [first, others @ ..] => format!("{} and {} more", name_of(first), others.len()),
    };
    let before_name = name_of(path);
    let profile = |launches| Profile { launches, cut: None };
    let compared = compare(&profile(before), &profile(after), args.gpu.as_deref(), thresholds)
        .map_err(Failure::from_error)?;
    match args.format {
        ProfileFormat::Text => output::print(ColorChoice::Never, |out, _| {
            out.write_all(compared::plain(&compared, &before_name, &after_name).as_bytes())
        }),
        ProfileFormat::Json => {
            output::print(ColorChoice::Never, |out, _| json(out, &compared, &before_name, &after_name))
        }
        ProfileFormat::Dot | ProfileFormat::Svg | ProfileFormat::Mermaid => {
            Err(Failure::new("--against has no pictures; expected --format text or json".to_owned()))
        }
    }
}

fn json(out: &mut dyn io::Write, compared: &ComparedProfiles, before: &str, after: &str) -> io::Result<()> {
    let ComparedProfiles { launches, only_before, only_after } = compared;
    let report = Report { schema: 1, before, after, launches, only_before, only_after };
    serde_json::to_writer_pretty(&mut *out, &report).map_err(io::Error::from)?;
    writeln!(out)
}
