//! `warplens analyze`: the facts about each instruction of a file, as text, JSON or an HTML page.

pub(super) mod args;

use super::binary::{self, OpenedBinary};
use super::check::{self, Outcome};
use super::engine::{Engine, UNCANCELLED};
use super::failure::Failure;
use super::files::{Input, Source};
use super::in_order::{all_in_order, in_order};
use super::palette::Palette;
use super::progress::Progress;
use super::render_json::{self, Document};
use super::render_text::Listing;
use super::summary::{self, Screen};
use super::{formats, names, output, render_cuda, render_html};
use args::{AnalyzeArgs, AnalyzeFormat, LineRange, ModelName};
use clap::ColorChoice;
use ide::report::{KernelReport, ReportSections, Reports};
use ide::{SassView, TextReport};
use std::io::{self, Write};
use std::ops::ControlFlow;

pub(super) fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    if args.findings && args.format != AnalyzeFormat::Text {
        return Err(Failure::new("`--findings` prints only text; for programs, use `check --format json`"));
    }
    let mut progress = Progress::start("reading");
    let mut engine = Engine::new(&args.target)?;
    if let Some(model) = args.model {
        engine.set_model(model.into())?;
    }
    let source = match Input::named(&args.file)? {
        Input::Text(source) => source,
        Input::Binary(bytes) => match binary::open(bytes, args.tool.disassembler.as_deref())? {
            OpenedBinary::Listing(source) => source,
            OpenedBinary::Kernels(kernels) => {
                progress.yield_terminal();
                return kernels.print(args);
            }
        },
    };
    if !args.compile.compile
        && let Some(report) =
            engine.open(&source)?.and_then(|opened| opened.text_report().expect(UNCANCELLED))
    {
        progress.yield_terminal();
        return print_text_of_cuda(args, &mut engine, &source, report);
    }
    let source = engine.compiled(source, &args.compile, args.tool.disassembler.as_deref())?;
    let analysis = engine.analyze(&source)?;
    if let Some(lines) = args.lines {
        within(lines, &source)?;
    }
    let names = analysis.kernel_names().map(|(name, _)| name);
    let function = names::chosen(&source.name, names, args.only.function.as_deref())?;
    let findings = args.findings.then(|| check::in_function(&mut engine, &source, function)).transpose()?;
    // The analysis has its own copy of the text; a second copy of a long listing would waste memory.
    let Source { name, .. } = source;
    if args.model == Some(ModelName::Pipeline)
        && let Some(why) = analysis.pipeline_refusal(function)
    {
        return Err(Failure::from_error(why));
    }
    engine.announce();
    let kernels = Kernels {
        analysis: &analysis,
        function,
        lines: args.lines,
        summary: args.summary,
        predicts: !args.no_predict,
        by_line: args.by_line,
    };
    match args.format {
        AnalyzeFormat::Text => text(&kernels, findings.as_ref(), args.color.color, &mut progress),
        AnalyzeFormat::Json => {
            progress.stage("timing", kernels.instructions());
            progress.yield_terminal();
            output::print(ColorChoice::Never, |out, _| json(&kernels, out, &progress))
        }
        AnalyzeFormat::Html => html(&kernels, &name, &mut progress),
    }
}

/// Prints what is known about the kernels in a CUDA source without compiling it.
fn print_text_of_cuda(
    args: &AnalyzeArgs,
    engine: &mut Engine,
    source: &Source,
    mut report: TextReport,
) -> Result<(), Failure> {
    if args.by_line {
        return Err(Failure::new("the cost of CUDA lines comes from compiled code; expected --compile"));
    }
    if args.only.function.is_some() && !report.kernels.is_empty() {
        let names = report.kernels.iter().map(|kernel| kernel.name.as_str());
        let name = names::chosen(&source.name, names, args.only.function.as_deref())?.map(str::to_owned);
        report.kernels.retain(|kernel| Some(&kernel.name) == name.as_ref());
    }
    let shown = report.kernels.last().map(|kernel| kernel.name.as_str());
    let function = shown.filter(|_| args.only.function.is_some());
    let findings = args.findings.then(|| check::in_function(engine, source, function)).transpose()?;
    if let Some(lines) = args.lines {
        within(lines, source)?;
        for kernel in &mut report.kernels {
            kernel.accesses.retain(|access| lines.contains(access.line));
        }
        if args.format == AnalyzeFormat::Text {
            report.kernels.retain(|kernel| !kernel.accesses.is_empty());
            if report.kernels.is_empty() {
                return output::print(args.color.color, |out, _| {
                    writeln!(out, "no memory access on lines {} to {}", lines.first, lines.last)
                });
            }
        }
    }
    match args.format {
        AnalyzeFormat::Text => output::print(args.color.color, |out, palette| {
            render_cuda::write(out, palette, &report)?;
            write_findings(out, palette, findings.as_ref())
        }),
        AnalyzeFormat::Json => render_cuda::json(&report),
        AnalyzeFormat::Html => {
            Err(Failure::new("an HTML page of CUDA needs its compiled code; expected --compile"))
        }
    }
}

/// Fails if `--lines` starts after the last line of a text.
fn within(lines: LineRange, source: &Source) -> Result<(), Failure> {
    let count = source.text.lines().count();
    if lines.first as usize <= count {
        return Ok(());
    }
    // Line numbers of a binary refer to its disassembly.
    let of = if source.cubin.is_some() { "the listing of " } else { "" };
    let asked = if lines.first == lines.last {
        format!("no line {}", lines.first)
    } else {
        format!("no lines {} to {}", lines.first, lines.last)
    };
    Err(Failure::new(format!("{asked}: {of}`{}` has lines 1 to {count}", source.name)))
}

