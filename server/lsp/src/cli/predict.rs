//! `warplens predict`: the cycles of whole launches, what limits them, and what the part could do.

mod csv;
mod json;
mod svg;
mod text;

use super::args::{Color, PredictArgs, PredictFormat};
use super::binary::{self, Opened};
use super::engine::{Engine, not_sass};
use super::failure::{Failure, list};
use super::files::Input;
use super::progress::Progress;
use super::{names, output};
use ide::SassView;
use ide::predict::{FULL_EFFORT, LaunchPrediction, StatedLaunches, UnmatchedLaunch};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub(super) fn run(args: &PredictArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::start("reading");
    let mut engine = Engine::new(&args.target)?;
    let source = match Input::named(&args.file)? {
        Input::Text(source) => source,
        Input::Binary(bytes) => match binary::open(bytes, args.disassembler.as_deref())? {
            Opened::Listing(source) => source,
            Opened::Kernels(kernels) => return Err(kernels.refusal()),
        },
    };
    let analysis = engine.analyze(&source)?.ok_or_else(|| not_sass(&source))?;
    let launches = stated(&analysis, args, &source.name)?;
    progress.stage("simulating", launches.len() as u64);
    let (predictions, mut problems) = predict(&launches, &progress);
    progress.yield_terminal();
    drop(progress);
    if !predictions.is_empty() {
        engine.announce();
        match args.format {
            PredictFormat::Text => {
                output::print(args.color.color, |out, palette| text::write(out, palette, &predictions))?;
            }
            PredictFormat::Csv => output::print(Color::Never, |out, _| csv::write(out, &predictions))?,
            PredictFormat::Json => output::print(Color::Never, |out, _| json::write(out, &predictions))?,
            PredictFormat::Svg => {
                let ceilings = launches.ceilings();
                output::print(Color::Never, |out, _| svg::write(out, &predictions, &ceilings))?;
            }
        }
    }
    problems.extend(unmatched(&launches, &analysis, &source.name));
    for problem in &problems {
        eprintln!("warplens: {}", Failure::new(problem));
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// The launches that were asked for. Fails where there are none.
fn stated<'a>(analysis: &'a SassView, args: &PredictArgs, file: &str) -> Result<StatedLaunches<'a>, Failure> {
    if analysis.kernel_names().next().is_none() {
        return Err(Failure::new(format!("`{file}` names an architecture but has no instructions")));
    }
    let find = |wanted: &String| names::find(analysis.kernel_names().map(|(name, _)| name), wanted);
    let function = args.function.as_ref().map(find).transpose()?;
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
    let threads = thread::available_parallelism().map_or(1, |count| count.get().min(MOST_THREADS));
    let next = AtomicUsize::new(0);
    let answers: Vec<Mutex<Option<Result<LaunchPrediction, String>>>> =
        (0..launches.len()).map(|_| Mutex::new(None)).collect();
    thread::scope(|scope| {
        for _ in 0..threads.min(launches.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(answer) = answers.get(number) else { break };
                    let predicted = launches.predict(number, FULL_EFFORT);
                    let predicted = predicted.expect("nobody holds the token that would cancel this");
                    *answer.lock().expect("no thread panics with this lock") = Some(predicted);
                    progress.advance(1);
                }
            });
        }
    });
    let mut predictions = Vec::new();
    let mut problems = Vec::new();
    for answer in answers {
        match answer.into_inner().expect("no thread panics with this lock") {
            Some(Ok(prediction)) => predictions.push(prediction),
            Some(Err(problem)) => problems.push(problem),
            None => {}
        }
    }
    (predictions, problems)
}

/// One line for all launches of functions that the file has not.
fn unmatched(launches: &StatedLaunches<'_>, analysis: &SassView, file: &str) -> Option<String> {
    let of = |launch: &UnmatchedLaunch| match &launch.name {
        Some(name) => format!("`{}` (launch `{name}`)", launch.function),
        None => format!("`{}`", launch.function),
    };
    let absent: Vec<String> = launches.unmatched().iter().map(of).collect();
    if absent.is_empty() {
        return None;
    }
    let mut known: Vec<&str> = analysis.kernel_names().map(|(name, _)| name).collect();
    known.dedup();
    Some(format!(
        "`{file}` has no function {}, so it has no row; expected launches of: {}",
        list(&absent),
        list(&known)
    ))
}
