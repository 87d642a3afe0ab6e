//! Any text, opened: every question about it has an answer, with ranges that lie in the text.

#![no_main]

use ide::{Analysis, Cancel, Config, Host};
use libfuzzer_sys::fuzz_target;
use machine::Machine;
use std::ops::Range;

fuzz_target!(|input: &[u8]| {
    // The first byte says where questions are asked, so that a listing makes a seed as it is.
    let Some((&first, text)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let mut host = Host::new(Machine::builtin());
    let all = serde_json::json!({"hints": {"liveRegisters": true}});
    host.configure(Config::from_json(&all).expect("the settings are right")).expect("they name no GPU");
    host.open("text", 1, &text);
    let analysis = host.snapshot("text", Cancel::default()).expect("it is open");
    let lies_within = |range: &Range<usize>| assert!(text.get(range.clone()).is_some(), "{range:?}");
    of_all(&analysis, &text, lies_within);
    for offset in (usize::from(first) % 16..text.len() + 2).step_by(16) {
        at(&analysis, offset, lies_within);
    }
});

/// Questions about the whole text.
fn of_all(analysis: &Analysis, text: &str, lies_within: impl Fn(&Range<usize>)) {
    analysis.gpu_name();
    for finding in analysis.syntax_diagnostics().expect("not cancelled") {
        lies_within(&finding.range);
    }
    for finding in analysis.model_diagnostics().expect("not cancelled") {
        lies_within(&finding.range);
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
    for lens in analysis.lenses().expect("not cancelled") {
        lies_within(&lens.range);
    }
    for link in analysis.source_links().expect("not cancelled") {
        lies_within(&link.range);
    }
    analysis.symbols().expect("not cancelled");
    analysis.folds().expect("not cancelled");
    analysis.report().expect("not cancelled");
    analysis.find_symbols("k").expect("not cancelled");
}

/// Questions about a place, which may lie within a character or behind the end.
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
