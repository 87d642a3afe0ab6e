//! `warplens cycles`: cycles from one instruction to another, predicted by the issue simulation.

pub(super) mod args;
mod csv;
mod text;
mod timeline;

use super::engine::{Engine, UNCANCELLED};
use super::failure::{Failure, add_new, list, status_after};
use super::progress::Progress;
use super::{names, output};
use args::{CyclesArgs, CyclesFormat};
use clap::ColorChoice;
use ide::SassView;
use ide::cycles::{FunctionCycles, Regions};
use std::collections::BTreeSet;
use std::process::ExitCode;

pub(super) fn run(args: &CyclesArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::start("simulating");
    let mut engine = Engine::new(&args.target)?;
    let source = engine.listing(&args.file, &args.compile, &args.tool)?;
    let analysis = engine.analyze(&source)?;
    let regions = args.range.clone().map_or(Regions::ClockReads, Regions::Range);
    let (timed, problems) = time(&analysis, args, &source.name, &regions)?;
    progress.yield_terminal();
    drop(progress);
    if !timed.is_empty() {
        engine.announce();
        match args.format {
            CyclesFormat::Text => {
                output::print(args.color.color, |out, palette| text::write(out, palette, &timed))?;
            }
            CyclesFormat::Csv => {
                output::print(ColorChoice::Never, |out, _| csv::write(out, &timed))?;
                for line in csv::assumptions(&timed) {
                    eprintln!("warplens: {line}");
                }
            }
        }
    }
    Ok(status_after(&problems))
}

/// Times the regions of all functions. Returns the functions with regions, and a line for each region without cycles.
/// Fails if there is no region at all.
fn time(
    analysis: &SassView,
    args: &CyclesArgs,
    file: &str,
    regions: &Regions,
) -> Result<(Vec<FunctionCycles>, Vec<String>), Failure> {
    let known: BTreeSet<&str> = analysis.function_names().collect();
    let wanted = names::chosen(file, known.iter().copied(), args.only.function.as_deref())?;
    let function = wanted.or_else(|| known.first().copied().filter(|_| known.len() == 1));
    let mut timed = Vec::new();
    let mut problems: Vec<String> = Vec::new();
    let mut concerned = Vec::new();
    for answer in analysis.cycles(function, regions, &args.warps) {
        let mut found = answer.expect(UNCANCELLED);
        if !found.regions.is_empty() || !found.problems.is_empty() {
            concerned.push(found.name.clone());
        }
        for problem in found.problems.drain(..) {
            add_new(&mut problems, problem.to_string());
        }
        if !found.regions.is_empty() {
            timed.push(found);
        }
    }
    match (regions, function) {
        _ if concerned.is_empty() => Err(Failure::new(nothing(regions, function, file))),
        (Regions::Range(range), None) if concerned.len() > 1 => Err(Failure::new(format!(
            "several functions have `{}`; expected --function with one of: {}",
            range.text,
            list(&concerned)
        ))),
        _ => Ok((timed, problems)),
    }
}

fn nothing(regions: &Regions, function: Option<&str>, file: &str) -> String {
    match (regions, function) {
        (Regions::ClockReads, Some(function)) => {
            format!("`{function}` does not read the clock; expected two reads of SR_CLOCKLO, or --range A..B")
        }
        (Regions::ClockReads, None) => {
            format!(
                "no function of `{file}` reads the clock; expected two reads of SR_CLOCKLO, or --range A..B"
            )
        }
        (Regions::Range(range), _) => {
            format!("no function of `{file}` has an instruction at both ends of `{}`", range.text)
        }
    }
}
