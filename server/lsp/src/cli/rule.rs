//! `warplens rule`: the page of a rule, or a list of all rules.

pub(super) mod args;

use super::failure::{Failure, list};
use super::output;
use super::palette::Palette;
use super::table::{self, Align, Cell, Column, Row};
use args::RuleArgs;
use clap::ColorChoice;
use ide::{RuleInfo, Severity, reader_page, rules};
use serde::Serialize;
use std::io::{self, Write};

const COLUMNS: [Column; 4] = [
    Column { title: "code", align: Align::Left },
    Column { title: "group", align: Align::Left },
    Column { title: "severity", align: Align::Left },
    Column { title: "what", align: Align::Left },
];

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    rules: Vec<Record<'a>>,
}

#[derive(Serialize)]
struct Record<'a> {
    code: &'a str,
    group: &'a str,
    severity: Severity,
    summary: &'a str,
    /// The rule's page in Markdown; only for a requested rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
}

pub(super) fn run(args: &RuleArgs) -> Result<(), Failure> {
    let Some(code) = &args.code else {
        return if args.json() {
            json(rules().iter().map(|rule| record(rule, None)).collect())
        } else {
            output::print(args.color.color, all)
        };
    };
    let unknown = || {
        let codes: Vec<&str> = rules().iter().map(|rule| rule.code).collect();
        Failure::new(format!("unknown rule `{code}`; expected one of: {}", list(&codes)))
    };
    let rule = rules().iter().find(|rule| rule.code == code);
    let page = reader_page(code).ok_or_else(unknown)?;
    match rule {
        Some(rule) if args.json() => json(vec![record(rule, Some(page))]),
        // Advice of the top-down tree has a page but is not a rule.
        None if args.json() => Err(unknown()),
        _ => output::print(ColorChoice::Never, |out, _| writeln!(out, "{}", page.trim_end())),
    }
}

fn record(rule: &RuleInfo, page: Option<String>) -> Record<'static> {
    let RuleInfo { code, group, severity, summary } = *rule;
    Record { code, group, severity, summary, page }
}

fn json(rules: Vec<Record<'_>>) -> Result<(), Failure> {
    output::print(ColorChoice::Never, |out, _| {
        serde_json::to_writer(&mut *out, &Document { schema: 1, rules })?;
        writeln!(out)
    })
}

fn all(out: &mut dyn Write, palette: &Palette) -> io::Result<()> {
    let Palette { plain, strong, dim, .. } = *palette;
    let rows = || {
        rules().iter().map(|rule| {
            Row::Cells(vec![
                Cell::new(strong, rule.code),
                Cell::new(plain, rule.group),
                Cell::new(plain, rule.severity.name()),
                Cell::new(dim, rule.summary),
            ])
        })
    };
    table::write(out, &COLUMNS, dim, rows)
}
