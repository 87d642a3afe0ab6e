//! `warplens predict`: the cycles of whole launches, their limiters, and the peak rates of the GPU.

pub(super) mod args;
mod csv;
mod json;
mod profile;
mod svg;
mod text;

use super::engine::{Engine, UNCANCELLED};
use super::failure::{Failure, add_new, list, status_after};
use super::in_order::all_in_order;
use super::output::{distinct, grouped, printable};
use super::palette::Palette;
use super::progress::Progress;
use super::{names, output};
use args::{PredictArgs, PredictFormat};
use clap::ColorChoice;
use ide::SassView;
use ide::predict::{Ceiling, FULL_EFFORT, LaunchPrediction, StatedLaunches, UnmatchedLaunch};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(args: &PredictArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::start("reading");
    let mut engine = Engine::new(&args.target)?;
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for path in &args.files {
        match predicted(&mut engine, args, path, &progress) {
            Ok(file) => files.push(file),
            Err(failure) if args.files.len() == 1 => return Err(failure),
            // A problem that all files have is reported once.
            Err(failure) => add_new(&mut problems, failure.to_string()),
        }
    }
    progress.yield_terminal();
    drop(progress);
    problems.extend(files.iter().flat_map(|file| file.problems.iter().cloned()));
    let has_rows = files.iter().any(|file| !file.predictions.is_empty());
    if has_rows {
        for file in files.iter().filter(|file| !file.predictions.is_empty()) {
            file.notices.iter().for_each(|notice| eprintln!("warplens: {notice}"));
        }
        if let Some(assumed) = assumed(&files) {
            eprintln!("warplens: {assumed}");
        }
        print(args, &files)?;
    }
    if let Some(absent) = unmatched(&files) {
        // One file of launches may serve many cubins.
        if has_rows { eprintln!("warplens: {absent}") } else { problems.push(absent) }
    }
    Ok(status_after(&problems))
}

/// The predictions for one file.
struct FilePredictions {
    /// The file's name as the user wrote it.
    name: String,
    predictions: Vec<LaunchPrediction>,
    ceilings: Vec<Ceiling>,
    /// Notices about all predictions, one line each.
    notices: Vec<String>,
    /// Launches without a prediction, one line each.
    problems: Vec<String>,
    unmatched: Vec<UnmatchedLaunch>,
    kernels: Vec<String>,
}

fn predicted(
    engine: &mut Engine,
    args: &PredictArgs,
    path: &Path,
    progress: &Progress,
) -> Result<FilePredictions, Failure> {
    let source = engine.listing(path, &args.compile, &args.tool)?;
    let analysis = engine.analyze(&source)?;
    let mut launches = stated(&analysis, args, &source.name)?;
    let mut notices = engine.take_notices();
    if let Some(path) = &args.profile {
        notices.extend(profile::take(&mut launches, path)?);
    }
    progress.stage("simulating", launches.len() as u64);
    let (predictions, problems) = predict(&launches, progress);
    let mut kernels: Vec<String> = analysis.kernel_names().map(|(name, _)| name.to_owned()).collect();
    kernels.dedup();
    Ok(FilePredictions {
        predictions,
        ceilings: launches.ceilings(),
        notices,
        problems,
        unmatched: launches.unmatched().to_vec(),
        kernels,
        name: source.name,
    })
}

fn print(args: &PredictArgs, files: &[FilePredictions]) -> Result<(), Failure> {
    let all = || files.iter().flat_map(|file| file.predictions.iter().map(|own| (&*file.name, own)));
    match args.format {
        PredictFormat::Text => output::print(args.color.color, |out, palette| {
            let with_rows = files.iter().filter(|file| !file.predictions.is_empty());
            for (number, file) in with_rows.enumerate() {
                if args.files.len() > 1 {
                    let Palette { strong, .. } = palette;
                    let gap = if number > 0 { "\n" } else { "" };
                    writeln!(out, "{gap}{strong}{}:{strong:#}\n", printable(&file.name))?;
                }
                text::write(out, palette, &file.predictions)?;
            }
            Ok(())
        }),
        PredictFormat::Csv => {
            let columns = csv::Columns { profile: args.profile.is_some(), file: args.files.len() > 1 };
            output::print(ColorChoice::Never, |out, _| csv::write(out, all(), columns))
        }
        PredictFormat::Json => output::print(ColorChoice::Never, |out, _| json::write(out, all())),
        PredictFormat::Svg => {
            let predictions: Vec<LaunchPrediction> = all().map(|(_, own)| own.clone()).collect();
            let mut ceilings: Vec<Ceiling> = Vec::new();
            for own in files.iter().flat_map(|file| &file.ceilings) {
                if !ceilings.contains(own) {
                    ceilings.push(*own);
                }
            }
            output::print(ColorChoice::Never, |out, _| svg::write(out, &predictions, &ceilings))
        }
    }
}

