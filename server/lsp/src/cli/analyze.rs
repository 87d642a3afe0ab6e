//! `warplens analyze`: what is known of each instruction of a file, as text or as JSON.

use super::args::{AnalyzeArgs, AnalyzeFormat, ModelName};
use super::engine::{Engine, not_sass};
use super::failure::Failure;
use super::files::Source;
use super::{names, output, render_text};
use ide::report::Report;
use std::process::ExitCode;

pub(super) fn run(args: &AnalyzeArgs) -> Result<ExitCode, Failure> {
    let mut engine = Engine::new(&args.target)?;
    let source = Source::named(&args.file)?;
    let analysis = engine.analyze(&source)?.ok_or_else(|| not_sass(&source))?;
    let ModelName::Paper = args.model;
    let mut report = analysis.report().expect("nobody holds the token that would cancel this");
    if report.kernels.is_empty() {
        return Err(Failure::new(format!("`{}` names an architecture but has no instructions", source.name)));
    }
    narrow(&mut report, args)?;
    match args.format {
        AnalyzeFormat::Text => {
            output::print(args.color.color.into(), |out| render_text::write(out, &report, args.lines))?;
        }
        AnalyzeFormat::Json => output::print(anstream::ColorChoice::Never, |out| {
            serde_json::to_writer(&mut *out, &report)?;
            writeln!(out)
        })?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Leaves the kernels of `--function` and the instructions of `--lines`.
fn narrow(report: &mut Report, args: &AnalyzeArgs) -> Result<(), Failure> {
    if let Some(wanted) = &args.function {
        let name = names::find(report.kernels.iter().map(|kernel| kernel.name.as_str()), wanted)?.to_owned();
        report.kernels.retain(|kernel| kernel.name == name);
    }
    if let Some(lines) = args.lines {
        for kernel in &mut report.kernels {
            kernel.instructions.retain(|instruction| lines.contains(instruction.line));
        }
    }
    Ok(())
}
