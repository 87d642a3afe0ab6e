//! Hints that are shown while the final hints of a long function are computed.

use crate::session::{DOCUMENT, host, snapshot};
use ide::{Config, Hint, Host, Language, TextEdit};
use std::fmt::Write;

const SASS: &str = include_str!("../corpus/sm_90/sgemm.cuobjdump-sass.txt");

/// A listing of one kernel with this number of instructions and their encodings.
fn sass(count: usize) -> String {
    let (head, body) = SASS.split_once("\t\tFunction : sgemm16\n").expect("the sample has the kernel");
    let lines: Vec<&str> = body.lines().collect();
    let leads_on = |line: &str| {
        ["BRA", "EXIT", "BSSY", "BSYNC", "RET", "CALL", "BAR", "NOP"].iter().all(|word| !line.contains(word))
    };
    let pairs = lines.windows(2).filter(|pair| pair[0].contains("*/ ") && pair[0].contains(" ;"));
    let pairs: Vec<&[&str]> = pairs.filter(|pair| leads_on(pair[0])).collect();
    let mut text = format!("{head}\t\tFunction : sgemm16\n");
    for (at, pair) in pairs.iter().cycle().take(count).enumerate() {
        let (_, rest) = pair[0].split_once("*/").expect("an address is a comment");
        let _ = write!(text, "        /*{:04x}*/{rest}\n{}\n", at * 16, pair[1]);
    }
    text
}

/// A kernel of this number of statements, none of which is dead code.
fn ptx(count: usize) -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n\
         .reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n",
    );
    for at in 0..count / 2 {
        let _ = write!(text, "mad.lo.s32 %r1, %r1, %r1, {at};\nst.global.u32 [%rd1+{}], %r1;\n", at * 4);
    }
    text + "ret;\n}\n"
}

fn opened(language: Language, text: &str) -> Host {
    let mut host = host();
    let settings = serde_json::json!({"gpu": "h100-sxm", "hints": {"latency": true, "issueCycle": true, "liveRegisters": true}});
    host.configure(Config::from_json(&settings).expect("the settings are right")).expect("the GPU is known");
    host.open_as(DOCUMENT, 1, language, text);
    host
}

fn exact(host: &Host, text: &str) -> Vec<Hint> {
    snapshot(host).hints(0..text.len()).expect("nothing cancels it")
}

fn early(host: &Host, text: &str) -> Option<Vec<Hint>> {
    snapshot(host).early_hints(0..text.len(), true).expect("nothing cancels it")
}

/// Pseudo-random numbers, the same in each run.
fn dice(seed: &mut u64, sides: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize % sides
}

/// The byte range of the lines from the first to the last, both of which are instructions.
fn lines(text: &str, first: usize, last: usize) -> std::ops::Range<usize> {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.nth(first).expect("it has the line");
    let end = text[start..].match_indices('\n').nth(last - first).expect("it has the line").0;
    start..start + end + 1
}

/// An edit of one to three lines: the lines are removed, duplicated, or get another number.
fn edit(text: &str, seed: &mut u64, number: usize) -> TextEdit {
    let count = text.matches('\n').count();
    let first = 60 + dice(seed, count - 120);
    let range = lines(text, first, first + dice(seed, 3));
    let own = text[range.clone()].to_owned();
    let new = match dice(seed, 4) {
        0 => String::new(),
        1 => own.repeat(2),
        2 => own.replacen("R2,", "R3,", 1).replacen("%r1, %r1", &format!("%r1, {number}"), 1),
        _ => own.replacen("R4,", &format!("0x{number:x},"), 1).replacen("+4", "+8", 1),
    };
    TextEdit { range, text: new }
}

/// A label without the padding of its column.
fn figure(label: &str) -> &str {
    label.trim()
}

/// Checks a series of edits. The immediate hints are at the positions of the final hints, and any difference
/// is marked. The final hints equal those of a newly opened text.
fn holds_for(language: Language, mut text: String, seed: u64) {
    let mut seed = seed;
    let mut host = opened(language, &text);
    assert_eq!(early(&host, &text), None, "nothing is known to be shown early");
    exact(&host, &text);
    assert_eq!(early(&host, &text), None, "everything is known");
    for number in 0..12 {
        let edits = 1 + dice(&mut seed, 3);
        for _ in 0..edits {
            let edit = edit(&text, &mut seed, number);
            text.replace_range(edit.range.clone(), &edit.text);
            host.edit(DOCUMENT, number as i32 + 2, &[edit]);
        }
        let fresh = exact(&opened(language, &text), &text);
        if let Some(shown) = early(&host, &text) {
            assert!(shown.is_sorted_by_key(|hint| hint.offset));
            let key = |hint: &Hint| (hint.offset, hint.kind as u8);
            let places: Vec<_> = shown.iter().map(key).collect();
            assert_eq!(places, fresh.iter().map(key).collect::<Vec<_>>(), "edit {number}");
            for (shown, right) in shown.iter().zip(&fresh) {
                let is_open = shown.label.ends_with('?') || shown.label.contains('…');
                assert!(is_open || figure(&shown.label) == figure(&right.label), "{shown:?}, {right:?}");
            }
            let open = shown.iter().filter(|hint| hint.label.contains('…')).count();
            // After several edits, the lines between them also count as changed.
            assert!(edits > 1 || open <= 6 * 3, "only changed lines wait: {open}");
        }
        assert_eq!(exact(&host, &text), fresh, "edit {number}");
    }
}

#[test]
fn early_hints_of_sass_say_nothing_wrong() {
    holds_for(Language::Sass, sass(2_200), 1);
}

#[test]
fn early_hints_of_ptx_say_nothing_wrong() {
    holds_for(Language::Ptx, ptx(600), 2);
}

#[test]
fn an_edit_of_a_long_kernel_has_hints_at_once() {
    for (language, mut text, old, new) in
        [(Language::Sass, sass(2_200), "FFMA R", "FADD R"), (Language::Ptx, ptx(600), "%r1, 7;", "%r1, 8;")]
    {
        let mut host = opened(language, &text);
        exact(&host, &text);
        let at = text.find(old).expect("it exists");
        text.replace_range(at..at + old.len(), new);
        host.edit(DOCUMENT, 2, &[TextEdit { range: at..at + old.len(), text: new.to_owned() }]);
        let models = host.models_computed();
        let shown = early(&host, &text).expect("the earlier version is known");
        assert_eq!(host.models_computed(), models, "nothing is computed for it");
        assert!(shown.iter().any(|hint| hint.label.ends_with('?')), "figures are taken over");
        assert!(shown.iter().any(|hint| hint.label.contains('…')), "the edited line's are not known");
        assert!(shown.iter().all(|hint| !hint.tooltip.is_empty()));
    }
}

#[test]
fn short_kernels_have_no_early_hints() {
    let mut text = sass(300);
    let mut host = opened(Language::Sass, &text);
    exact(&host, &text);
    let at = text.find("FFMA R").expect("it exists");
    text.replace_range(at..at + 4, "FADD");
    host.edit(DOCUMENT, 2, &[TextEdit { range: at..at + 4, text: "FADD".to_owned() }]);
    assert_eq!(early(&host, &text), None);
}