/// The requested launches; without `--launches` and without launches in `warplens.toml`, an assumed launch of each
/// kernel. Fails if `--launches` states no launch.
fn stated<'a>(analysis: &'a SassView, args: &PredictArgs, file: &str) -> Result<StatedLaunches<'a>, Failure> {
    let names = analysis.kernel_names().map(|(name, _)| name);
    let function = names::chosen(file, names, args.function.as_deref())?;
    let launches = analysis.stated_launches(function);
    match &args.target.launches {
        _ if !launches.is_empty() => Ok(launches),
        None => Ok(analysis.assumed_launches(function)),
        Some(_) if !launches.unmatched().is_empty() => Ok(launches),
        Some(path) => {
            let of = function.map(|function| format!(" of `{function}`")).unwrap_or_default();
            Err(Failure::new(format!(
                "`{}` states no launch{of}; expected [[launch]] with function, grid and block",
                path.display()
            )))
        }
    }
}

/// A notice that names the files whose launches are assumed and explains how to state a launch; `None` if there are
/// no such files.
fn assumed(files: &[FilePredictions]) -> Option<String> {
    let first = |file: &FilePredictions| file.predictions.iter().position(|own| own.resources.launch_assumed);
    let its: Vec<(&FilePredictions, usize)> =
        files.iter().filter_map(|file| Some((file, first(file)?))).collect();
    let (file, number) = *its.first()?;
    let example = &file.predictions[number];
    let names: Vec<String> = its.iter().map(|(file, _)| format!("`{}`", printable(&file.name))).collect();
    let LaunchPrediction { function, demangled, resources, .. } = example;
    let function = printable(demangled.as_ref().unwrap_or(function)).replace(['\\', '"'], "");
    let names = list(&names);
    Some(format!(
        "no launch is stated for {names}, so one full wave of each kernel's largest block is assumed. State launches in \
         warplens.toml or with --launches FILE:\n  [[launch]]\n  function = \"{function}\"\n  grid = {:?}\n  block = {:?}",
        resources.grid, resources.block
    ))
}

/// Simulates all launches in parallel. Returns the predictions in order, and a line for each launch that has no
/// prediction.
fn predict(launches: &StatedLaunches<'_>, progress: &Progress) -> (Vec<LaunchPrediction>, Vec<String>) {
    /// Maximum number of threads. More threads gain nothing: the simulations are bound by memory bandwidth.
    const MAX_THREADS: usize = 8; // limit: memory bandwidth
    let answers = all_in_order(launches.len(), MAX_THREADS, |number| {
        let predicted = launches.predict(number, FULL_EFFORT).expect(UNCANCELLED);
        progress.advance(1);
        predicted
    });
    let (mut predictions, mut problems) = (Vec::new(), Vec::new());
    for answer in answers {
        match answer {
            Ok(prediction) => predictions.push(prediction),
            Err(problem) => problems.push(problem.to_string()),
        }
    }
    (predictions, problems)
}

/// One line about the stated launches of functions that no file contains; `None` if there are none.
fn unmatched(files: &[FilePredictions]) -> Option<String> {
    let (first, others) = files.split_first()?;
    let is_nowhere = |launch: &&UnmatchedLaunch| others.iter().all(|file| file.unmatched.contains(launch));
    let launches: Vec<&UnmatchedLaunch> = first.unmatched.iter().filter(is_nowhere).collect();
    let absent = distinct(launches.iter().map(|launch| &*launch.function));
    let names: Vec<String> =
        absent.iter().take(MAX_NAMED).map(|name| format!("`{}`", printable(name))).collect();
    let more = absent.len().checked_sub(MAX_NAMED).filter(|more| *more > 0);
    let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
    if absent.is_empty() {
        return None;
    }
    let names = names.join(", ");
    if files.iter().all(|file| file.predictions.is_empty() && file.problems.is_empty()) {
        let known = distinct(files.iter().flat_map(|file| file.kernels.iter().map(|name| &**name)));
        let has = match others {
            [] => format!("`{}` has no function", first.name),
            _ => "no file has a function".to_owned(),
        };
        return Some(format!(
            "{has} {names}{more}, so no launch is predicted; expected launches of: {}",
            list(&known)
        ));
    }
    let es = if launches.len() == 1 { "" } else { "es" };
    let lack = match others {
        [] => format!("`{}`", first.name),
        _ => "any file".to_owned(),
    };
    let count = grouped(launches.len() as u64);
    Some(format!("skipped {count} launch{es} of functions that are not in {lack}: {names}{more}"))
}

/// Maximum number of functions that the line names.
const MAX_NAMED: usize = 3; // limit: room in a line
