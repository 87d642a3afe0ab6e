//! `warplens predict`: the cycles of whole launches, what limits them, and what the part could do.

mod csv;
mod json;
mod profile;
mod svg;
mod text;

use super::args::{PredictArgs, PredictFormat};
use super::engine::{Engine, Tools, UNCANCELLED};
use super::failure::{Failure, list, status_after};
use super::in_order::all_in_order;
use super::output::{counted, distinct, printable};
use super::progress::Progress;
use super::{binary, names, output};
use clap::ColorChoice;
use ide::SassView;
use ide::predict::{FULL_EFFORT, LaunchPrediction, StatedLaunches};
use std::process::ExitCode;

pub(super) fn run(args: &PredictArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::start("reading");
    let mut engine = Engine::new(&args.target)?;
    let source = binary::listing(&args.file, args.disassembler.as_deref())?;
    let source = if args.compile.compile {
        engine.compiled(source, &Tools::new(&args.compile, args.disassembler.as_deref()))?
    } else {
        source
    };
    let analysis = engine.analyze(&source)?;
    let mut launches = stated(&analysis, args, &source.name)?;
    let doubts = match &args.profile {
        Some(path) => profile::take(&mut launches, path)?,
        None => Vec::new(),
    };
    progress.stage("simulating", launches.len() as u64);
    let (predictions, mut problems) = predict(&launches, &progress);
    progress.yield_terminal();
    drop(progress);
    if !predictions.is_empty() {
        engine.announce();
        for doubt in &doubts {
            eprintln!("warplens: {doubt}");
        }
        match args.format {
            PredictFormat::Text => {
                output::print(args.color.color, |out, palette| text::write(out, palette, &predictions))?;
            }
            PredictFormat::Csv => {
                let has_profile = args.profile.is_some();
                output::print(ColorChoice::Never, |out, _| csv::write(out, &predictions, has_profile))?;
            }
            PredictFormat::Json => {
                output::print(ColorChoice::Never, |out, _| json::write(out, &predictions))?;
            }
            PredictFormat::Svg => {
                let ceilings = launches.ceilings();
                output::print(ColorChoice::Never, |out, _| svg::write(out, &predictions, &ceilings))?;
            }
        }
    }
    if let Some(absent) = unmatched(&launches, &analysis, &source.name) {
        // One file of launches may serve many cubins.
        if predictions.is_empty() { problems.push(absent) } else { eprintln!("warplens: {absent}") }
    }
    Ok(status_after(&problems))
}

/// The launches that were asked for. Fails where there are none.
fn stated<'a>(analysis: &'a SassView, args: &PredictArgs, file: &str) -> Result<StatedLaunches<'a>, Failure> {
    let names = analysis.kernel_names().map(|(name, _)| name);
    let function = names::chosen(file, names, args.function.as_deref())?;
    let launches = analysis.stated_launches(function);
    if !launches.is_empty() || !launches.unmatched().is_empty() {
        return Ok(launches);
    }
    let of = function.map(|function| format!(" of `{function}`")).unwrap_or_default();
    Err(Failure::new(match &args.target.launches {
        Some(path) => format!(
            "`{}` states no launch{of}; expected [[launch]] with function, grid and block",
            path.display()
        ),
        None => format!("no launch{of} is stated; expected --launches FILE, or [[launch]] in warplens.toml"),
    }))
}

/// All launches in their order, and a line for each that has no prediction. They are simulated side by side.
fn predict(launches: &StatedLaunches<'_>, progress: &Progress) -> (Vec<LaunchPrediction>, Vec<String>) {
    /// More gain nothing: simulations wait for memory.
    const MOST_THREADS: usize = 8;
    let answers = all_in_order(launches.len(), MOST_THREADS, |number| {
        let predicted = launches.predict(number, FULL_EFFORT).expect(UNCANCELLED);
        progress.advance(1);
        predicted
    });
    let (mut predictions, mut problems) = (Vec::new(), Vec::new());
    for answer in answers {
        match answer {
            Ok(prediction) => predictions.push(prediction),
            Err(problem) => problems.push(problem),
        }
    }
    (predictions, problems)
}

/// One line for all launches of functions that the file has not.
fn unmatched(launches: &StatedLaunches<'_>, analysis: &SassView, file: &str) -> Option<String> {
    let absent = distinct(launches.unmatched().iter().map(|launch| &*launch.function));
    let names: Vec<String> =
        absent.iter().take(MOST_NAMED).map(|name| format!("`{}`", printable(name))).collect();
    let more = absent.len().checked_sub(MOST_NAMED).filter(|more| *more > 0);
    let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
    if absent.is_empty() {
        return None;
    }
    let count = counted(launches.unmatched().len(), "launch").replace("launchs", "launches");
    let mut known: Vec<&str> = analysis.kernel_names().map(|(name, _)| name).collect();
    known.dedup();
    Some(if launches.is_empty() {
        format!(
            "`{file}` has no function {}{more}, so it has no row; expected launches of: {}",
            names.join(", "),
            list(&known)
        )
    } else {
        format!("{count} of functions that `{file}` lacks: {}{more}", names.join(", "))
    })
}

/// Functions that a note names.
const MOST_NAMED: usize = 3;
