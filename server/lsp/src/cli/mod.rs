//! The command line: the same engine as the server, for terminals, scripts and CI.
//!
//! Exit status 0: success; 1: findings of `check` or a regression in `diff`; 2: an error, explained in one
//! line.

mod args;
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

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use std::path::Path;
use std::process::ExitCode;

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
        Err(message) => return Err(Failure::from_clap(&message)),
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
        Some(Command::Completions { shell }) => completions::run(shell).map(|()| ExitCode::SUCCESS),
        Some(Command::Man { command }) => completions::manual(command.as_deref()).map(|()| ExitCode::SUCCESS),
        None => {
            let commands = failure::commands();
            Err(Failure::new(format!("expected a command: {commands}; `warplens --help` explains them")))
        }
    }
}

fn serve(log_file: Option<&Path>) -> Result<ExitCode, Failure> {
    crate::server::run(log_file)
        .map_err(|error| Failure::new(format!("the server could not start: {error:#}")))?;
    Ok(ExitCode::SUCCESS)
}
