//! `warplens completions` and `warplens man`: the arguments of the command line, for shells and for `man`.

use super::args::Cli;
use super::failure::Failure;
use super::output;
use clap::{ColorChoice, CommandFactory};
use clap_complete::Shell;

/// Prints a script that lets a shell complete the arguments.
pub(super) fn run(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "warplens", &mut script);
    output::print(ColorChoice::Never, |out, _| out.write_all(&script))
}

/// Prints the manual page of the program, or of one of its commands.
pub(super) fn manual(of: Option<&str>) -> Result<(), Failure> {
    let mut cli = Cli::command();
    cli.build();
    let command = match of {
        None => Some(cli),
        Some(name) => cli.find_subcommand(name).cloned(),
    };
    let Some(command) = command else {
        let name = of.unwrap_or_default();
        return Err(Failure::new(format!(
            "unknown command `{name}`; expected {}",
            super::failure::commands()
        )));
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(Failure::from_error)?;
    output::print(ColorChoice::Never, |out, _| out.write_all(&page))
}
