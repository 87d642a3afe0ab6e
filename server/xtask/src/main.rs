//! The chores of this repository: `cargo xtask --help`.

#[cfg(test)]
mod arrows;
mod bench;
mod bless;
mod ci;
#[cfg(test)]
mod circles;
mod clients;
mod codegen;
mod command;
mod dist;
mod fuzz;
mod grammars;
mod hardware;
mod licences;
#[cfg(test)]
mod links;
mod nvim;
mod repo;
mod torture;
mod vscode;

use anyhow::{Result, bail};
use repo::Repo;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  ci            everything: format, lints, tests, docs, licences, editors (installed where they are missing)
  test-grammars the tests of the grammars alone
  test-nvim     the tests in a real Neovim alone   [NAME...: those whose file name has NAME in it]
  test-vscode   the tests in a real VS Code alone  [--draw: its screenshots anew] [NAME...: those with NAME in their name]
  screenshot    draw editors/nvim/screenshots anew
  dist          build the VS Code extension with the server inside   [--quick: with the `release` profile]
  bench         print the measured times and memory: in an editor, of parsing, of a launch, of `analyze`; or one:
  bench --parse             full trees from each listing of the corpus, or   [FILE...]
  bench --launch            one kernel of 2,000 instructions with its launch, as an editor asks for it
  bench --large             `analyze` of 600,000 instructions, with its peak memory, or of   [FILE]
  bench --against-nvdisasm  `analyze` and `nvdisasm -hex -c`, timed in turn   CUBIN [NVDISASM: its path]
  bench --fuzz  send 10,000 random messages to the server, twice   [MESSAGES [SEED...]]
  fuzz          hostile input for every parser, 60 s each   [SECONDS] [NAME...: targets of tests/fuzz]
  torture       hostile tools, storms of messages, broken files, sudden deaths; at most 5 minutes, on Linux   [NAME...]
  hardware      schedule a cubin anew and compare it with the old one on this computer's GPU: outputs, cycles
                CUBIN LAUNCHES: a description as in server/lab/programs/compare, or a csv of programs that time themselves
                [--reorder] [--against CUBIN: not scheduled but compared] [--only TEXT: launches with TEXT in their name]
  hardware --describe       print the description that follows from   CSV
  codegen       write the grammars' opcode lists and copied queries anew   [--check: fail where one is out of date]
  bless         rewrite what tests expect by what they got; read the diff before you commit it
  help          this
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// True where all went well.
fn run(arguments: &[String]) -> Result<bool> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ci"] => Ok(ci::run(&Repo::find()?)),
        ["test-grammars"] => Ok(grammars::run(&Repo::find()?)?.all_passed()),
        ["test-nvim", names @ ..] => Ok(nvim::run(&Repo::find()?, names)?.all_passed()),
        ["test-vscode", "--draw", names @ ..] => Ok(vscode::run(&Repo::find()?, names, true)?.all_passed()),
        ["test-vscode", names @ ..] => Ok(vscode::run(&Repo::find()?, names, false)?.all_passed()),
        ["dist"] => dist::run(&Repo::find()?, dist::Profile::Dist).map(|()| true),
        ["dist", "--quick"] => dist::run(&Repo::find()?, dist::Profile::Release).map(|()| true),
        ["screenshot"] => Ok(nvim::screenshot(&Repo::find()?)?.all_passed()),
        ["bench", options @ ..] => bench::run(&Repo::find()?, options),
        ["fuzz", words @ ..] => fuzz::run(&Repo::find()?, words),
        ["torture", names @ ..] => torture::run(&Repo::find()?, names),
        ["hardware", words @ ..] => hardware::run(&Repo::find()?, words),
        ["codegen"] => codegen::run(&Repo::find()?, false),
        ["codegen", "--check"] => codegen::run(&Repo::find()?, true),
        ["bless"] => bless::run(&Repo::find()?),
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(true)
        }
        [] => bail!("no command\n\n{HELP}"),
        [other, ..] => bail!("no command `{other}`, or not with these arguments\n\n{HELP}"),
    }
}
