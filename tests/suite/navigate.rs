//! Definitions and references: a mark requests them at its first caret.

use crate::session::check;
use ide::{Analysis, Usage};
use std::fmt::Write;
use std::ops::Range;
use testkit::Answer;

#[test]
fn names_lead_to_what_they_speak_of() {
    check("navigate", |fixture, analysis| {
        let ask = |place: Range<usize>| {
            let text = describe(analysis, fixture.text(), place.start);
            Answer::at(place, "go", text)
        };
        fixture.asked("go").map(ask).collect()
    });
}

/// The definitions, references and calls of the symbol at a position, by line.
pub(crate) fn describe(analysis: &Analysis, text: &str, offset: usize) -> String {
    let line = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        text[start..].lines().next().unwrap_or_default().trim()
    };
    let mut said = String::new();
    let found = analysis.definitions(offset).expect("nothing cancels it");
    for target in found.into_iter().flat_map(|(_, targets)| targets) {
        assert!(target.range.start <= target.selection.start && target.selection.end <= target.range.end);
        let _ = writeln!(said, "defined: {}", line(target.selection.start));
    }
    for reference in analysis.references(offset).expect("nothing cancels it") {
        let usage = match reference.usage {
            Usage::Read => "read",
            Usage::Write => "written",
            Usage::Text => "named",
        };
        let _ = writeln!(said, "{usage}: {}", line(reference.range.start));
    }
    if let Some(item) = analysis.call_item(offset).expect("nothing cancels it") {
        let calls = |sites: Vec<ide::CallSite>| {
            sites
                .into_iter()
                .map(|site| format!("{} ({})", site.item.name, site.calls.len()))
                .collect::<Vec<_>>()
        };
        let at = item.selection.start;
        let callers = calls(analysis.incoming_calls(at).expect("nothing cancels it"));
        let callees = calls(analysis.outgoing_calls(at).expect("nothing cancels it"));
        let _ =
            write!(said, "{}: called by [{}], calls [{}]", item.name, callers.join(", "), callees.join(", "));
    }
    said.trim_end().to_owned()
}
