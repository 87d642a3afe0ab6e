//! Findings as SARIF 2.1.0 (OASIS), which code-scanning services read.

use super::super::check::{Finding, LineColumn, Outcome};
use ide::{RuleInfo, Severity};
use serde_json::{Value, json};
use std::io::{self, Write};

pub(crate) fn write(out: &mut dyn Write, outcome: &Outcome, rules: &[RuleInfo]) -> io::Result<()> {
    // A finding of a rule that is not registered still needs a description.
    let mut known: Vec<Value> =
        rules.iter().map(|rule| descriptor(rule.code, rule.summary, rule.severity)).collect();
    for finding in &outcome.findings {
        if known.iter().all(|rule| rule["id"] != finding.code) {
            known.push(descriptor(finding.code, finding.code, finding.severity));
        }
    }
    let results: Vec<Value> = outcome.findings.iter().map(|finding| result(finding, &known)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "warplens", "version": env!("CARGO_PKG_VERSION"), "rules": known } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn descriptor(code: &str, summary: &str, severity: Severity) -> Value {
    json!({
        "id": code,
        "shortDescription": { "text": summary },
        "defaultConfiguration": { "level": level(severity) },
    })
}

fn result(finding: &Finding, rules: &[Value]) -> Value {
    let mut place = json!({
        "physicalLocation": physical(finding, finding.start, Some(finding.end)),
    });
    if let Some(function) = &finding.function {
        place["logicalLocations"] = json!([{ "fullyQualifiedName": function, "kind": "function" }]);
    }
    let mut result = json!({
        "ruleId": finding.code,
        "ruleIndex": rules.iter().position(|rule| rule["id"] == finding.code),
        "level": level(finding.severity),
        "message": { "text": finding.message },
        "locations": [place],
    });
    if !finding.related.is_empty() {
        let related = finding.related.iter().map(|(start, message)| {
            json!({ "physicalLocation": physical(finding, *start, None), "message": { "text": message } })
        });
        result["relatedLocations"] = related.collect();
    }
    result
}

fn physical(finding: &Finding, start: LineColumn, end: Option<LineColumn>) -> Value {
    let mut region = json!({ "startLine": start.line, "startColumn": start.column });
    if let Some(end) = end {
        region["endLine"] = end.line.into();
        region["endColumn"] = end.column.into();
    }
    json!({ "artifactLocation": { "uri": uri(&finding.file) }, "region": region })
}

/// SARIF level of a severity. SARIF has no hints, so infos and hints become notes.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Hint => "note",
    }
}

/// A path as a URI reference: a relative path unchanged, an absolute one with the scheme `file`.
fn uri(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let mut uri = String::new();
    let digit =
        |nibble: u8| char::from_digit(u32::from(nibble), 16).map_or('0', |digit| digit.to_ascii_uppercase());
    if path.starts_with('/') {
        uri.push_str("file://");
    } else if cfg!(windows) && path.as_bytes().get(1) == Some(&b':') {
        uri.push_str("file:///");
    }
    let path = path.strip_prefix("./").unwrap_or(&path);
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    uri
}
