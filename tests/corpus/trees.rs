//! Every listing is recognised, has no line in error and no unknown opcode, and its tree contains every byte
//! of the listing.

use crate::files::{all, our};
use machine::Machine;
use model::Program;
use std::time::Instant;
use syntax::sass::Listing;

#[test]
fn every_listing_is_recognised_and_read_without_a_loss() {
    let samples = all();
    let (mut lines, mut instructions) = (0, 0);
    for sample in &samples {
        let listing = Listing::parse(&sample.text);
        assert!(listing.dialect().is_some(), "{}: not recognised", sample.name);
        assert_eq!(listing.text(), sample.text, "{}", sample.name);
        for chunk in listing.chunks() {
            if let Some(error) = chunk.errors().first() {
                panic!("{}: {}: {}", sample.name, error.message, chunk.line_text(error.line as usize));
            }
            for line in 0..chunk.lines().len() {
                let text = chunk.line_text(line);
                let mut rest = text.to_owned();
                for token in chunk.line_tokens(line).iter().rev() {
                    rest.replace_range(token.start as usize..token.end(), "");
                }
                assert!(rest.trim().is_empty(), "{}: not in the tree: {rest:?} of {text:?}", sample.name);
            }
            lines += chunk.lines().len();
            instructions += chunk.instructions().len();
        }
    }
    println!(
        "{} files, {lines} lines, {instructions} instructions: 0 lines in error, every byte in the tree",
        samples.len()
    );
}

#[test]
fn no_opcode_is_unknown() {
    let machine = Machine::builtin();
    let mut instructions = 0;
    for sample in all() {
        let listing = Listing::parse(&sample.text);
        for chunk in listing.chunks().iter().filter(|chunk| !chunk.instructions().is_empty()) {
            let sm = chunk.sm().or(listing.sm()).map_or_else(|| usual_sm(&listing), |sm| sm.number);
            let program = Program::decode(chunk, &machine.gpu_for_sm(sm).arch);
            for inst in &program.instructions {
                assert!(
                    inst.opcode.is_some(),
                    "{}: unknown: {}",
                    sample.name,
                    chunk.line_text(inst.line as usize)
                );
            }
            instructions += program.instructions.len();
        }
    }
    println!("{instructions} instructions: 0 unknown opcodes");
}

fn usual_sm(listing: &Listing) -> u16 {
    use syntax::sass::Dialect;
    match listing.dialect() {
        Some(Dialect::KeplerAs) => 35,
        Some(Dialect::Maxas) => 52,
        _ => 75,
    }
}

#[test]
fn a_mutated_mnemonic_is_unknown() {
    let machine = Machine::builtin();
    let arch = machine.gpu_for_sm(90).arch;
    let text = our("sm_90/sgemm.cuobjdump-sass.txt");
    let mut mutants = 0;
    let mut mnemonics: Vec<String> = Vec::new();
    for chunk in Listing::parse(&text).chunks() {
        mnemonics.extend(chunk.instructions().iter().map(|inst| chunk.mnemonic(inst).to_owned()));
    }
    mnemonics.sort();
    mnemonics.dedup();
    assert!(mnemonics.len() > 20);
    for mnemonic in mnemonics {
        let mutant = format!("{mnemonic}Q");
        let listing = Listing::parse(&text.replace(&format!(" {mnemonic}"), &format!(" {mutant}")));
        let programs = listing.chunks().iter().map(|chunk| (chunk, Program::decode(chunk, &arch)));
        let unknown: usize = programs
            .map(|(chunk, program)| {
                let all = chunk.instructions().iter().zip(&program.instructions);
                all.filter(|(text, inst)| chunk.mnemonic(text) == mutant && inst.opcode.is_none()).count()
            })
            .sum();
        assert!(unknown > 0, "{mutant} is taken for an opcode");
        mutants += unknown;
    }
    println!("{mutants} mutated mnemonics, all unknown");
}

#[test]
fn every_truncation_of_a_listing_is_read() {
    for name in
        ["sm_61/sgemm.cuassembler.dsass", "sm_35/sgemm.kepleras.sass", "sm_90/features.nvdisasm-g-c.txt"]
    {
        let text = our(name);
        let started = Instant::now();
        let mut end = text.len();
        // Truncates at every byte of the last lines, then with increasing step size.
        let mut step = 1;
        while end > 0 {
            if text.is_char_boundary(end) {
                let listing = Listing::parse(&text[..end]);
                assert_eq!(listing.len(), end);
                let broken: usize = listing.chunks().iter().map(|chunk| chunk.errors().len()).sum();
                assert!(
                    broken <= 1,
                    "{name} cut at {end}: {broken} lines in error, but only the last was cut"
                );
            }
            step = (step * 21 / 20).max(step + usize::from(text.len() - end > 400)).min(4000);
            end = end.saturating_sub(step);
        }
        assert!(started.elapsed().as_secs() < 120, "{name} took too long");
    }
}
