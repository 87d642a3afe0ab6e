//! `warplens check`: reports findings in files and folders, for people and for CI.

pub(super) mod args;
mod compile;
mod finding;
mod select;
mod statistics;

pub(super) use finding::{Finding, LineColumn, Outcome};

use super::engine::{Engine, Tools, UNCANCELLED, in_no_language};
use super::failure::{Failure, add_new, list, status_after};
use super::files::{FoundFile, Source, found_in};
use super::palette::Palette;
use super::{binary, formats, output, whole_file};
use args::{CheckArgs, CheckFormat};
use clap::ColorChoice;
use ide::Language;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    if args.statistics && !matches!(args.format, CheckFormat::Text | CheckFormat::Json) {
        return Err(Failure::new("`--statistics` prints counts; expected --format text or json"));
    }
    let selection = select::Selection::parse(&args.select, ide::rules())?;
    let disassembler = args.disassembler.as_deref();
    let tools = args.compile.then(|| Tools::new(&args.cuda, &args.assembler, disassembler));
    let mut engine = Engine::new(&args.target)?;
    let mut outcome = Outcome::default();
    let mut problems: Vec<String> = Vec::new();
    for path in &args.paths {
        for failure in check_path(&mut engine, path, tools.as_ref(), disassembler, &mut outcome) {
            // A missing compiler is reported once, not per file.
            add_new(&mut problems, failure.to_string());
        }
    }
    if outcome.files_checked == 0 {
        if !problems.is_empty() {
            return Ok(status_after(&problems));
        }
        let folders: Vec<String> = args.paths.iter().map(|path| shown(path)).collect();
        return Err(Failure::new(format!(
            "no SASS, PTX or CUDA in {}; expected listings, sources or cubins",
            list(&folders)
        )));
    }
    outcome.findings.retain(|finding| selection.has(finding));
    print(args, &outcome)?;
    Ok(if problems.is_empty() && !outcome.findings.is_empty() && !args.exit_zero {
        ExitCode::from(1)
    } else {
        status_after(&problems)
    })
}

/// Writes the findings, or their counts, to standard output or to the named file.
fn print(args: &CheckArgs, outcome: &Outcome) -> Result<(), Failure> {
    let write = |out: &mut dyn Write, palette: &Palette| match args.format {
        CheckFormat::Text if args.statistics => statistics::write(out, palette, outcome, ide::rules()),
        CheckFormat::Json if args.statistics => statistics::json(out, outcome),
        CheckFormat::Text => formats::text::write(out, palette, outcome),
        CheckFormat::Json => formats::json::write(out, outcome),
        CheckFormat::Sarif => formats::sarif::write(out, outcome, ide::rules()),
        CheckFormat::Github => formats::github::write(out, outcome),
    };
    if let Some(path) = &args.output_file {
        let mut bytes = Vec::new();
        let palette = if args.color.color == ColorChoice::Always && args.format == CheckFormat::Text {
            Palette::COLOURED
        } else {
            Palette::PLAIN
        };
        let written = write(&mut bytes, &palette).and_then(|()| whole_file::write(path, &bytes));
        return written.map_err(|error| Failure::new(format!("cannot write `{}`: {error}", path.display())));
    }
    let color = match args.format {
        CheckFormat::Text => args.color.color,
        _ => ColorChoice::Never,
    };
    output::print(color, write)
}

/// Returns the findings in one function of a text, or in the whole text. Runs no compiler.
pub(super) fn in_function(
    engine: &mut Engine,
    source: &Source,
    function: Option<&str>,
) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    check(engine, source, None, &mut outcome)?;
    outcome.findings.retain(|finding| function.is_none_or(|name| finding.function.as_deref() == Some(name)));
    Ok(outcome)
}

/// Adds the findings in a file, or in all texts and cubins under a folder, to the outcome. Returns the
/// reasons why files could not be checked.
fn check_path(
    engine: &mut Engine,
    path: &Path,
    tools: Option<&Tools>,
    disassembler: Option<&Path>,
    outcome: &mut Outcome,
) -> Vec<Failure> {
    if !path.is_dir() {
        let checked = binary::listing(path, disassembler).and_then(|source| {
            if check(engine, &source, tools, outcome)? { Ok(()) } else { Err(in_no_language(&source)) }
        });
        return checked.err().into_iter().collect();
    }
    let files = match found_in(path) {
        Ok(files) => files,
        Err(failure) => return vec![failure],
    };
    let has_disassembler = binary::has_disassembler(disassembler);
    let checked_before = outcome.files_checked;
    let mut left_out = Vec::new();
    let checked = files.map(|found| match found? {
        // A folder may contain texts in other languages.
        FoundFile::Text(source) => check(engine, &source, tools, outcome).map(|_| ()),
        FoundFile::Cubin(path) if has_disassembler => {
            let source = binary::listing(&path, disassembler)?;
            check(engine, &source, tools, outcome).map(|_| ())
        }
        FoundFile::Cubin(path) => {
            left_out.push(shown(&path));
            Ok(())
        }
    });
    let mut failures: Vec<Failure> = checked.filter_map(Result::err).collect();
    if !left_out.is_empty() {
        let are = if left_out.len() == 1 { "is a cubin and was" } else { "are cubins and were" };
        let why = format!("{} {are} not checked: {}", list(&left_out), binary::NO_DISASSEMBLER);
        // The texts of a folder can be checked without the CUDA toolkit.
        if outcome.files_checked > checked_before {
            Failure::new(why).tell();
        } else {
            failures.push(Failure::new(why));
        }
    }
    failures
}

fn shown(path: &Path) -> String {
    format!("`{}`", path.display())
}

/// Adds a text's findings to the outcome; false if the text's language is not recognised.
fn check(
    engine: &mut Engine,
    source: &Source,
    tools: Option<&Tools>,
    outcome: &mut Outcome,
) -> Result<bool, Failure> {
    let with_code = tools.map(|tools| engine.open_with_code(source, tools)).transpose()?.flatten();
    let Some(analysis) = (match with_code {
        Some(analysis) => Some(analysis),
        None => engine.open(source)?,
    }) else {
        return Ok(false);
    };
    let mut diagnostics = analysis.syntax_diagnostics().expect(UNCANCELLED);
    diagnostics.extend(analysis.model_diagnostics().expect(UNCANCELLED));
    if let Some(tools) = tools.filter(|_| analysis.language() == Language::Ptx) {
        let assembler = compile::assembler(tools.ptxas.as_deref())?;
        diagnostics.extend(compile::findings(&assembler, &source.name, &analysis)?);
    }
    diagnostics.sort_by_key(|diagnostic| (diagnostic.range.start, diagnostic.range.end));
    outcome.findings.extend(finding::locate(&source.name, &source.text, diagnostics));
    outcome.files_checked += 1;
    Ok(true)
}
