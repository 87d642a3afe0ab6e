//! Instruction spellings found in listings. They are the source of `machine/data/isa/spellings.csv`.

use super::unbroken;
use machine::OperandKind;
use model::{Chunk, Listing, TokenKind, operand_kind};
use std::fmt::Write as _;

/// The spelling of one instruction in a listing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ObservedSpelling {
    pub mnemonic: String,
    /// Modifiers of the opcode, without dots.
    pub modifiers: Vec<String>,
    pub operands: Vec<OperandKind>,
    /// Modifiers of the operands, without dots.
    pub suffixes: Vec<String>,
}

/// Returns the spelling of each instruction in a listing. Skips instructions that the parser could not read
/// completely.
pub fn observe(listing: &Listing) -> impl Iterator<Item = ObservedSpelling> {
    listing.chunks().iter().flat_map(|chunk| observe_chunk(chunk))
}

fn observe_chunk(chunk: &Chunk) -> impl Iterator<Item = ObservedSpelling> {
    unbroken(chunk).filter_map(|(_, instruction)| {
        let line = chunk.line_text(instruction.line as usize);
        let operands = chunk.operands(instruction).map(|operand| operand_kind(operand, line, false));
        let tokens = chunk.operands(instruction).flatten();
        let suffixes = tokens.filter(|token| token.kind == TokenKind::Modifier);
        Some(ObservedSpelling {
            mnemonic: chunk.mnemonic(instruction).to_owned(),
            modifiers: chunk.modifiers(instruction).map(str::to_owned).collect(),
            operands: operands.collect::<Option<_>>()?,
            suffixes: suffixes.map(|token| token.text(line).trim_start_matches('.').to_owned()).collect(),
        })
    })
}

/// Builds a listing from instructions as a disassembler prints them, without the final semicolon.
pub fn listing_of<'a>(sm: u16, instructions: impl Iterator<Item = &'a str>) -> Listing {
    let mut text = format!("\t.target\tsm_{sm}\n");
    for (at, instruction) in instructions.enumerate() {
        let _ = writeln!(text, "        /*{:04x}*/                   {instruction} ;", 16 * at);
    }
    Listing::parse(&text)
}
