//! `warplens tune collect`: random kernels, measured on the GPU in this computer and added to a data file.

use crate::cli::date;
use crate::cli::failure::Failure;
use crate::cli::files::unreadable;
use crate::cli::output::{counted, grouped, print, printable};
use crate::cli::progress::Progress;
use crate::cli::tune::args::TuneCollectArgs;
use crate::read::{BoundedFile, NAMED_BYTES, never};
use clap::ColorChoice;
use lab::tune::{Collection, CollectionProgress, Collector, Header, Recording};
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};
use toolchain::Consent;

/// Default number of rows in a data file. With more rows, the paper's error hardly decreases (Figure 5).
const ROWS: usize = 100_000; // Source: ICS'17 paper, Figure 5: beyond it the error hardly falls
/// Number of kernels per batch. A batch is assembled while the previous one is measured.
const KERNELS: usize = 200; // limit: assembled while the batch before is measured
/// Number of shapes measured per kernel. Several, because a launch takes less time than a ptxas run.
const SHAPES: usize = 8; // limit: a launch takes less time than ptxas does

pub(super) fn run(args: &TuneCollectArgs) -> Result<(), Failure> {
    let failed = |error: &dyn Display| Failure::new(format!("tune collect: {error}"));
    let mut progress = Progress::start("building the benchmark");
    let collector = Collector::begin(Consent::by_command_line()).map_err(|error| failed(&error))?;
    let header = collector.header(args.problem, &date::today());
    let (mut recording, before) = open(&args.output, &header)?;
    let wanted = args.rows.or(args.seconds.is_none().then_some(ROWS));
    let rows = wanted.map_or(usize::MAX, |wanted| wanted.saturating_sub(before));
    let start = Instant::now();
    let limit = args.seconds.map(Duration::from_secs);
    let is_over = || limit.is_some_and(|limit| start.elapsed() >= limit);
    let collection = Collection {
        problem: args.problem,
        // Each batch adds at least one row, so no earlier run had a batch with this number or a higher one.
        first_batch: before as u64,
        rows,
        kernels: KERNELS,
        shapes: SHAPES,
    };
    progress.stage("measuring", wanted.map_or(args.seconds.unwrap_or_default(), |_| rows as u64));
    let mut tell = |done: CollectionProgress| {
        progress.reach(if wanted.is_some() { done.rows as u64 } else { start.elapsed().as_secs() });
    };
    // Ctrl+C ends the process: the rows that were measured are in the file.
    let mut add =
        |row: lab::tune::Row| recording.append(row.element, row.layout, &row.values, row.microseconds);
    let done =
        collector.collect(collection, &mut add, &mut tell, &is_over).map_err(|error| failed(&error))?;
    progress.yield_terminal();
    drop(progress);
    print(ColorChoice::Auto, |out, _| {
        writeln!(
            out,
            "{} in {}, {} of them new: {} of {}, {} failed",
            counted(before + done.rows, "row"),
            printable(&args.output.display().to_string()),
            grouped(done.rows as u64),
            counted(done.kernels, "kernel"),
            printable(&header.gpu),
            grouped(done.failed as u64),
        )
    })
}

/// Opens the file for appending. Returns it and the number of rows that it already has.
fn open(path: &Path, header: &Header) -> Result<(Recording<File>, usize), Failure> {
    let bytes = match BoundedFile::named(path, NAMED_BYTES).and_then(|file| file.all(&never)) {
        Ok(bytes) => bytes,
        Err(refused) if refused.is_absent() => Vec::new(),
        Err(refused) => return Err(unreadable(path, &refused)),
    };
    let resumed =
        Recording::resume(&path.display().to_string(), &bytes, header).map_err(Failure::from_error)?;
    if let Some(notice) = &resumed.notice {
        Failure::new(notice).tell();
    }
    let rows = resumed.samples.map(|samples| samples.len());
    let file = cut(path, resumed.keep).map_err(|error| unwritten(path, &error))?;
    let recording = match rows {
        Some(_) => Recording::proceed(file, header),
        None => Recording::start(file, header).map_err(|error| unwritten(path, &error))?,
    };
    Ok((recording, rows.unwrap_or_default()))
}

#[expect(clippy::disallowed_methods, reason = "the file is written to, and was read in `read.rs`")]
fn cut(path: &Path, keep: u64) -> io::Result<File> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    file.set_len(keep)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

fn unwritten(path: &Path, error: &dyn Display) -> Failure {
    Failure::new(format!("tune collect: cannot write `{}`: {error}", path.display()))
}
