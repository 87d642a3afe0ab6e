//! The tree as a Mermaid flow chart, which web renderers of Markdown show as a picture.

use super::boxes::{BoxKind, boxes};
use crate::printable::printable;
use ide::profiles::Tree;
use std::io::{self, Write};

/// Writes one flow chart.
pub(crate) fn write(out: &mut dyn Write, title: &str, tree: &Tree) -> io::Result<()> {
    writeln!(out, "---\ntitle: {}\n---\nflowchart LR", quoted(title))?;
    for (at, own) in boxes(tree).iter().enumerate() {
        let label = quoted(&format!("{}<br/>{}", entities(&own.title), entities(&own.detail)));
        match own.kind {
            BoxKind::Stalls => writeln!(out, "  n{at}[{label}]")?,
            BoxKind::Advice => writeln!(out, "  n{at}([{label}]):::advice")?,
        }
        if let Some(parent) = own.parent {
            writeln!(out, "  n{parent} --> n{at}")?;
        }
    }
    writeln!(out, "  classDef advice fill:#dafbe1,stroke:#1a7f37,color:#1f2328")
}

/// A printable text in quotes, with its own double quotes replaced by single ones.
fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text).replace('"', "'"))
}

/// A text with entities for the characters that have a meaning in charts.
fn entities(text: &str) -> String {
    text.replace('&', "#amp;").replace('<', "#lt;").replace('>', "#gt;")
}
