//! Runs other programs. Each error contains the program's name and its output.

use crate::ci::Tally;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Methods that run a [`Command`] to its end.
pub(crate) trait Run {
    /// Runs the command with our own stdout and stderr. `Err` if the command fails.
    fn ok(&mut self) -> Result<()>;

    /// Runs the command and returns its standard output. `Err` with its standard error if the command fails.
    fn text(&mut self) -> Result<String>;

    /// Runs tests that print a line which begins with `ok ` or `not ok ` for each case. A run that crashes, or ends
    /// without a case, counts as one failure, reported as `what`.
    fn cases(&mut self, what: &str) -> Result<Tally>;

    /// Runs the command, prints its standard output and passes each line of the output to `watch`. True if
    /// the command succeeded.
    fn watched(&mut self, watch: impl FnMut(&str)) -> Result<bool>;
}

impl Run for Command {
    fn ok(&mut self) -> Result<()> {
        let status = self.status().with_context(|| could_not_start(self))?;
        if status.success() { Ok(()) } else { bail!("{} ended with {status}", words(self)) }
    }

    fn text(&mut self) -> Result<String> {
        let output = self.output().with_context(|| could_not_start(self))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("{} ended with {}: {}", words(self), output.status, said.trim());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    fn cases(&mut self, what: &str) -> Result<Tally> {
        let mut tally = Tally::default();
        let succeeded = self.watched(|line| {
            tally.add_case(line);
        })?;
        if tally.failures.is_empty() && (tally.passed == 0 || !succeeded) {
            println!("not ok {what}");
            tally.add(what, false);
        }
        Ok(tally)
    }

    fn watched(&mut self, mut watch: impl FnMut(&str)) -> Result<bool> {
        let mut child = self.stdout(Stdio::piped()).spawn().with_context(|| could_not_start(self))?;
        if let Some(stdout) = child.stdout.take() {
            for line in BufReader::new(stdout).split(b'\n') {
                let line = String::from_utf8_lossy(&line?).into_owned();
                println!("{line}");
                watch(&line);
            }
        }
        Ok(child.wait()?.success())
    }
}

fn could_not_start(command: &Command) -> String {
    format!("`{}` could not be started", command.get_program().to_string_lossy())
}

fn words(command: &Command) -> String {
    let all: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect();
    format!("`{}`", all.join(" "))
}
