//! The chores of this repository: `cargo xtask --help`.

mod bench;
mod bless;
mod ci;
mod clients;
mod codegen;
mod command;
mod dist;
mod fuzz;
mod grammars;
mod hardware;
mod licences;
mod nvim;
mod repo;
mod screenshot_style;
mod spellings;
mod texts;
mod torture;
mod vscode;

use anyhow::Result;
use clap::Parser;
use repo::Repo;
use screenshot_style::ScreenshotStyle;
use std::process::ExitCode;

/// The chores of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// Runs everything: format, lints, tests, docs, licences, editors (installed if they are missing).
    Ci,
    /// Runs only the tests of the grammars.
    TestGrammars,
    /// Runs only the tests in a real Neovim.
    TestNvim {
        /// Parts of the names of the files to run. Default: all
        names: Vec<String>,
    },
    /// Runs only the tests in a real VS Code.
    TestVscode {
        /// Replaces the screenshots.
        #[arg(long)]
        draw: bool,
        #[command(flatten)]
        look: ScreenshotStyle,
        /// Parts of the names of the cases to run. Default: all
        names: Vec<String>,
    },
    /// Replaces the screenshots of the Neovim plugin. If the width or the theme is not the default, writes them under
    /// the target folder instead.
    Screenshot(ScreenshotStyle),
    /// Builds the VS Code extension with the server inside.
    Dist {
        /// Builds with the `release` profile.
        #[arg(long)]
        quick: bool,
    },
    /// Measures time and memory: editor requests, parsing, a launch, `analyze`.
    Bench(bench::BenchOptions),
    /// Adds the spellings of opcodes in listings to the table of spellings.
    Spellings(spellings::SpellingOptions),
    /// Runs the fuzzer on every parser.
    Fuzz(fuzz::FuzzOptions),
    /// Tests the server with misbehaving tools, floods of messages, broken files and killed processes. Takes at most
    /// 5 minutes; Linux only.
    Torture {
        /// Parts of the names of the tests to run. Default: all
        names: Vec<String>,
    },
    /// Reschedules a cubin, and compares its outputs and cycles with those of the original on this computer's GPU.
    Hardware(hardware::HardwareOptions),
    /// Regenerates files from data and code, such as the grammars' opcode lists and the tables of rules and settings.
    Codegen {
        /// Writes nothing, and fails if a file is out of date.
        #[arg(long)]
        check: bool,
    },
    /// Replaces the expected results of tests with the actual ones; read the diff before you commit it.
    Bless,
    /// Prints all texts that users read, grouped by area and file, with line numbers.
    Texts(texts::TextsOptions),
}

fn main() -> ExitCode {
    match run(Chore::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs a chore; true if it succeeded.
fn run(chore: Chore) -> Result<bool> {
    let repo = &Repo::find()?;
    match chore {
        Chore::Ci => Ok(ci::run(repo)),
        Chore::TestGrammars => Ok(grammars::run(repo)?.all_passed()),
        Chore::TestNvim { names } => Ok(nvim::run(repo, &names)?.all_passed()),
        Chore::TestVscode { draw, look, names } => Ok(vscode::run(repo, &names, draw, look)?.all_passed()),
        Chore::Screenshot(look) => Ok(nvim::screenshot(repo, look)?.all_passed()),
        Chore::Dist { quick } => {
            let profile = if quick { dist::Profile::Release } else { dist::Profile::Dist };
            dist::run(repo, profile).map(|()| true)
        }
        Chore::Bench(options) => bench::run(repo, &options),
        Chore::Spellings(options) => spellings::run(repo, &options),
        Chore::Fuzz(options) => fuzz::run(repo, &options),
        Chore::Torture { names } => torture::run(repo, &names),
        Chore::Hardware(options) => hardware::run(repo, &options),
        Chore::Codegen { check } => codegen::run(repo, check),
        Chore::Bless => bless::run(repo),
        Chore::Texts(options) => texts::run(repo, &options),
    }
}

#[cfg(test)]
mod tests;
