//! `warplens schedule`: generates new control codes and writes them into the listing, the source or the
//! cubin.

pub(super) mod args;
mod cubin;
mod reread;
mod summary;

use super::binary::{self, OpenedBinary};
use super::engine::{Engine, UNCANCELLED, not_sass};
use super::failure::Failure;
use super::files::{Input, Source};
use super::progress::Progress;
use super::{names, output, whole_file};
use args::ScheduleArgs;
use clap::ColorChoice;
use ide::{AllowedChanges, SassView, ScheduledKernel, TextEdit};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(args: &ScheduleArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::start("scheduling");
    let mut engine = Engine::new(&args.target)?;
    let (source, file) = match Input::named(&args.file)? {
        Input::Text(source) => (source, None),
        Input::Binary(file) => {
            binary::cubin_only(&file)?;
            let bytes = file.bytes.clone();
            match binary::open(file, args.tool.disassembler.as_deref())? {
                OpenedBinary::Listing(source) => (source, Some(bytes)),
                OpenedBinary::Kernels(kernels) => return Err(kernels.refusal()),
            }
        }
    };
    let opened = engine.open(&source)?.ok_or_else(|| not_sass(&source))?;
    let analysis = opened.sass().ok_or_else(|| has_no_codes(&source))?;
    let (kernels, problems) = schedule(&analysis, args, &source.name)?;
    progress.yield_terminal();
    drop(progress);
    let new = match &file {
        Some(bytes) if args.output.is_some() || cubin::is_written(bytes) => {
            let new = cubin::patched(&source.name, bytes, &kernels)?;
            reread::prove(&source, &new, &kernels, args.tool.disassembler.as_deref())?;
            Some(new)
        }
        _ => None,
    };
    match (new, &args.output) {
        (Some(bytes), Some(path)) => write(path, &bytes)?,
        (None, Some(path)) => write(path, edited(&source.text, &kernels).as_bytes())?,
        (_, None) => {
            let text = edited(&source.text, &kernels);
            output::print(ColorChoice::Never, |out, _| out.write_all(text.as_bytes()))?;
        }
    }
    for why in &problems {
        Failure::new(format!("{why}; this kernel keeps its old codes")).tell();
    }
    for line in summary::lines(&kernels) {
        Failure::new(line).tell();
    }
    Ok(ExitCode::SUCCESS)
}

/// The failure for PTX: control codes cannot be written into it, since the SASS that it is estimated to become is not
/// the user's text.
fn has_no_codes(source: &Source) -> Failure {
    Failure::new(format!(
        "`{}` is PTX, which has no control codes: ptxas schedules it. Expected a SASS listing, an assembler \
         source, or a cubin",
        source.name
    ))
}

/// Returns the kernels with new codes, and a line for each refused kernel that keeps its codes. Fails if a kernel is
/// refused without `--keep-refused`, or if no kernel has new codes.
fn schedule(
    analysis: &SassView,
    args: &ScheduleArgs,
    file: &str,
) -> Result<(Vec<ScheduledKernel>, Vec<String>), Failure> {
    let function = names::chosen(file, analysis.function_names(), args.only.function.as_deref())?;
    let (mut kernels, mut problems) = (Vec::new(), Vec::new());
    for answer in analysis.schedule(function, AllowedChanges { reorder: args.reorder, rename: args.rename }) {
        match answer.expect(UNCANCELLED) {
            Ok(kernel) => kernels.push(kernel),
            Err(why) => problems.push(why.to_string()),
        }
    }
    let is_partial = !kernels.is_empty() && args.keep_refused;
    match problems.split_first() {
        Some((first, others)) if !is_partial => {
            if kernels.is_empty() {
                return Err(Failure::new(first));
            }
            let more = match others.len() {
                0 => String::new(),
                1 => "; 1 more kernel is rejected".to_owned(),
                count => format!("; {count} more kernels are rejected"),
            };
            let way = "nothing is written; --keep-refused writes the other kernels";
            Err(Failure::new(format!("{first}{more}; {way}")))
        }
        None if kernels.is_empty() => Err(Failure::new(format!("`{file}` has no instructions to schedule"))),
        _ => Ok((kernels, problems)),
    }
}

fn edited(text: &str, kernels: &[ScheduledKernel]) -> String {
    let mut edited = String::with_capacity(text.len());
    let mut at = 0;
    for TextEdit { range, text: new } in kernels.iter().flat_map(|kernel| &kernel.edits) {
        edited.push_str(&text[at..range.start]);
        edited.push_str(new);
        at = range.end;
    }
    edited.push_str(&text[at..]);
    edited
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    whole_file::write(path, bytes)
        .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", path.display())))
}
