//! A kernel copied in another assembler's notation keeps its control codes, opcodes, registers and targets.

use crate::files::{Sample, all};
use ide::{Assembler, Cancel, Host, Refusal};
use machine::Machine;
use model::Program;
use syntax::sass::{Chunk, Control, Listing};

/// Returns the lines as an assembler's source, with the header that the assembler requires.
fn source(assembler: Assembler, text: &str) -> String {
    let head = match assembler {
        Assembler::Maxas | Assembler::KeplerAs => "<REGISTER_MAPPING>\n</REGISTER_MAPPING>\n",
        Assembler::TuringAs => "<REGS>\n</REGS>\n",
        Assembler::CuAssembler => "",
    };
    format!("{head}{text}")
}

/// Returns the control code without its dual-issue flag, which follows from the architecture, and without its reuse
/// flags.
fn said(control: Option<Control>) -> Option<Control> {
    control.map(|control| Control { dual: false, reuse_mask: 0, ..control })
}

fn opcode(chunk: &Chunk, inst: usize) -> String {
    let inst = &chunk.instructions()[inst];
    let modifiers: Vec<&str> = chunk.modifiers(inst).collect();
    format!("{}.{}", chunk.mnemonic(inst), modifiers.join("."))
}

#[test]
fn copied_kernels_say_what_they_said() {
    let machine = Machine::builtin();
    let (mut kernels, mut instructions) = (0, 0);
    for Sample { name, text } in all() {
        let mut host = Host::default();
        host.open("sample", 1, &text);
        let analysis = host.snapshot("sample", Cancel::default()).expect("the document is open");
        let listing = Listing::parse(&text);
        for (index, chunk) in listing.chunks().iter().enumerate() {
            let start = listing.start(index).byte as usize;
            for assembler in analysis.assemblers(start).expect("nothing cancels it") {
                let copied = match analysis.copy_as(start..start, assembler).expect("nothing cancels it") {
                    Ok(copied) => copied,
                    Err(Refusal(why)) => {
                        assert!(!why.is_empty() && !why.contains('\n'), "{name}: {why}");
                        continue;
                    }
                };
                let sm =
                    chunk.sm().map_or(if assembler == Assembler::TuringAs { 75 } else { 61 }, |sm| sm.number);
                let sm = if assembler == Assembler::KeplerAs { 35 } else { sm };
                let arch = machine.gpu_for_sm(sm).arch;
                let again = Listing::parse(&source(assembler, &copied.text));
                let read = again.chunks().iter().find(|chunk| !chunk.instructions().is_empty());
                let read = read.unwrap_or_else(|| panic!("{name} {assembler:?}: {}", copied.text));
                let (before, after) = (Program::decode(chunk, &arch), Program::decode(read, &arch));
                assert_eq!(read.errors(), [], "{name} {assembler:?}");
                assert_eq!(after.instructions.len(), before.instructions.len(), "{name} {assembler:?}");
                assert_eq!(copied.instructions, before.instructions.len());
                for (inst, (old, new)) in before.instructions.iter().zip(&after.instructions).enumerate() {
                    let place =
                        || format!("{name} {assembler:?} instruction {}: {}", inst + 1, opcode(chunk, inst));
                    assert_eq!(said(new.control), said(old.control), "{}", place());
                    assert_eq!(opcode(read, inst), opcode(chunk, inst), "{}", place());
                    assert_eq!(after.reads(new), before.reads(old), "{}", place());
                    assert_eq!(after.writes(new), before.writes(old), "{}", place());
                    assert_eq!(new.target, old.target, "{}", place());
                }
                kernels += 1;
                instructions += before.instructions.len();
            }
        }
    }
    println!("{kernels} copies of {instructions} instructions read back");
    assert!(kernels >= 10, "{kernels}");
}
