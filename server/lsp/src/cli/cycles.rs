//! `warplens cycles`: cycles from one instruction to another, by the issue simulation.

mod csv;
mod text;
mod timeline;

use super::args::{Color, ColorArg, TargetArgs};
use super::binary::{self, Opened};
use super::engine::{Engine, not_sass};
use super::failure::{Failure, list};
use super::files::Input;
use super::progress::Progress;
use super::{names, output};
use clap::{Args, ValueEnum};
use ide::SassView;
use ide::cycles::{FunctionCycles, RangeText, RegionCycles, Regions};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("region").required(true).args(["clock_regions", "range"])))]
pub(super) struct CyclesArgs {
    /// A SASS listing with control codes, PTX, or a cubin; `-` reads standard input
    file: PathBuf,

    /// From the first read of the SM's clock in each function to the second, from the third to the fourth, and so on
    #[arg(long)]
    clock_regions: bool,

    /// From the issue of one instruction to that of another: addresses in hexadecimal, or labels; of PTX lines or labels
    #[arg(long, value_name = "A..B", value_parser = parse_range, allow_hyphen_values = true)]
    range: Option<RangeText>,

    /// Only this function: its mangled or demangled name, or the start of one where no other function has it
    #[arg(long, short, value_name = "NAME")]
    function: Option<String>,

    /// Warps on the SM, one or several numbers: `1,4,8`
    #[arg(long, short, value_name = "N", value_delimiter = ',', default_value = "1")]
    warps: Vec<u32>,

    /// For a cubin: the nvdisasm or cuobjdump to run, or the folder that has it. Default: the one on PATH
    #[arg(long, value_name = "PATH")]
    disassembler: Option<PathBuf>,

    #[command(flatten)]
    target: TargetArgs,

    /// `text` for people, `csv` for programs
    #[arg(long, value_enum, default_value_t = CyclesFormat::Text, value_name = "FORMAT")]
    format: CyclesFormat,

    #[command(flatten)]
    color: ColorArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CyclesFormat {
    Text,
    Csv,
}

fn parse_range(text: &str) -> Result<RangeText, String> {
    match text.split_once("..").map(|(from, to)| (from.trim(), to.trim())) {
        Some((from, to)) if !from.is_empty() && !to.is_empty() => {
            Ok(RangeText { text: text.trim().to_owned(), from: from.to_owned(), to: to.to_owned() })
        }
        _ => Err("expected two addresses in hexadecimal, or labels, as in 0x210..0x4a0".to_owned()),
    }
}

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
