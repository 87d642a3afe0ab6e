//! Inlay hints: their labels, quoted so that columns show, and in `tooltips` also their tooltips.

use crate::session::check;
use ide::{Analysis, Hint, HintKind};
use testkit::{Answer, Fixture};

fn tag(kind: HintKind) -> &'static str {
    match kind {
        HintKind::ControlCode => "hint[control-code]",
        HintKind::Latency => "hint[latency]",
        HintKind::IssueCycle => "hint[issue-cycle]",
        HintKind::DualIssue => "hint[dual-issue]",
        HintKind::LiveRegisters => "hint[live-registers]",
        HintKind::LineCost => "hint[line-cost]",
        HintKind::Measured => "hint[measured]",
    }
}

fn hints(fixture: &Fixture, analysis: &Analysis) -> Vec<Hint> {
    analysis.hints(0..fixture.text().len()).expect("nothing cancels it")
}

#[test]
fn every_instruction_has_hints() {
    check("hints", |fixture, analysis| {
        let hints = hints(fixture, analysis).into_iter();
        hints
            .map(|hint| Answer::at(hint.offset..hint.offset, tag(hint.kind), format!("{:?}", hint.label)))
            .collect()
    });
}

#[test]
fn tooltips_say_what_a_hint_rests_on() {
    check("tooltips", |fixture, analysis| {
        let hints = hints(fixture, analysis).into_iter();
        hints
            .map(|hint| {
                let text = format!("{:?}\n{}", hint.label, hint.tooltip);
                Answer::at(hint.offset..hint.offset, tag(hint.kind), text)
            })
            .collect()
    });
}
