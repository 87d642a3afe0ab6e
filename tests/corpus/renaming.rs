//! Renaming a register keeps the number of live registers after each block, and adds no hazard.

use crate::documents::{apply, opened};
use crate::files::{Sample, ours};
use machine::{Arch, Flow, Machine};
use model::dataflow::Liveness;
use model::{Program, hazards};
use std::sync::Arc;
use syntax::sass::{Listing, TokenKind};

/// Stride among the words that name registers: one of this number of words is renamed.
const STEP: usize = 97;

/// Number of live registers after each block, and the number of hazards.
fn measured(text: &str, chunk: usize, arch: &Arc<Arch>) -> (Vec<usize>, usize) {
    let listing = Listing::parse(text);
    let program = Program::decode(&listing.chunks()[chunk], arch);
    let liveness = Liveness::compute(&program, &arch.isa);
    // By convention, a call preserves the live registers up to the highest register that the kernel uses.
    // Renaming can change this highest register.
    let calls = program.instructions.iter().any(|inst| inst.flow == Flow::Call);
    let blocks = if calls { &[][..] } else { &program.blocks };
    let ends = blocks.iter().map(|block| block.instructions.end as usize - 1);
    let wanted = ends.map(|end| liveness.following(&program, end).len()).collect();
    (wanted, hazards::check(&program).hazards.len())
}

#[test]
fn renamed_registers_leave_the_rest_as_it_was() {
    let (mut renamed, mut refused) = (0, 0);
    for Sample { name, text } in ours() {
        let listing = Listing::parse(&text);
        let analysis = opened(&text);
        for (index, chunk) in listing.chunks().iter().enumerate() {
            let Some(sm) = chunk.sm().filter(|_| !chunk.instructions().is_empty()) else { continue };
            let arch = Machine::builtin().gpu_for_sm(sm.number).arch;
            let before = measured(&text, index, &arch);
            let start = listing.start(index).byte as usize;
            let words = chunk.instructions().iter().flat_map(|inst| {
                let line = chunk.lines()[inst.line as usize].start as usize;
                chunk.tokens(inst.tokens).iter().map(move |token| (line, token))
            });
            let registers =
                words.filter(|(_, token)| token.kind == TokenKind::Register && !token.is_zero_register());
            for (line, token) in registers.step_by(STEP) {
                let offset = start + line + usize::from(token.start);
                for new in ["R4", "R17", "R40", "R200"] {
                    let Ok(edits) = analysis.rename(offset, new).expect("nothing cancels it") else {
                        refused += 1;
                        continue;
                    };
                    renamed += usize::from(!edits.is_empty());
                    let after = measured(&apply(&text, &edits), index, &arch);
                    let place =
                        || format!("{name}: {} at {offset} to {new}: {edits:?}", &text[offset..offset + 4]);
                    assert_eq!(after.1, before.1, "hazards of {}", place());
                    assert_eq!(after.0, before.0, "{}", place());
                }
            }
        }
    }
    println!("{renamed} renamed, {refused} refused");
    assert!(renamed > 50 && refused > 50, "{renamed} and {refused}");
}
