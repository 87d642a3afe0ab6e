//! Findings as workflow commands, which GitHub shows as annotations on the changed lines.

use super::super::check::Outcome;
use ide::Severity;
use std::io::{self, Write};

pub(crate) fn write(out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    for finding in &outcome.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info | Severity::Hint => "notice",
        };
        writeln!(
            out,
            "::{command} file={},line={},endLine={},col={},endColumn={},title={}::{}",
            property(&finding.file),
            finding.start.line,
            finding.end.line,
            finding.start.column,
            finding.end.column,
            property(finding.code),
            data(&finding.message)
        )?;
    }
    Ok(())
}

/// Escapes the characters of a message that would end the workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property's value, in which `:` and `,` must be escaped too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
