//! The subcommands. The arguments of each are in its module, and the texts that `--help` adds to the flags in `help/`.

use super::analyze::args::AnalyzeArgs;
use super::calibrate::args::CalibrateArgs;
use super::check::args::CheckArgs;
use super::cycles::args::CyclesArgs;
use super::diff::args::DiffArgs;
use super::predict::args::PredictArgs;
use super::profile::args::ProfileArgs;
use super::rule::args::RuleArgs;
use super::schedule::args::ScheduleArgs;
use super::tune::args::TuneCommand;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Shows where the cycles of a GPU kernel go, from its SASS, PTX or CUDA source.
#[derive(Debug, Parser)]
#[command(name = "warplens", version, args_conflicts_with_subcommands = true)]
#[command(after_long_help = include_str!("help/warplens.txt"))]
pub(super) struct Cli {
    /// Start the language server on stdin and stdout, as `warplens lsp` does
    #[arg(long)]
    pub(super) stdio: bool,

    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
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
    Analyze(AnalyzeArgs),
    /// Predict cycles between two instructions, for one or more warps, with a timeline
    #[command(after_long_help = include_str!("help/cycles.txt"))]
    Cycles(CyclesArgs),
    /// Predict the cycles of whole launches, what limits them, and their rates relative to the GPU's peaks
    #[command(after_long_help = include_str!("help/predict.txt"))]
    Predict(PredictArgs),
    /// Compare kernels in two versions of their code: registers, spills, occupancy, instructions, cycles
    #[command(after_long_help = include_str!("help/diff.txt"))]
    Diff(DiffArgs),
    /// Report defects: syntax errors, unknown opcodes, hazards, costly memory accesses
    #[command(after_long_help = include_str!("help/check.txt"))]
    Check(CheckArgs),
    /// Print the page of a rule: what it finds, why that matters, and examples. Without a code, list all rules
    #[command(after_long_help = include_str!("help/rule.txt"))]
    Rule(RuleArgs),
    /// Generate control codes: stall counts, scoreboards, waits, reuse; with --reorder also a faster order
    #[command(after_long_help = include_str!("help/schedule.txt"))]
    Schedule(ScheduleArgs),
    /// Show the top-down tree of profiled launches, or profile a program
    #[command(after_long_help = include_str!("help/profile.txt"))]
    Profile(ProfileArgs),
    /// Find the best parameters of a kernel, such as tile sizes, for each shape
    #[command(subcommand, after_long_help = include_str!("help/tune.txt"))]
    Tune(TuneCommand),
    /// Measure this machine's GPU, using nvcc, and write the figures to an overlay
    #[command(after_long_help = include_str!("help/calibrate.txt"))]
    Calibrate(CalibrateArgs),
    /// Print a completion script for a shell
    #[command(after_long_help = include_str!("help/completions.txt"))]
    Completions { shell: clap_complete::Shell },
    /// Print the manual page of warplens, or of one of its commands, for `man -l -`
    Man {
        /// The command, such as `analyze`
        command: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
