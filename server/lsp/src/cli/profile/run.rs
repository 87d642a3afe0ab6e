//! Runs a program under the vendor's profiler.

use crate::cli::failure::Failure;
use crate::cli::profile::args::ProfileArgs;
use crate::cli::progress::Progress;
use ide::profiles::{self, Profile};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use toolchain::{Consent, Limits, Profiler, ProfilerRun, Search, ToolError};

/// Profiles the program that `--run` names. If no profiler is installed, prints the command to run elsewhere and
/// returns `None`.
pub(super) fn profile(args: &ProfileArgs, progress: &Progress) -> Result<Option<Profile>, Failure> {
    Profiler::check(&args.program).map_err(Failure::from_error)?;
    let profiler = match Profiler::find(&Search::from_environment(args.ncu.clone())) {
        Ok(profiler) => profiler,
        Err(why @ ToolError::NoProfiler) => {
            Failure::new(format!(
                "{why}. On a machine that has ncu, run the command below and pass its report to `warplens profile`"
            ))
            .tell();
            println!("{}", command(&args.program)?);
            return Ok(None);
        }
        Err(why) => return Err(Failure::from_error(why)),
    };
    progress.stage("profiling", 0);
    let profiled = ProfilerRun {
        kernel: None,
        command: &args.program,
        folder: Path::new("."),
        limits: Limits { time: Duration::from_secs(args.timeout), ..Limits::default() },
    };
    // A line for each kernel: `==PROF== Profiling "saxpy" - 0 …`.
    let reported = |line: &str| {
        if line.contains("Profiling") {
            progress.advance(1);
        }
    };
    // Passing the option is consent.
    let report = profiler.profile(Consent::by_command_line(), profiled, &reported, &|| false);
    let report = report.map_err(Failure::from_error)?;
    if let Some(path) = &args.output {
        let failed = |error| Failure::new(format!("`{}`: {error}", path.display()));
        std::fs::write(path, &report).map_err(failed)?;
    }
    profiles::read(&report).map(Some).map_err(Failure::from_error)
}

/// The command, quoted for a shell. Fails for arguments that cannot be quoted.
fn command(program: &[OsString]) -> Result<String, Failure> {
    let arguments = Profiler::arguments(program, Path::new("profile.ncu-rep"));
    let words: Vec<String> = std::iter::once(OsString::from("ncu"))
        .chain(arguments)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    shlex::try_join(words.iter().map(String::as_str)).map_err(Failure::from_error)
}
