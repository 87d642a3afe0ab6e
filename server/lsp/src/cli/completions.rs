//! `warplens completions` and `warplens man`: the arguments of the command line, for shells and for `man`.

use super::failure::{Failure, commands};
use super::output;
use clap::{ColorChoice, Command};
use clap_complete::Shell;

/// Prints a script that lets a shell complete the arguments.
pub(super) fn run(shell: Shell, cli: &mut Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, cli, "warplens", &mut script);
    output::print(ColorChoice::Never, |out, _| out.write_all(&script))
}

/// Prints the manual page of the program, or of one of its commands.
pub(super) fn manual(of: Option<&str>, cli: &mut Command) -> Result<(), Failure> {
    let known = commands(cli);
    cli.build();
    let command = match of {
        None => &*cli,
        Some(name) => cli
            .find_subcommand(name)
            .ok_or_else(|| Failure::new(format!("unknown command `{name}`; expected {known}")))?,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(Failure::from_error)?;
    output::print(ColorChoice::Never, |out, _| out.write_all(&page))
}
