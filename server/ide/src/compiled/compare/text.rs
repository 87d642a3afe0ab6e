//! Code of two versions as text for a diff. Unchanged code is printed identically in both versions.

use super::kernels::{Counterpart, KernelPair, MatchedInstruction};
use super::line_changes::LineChange;
use crate::compiled::view::CodeView;
use crate::engine::names;
use crate::kernels::places::printed;
use std::fmt::Write;

/// Returns the code of the two versions as text.
pub(super) fn texts(
    before: &CodeView<'_>,
    after: &CodeView<'_>,
    pairs: &[KernelPair],
    lines: &[LineChange],
) -> (String, String) {
    let table = table(before, after, lines);
    let (mut old, mut new) = (table.clone(), table);
    for pair in pairs.iter().filter(|pair| pair.before.is_some()) {
        head(&mut old, pair, pair.name(before, after));
        for one in &pair.of_before {
            old.push_str(&match (&one.partner, pair.after) {
                (Counterpart::Same { inst, has_moved, registers }, Some(chunk)) => {
                    row(after, chunk, *inst, &note(*has_moved, registers))
                }
                _ => row(before, pair.before.unwrap_or_default(), one.inst, ""),
            });
        }
        old.push('\n');
    }
    for pair in pairs {
        let Some(chunk) = pair.after else { continue };
        head(&mut new, pair, pair.name(before, after));
        for one in &pair.of_after {
            let note = match &one.partner {
                Counterpart::Same { has_moved, registers, .. } => note(*has_moved, registers),
                Counterpart::Changed { .. } | Counterpart::None => String::new(),
            };
            new.push_str(&row(after, chunk, one.inst, &note));
        }
        new.push('\n');
    }
    (old, new)
}

/// Lists the lines whose code differs, as comments: `// line 8: 12 -> 14 instructions, 2 new // y[i] =
/// x[i];`.
fn table(before: &CodeView<'_>, after: &CodeView<'_>, lines: &[LineChange]) -> String {
    let mut text = String::new();
    for line in lines {
        let of_both = (line.instructions_before, line.instructions_after);
        if of_both.0 == of_both.1 && line.added + line.removed + line.changed == 0 {
            continue;
        }
        let (place, source) = match (line.line_after, line.line_before) {
            (Some(now), Some(was)) if now != was => (format!("line {now} (was {was})"), after.text_of(now)),
            (Some(now), Some(_)) => (format!("line {now}"), after.text_of(now)),
            (Some(now), None) => (format!("line {now} (new)"), after.text_of(now)),
            (None, Some(was)) => (format!("line {was} of the pinned version"), before.text_of(was)),
            (None, None) => continue,
        };
        let counts = [(line.added, "new"), (line.removed, "gone"), (line.changed, "changed")];
        let changes = in_words(&counts.map(|(count, what)| (count as usize, what)));
        let (was, now) = of_both;
        let _ = writeln!(
            text,
            "// {place}: {was} -> {now} instructions{} // {}",
            if changes.is_empty() { String::new() } else { format!(", {changes}") },
            source.unwrap_or_default()
        );
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Writes the name of a kernel, and a summary of its instruction changes.
fn head(text: &mut String, pair: &KernelPair, name: &str) {
    let _ = writeln!(text, "// {}", readable(name));
    if pair.before.is_none() || pair.after.is_none() {
        return;
    }
    let count = |all: &[MatchedInstruction], is_so: fn(&Counterpart) -> bool| {
        all.iter().filter(|one| is_so(&one.partner)).count()
    };
    let is_alone = |partner: &Counterpart| matches!(partner, Counterpart::None);
    let is_renamed = |partner: &Counterpart| matches!(partner, Counterpart::Same { has_moved: false, registers, .. } if !registers.is_empty());
    let counts = [
        (count(&pair.of_after, is_alone), "new"),
        (count(&pair.of_before, is_alone), "gone"),
        (count(&pair.of_after, |partner| matches!(partner, Counterpart::Changed { .. })), "changed"),
        (
            count(&pair.of_after, |partner| matches!(partner, Counterpart::Same { has_moved: true, .. })),
            "moved",
        ),
        (count(&pair.of_after, is_renamed), "with renamed registers"),
    ];
    let changes = in_words(&counts);
    if !changes.is_empty() {
        let _ = writeln!(text, "// {changes}");
    }
}

/// Returns counts as text: `2 new, 1 gone`. Counts of 0 are skipped.
fn in_words(counts: &[(usize, &str)]) -> String {
    let words = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    words.collect::<Vec<_>>().join(", ")
}

/// Returns the differences of an otherwise unchanged instruction: `moved, R3 -> R4`.
fn note(has_moved: bool, registers: &[String]) -> String {
    let moved = has_moved.then_some("moved");
    moved.into_iter().chain(registers.iter().map(String::as_str)).collect::<Vec<_>>().join(", ")
}

/// Prints an instruction together with its source line.
fn row(view: &CodeView<'_>, chunk: usize, inst: usize, note: &str) -> String {
    let source = view.line_of(chunk, inst).and_then(|line| view.text_of(line)).unwrap_or_default();
    let text = printed(&view.sass.listing().chunks()[chunk], inst);
    let note = if note.is_empty() { String::new() } else { format!("// {note} ") };
    format!("{text:<48} {note}// {source}\n")
}

/// Returns the demangled name of a kernel.
fn readable(name: &str) -> String {
    names::demangle(name).unwrap_or_else(|| name.to_owned())
}
