//! The tree in the language of Graphviz.

use super::boxes::{BoxKind, boxes};
use crate::printable::printable;
use ide::profiles::Tree;
use std::io::{self, Write};

/// Writes one directed graph.
pub(crate) fn write(out: &mut dyn Write, title: &str, tree: &Tree) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quoted(title))?;
    writeln!(
        out,
        "  rankdir=LR; label={}; labelloc=t; node [shape=box, style=filled, fillcolor=white];",
        quoted(title)
    )?;
    for (at, own) in boxes(tree).iter().enumerate() {
        let fill = match own.kind {
            BoxKind::Advice => ", fillcolor=\"#dafbe1\"".to_owned(),
            // From white to a light red.
            BoxKind::Stalls => format!(", fillcolor=\"0.0 {:.2} 1.0\"", own.of_stalls * 0.5),
        };
        writeln!(
            out,
            "  n{at} [label={}{fill}];",
            quoted(&format!("{}\n{}", printable(&own.title), own.detail))
        )?;
        if let Some(parent) = own.parent {
            writeln!(out, "  n{parent} -> n{at};")?;
        }
    }
    writeln!(out, "}}")
}

/// A string in the language of Graphviz: quotes, backslashes and line breaks are escaped, and each line is printable.
fn quoted(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(printable).collect();
    format!("\"{}\"", lines.join("\n").replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
