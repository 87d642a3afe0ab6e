//! `warplens tune verify`: compares random kernels with sums in double precision, on the GPU in this computer.

use crate::cli::failure::Failure;
use crate::cli::output::{counted, grouped, print, printable};
use crate::cli::progress::Progress;
use crate::cli::tune::args::TuneVerifyArgs;
use clap::ColorChoice;
use lab::tune::Collector;
use std::process::ExitCode;
use toolchain::Consent;

pub(super) fn run(args: &TuneVerifyArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::start("checking kernels");
    let verified = Collector::begin(Consent::by_command_line())
        .and_then(|collector| collector.verify(args.problem, args.pairs as usize, args.seed))
        .map_err(|error| Failure::new(format!("tune verify: {error}")))?;
    progress.yield_terminal();
    drop(progress);
    print(ColorChoice::Auto, |out, _| {
        for wrong in &verified.wrong {
            writeln!(out, "{}", printable(wrong))?;
        }
        let (exact, wrong) = (verified.pairs, verified.wrong.len());
        match (exact, wrong) {
            (1, 0) => writeln!(out, "1 pair is exact"),
            (_, 0) => writeln!(out, "{} are exact", counted(exact, "pair")),
            _ => writeln!(out, "{} of {} wrong", grouped(wrong as u64), counted(exact + wrong, "pair")),
        }
    })?;
    Ok(if verified.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
