//! `warplens analyze`: what is known of each instruction of a file, as text, as JSON or as a page.

use super::args::{AnalyzeArgs, AnalyzeFormat, Color, LineRange, ModelName};
use super::binary::{self, Opened};
use super::engine::{Engine, not_sass};
use super::failure::Failure;
use super::files::{Input, Source};
use super::progress::Progress;
use super::render_text::Listing;
use super::summary::{self, Screen};
use super::{names, output, render_html, render_json};
use ide::Analysis;
use ide::report::KernelReport;
use std::process::ExitCode;

const UNCANCELLED: &str = "nobody holds the token that would cancel this";

pub(super) fn run(args: &AnalyzeArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::start("reading");
    let mut engine = Engine::new(&args.target)?;
    if let Some(model) = args.model {
        engine.set_model(model.into())?;
    }
    let source = match Input::named(&args.file)? {
        Input::Text(source) => source,
        Input::Binary(bytes) => match binary::open(bytes, args.disassembler.as_deref())? {
            Opened::Listing(source) => source,
            Opened::Kernels(kernels) => {
                progress.yield_terminal();
                return kernels.print(args);
            }
        },
    };
    let analysis = engine.analyze(&source)?.ok_or_else(|| not_sass(&source))?;
    // The analysis has the text itself, and a second one of a long listing weighs.
    let Source { name, .. } = source;
    if analysis.kernel_names().next().is_none() {
        return Err(Failure::new(format!("`{name}` names an architecture but has no instructions")));
    }
    let function = function(&analysis, args)?;
    if args.model == Some(ModelName::Pipeline)
        && let Some(why) = analysis.pipeline_refusal(function.as_deref())
    {
        return Err(Failure::new(why));
    }
    engine.announce();
    let kernels = Kernels { analysis: &analysis, function, lines: args.lines, summary: args.summary };
    match args.format {
        AnalyzeFormat::Text => text(&kernels, args.color.color, &mut progress)?,
        AnalyzeFormat::Json => {
            progress.stage("timing", kernels.instructions());
            progress.yield_terminal();
            output::print(Color::Never, |out, _| {
                render_json::write(out, &analysis.report_outline(), kernels.reports(&progress))
            })?;
        }
        AnalyzeFormat::Html => html(&kernels, &name, &mut progress)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The name of the function that `--function` means, as the listing has it.
fn function(analysis: &Analysis, args: &AnalyzeArgs) -> Result<Option<String>, Failure> {
    let find = |wanted: &String| names::find(analysis.kernel_names().map(|(name, _)| name), wanted);
    args.function.as_ref().map(|wanted| find(wanted).map(str::to_owned)).transpose()
}

/// The kernels that were asked for, computed one by one.
struct Kernels<'a> {
    analysis: &'a Analysis,
    function: Option<String>,
    lines: Option<LineRange>,
    /// No instructions.
    summary: bool,
}

impl Kernels<'_> {
    /// All kernels without instructions, each counted as progress.
    fn heads(&self, progress: &Progress) -> Vec<KernelReport> {
        let heads = self.analysis.kernel_heads(self.function.as_deref());
        heads.map(|head| head.expect(UNCANCELLED)).inspect(|head| counted(head, progress)).collect()
    }

    /// All kernels with the instructions that were asked for, each counted as progress.
    fn reports<'s>(&'s self, progress: &'s Progress) -> Box<dyn Iterator<Item = KernelReport> + 's> {
        if self.summary {
            return Box::new(self.heads(progress).into_iter());
        }
        let reports = self.analysis.kernel_reports(self.function.as_deref());
        Box::new(reports.map(move |report| {
            let mut kernel = report.expect(UNCANCELLED);
            if let Some(lines) = self.lines {
                kernel.instructions.retain(|instruction| lines.contains(instruction.line));
            }
            counted(&kernel, progress);
            kernel
        }))
    }

    /// As [`Self::reports`], without the kernels that have no line of `--lines`.
    fn shown<'s>(&'s self, progress: &'s Progress) -> impl Iterator<Item = KernelReport> + 's {
        let narrowed = self.lines.is_some();
        self.reports(progress).filter(move |kernel| !narrowed || !kernel.instructions.is_empty())
    }

    /// How many there are, as a measure of the work.
    fn instructions(&self) -> u64 {
        let wanted = |name: &str| self.function.as_ref().is_none_or(|function| function == name);
        let kernels = self.analysis.kernel_names().filter(|(name, _)| wanted(name));
        kernels.map(|(_, instructions)| instructions as u64).sum()
    }
}

fn counted(kernel: &KernelReport, progress: &Progress) {
    progress.advance(kernel.instruction_count as u64);
}

fn text(kernels: &Kernels<'_>, color: Color, progress: &mut Progress) -> Result<(), Failure> {
    let outline = kernels.analysis.report_outline();
    // Some lines are looked at for themselves.
    let summarised = kernels.summary || kernels.lines.is_none();
    progress.stage("timing", kernels.instructions() * if summarised { 2 } else { 1 });
    let heads = if summarised { kernels.heads(progress) } else { Vec::new() };
    progress.yield_terminal();
    output::print(color, |out, palette| {
        if kernels.summary || heads.len() > 1 {
            let screen = Screen::of_stdout(kernels.summary);
            summary::write(out, palette, &outline, &heads, screen)?;
            if kernels.summary {
                return Ok(());
            }
            writeln!(out)?;
        }
        let mut listing = Listing::new(&outline, palette);
        for kernel in kernels.shown(progress) {
            listing.kernel(out, &kernel)?;
        }
        if let Some(lines) = kernels.lines.filter(|_| listing.is_empty()) {
            return writeln!(out, "no instruction on lines {} to {}", lines.first, lines.last);
        }
        listing.finish(out)
    })
}

/// The index needs all kernels before the first is written.
fn html(kernels: &Kernels<'_>, name: &str, progress: &mut Progress) -> Result<(), Failure> {
    let outline = kernels.analysis.report_outline();
    progress.stage("timing", kernels.instructions() * 2);
    // Kernels without one of some lines are not in the index either.
    let heads = if kernels.lines.is_some() {
        kernels.shown(progress).map(|kernel| KernelReport { instructions: Vec::new(), ..kernel }).collect()
    } else {
        kernels.heads(progress)
    };
    progress.yield_terminal();
    let page = render_html::Page { name, outline: &outline, heads: &heads };
    output::print(Color::Never, |out, _| page.write(out, kernels.shown(progress)))
}
