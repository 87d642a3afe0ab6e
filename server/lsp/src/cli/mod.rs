//! The command line: the same engine as the server, for terminals, scripts and CI.
//!
//! Exit status 0: success; 1: findings of `check` or a regression in `diff`; 2: an error, explained in one
//! line.
//!
//! [`Command`] lists the subcommands. The arguments of each are in its module, and the texts that `--help` adds to the
//! flags in `help/`.

mod failure;
mod files;
mod launches;

mod engine;

mod analyze;
mod binary;
mod facts;
mod gpus;
mod in_order;
mod names;
mod render_cuda;
mod render_html;
mod render_json;
mod render_text;
mod summary;
mod table;

mod cycles;

mod predict;

mod diff;

mod check;
mod formats;
mod rule;

mod schedule;
mod shared_args;

mod profile;

mod tune;

mod calibrate;

mod completions;

mod date;
mod output;
mod palette;
mod progress;
mod whole_file;

use clap::{CommandFactory, Parser, Subcommand};
use failure::Failure;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Shows where the cycles of a GPU kernel go, from its SASS, PTX or CUDA source.
#[derive(Debug, Parser)]
#[command(name = "warplens", version, args_conflicts_with_subcommands = true)]
#[command(after_long_help = include_str!("help/warplens.txt"))]
struct Cli {
    /// Start the language server on stdin and stdout, as `warplens lsp` does
    #[arg(long)]
    stdio: bool,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the language server on stdin and stdout
    #[command(after_long_help = include_str!("help/lsp.txt"))]
    Lsp {
        /// Has no effect: stdin and stdout are the only transport. Accepted because editors pass it
        #[arg(long, hide = true)]
        stdio: bool,

        /// Append a log to this file: every message with its time, warnings and errors
        #[arg(long, value_name = "FILE")]
        log_file: Option<PathBuf>,
    },
    /// Print a listing with the latency, predicted issue cycle and control code of each instruction
    #[command(after_long_help = include_str!("help/analyze.txt"))]
    Analyze(analyze::args::AnalyzeArgs),
    /// Predict cycles between two instructions, for one or more warps, with a timeline
    #[command(after_long_help = include_str!("help/cycles.txt"))]
    Cycles(cycles::args::CyclesArgs),
    /// Predict the cycles of whole launches, what limits them, and their rates relative to the GPU's peaks
    #[command(after_long_help = include_str!("help/predict.txt"))]
    Predict(predict::args::PredictArgs),
    /// Compare kernels in two versions of their code: registers, spills, occupancy, instructions, cycles
    #[command(after_long_help = include_str!("help/diff.txt"))]
    Diff(diff::args::DiffArgs),
    /// Report defects: syntax errors, unknown opcodes, hazards, costly memory accesses
    #[command(after_long_help = include_str!("help/check.txt"))]
    Check(check::args::CheckArgs),
    /// Print the page of a rule: what it finds, why that matters, and examples. Without a code, list all rules
    #[command(after_long_help = include_str!("help/rule.txt"))]
    Rule(rule::args::RuleArgs),
    /// Generate control codes: stall counts, scoreboards, waits, reuse; with --reorder also a faster order
    #[command(after_long_help = include_str!("help/schedule.txt"))]
    Schedule(schedule::args::ScheduleArgs),
    /// Show the top-down tree of profiled launches, or profile a program
    #[command(after_long_help = include_str!("help/profile.txt"))]
    Profile(profile::args::ProfileArgs),
    /// Find the best parameters of a kernel, such as tile sizes, for each shape
    #[command(subcommand, after_long_help = include_str!("help/tune.txt"))]
    Tune(tune::args::TuneCommand),
    /// Measure this machine's GPU, using nvcc, and write the figures to an overlay
    #[command(after_long_help = include_str!("help/calibrate.txt"))]
    Calibrate(calibrate::args::CalibrateArgs),
    /// Print a completion script for a shell
    #[command(after_long_help = include_str!("help/completions.txt"))]
    Completions { shell: clap_complete::Shell },
    /// Print the manual page of warplens, or of one of its commands, for `man -l -`
    Man {
        /// The command, such as `analyze`
        command: Option<String>,
    },
}

/// Runs the command that the process's arguments name.
pub(crate) fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("warplens: {failure}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, Failure> {
    if gpus::are_asked_for(std::env::args_os().skip(1)) {
        return gpus::print().map(|()| ExitCode::SUCCESS);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and the version are no failures, nor is a reader that closes the pipe early.
        Err(message) if !message.use_stderr() => {
            let _ = message.print();
            return Ok(ExitCode::SUCCESS);
        }
        Err(message) => return Err(Failure::from_clap(&message, &Cli::command())),
    };
    match cli.command {
        Some(Command::Lsp { log_file, .. }) => serve(log_file.as_deref()),
        None if cli.stdio => serve(None),
        Some(Command::Analyze(args)) => analyze::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Cycles(args)) => cycles::run(&args),
        Some(Command::Predict(args)) => predict::run(&args),
        Some(Command::Diff(args)) => diff::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Rule(args)) => rule::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Schedule(args)) => schedule::run(&args),
        Some(Command::Profile(args)) => profile::run(&args),
        Some(Command::Tune(command)) => tune::run(&command),
        Some(Command::Calibrate(args)) => calibrate::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Completions { shell }) => {
            completions::run(shell, &mut Cli::command()).map(|()| ExitCode::SUCCESS)
        }
        Some(Command::Man { command }) => {
            completions::manual(command.as_deref(), &mut Cli::command()).map(|()| ExitCode::SUCCESS)
        }
        None => {
            let commands = failure::commands(&Cli::command());
            Err(Failure::new(format!("expected a command: {commands}; `warplens --help` explains them")))
        }
    }
}

fn serve(log_file: Option<&Path>) -> Result<ExitCode, Failure> {
    crate::server::run(log_file)
        .map_err(|error| Failure::new(format!("the server could not start: {error:#}")))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
