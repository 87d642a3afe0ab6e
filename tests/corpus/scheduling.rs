//! New control codes for whole listings: written, read back, and the same when they are computed once more.

use crate::files::our;
use ide::{Analysis, Cancel, Host, ScheduleScope, TextEdit};

fn analysis(text: &str) -> Analysis {
    let mut host = Host::default();
    host.open("sample", 1, text);
    host.snapshot("sample", Cancel::default()).expect("the document is open")
}

fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut edited = text.to_owned();
    for edit in edits.iter().rev() {
        edited.replace_range(edit.range.clone(), &edit.text);
    }
    edited
}

/// The text with new codes for all kernels, and how many codes changed.
fn scheduled(text: &str) -> (String, usize) {
    let (mut edits, mut changed) = (Vec::new(), 0);
    for kernel in analysis(text).schedule(None, false) {
        let kernel = kernel.expect("nothing cancels it").unwrap_or_else(|why| panic!("{why}"));
        changed += kernel.changed;
        edits.extend(kernel.edits);
    }
    (apply(text, &edits), changed)
}

#[test]
fn codes_are_computed_in_every_notation() {
    for name in [
        "sm_90/sgemm.cuobjdump-sass.txt",
        "sm_75/sgemm.cuassembler.dsass",
        "sm_61/sgemm.cuassembler.dsass",
        "sm_35/sgemm.kepleras.sass",
        "sm_120/sgemm.cuda12.8-annotated.nvdisasm-hex-c.txt",
    ] {
        let text = our(name);
        let (once, changed) = scheduled(&text);
        assert!(changed > 0 && once != text, "{name}");
        let (twice, changed) = scheduled(&once);
        assert_eq!(changed, 0, "{name}: the old codes are not read");
        assert!(twice == once, "{name}");
    }
}

#[test]
fn a_block_is_reordered_where_that_is_predicted_to_gain() {
    let text = our("sm_90/sgemm.cuobjdump-sass.txt");
    let before = analysis(&text);
    let mut offers = Vec::new();
    let starts = text
        .match_indices("        /*")
        .map(|(at, _)| at)
        .filter(|at| text[at + 10..].starts_with(|c: char| c.is_ascii_digit()));
    for offset in starts.step_by(8) {
        let actions = before.schedule_actions(offset, true).expect("nothing cancels it");
        let reorder = actions.into_iter().find(|action| action.scope == ScheduleScope::BlockReordered);
        offers.extend(reorder.map(|action| (offset, action.title)));
    }
    assert!(!offers.is_empty(), "some block of a matrix product gains");
    for (offset, title) in offers.iter().take(3) {
        let said = title.strip_prefix("Reorder this block for latency (predicted ").expect(title);
        let (cycles, part) = said.split_once(" cycles on ").expect(title);
        let (old, new) = cycles.split_once(" -> ").expect(title);
        assert!(new.parse::<u64>().expect(title) < old.parse::<u64>().expect(title), "{title}");
        assert_eq!(part, "H100 SXM5 80 GB)");
        let edits =
            before.schedule_edits(*offset, ScheduleScope::BlockReordered).expect("nothing cancels it");
        let edits = edits.expect("an instruction is there").expect("it can be written");
        let after = apply(&text, &edits);
        let lines = |text: &str| -> Vec<String> {
            let body = |line: &str| line.split("*/").nth(1).unwrap_or_default().replace(".reuse", "");
            let mut lines: Vec<_> = text.lines().map(|line| body(line).replace(' ', "")).collect();
            lines.sort();
            lines
        };
        let words = |text: &str| text.matches("/* 0x").count();
        assert_eq!(
            (lines(&after), words(&after)),
            (lines(&text), words(&text)),
            "{title}: every instruction is there"
        );
        assert_ne!(after, text);
    }
    println!("{} places with a quicker order: {:?}", offers.len(), offers.first());
}
