//! Templates of control codes in the notations of hand-written sources.

use crate::{Completion, CompletionKind};
use machine::Arch;
use std::fmt::Write;
use syntax::sass::Dialect;

/// Fields of a control code, and its purpose.
struct ControlTemplate {
    does: ControlEffect,
    stall: u32,
    meaning: String,
}

/// Effect of a proposed control code in addition to its stall.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ControlEffect {
    Nothing,
    Wait,
    HoldUntilRead,
    HoldUntilWritten,
    Yield,
}

/// Stall count of an instruction that sets a scoreboard. The scoreboard is set shortly after issue, so
/// with a shorter stall a wait in the next instruction would miss it. Source:
/// `docs/sass/control-codes.md`.
const STALL_BEHIND_SETTER: u32 = 2;

/// Returns the control-code templates for a dialect. Empty for listings, which print control codes as
/// encodings.
pub(super) fn templates(dialect: Option<Dialect>, arch: &Arch) -> Vec<Completion> {
    let latency = arithmetic_latency(arch).unwrap_or(1);
    let Some(dialect) = dialect else { return Vec::new() };
    match dialect {
        Dialect::Maxas => starts(latency).iter().map(|start| maxas(start, 1)).collect(),
        Dialect::TuringAs => starts(latency).iter().map(|start| maxas(start, 0)).collect(),
        Dialect::Cuasm | Dialect::Dsass => starts(latency).iter().map(cuassembler).collect(),
        Dialect::KeplerAs => kepleras(latency),
        Dialect::Cuobjdump | Dialect::Nvdisasm => Vec::new(),
    }
}

/// Latency of a single-precision multiply-add, in cycles. `None` if the architecture has no `FFMA`.
fn arithmetic_latency(arch: &Arch) -> Option<u32> {
    let form = arch.isa.form(arch.isa.find("FFMA", std::iter::empty())?);
    Some(arch.class(form.class).latency.cycles().value)
}

fn starts(latency: u32) -> [ControlTemplate; 6] {
    let start = |does, stall, meaning: &str| ControlTemplate { does, stall, meaning: meaning.to_owned() };
    let result = format!("for an arithmetic result: the next instruction may read it after {latency} cycles");
    [
        start(
            ControlEffect::Nothing,
            1,
            "waits for nothing; the next instruction may issue in the next cycle",
        ),
        start(ControlEffect::Nothing, latency, &result),
        start(
            ControlEffect::HoldUntilWritten,
            STALL_BEHIND_SETTER,
            "a load: holds a barrier until its result is written",
        ),
        start(
            ControlEffect::HoldUntilRead,
            STALL_BEHIND_SETTER,
            "a store: holds a barrier until its sources are read",
        ),
        start(ControlEffect::Wait, 1, "waits for the first barrier"),
        start(ControlEffect::Yield, latency, "lets another warp issue first"),
    ]
}

/// Control code in the notation of maxas: `01:-:2:Y:5`. `first` is the number of the first barrier.
fn maxas(start: &ControlTemplate, first: u8) -> Completion {
    let barrier = |set: bool| if set { first.to_string() } else { "-".to_owned() };
    let fields = [
        if start.does == ControlEffect::Wait { "01" } else { "--" }.to_owned(),
        barrier(start.does == ControlEffect::HoldUntilRead),
        barrier(start.does == ControlEffect::HoldUntilWritten),
        if start.does == ControlEffect::Yield { "Y" } else { "-" }.to_owned(),
        format!("{:x}", start.stall & 0xf),
    ];
    completion(
        &[("", &fields[0]), (":", &fields[1]), (":", &fields[2]), (":", &fields[3]), (":", &fields[4])],
        "",
        &start.meaning,
    )
}

/// Control code in the notation of CuAssembler: `[B------:R-:W0:-:S01]`.
fn cuassembler(start: &ControlTemplate) -> Completion {
    let barrier = |set: bool| if set { "0" } else { "-" };
    let stall = format!("{:02}", start.stall & 0xf);
    let fields = [
        ("[B", if start.does == ControlEffect::Wait { "0-----" } else { "------" }),
        (":R", barrier(start.does == ControlEffect::HoldUntilRead)),
        (":W", barrier(start.does == ControlEffect::HoldUntilWritten)),
        (":", if start.does == ControlEffect::Yield { "Y" } else { "-" }),
        (":S", &stall),
    ];
    completion(&fields, "]", &start.meaning)
}

/// Control codes in the notation of KeplerAs: `-:-:D:-:04`.
fn kepleras(latency: u32) -> Vec<Completion> {
    let code = |dual, stall: &str, meaning: &str| {
        completion(&[("", "-"), (":", "-"), (":", dual), (":", "-"), (":", stall)], "", meaning)
    };
    let stall = format!("{:02}", latency & 0xf);
    vec![
        code("-", "00", "issues alone"),
        code("D", "04", "issues together with the next instruction"),
        code(
            "-",
            &stall,
            &format!("issues alone, then the warp pauses {latency} cycles: an arithmetic result is ready"),
        ),
    ]
}

/// Creates a completion for a control code from its fields. Each field has the separator that precedes
/// it.
fn completion(fields: &[(&str, &str)], end: &str, meaning: &str) -> Completion {
    let mut label = String::new();
    let mut snippet = String::new();
    for (number, (separator, field)) in (1..).zip(fields) {
        label.push_str(separator);
        label.push_str(field);
        let _ = write!(snippet, "{separator}${{{number}:{field}}}");
    }
    label.push_str(end);
    snippet.push_str(end);
    Completion {
        snippet: Some(snippet),
        ..Completion::explained(&label, CompletionKind::ControlCode, meaning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Machine;
    use syntax::sass::Listing;

    #[test]
    fn every_template_is_a_control_code() {
        for (dialect, sm) in
            [(Dialect::Maxas, 52), (Dialect::TuringAs, 75), (Dialect::KeplerAs, 35), (Dialect::Cuasm, 75)]
        {
            let arch = Machine::builtin().gpu_for_sm(sm).arch;
            let templates = templates(Some(dialect), &arch);
            assert!(templates.len() >= 3);
            for Completion { label, snippet, .. } in templates {
                let listing = Listing::parse(&format!("{label} EXIT;\n"));
                assert!(listing.chunks()[0].instructions()[0].control.is_some(), "{dialect:?} {label}");
                assert!(snippet.is_some_and(|snippet| snippet.contains("${1:") && snippet.contains("${5:")));
            }
        }
        let arch = Machine::builtin().gpu_for_sm(90).arch;
        assert!(templates(Some(Dialect::Cuobjdump), &arch).is_empty());
    }

    #[test]
    fn the_stall_is_that_of_the_architecture() {
        let code =
            |sm| templates(Some(Dialect::Maxas), &Machine::builtin().gpu_for_sm(sm).arch)[1].label.clone();
        assert_eq!((&*code(52), &*code(75)), ("--:-:-:-:6", "--:-:-:-:4"));
    }
}
