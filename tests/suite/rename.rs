//! Rename: a mark requests, at its first caret, a rename to the name that the fixture's head states (`//! name: …`),
//! and shows the changed lines.

use crate::session::check;
use ide::TextEdit;
use std::collections::BTreeMap;
use testkit::Answer;

#[test]
fn names_are_changed_everywhere_or_not_at_all() {
    check("rename", |fixture, analysis| {
        let new = fixture.stated("name").next().expect("the head states the new name");
        let ask = |place: std::ops::Range<usize>| {
            let range = analysis.rename_range(place.start).expect("nothing cancels it");
            let text = match analysis.rename(place.start, new).expect("nothing cancels it") {
                Err(refusal) => format!("refused: {}", refusal.0),
                Ok(edits) => changed_lines(fixture.text(), &edits),
            };
            Answer::at(range.unwrap_or(place), "rename", text)
        };
        fixture.asked("rename").map(ask).collect()
    });
}

/// The lines that edits touch, after the edits.
fn changed_lines(text: &str, edits: &[TextEdit]) -> String {
    let mut lines: BTreeMap<usize, (&str, String)> = BTreeMap::new();
    for edit in edits.iter().rev() {
        let start = text[..edit.range.start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[start..].lines().next().unwrap_or_default();
        let entry = lines.entry(start).or_insert_with(|| (line, line.to_owned()));
        // Edits are applied from right to left, so earlier offsets stay valid.
        entry.1.replace_range(edit.range.start - start..edit.range.end - start, &edit.text);
    }
    let lines: Vec<&str> = lines.values().map(|(_, line)| line.trim()).collect();
    lines.join("\n")
}
