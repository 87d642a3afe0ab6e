//! `warplens diff`: compares the figures of kernels in two versions of their code, at the same launches.

pub(super) mod args;
mod figures;
mod json;
mod text;

use super::engine::{Engine, UNCANCELLED};
use super::failure::{Failure, list};
use super::files::Source;
use super::in_order::all_in_order;
use super::progress::Progress;
use super::{names, output};
use args::{DiffArgs, DiffFormat};
use clap::ColorChoice;
use figures::{ComparedKernel, Diff, Figures};
use ide::report::{KernelReport, ReportSections};
use ide::{LaunchEntry, SassView};
use std::process::ExitCode;

pub(super) fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::start("reading");
    let mut engine = Engine::new(&args.target)?;
    let base = engine.listing(&args.base, &args.compile, &args.tool)?;
    // Launches in the host code of the base apply to both files.
    let mut launches = engine.found_launches().to_vec();
    let new = engine.listing(&args.new, &args.compile, &args.tool)?;
    engine.state(launches.clone())?;
    let resources = |engine: &mut Engine, source: &Source| {
        let view = engine.analyze(source)?;
        reports(&view, args.only.function.as_deref(), source, false)
    };
    let before = resources(&mut engine, &base)?;
    let after = resources(&mut engine, &new)?;
    let is_of = |name: &str, all: &[KernelReport]| all.iter().any(|own| own.name == name);
    let (only_base, only_new) = (
        figures::names(before.iter().filter(|own| !is_of(&own.name, &after))),
        figures::names(after.iter().filter(|own| !is_of(&own.name, &before))),
    );
    let both: Vec<&KernelReport> = before.iter().filter(|own| is_of(&own.name, &after)).collect();
    if both.is_empty() {
        return Err(Failure::new(format!(
            "no kernel is in both files: `{}` has {}, `{}` has {}",
            base.name,
            list(&only_base),
            new.name,
            list(&only_new)
        )));
    }
    // An assumed launch depends on the code, so the launch assumed for the base is stated for both files.
    let assumed = both.iter().filter(|own| own.resources.launch_assumed);
    let assumed: Vec<String> = assumed.map(|own| own.name.clone()).collect();
    launches.extend(both.iter().filter(|own| own.resources.launch_assumed).map(|own| LaunchEntry {
        function: own.name.clone(),
        grid: own.resources.grid,
        block: own.resources.block,
        ..LaunchEntry::default()
    }));
    engine.state(launches)?;
    progress.stage("timing", 2);
    let mut timed = |source: &Source| {
        let view = engine.analyze(source)?;
        let all = reports(&view, args.only.function.as_deref(), source, true)?;
        progress.advance(1);
        Ok::<_, Failure>(all)
    };
    let (before, after) = (timed(&base)?, timed(&new)?);
    progress.yield_terminal();
    drop(progress);
    engine.announce();
    let diff = Diff {
        kernels: pairs(&before, &after, &assumed, args.fail_above),
        base: base.name,
        new: new.name,
        only_base,
        only_new,
    };
    match args.format {
        DiffFormat::Text => {
            output::print(args.color.color, |out, palette| {
                text::write(out, palette, &diff, args.fail_above)
            })?;
        }
        DiffFormat::Json => output::print(ColorChoice::Never, |out, _| json::write(out, &diff))?,
    }
    let is_worse = diff.kernels.iter().any(|own| own.is_worse);
    Ok(if is_worse { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Returns the report of each kernel at each of its launches, without instructions.
fn reports(
    view: &SassView,
    function: Option<&str>,
    source: &Source,
    predictions: bool,
) -> Result<Vec<KernelReport>, Failure> {
    let function = names::chosen(&source.name, view.kernel_names().map(|(name, _)| name), function)?;
    let reports =
        view.kernel_reports(function, ReportSections { instructions: false, predictions, lines: false });
    Ok(all_in_order(reports.len(), usize::MAX, |number| reports.report(number).expect(UNCANCELLED)))
}

/// The launches that are in both files, each with the figures from both.
fn pairs(
    before: &[KernelReport],
    after: &[KernelReport],
    assumed: &[String],
    fail_above: Option<f64>,
) -> Vec<ComparedKernel> {
    let mut seen: Vec<&str> = Vec::new();
    let mut pairs = Vec::new();
    for new in after {
        // Launches of a kernel have the same order in both files.
        let number = seen.iter().filter(|name| **name == new.name).count();
        seen.push(&new.name);
        let Some(base) = before.iter().filter(|own| own.name == new.name).nth(number) else { continue };
        let (base, figures) = (Figures::new(base), Figures::new(new));
        pairs.push(ComparedKernel {
            name: new.name.clone(),
            launch: new.launch.clone(),
            grid: new.resources.grid,
            block: new.resources.block,
            launch_assumed: assumed.contains(&new.name),
            is_worse: fail_above.is_some_and(|percent| base.is_worse(&figures, percent)),
            base,
            new: figures,
        });
    }
    pairs
}
