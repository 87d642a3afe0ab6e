//! Findings as JSON, schema 1: a stable format that programs parse.

use super::super::check::{Finding, Outcome};
use ide::Severity;
use ide::names::demangle;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    findings: Vec<Record<'a>>,
}

#[derive(Serialize)]
struct Record<'a> {
    file: &'a str,
    line: u32,
    function: Option<&'a str>,
    demangled: Option<String>,
    address: Option<u32>,
    code: &'a str,
    group: &'a str,
    severity: Severity,
    message: &'a str,
}

pub(crate) fn write(out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    let findings = outcome.findings.iter().map(Record::from).collect();
    serde_json::to_writer(&mut *out, &Document { schema: 1, findings })?;
    writeln!(out)
}

impl<'a> From<&'a Finding> for Record<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self {
            file: &finding.file,
            line: finding.start.line,
            function: finding.function.as_deref(),
            demangled: finding.function.as_deref().and_then(demangle),
            address: finding.address,
            code: finding.code,
            group: finding.group,
            severity: finding.severity,
            message: &finding.message,
        }
    }
}
