//! Opens any text: every request about it has an answer, with ranges that lie in the text and edits that can be
//! applied.

#![no_main]

use ide::{Analysis, Cancel, Config, Host, TextEdit};
use libfuzzer_sys::fuzz_target;
use machine::Machine;
use std::ops::Range;

fuzz_target!(|input: &[u8]| {
    // The first byte determines the request positions, so that a listing can be a seed unchanged.
    let Some((&first, text)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let analysis = open(&text);
    let lies_within = |range: &Range<usize>| assert!(text.get(range.clone()).is_some(), "{range:?}");
    of_all(&analysis, &text, lies_within);
    formatted(&analysis, &text);
    // Proposals are long: with fewer positions, more texts are tested.
    let (ask, propose) = (usize::from(first % 16), usize::from(first / 16) * 16);
    for offset in (ask..text.len() + 2).step_by(16) {
        at(&analysis, offset, lies_within);
    }
    for offset in (ask + propose..text.len() + 2).step_by(256) {
        type_at(&analysis, offset, &text);
    }
});

fn open(text: &str) -> Analysis {
    let mut host = Host::new(Machine::builtin());
    let all = serde_json::json!({"hints": {"liveRegisters": true}});
    host.configure(Config::from_json(&all).expect("the settings are right")).expect("they name no GPU");
    host.open("text", 1, text);
    host.snapshot("text", Cancel::default()).expect("it is open")
}

/// The text with these edits, which are in order and disjoint.
fn edited(text: &str, edits: &[TextEdit]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut before = 0;
    for edit in edits {
        new.push_str(&text[before..edit.range.start]);
        new.push_str(&edit.text);
        before = edit.range.end;
    }
    new + &text[before..]
}

/// Formatting changes only white space, and is idempotent.
fn formatted(analysis: &Analysis, text: &str) {
    let edits = analysis.format(None).expect("not cancelled");
    let new = edited(text, &edits);
    let words = |text: &str| text.split_ascii_whitespace().collect::<String>();
    assert_eq!(words(text), words(&new));
    let again = open(&new).format(None).expect("not cancelled");
    assert!(again.is_empty(), "formatted to {new:?}, and then {again:?}");
}

/// Sends the requests that an editor sends while a user types at a position.
fn type_at(analysis: &Analysis, offset: usize, text: &str) {
    if let Some(all) = analysis.completions(offset).expect("not cancelled") {
        assert!(text.get(all.range.clone()).is_some(), "{:?}", all.range);
        for item in all.items.iter().take(2) {
            analysis.completion_page(item.kind, &item.label, &all.opcode).expect("not cancelled");
        }
    }
    if let Some(signature) = analysis.signature(offset).expect("not cancelled") {
        assert!(signature.active < signature.operands.len());
        for operand in &signature.operands {
            assert!(signature.label.get(operand.label.clone()).is_some(), "{}", signature.label);
        }
    }
    let range = analysis.rename_range(offset).expect("not cancelled");
    if let Ok(edits) = analysis.rename(offset, "renamed_1").expect("not cancelled") {
        let range = range.expect("what is renamed can be");
        assert!(text.get(range.clone()).is_some(), "{range:?}");
        edited(text, &edits);
    }
}

/// Requests about the entire text.
fn of_all(analysis: &Analysis, text: &str, lies_within: impl Fn(&Range<usize>)) {
    analysis.gpu_name();
    let syntax = analysis.syntax_diagnostics().expect("not cancelled");
    for finding in syntax.into_iter().chain(analysis.model_diagnostics().expect("not cancelled")) {
        lies_within(&finding.range);
        for fix in analysis.fixes(finding.code, finding.range).expect("not cancelled") {
            edited(text, &fix.edits);
        }
    }
    for hint in analysis.hints(0..text.len()).expect("not cancelled") {
        assert!(text.is_char_boundary(hint.offset));
    }
    let mut before = 0;
    for token in analysis.semantic_tokens(None).expect("not cancelled") {
        lies_within(&token.range);
        assert!(before <= token.range.start, "tokens overlap at {:?}", token.range);
        before = token.range.end;
    }
    analysis.selection_cycles(0..usize::MAX).expect("not cancelled");
    for lens in analysis.lenses().expect("not cancelled") {
        lies_within(&lens.range);
    }
    for link in analysis.source_links().expect("not cancelled") {
        lies_within(&link.range);
    }
    analysis.symbols().expect("not cancelled");
    analysis.folds().expect("not cancelled");
    if let Some(sass) = analysis.sass() {
        sass.report().expect("not cancelled");
    }
    analysis.find_symbols("k").expect("not cancelled");
}

/// Requests about a position, which may lie within a character or after the end.
fn at(analysis: &Analysis, offset: usize, lies_within: impl Fn(&Range<usize>)) {
    if let Some(hover) = analysis.hover(offset).expect("not cancelled") {
        lies_within(&hover.range);
        assert!(!hover.markdown.trim().is_empty(), "an empty hover at {offset}");
    }
    if let Some((origin, targets)) = analysis.definitions(offset).expect("not cancelled") {
        lies_within(&origin);
        targets.iter().for_each(|target| lies_within(&target.range));
    }
    for reference in analysis.references(offset).expect("not cancelled") {
        lies_within(&reference.range);
    }
    analysis.selections(offset).expect("not cancelled").iter().for_each(&lies_within);
    analysis.summary(offset).expect("not cancelled");
    if let Some(item) = analysis.call_item(offset).expect("not cancelled") {
        lies_within(&item.range);
        analysis.incoming_calls(item.selection.start).expect("not cancelled");
        analysis.outgoing_calls(item.selection.start).expect("not cancelled");
    }
}
