//! `warplens tune train`: trains a network on data files, or prints the errors of many networks.

use super::cores::cores;
use crate::cli::date;
use crate::cli::failure::Failure;
use crate::cli::files::unreadable;
use crate::cli::output::{counted, print, printable};
use crate::cli::progress::Progress;
use crate::cli::tune::args::TuneTrainArgs;
use crate::cli::whole_file;
use crate::read::{BoundedFile, NAMED_BYTES, never};
use clap::ColorChoice;
use lab::tune::{
    self, ExpectedHeader, Machine, ProblemKind, Report, Samples, TableOptions, TableRow, TrainError,
    TrainOptions,
};
use std::cell::RefCell;
use std::io::{self, Write};
use std::path::PathBuf;

pub(super) fn run(args: &TuneTrainArgs) -> Result<(), Failure> {
    let mut progress = Progress::start("reading");
    let mut samples = read(args.problem, &args.data)?;
    let mut options = TrainOptions::new(cores(), &date::today());
    if !args.hidden.is_empty() {
        options.hidden = args.hidden.iter().map(|size| *size as usize).collect();
    }
    if let Some(epochs) = args.epochs {
        options.epochs = epochs as usize;
    }
    let rows = TableOptions::default();
    let networks = if args.tables {
        let sizes = rows.samples.iter().filter(|count| **count <= samples.len()).count();
        rows.hidden.len() + rows.without_logarithms + 2 * sizes
    } else {
        options.held_out.len()
    };
    progress.stage("training", (networks * options.epochs) as u64);
    if args.tables {
        progress.yield_terminal();
    }
    let mut epochs = Epochs::default();
    let mut tell = |step: &tune::Progress| progress.advance(epochs.since(step));
    if args.tables {
        return tables(&samples, &options, &rows, &mut tell);
    }
    // For a GPU without figures, networks learn from the times alone.
    if let Ok(gpu) = Machine::builtin().gpu(samples.gpu()) {
        samples.add_static_figures(&gpu);
    }
    let trained = tune::train(&samples, &options, &mut tell, &never).map_err(|error| failed(&error))?;
    progress.yield_terminal();
    drop(progress);
    let Some(path) = &args.output else { return Ok(()) };
    let path_text = path.display().to_string();
    whole_file::write(path, &trained.weights)
        .map_err(|error| Failure::new(format!("tune train: cannot write `{path_text}`: {error}")))?;
    print(ColorChoice::Auto, |out, _| summary(out, &trained.report, samples.gpu(), &path_text))
}

/// Prints each row as soon as its networks are trained, so that an interrupted run keeps the finished rows.
fn tables(
    samples: &Samples,
    options: &TrainOptions,
    rows: &TableOptions,
    progress: &mut dyn FnMut(&tune::Progress),
) -> Result<(), Failure> {
    let mut head = "";
    // A row that could not be written ends the training.
    let refused = RefCell::new(None);
    let mut found = |row: TableRow| {
        let new = row.head();
        let between = if head.is_empty() { "" } else { "\n" };
        let above = if head == new { String::new() } else { format!("{between}{new}") };
        head = new;
        if let Err(failure) = print(ColorChoice::Auto, |out, _| write!(out, "{above}{row}")) {
            refused.replace(Some(failure));
        }
    };
    let held_out = tune::tables(samples, options, rows, &mut found, progress, &|| refused.borrow().is_some());
    if let Some(failure) = refused.into_inner() {
        return Err(failure);
    }
    let held_out = held_out.map_err(|error| failed(&error))?;
    print(ColorChoice::Auto, |out, _| {
        writeln!(
            out,
            "\nMean square error of the natural logarithm of throughput on {}.",
            counted(held_out, "sample")
        )
    })
}

fn failed(error: &TrainError) -> Failure {
    Failure::new(format!("tune train: {error}"))
}

/// The rows of all files, which must be from one GPU.
fn read(problem: ProblemKind, paths: &[PathBuf]) -> Result<Samples, Failure> {
    let mut all: Option<Samples> = None;
    for path in paths {
        let name = path.display().to_string();
        let bytes = BoundedFile::named(path, NAMED_BYTES).and_then(|file| file.all(&never));
        let bytes = bytes.map_err(|refused| unreadable(path, &refused))?;
        let expected = ExpectedHeader { problem, gpu: None };
        let samples = Samples::read(&name, &bytes, &expected).map_err(Failure::from_error)?;
        if let Some(notice) = samples.notice() {
            Failure::new(notice).tell();
        }
        match &mut all {
            Some(all) => {
                all.append(&samples).map_err(|problem| Failure::new(format!("{name}: {problem}")))?;
            }
            None => all = Some(samples),
        }
    }
    all.ok_or_else(|| Failure::new("tune train: no data; expected a file"))
}

/// Counts reported epochs over all networks. A network that stops early counts as having finished all its epochs.
#[derive(Debug, Default)]
struct Epochs {
    network: String,
    before: u64,
    reported: u64,
}

impl Epochs {
    /// Number of epochs finished since the last call.
    fn since(&mut self, step: &tune::Progress) -> u64 {
        if self.network != step.network {
            if !self.network.is_empty() {
                self.before += step.epochs as u64;
            }
            self.network.clone_from(&step.network);
        }
        let done = self.before + step.epoch as u64;
        let new = done.saturating_sub(self.reported);
        self.reported = done;
        new
    }
}

fn summary(out: &mut dyn Write, report: &Report, gpu: &str, path: &str) -> io::Result<()> {
    let hidden: Vec<String> = report.hidden.iter().map(ToString::to_string).collect();
    writeln!(
        out,
        "{}: {} from {} of {} in {}, written to {}",
        hidden.join(", "),
        counted(report.weights, "weight"),
        counted(report.samples, "sample"),
        printable(gpu),
        counted(report.epochs, "epoch"),
        printable(path),
    )?;
    for error in &report.errors {
        writeln!(
            out,
            "mean square error {:.4} on {} held out by {}",
            error.value,
            counted(error.samples, "sample"),
            error.held_out
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_that_stops_early_counts_as_done() {
        let mut epochs = Epochs::default();
        let step = |network: &str, epoch| tune::Progress {
            network: network.to_owned(),
            epoch,
            epochs: 10,
            training_error: 1.0,
            validation_error: 1.0,
        };
        let reported: Vec<u64> = [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1)]
            .map(|(network, epoch)| epochs.since(&step(network, epoch)))
            .to_vec();
        assert_eq!(reported, [1, 1, 9, 1, 9]);
    }
}
