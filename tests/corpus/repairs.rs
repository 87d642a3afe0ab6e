//! Breaks control codes of real listings in their text, one at a time: the first quick fix of the finding
//! must repair the code.
//!
//! `cargo nextest run -p tests --test corpus repairs --no-capture` prints the counts for each rule.

use crate::files::ours;
use ide::{Cancel, Diagnostic, Host, Severity, TextEdit};
use std::collections::BTreeMap;
use syntax::sass::rewrite::{RequestedChanges, apply, rewrite};
use syntax::sass::{Chunk, Control, Listing};

/// Largest number of mutants per kernel.
const MAX_PER_KERNEL: usize = 12;

/// Largest number of instructions of a kernel that is broken: each mutant is checked several times.
const MAX_INSTRUCTIONS: usize = 2_000;

#[derive(Debug, Default)]
struct Tally {
    findings: u32,
    repaired: u32,
}

#[test]
fn the_first_quick_fix_repairs_a_hazard() {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut left = Vec::new();
    for sample in ours() {
        let listing = Listing::parse(&sample.text);
        if !errors(&sample.text).is_empty() {
            continue;
        }
        for (index, chunk) in listing.chunks().iter().enumerate() {
            for text in mutants(&listing, index, chunk) {
                for finding in errors(&text) {
                    let tally = tallies.entry(finding.code).or_default();
                    tally.findings += 1;
                    match repaired(&text, &finding) {
                        Some(after) => {
                            let count = errors(&after).len();
                            assert!(count < errors(&text).len(), "{}: {finding:?}", sample.name);
                            tally.repaired += 1;
                        }
                        None => left.push(format!("{}: {}: {}", sample.name, finding.code, finding.message)),
                    }
                }
            }
        }
    }
    println!("{tallies:?}\n{}", left.join("\n"));
    let sum = |of: fn(&Tally) -> u32| tallies.values().map(of).sum::<u32>();
    let (findings, repaired) = (sum(|tally| tally.findings), sum(|tally| tally.repaired));
    assert!(findings > 100, "only {findings} findings");
    assert!(100 * repaired >= 95 * findings, "{repaired} of {findings} have a repair");
}

fn host(text: &str) -> ide::Analysis {
    let mut host = Host::default();
    host.open("listing", 1, text);
    host.snapshot("listing", Cancel::default()).expect("the document is open")
}

/// Errors in a text's control codes.
fn errors(text: &str) -> Vec<Diagnostic> {
    let mut found = host(text).code_diagnostics().expect("nothing cancels it");
    found.retain(|finding| finding.severity == Severity::Error && finding.group == "hazard");
    found
}

/// The text after the first fix of a finding; `None` if the first fix is not a repair.
fn repaired(text: &str, finding: &Diagnostic) -> Option<String> {
    let fixes = host(text).fixes(finding.code, finding.range.clone()).expect("nothing cancels it");
    let suppressed = fixes.iter().position(|fix| fix.suppresses).expect("every finding can be suppressed");
    assert!(fixes[suppressed..].iter().all(|fix| fix.suppresses && !fix.preferred), "they come last");
    let first = fixes.first().filter(|fix| !fix.suppresses)?;
    assert!(first.preferred, "{}", first.title);
    Some(TextEdit::apply(&first.edits, text))
}

/// Variants of a listing in which one control code of a chunk is broken.
fn mutants(listing: &Listing, index: usize, chunk: &Chunk) -> Vec<String> {
    let instructions = chunk.instructions();
    let is_fit =
        |control: &Option<Control>| control.is_some_and(|code| code.stall.is_some() && code.kepler.is_none());
    if instructions.len() > MAX_INSTRUCTIONS || !instructions.iter().all(|inst| is_fit(&inst.control)) {
        return Vec::new();
    }
    let order: Vec<u32> = (0..instructions.len() as u32).collect();
    let broken = instructions.iter().enumerate().flat_map(|(at, inst)| {
        let own = inst.control.into_iter();
        own.flat_map(breaks).map(move |control| (at, control))
    });
    let step = (3 * instructions.len() / MAX_PER_KERNEL).max(1);
    let texts = broken.step_by(step).filter_map(|(at, control)| {
        let mut codes = vec![None; order.len()];
        codes[at] = Some(control);
        let replacements =
            rewrite(chunk, RequestedChanges { order: &order, codes: &codes }, |_| None).ok()?;
        let text = apply(chunk.text(), &replacements);
        let chunks = listing.chunks().iter().enumerate();
        Some(chunks.map(|(other, chunk)| if other == index { text.as_str() } else { chunk.text() }).collect())
    });
    texts.collect()
}

/// Control codes without waits, without its scoreboards, with a short stall count, and with a long stall
/// count that the hardware does not support.
fn breaks(own: Control) -> Vec<Control> {
    let mut broken = Vec::new();
    if own.wait_mask != 0 {
        broken.push(Control { wait_mask: 0, ..own });
    }
    if own.write_barrier.is_some() || own.read_barrier.is_some() {
        broken.push(Control { write_barrier: None, read_barrier: None, ..own });
    }
    if own.stall.is_some_and(|stall| stall > 2) {
        broken.push(Control { stall: Some(1), ..own });
    }
    broken.push(Control { stall: Some(14), yields: false, ..own });
    broken
}
