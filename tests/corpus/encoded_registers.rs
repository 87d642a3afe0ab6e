//! A register that is written into an instruction's encoding occupies the same bits as in the vendor's
//! assembler. Two instructions that differ in one register can be converted to each other.

use crate::files::all;
use machine::Machine;
use model::Program;
use std::collections::{BTreeMap, HashMap};
use syntax::sass::rewrite::{NewRegister, Unwritable, apply, rename};
use syntax::sass::{Chunk, Encoding, Instruction, Listing, Token, TokenKind};

/// Largest number of instructions that differ in one register and are compared with each other.
const MAX_ALIKE: usize = 5;

/// The bits of Volta's second word outside of the control code.
const OPERANDS: u64 = (1 << 41) - 1;

fn words(chunk: &Chunk, instruction: &Instruction) -> [Option<u64>; 2] {
    match chunk.encoding() {
        Some(Encoding::Volta) => [instruction.words[0], instruction.words[1].map(|high| high & OPERANDS)],
        _ => instruction.words,
    }
}

/// The instruction's tokens without reuse marks; one token may be omitted.
fn body(chunk: &Chunk, instruction: &Instruction, hole: Option<&Token>) -> String {
    let line = chunk.line_text(instruction.line as usize);
    let texts = chunk.tokens(instruction.tokens).iter().map(|token| match hole {
        Some(hole) if hole == token => {
            if token.kind == TokenKind::Register {
                "R?"
            } else {
                "other?"
            }
        }
        _ if token.text(line) == ".reuse" => "",
        _ => token.text(line),
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// True if the encoding depends on the instruction's address.
fn is_relative(chunk: &Chunk, instruction: &Instruction) -> bool {
    let has_target = |token: &Token| matches!(token.kind, TokenKind::Label | TokenKind::Address);
    let name = chunk.mnemonic(instruction);
    chunk.tokens(instruction.tokens).iter().any(has_target)
        || ["BRA", "BRX", "CALL", "JMP", "BSSY", "SSY", "PBK", "PCNT", "RET", "LEPC"].contains(&name)
}

const REGISTERS: [TokenKind; 4] =
    [TokenKind::Register, TokenKind::UniformRegister, TokenKind::Predicate, TokenKind::UniformPredicate];

/// A register of an instruction: chunk, instruction, token.
type NamedToken = (usize, u32, Token);

#[test]
fn registers_are_where_the_vendors_assembler_has_them() {
    let listings: Vec<Listing> = all().iter().map(|sample| Listing::parse(&sample.text)).collect();
    let chunks: Vec<&Chunk> =
        listings.iter().flat_map(|listing| listing.chunks().iter().map(|chunk| &**chunk)).collect();
    let programs: Vec<Program> = chunks
        .iter()
        .map(|chunk| {
            let sm = chunk.sm().map_or(90, |sm| sm.number);
            Program::decode(chunk, &Machine::builtin().gpu_for_sm(sm).arch)
        })
        .collect();
    let mut similar: BTreeMap<(u16, String), Vec<NamedToken>> = BTreeMap::new();
    let mut known: HashMap<(u16, String), Option<[Option<u64>; 2]>> = HashMap::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let Some(sm) = chunk.sm() else { continue };
        for (at, instruction) in (0..).zip(chunk.instructions()) {
            let words = words(chunk, instruction);
            let is_whole =
                words[0].is_some() && (words[1].is_some() || chunk.encoding() != Some(Encoding::Volta));
            if !is_whole || is_relative(chunk, instruction) {
                continue;
            }
            let text = body(chunk, instruction, None);
            let entry = known.entry((sm.number, text)).or_insert(Some(words));
            if *entry != Some(words) {
                *entry = None;
            }
            for token in chunk.tokens(instruction.tokens) {
                if REGISTERS.contains(&token.kind) && !token.is_zero_register() {
                    let own = similar.entry((sm.number, body(chunk, instruction, Some(token)))).or_default();
                    let differs = |other: &NamedToken| other.2.value != token.value;
                    if own.len() < MAX_ALIKE && own.iter().all(differs) {
                        own.push((index, at, *token));
                    }
                }
            }
        }
    }
    let (mut right, mut refused, mut wrong) = (0, BTreeMap::<String, u32>::new(), Vec::new());
    for ((sm, _), places) in &similar {
        for (index, inst, token) in places {
            let chunk = chunks[*index];
            for other in places.iter().filter(|other| other.2.value != token.value) {
                let theirs = chunks[other.0];
                let meant = body(theirs, &theirs.instructions()[other.1 as usize], None);
                let Some(Some(meant_words)) = known.get(&(*sm, meant.clone())) else { continue };
                let new = NewRegister { inst: *inst, token: *token, index: other.2.value as u16 };
                let line = chunk.line_text(chunk.instructions()[*inst as usize].line as usize);
                let is_result = |inst, operand| programs[*index].is_result(inst, operand);
                match rename(chunk, &[new], is_result) {
                    Err(Unwritable::Encoding(_)) => {
                        let name = chunk.mnemonic(&chunk.instructions()[*inst as usize]);
                        *refused.entry(format!("sm_{sm} {:?} {name}", token.kind)).or_default() += 1;
                    }
                    Err(why) => wrong.push(format!("{line}: {why:?}")),
                    Ok(replacements) => {
                        let after = Listing::parse(&apply(chunk.text(), &replacements));
                        let after = after.chunks().iter().find(|chunk| !chunk.instructions().is_empty());
                        let after = after.expect("it is a kernel as before");
                        let mut own = after.instructions()[*inst as usize].words;
                        if chunk.encoding() == Some(Encoding::Volta) {
                            own[1] = own[1].map(|high| high & OPERANDS);
                        }
                        if own == *meant_words {
                            right += 1;
                        } else {
                            wrong.push(format!(
                                "sm_{sm} {line} to {meant}: {own:x?} and not {meant_words:x?}"
                            ));
                        }
                    }
                }
            }
        }
    }
    let refusals: u32 = refused.values().sum();
    println!(
        "{right} registers renamed as the vendor's assembler does, {refusals} refused, {} wrong",
        wrong.len()
    );
    for (kind, count) in &refused {
        println!("{count:6} {kind}");
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(right > 1000 && refusals < right / 20, "{right} and {refusals}");
}
