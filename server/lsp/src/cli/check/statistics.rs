//! `--statistics`: the number of findings of each rule instead of the findings.

use super::finding::{Finding, Outcome};
use crate::cli::output::counted;
use crate::cli::palette::Palette;
use crate::cli::table::{self, Align, Cell, Column, Row};
use ide::RuleInfo;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The findings of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct RuleCount {
    code: &'static str,
    group: &'static str,
    count: usize,
    /// Number of files with a finding of the rule.
    files: usize,
}

#[derive(Serialize)]
struct Document {
    schema: u32,
    statistics: Vec<RuleCount>,
}

const COLUMNS: [Column; 5] = [
    Column { title: "findings", align: Align::Right },
    Column { title: "files", align: Align::Right },
    Column { title: "code", align: Align::Left },
    Column { title: "group", align: Align::Left },
    Column { title: "what", align: Align::Left },
];

/// Counts findings by rule, the rule with the most findings first, ties ordered by code.
pub(crate) fn count(findings: &[Finding]) -> Vec<RuleCount> {
    let mut codes: Vec<(&'static str, &'static str)> =
        findings.iter().map(|finding| (finding.code, finding.group)).collect();
    codes.sort_unstable();
    codes.dedup();
    let of = |(code, group): (&'static str, &'static str)| {
        let its = || findings.iter().filter(|finding| (finding.code, finding.group) == (code, group));
        let files: BTreeSet<&str> = its().map(|finding| &*finding.file).collect();
        RuleCount { code, group, count: its().count(), files: files.len() }
    };
    let mut counts: Vec<RuleCount> = codes.into_iter().map(of).collect();
    counts.sort_by_key(|own| std::cmp::Reverse(own.count));
    counts
}

/// Writes the counts as a table, with their sum.
pub(crate) fn write(
    out: &mut dyn Write,
    palette: &Palette,
    outcome: &Outcome,
    rules: &[RuleInfo],
) -> io::Result<()> {
    let Palette { plain, strong, dim, .. } = *palette;
    let counts = count(&outcome.findings);
    if !counts.is_empty() {
        let rows = || {
            counts.iter().map(|own| {
                let summary = rules.iter().find(|rule| rule.code == own.code).map_or("", |rule| rule.summary);
                Row::Cells(vec![
                    Cell::new(plain, own.count.to_string()),
                    Cell::new(plain, own.files.to_string()),
                    Cell::new(strong, own.code),
                    Cell::new(plain, own.group),
                    Cell::new(dim, summary),
                ])
            })
        };
        table::write(out, &COLUMNS, dim, rows)?;
        writeln!(out)?;
    }
    let found = match outcome.findings.len() {
        0 => "no findings".to_owned(),
        count => counted(count, "finding"),
    };
    writeln!(out, "{found}, {} checked", counted(outcome.files_checked, "file"))
}

/// Writes the counts as JSON, schema 1: a stable format that programs parse.
pub(crate) fn json(out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    let statistics = count(&outcome.findings);
    serde_json::to_writer(&mut *out, &Document { schema: 1, statistics })?;
    writeln!(out)
}
