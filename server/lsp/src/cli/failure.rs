//! Errors of commands, each a single line on stderr.

use super::output::printable;
use clap::error::ErrorKind;
use std::fmt;
use std::process::ExitCode;

/// Error that ends the program with status 2. Its text states in one line what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure(String);

impl Failure {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Converts an error to a failure with the same message.
    pub(super) fn from_error(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }

    /// Prints the line on stderr; the program continues.
    pub(super) fn tell(&self) {
        eprintln!("warplens: {self}");
    }

    /// The line for arguments that `cli` refused: the message, without the usage and without references to the help.
    pub(super) fn from_clap(error: &clap::Error, cli: &clap::Command) -> Self {
        let rendered = error.render().to_string();
        let mut line = String::new();
        let message = rendered
            .lines()
            .map(str::trim)
            .take_while(|text| !text.starts_with("Usage:") && !text.starts_with("For more information"));
        // Skips the tip on how to pass an option as a value.
        let is_said = |part: &&str| !part.is_empty() && !part.starts_with("tip: to pass ");
        for part in message.filter(is_said) {
            let part = part.strip_prefix("error: ").unwrap_or(part);
            line.push_str(match &line[..] {
                "" => "",
                before if before.ends_with(':') => " ",
                _ => "; ",
            });
            match part.strip_prefix("[possible values: ").and_then(|rest| rest.strip_suffix(']')) {
                Some(values) => line.extend(["expected one of: ", values]),
                None => line.push_str(part),
            }
        }
        if error.kind() == ErrorKind::InvalidSubcommand && !line.contains("tip:") {
            line.extend(["; expected ", &commands(cli)]);
        }
        Self(line)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names and paths come from the user and may contain any character, including line breaks.
        f.write_str(&printable(&self.0))
    }
}

/// The names of all commands of `cli`: `lsp, analyze or check`.
pub(super) fn commands(cli: &clap::Command) -> String {
    let names: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
    let (last, others) = names.split_last().expect("there are commands");
    format!("{} or {last}", others.join(", "))
}

/// Adds a problem unless the list already contains it.
pub(super) fn add_new(problems: &mut Vec<String>, problem: String) {
    if !problems.contains(&problem) {
        problems.push(problem);
    }
}

/// Prints one line for each input that has no result. Returns the exit status of a command that had results for all
/// other inputs.
pub(super) fn status_after(problems: &[String]) -> ExitCode {
    for problem in problems {
        Failure::new(problem).tell();
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

/// Lists up to twenty names, followed by the number of omitted names.
pub(super) fn list<S: AsRef<str>>(names: &[S]) -> String {
    const SHOWN: usize = 20; // limit: a screen of names
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    let rest = names.len().saturating_sub(SHOWN);
    if rest == 0 { shown.join(", ") } else { format!("{}, and {rest} more", shown.join(", ")) }
}

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the snapshots so")]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::{CommandFactory, Parser};
    use expect_test::expect;

    fn lines(command_lines: &[&str]) -> String {
        let mut lines = Vec::new();
        for text in command_lines {
            let error = Cli::try_parse_from(text.split(' ')).unwrap_err();
            lines.push(format!("{text}\n    {}\n", Failure::from_clap(&error, &Cli::command())));
        }
        lines.concat()
    }

    #[test]
    fn refused_arguments_take_one_line() {
        expect![[r#"
            warplens analyze
                the following required arguments were not provided: <FILE>
            warplens analyse x
                unrecognized subcommand 'analyse'; tip: a similar subcommand exists: 'analyze'
            warplens analyze x --format xml
                invalid value 'xml' for '--format <FORMAT>'; expected one of: text, json, html; tip: a similar value exists: 'html'
            warplens analyze x --model oracle
                invalid value 'oracle' for '--model <MODEL>'; expected one of: paper, pipeline
            warplens analyze x --lines 9-3
                invalid value '9-3' for '--lines <A-B>': expected two line numbers from 1, the smaller first, for example 120-180
            warplens analyze x --colour never
                unexpected argument '--colour' found; tip: a similar argument exists: '--color'
            warplens analyze x y
                unexpected argument 'y' found
            warplens check
                the following required arguments were not provided: <PATH>...
            warplens check x --format
                a value is required for '--format <FORMAT>' but none was supplied; expected one of: text, json, sarif, github
            warplens check x --gpu a --gpu b
                the argument '--gpu <GPU>' cannot be used multiple times
        "#]].assert_eq(&lines(&[
            "warplens analyze",
            "warplens analyse x",
            "warplens analyze x --format xml",
            "warplens analyze x --model oracle",
            "warplens analyze x --lines 9-3",
            "warplens analyze x --colour never",
            "warplens analyze x y",
            "warplens check",
            "warplens check x --format",
            "warplens check x --gpu a --gpu b",
        ]));
    }

    #[test]
    fn an_unknown_command_names_all_that_there_are() {
        let line = lines(&["warplens xyzzy"]);
        assert!(
            line.ends_with(&format!("subcommand 'xyzzy'; expected {}\n", commands(&Cli::command()))),
            "{line}"
        );
    }

    #[test]
    fn a_name_with_a_line_break_stays_on_the_line() {
        assert_eq!(Failure::new("no file `a\nb`").to_string().lines().count(), 1);
    }

    #[test]
    fn long_lists_end_in_a_count() {
        let names: Vec<String> = (0..23).map(|number| number.to_string()).collect();
        assert!(list(&names).ends_with("19, and 3 more"));
        assert_eq!(list(&names[..2]), "0, 1");
    }
}