/// The requested kernels. Their reports are computed on all cores.
struct Kernels<'a> {
    analysis: &'a SassView,
    function: Option<&'a str>,
    lines: Option<LineRange>,
    /// Omit instructions.
    summary: bool,
    /// Include predictions of launches.
    predicts: bool,
    /// Include the costs of source lines.
    by_line: bool,
}

impl Kernels<'_> {
    fn reports(&self, instructions: bool) -> Reports<'_> {
        let wanted = ReportSections { instructions, predictions: self.predicts, lines: self.by_line };
        self.analysis.kernel_reports(self.function, wanted)
    }

    /// Returns the reports of all kernels, without their instructions. Each kernel advances the progress.
    fn heads(&self, progress: &Progress) -> Vec<KernelReport> {
        let reports = self.reports(false);
        all_in_order(reports.len(), usize::MAX, |number| computed(&reports, number, progress))
    }

    /// Calls `make` on the report of each kernel, on several threads. Passes the results to `take` in the
    /// order of the kernels.
    fn each<T: Send>(
        &self,
        progress: &Progress,
        make: impl Fn(KernelReport) -> T + Sync,
        mut take: impl FnMut(T) -> io::Result<()>,
    ) -> io::Result<()> {
        let reports = self.reports(!self.summary);
        let work = |number| {
            let mut kernel = computed(&reports, number, progress);
            if let Some(lines) = self.lines {
                kernel.instructions.retain(|instruction| lines.contains(instruction.line));
            }
            make(kernel)
        };
        let done = in_order(reports.len(), work, |made| match take(made) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        });
        match done {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
    }

    /// Passes each kernel to `take`, in order. Skips kernels without an instruction on `--lines`.
    fn shown(
        &self,
        progress: &Progress,
        mut take: impl FnMut(KernelReport) -> io::Result<()>,
    ) -> io::Result<()> {
        let narrowed = self.lines.is_some();
        self.each(
            progress,
            |kernel| kernel,
            |kernel| {
                if narrowed && kernel.instructions.is_empty() { Ok(()) } else { take(kernel) }
            },
        )
    }

    /// Number of instructions in the requested kernels: the total of the progress bar.
    fn instructions(&self) -> u64 {
        let wanted = |name: &str| self.function.is_none_or(|function| function == name);
        let kernels = self.analysis.kernel_names().filter(|(name, _)| wanted(name));
        kernels.map(|(_, instructions)| instructions as u64).sum()
    }
}

/// Computes one report and counts it as progress.
fn computed(reports: &Reports<'_>, number: usize, progress: &Progress) -> KernelReport {
    let report = reports.report(number).expect(UNCANCELLED);
    progress.advance(report.instruction_count as u64);
    report
}

fn json(kernels: &Kernels<'_>, out: &mut dyn Write, progress: &Progress) -> io::Result<()> {
    let mut document = Document::begin(out, &kernels.analysis.report_outline())?;
    kernels.each(progress, |kernel| render_json::kernel(&kernel), |kernel| document.add(&kernel?))?;
    document.end()
}

fn text(
    kernels: &Kernels<'_>,
    findings: Option<&Outcome>,
    color: ColorChoice,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let outline = kernels.analysis.report_outline();
    // With `--lines`, the table of all kernels is omitted.
    let summarised = kernels.summary || kernels.lines.is_none();
    progress.stage("timing", kernels.instructions() * if summarised { 2 } else { 1 });
    let heads = if summarised { kernels.heads(progress) } else { Vec::new() };
    progress.yield_terminal();
    output::print(color, |out, palette| {
        if kernels.summary || heads.len() > 1 {
            let screen = Screen::of_stdout();
            summary::write(out, palette, &outline, &heads, screen)?;
            if kernels.summary {
                return write_findings(out, palette, findings);
            }
            writeln!(out)?;
        }
        let mut listing = Listing::new(&outline, palette);
        kernels.shown(progress, |kernel| listing.kernel(out, &kernel))?;
        if let Some(lines) = kernels.lines.filter(|_| listing.is_empty()) {
            return writeln!(out, "no instruction on lines {} to {}", lines.first, lines.last);
        }
        listing.finish(out)?;
        write_findings(out, palette, findings)
    })
}

fn write_findings(out: &mut dyn Write, palette: &Palette, findings: Option<&Outcome>) -> io::Result<()> {
    let Some(findings) = findings else { return Ok(()) };
    writeln!(out)?;
    formats::text::write(out, palette, findings)
}

/// Writes an HTML page. The page's index needs all kernels, so they are computed before the first kernel is
/// written.
fn html(kernels: &Kernels<'_>, name: &str, progress: &mut Progress) -> Result<(), Failure> {
    let outline = kernels.analysis.report_outline();
    progress.stage("timing", kernels.instructions() * 2);
    // With `--lines`, the index also omits kernels without an instruction on these lines.
    let heads = if kernels.lines.is_some() {
        let mut heads = Vec::new();
        // The closure never fails.
        let _ = kernels.shown(progress, |kernel| {
            heads.push(KernelReport { instructions: Vec::new(), ..kernel });
            Ok(())
        });
        heads
    } else {
        kernels.heads(progress)
    };
    progress.yield_terminal();
    let page = render_html::Page { name, outline: &outline, heads: &heads };
    output::print(ColorChoice::Never, |out, _| {
        page.begin(out)?;
        let mut index = 0;
        kernels.shown(progress, |kernel| {
            page.kernel(out, index, &kernel)?;
            index += 1;
            Ok(())
        })?;
        render_html::Page::end(out)
    })
}
