//! Completion proposes every modifier that a compiler or a person wrote after an opcode, following the preceding ones.

use crate::files::{Sample, all};
use ide::{Cancel, CompletionKind, Host};
use std::collections::BTreeSet;
use syntax::sass::{Dialect, Listing};

/// Each spelling of an opcode in a listing, with the number of the architecture.
fn spellings() -> BTreeSet<(u16, String)> {
    let mut found = BTreeSet::new();
    for Sample { text, .. } in all() {
        let listing = Listing::parse(&text);
        for chunk in listing.chunks() {
            let sm = chunk.sm().map(|sm| sm.number).or(match chunk.dialect() {
                Some(Dialect::Maxas) => Some(52),
                Some(Dialect::KeplerAs) => Some(35),
                _ => None,
            });
            let Some(sm) = sm else { continue };
            for inst in chunk.instructions() {
                let mut spelling = chunk.mnemonic(inst).to_owned();
                for modifier in chunk.modifiers(inst) {
                    spelling.push('.');
                    spelling.push_str(modifier);
                }
                found.insert((sm, spelling));
            }
        }
    }
    found
}

/// Returns the modifiers that are proposed at the end of a text, which is the beginning of an instruction.
fn proposed(host: &mut Host, sm: u16, begun: &str) -> Vec<String> {
    let text = format!(
        "        code for sm_{sm}\n                Function : k\n        /*0000*/                   {begun}"
    );
    host.open("completing", 1, &text);
    let analysis = host.snapshot("completing", Cancel::default()).expect("the document is open");
    let found = analysis.completions(text.len()).expect("nothing cancels it");
    let items = found.map(|found| found.items).unwrap_or_default().into_iter();
    items.filter(|item| item.kind == CompletionKind::Modifier).map(|item| item.label).collect()
}

/// Opcodes that are misspelt in their sources.
const MISSPELT: [&str; 2] = ["BAR.SYNCs", "STS.128s"];

#[test]
fn every_modifier_is_proposed_at_its_position() {
    let mut host = Host::default();
    let mut dots = 0;
    let mut missing = Vec::new();
    for (sm, spelling) in spellings() {
        let known = machine::Machine::builtin().gpu_for_sm(sm).arch;
        let mnemonic = spelling.split('.').next().unwrap_or_default();
        if !known.isa.has_mnemonic(mnemonic) || MISSPELT.iter().any(|wrong| spelling.starts_with(wrong)) {
            continue;
        }
        for (dot, _) in spelling.match_indices('.') {
            dots += 1;
            let next = spelling[dot + 1..].split('.').next().unwrap_or_default();
            if !proposed(&mut host, sm, &spelling[..=dot]).iter().any(|label| label == next) {
                missing.push(format!("sm_{sm} {}: {next} is not proposed", &spelling[..=dot]));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new(), "of {dots} dots");
    assert!(dots > 200, "{dots}");
}
