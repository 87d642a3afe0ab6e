//! `warplens cycles`: cycles from one instruction to another, by the issue simulation.

mod csv;
mod text;
mod timeline;

use super::args::{Color, CyclesArgs, CyclesFormat};
use super::binary::{self, Opened};
use super::engine::{Engine, not_sass};
use super::failure::{Failure, list};
use super::files::Input;
use super::progress::Progress;
use super::{names, output};
use ide::SassView;
use ide::cycles::{FunctionCycles, RegionCycles, Regions};
use std::collections::BTreeSet;
use std::process::ExitCode;

pub(super) fn run(args: &CyclesArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::start("simulating");
    let mut engine = Engine::new(&args.target)?;
    let source = match Input::named(&args.file)? {
        Input::Text(source) => source,
        Input::Binary(bytes) => match binary::open(bytes, args.disassembler.as_deref())? {
            Opened::Listing(source) => source,
            Opened::Kernels(kernels) => return Err(kernels.refusal()),
        },
    };
    let analysis = engine.analyze(&source)?.ok_or_else(|| not_sass(&source))?;
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
                output::print(Color::Never, |out, _| csv::write(out, &timed))?;
                for line in csv::assumptions(&timed) {
                    eprintln!("warplens: {line}");
                }
            }
        }
    }
    for problem in &problems {
        eprintln!("warplens: {}", Failure::new(problem));
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// A region and the function that it is in.
#[derive(Debug)]
struct Timed<'a> {
    function: &'a FunctionCycles,
    region: &'a RegionCycles,
}

/// Functions with regions, and a line for each region that has no cycles. Fails where there is no region at all.
fn time(
    analysis: &SassView,
    args: &CyclesArgs,
    file: &str,
    regions: &Regions,
) -> Result<(Vec<FunctionCycles>, Vec<String>), Failure> {
    let known: BTreeSet<&str> = analysis.function_names().collect();
    let function = match (&args.function, known.len()) {
        (_, 0) => {
            return Err(Failure::new(format!("`{file}` names an architecture but has no instructions")));
        }
        (Some(wanted), _) => Some(names::find(known.iter().copied(), wanted)?),
        (None, 1) => known.first().copied(),
        (None, _) => None,
    };
    let mut timed = Vec::new();
    let mut problems: Vec<String> = Vec::new();
    let mut concerned = Vec::new();
    for answer in analysis.cycles(function, regions, &args.warps) {
        let mut found = answer.expect("nobody holds the token that would cancel this");
        if !found.regions.is_empty() || !found.problems.is_empty() {
            concerned.push(found.name.clone());
        }
        for problem in found.problems.drain(..) {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
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
            format!("`{function}` reads no clock; expected two reads of SR_CLOCKLO, or --range A..B")
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
