//! Matches the instructions of a profile with the instructions of a listing.

use super::places::Places;
use crate::engine::kernel_view::KernelView;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::fmt::Write;
use syntax::sass::{Chunk, Dialect, Instruction, Listing, TokenKind};

/// Largest number of instructions to align by order. In larger kernels, only instructions at equal addresses
/// are compared.
const MAX_ALIGNED: usize = 20_000; // limit: bounds the time of the alignment

/// Finds each instruction of a kernel in a profile. Compares disassembled instructions if the profile has
/// them. Otherwise, matches by address only.
pub(crate) fn places(kernel: &KernelView<'_>, profiled: &profile::Instructions) -> Places {
    let program = kernel.program();
    let first = program.instructions.first().map_or(0, |inst| inst.address);
    let own = program.instructions.iter().map(|inst| u64::from(inst.address.wrapping_sub(first)));
    let by_address: Vec<Option<usize>> =
        own.map(|offset| profiled.offsets().binary_search(&offset).ok()).collect();
    // After the end of the code, the listing or the profile may have padding that the other does not have.
    let counted = profiled.counted_len();
    let found = by_address.iter().flatten().filter(|at| **at < counted).count();
    let texts: Option<Vec<&str>> = (0..profiled.len()).map(|at| profiled.text(at)).collect();
    let Some(texts) = texts.filter(|texts| !texts.is_empty()) else {
        return Places { is_same: found == counted, of: by_address };
    };
    // CuAssembler prints operands in the same form as NVIDIA's tools.
    let writes_similarly = |dialect: Dialect| !dialect.is_source() || dialect == Dialect::Cuasm;
    let with_operands = kernel.chunk.dialect().is_none_or(writes_similarly);
    let read = |chunk: &Chunk| -> Vec<String> {
        chunk.instructions().iter().map(|inst| comparable(chunk, inst, with_operands)).collect()
    };
    let own = read(kernel.chunk);
    let theirs = listing(&texts, kernel.target.isa_sm);
    let theirs =
        theirs.chunks().iter().find(|chunk| chunk.instructions().len() == texts.len()).map(|c| read(c));
    let Some(theirs) = theirs else { return Places { of: vec![None; own.len()], is_same: false } };
    let agrees = |(at, place): (usize, &Option<usize>)| place.is_some_and(|place| own[at] == theirs[place]);
    if own.len() == theirs.len() && by_address.iter().enumerate().all(agrees) {
        return Places { of: by_address, is_same: true };
    }
    if own.len().max(theirs.len()) > MAX_ALIGNED {
        let of = by_address.iter().enumerate().map(|(at, place)| place.filter(|_| agrees((at, place))));
        return Places { of: of.collect(), is_same: false };
    }
    let mut of = vec![None; own.len()];
    for op in capture_diff_slices(Algorithm::Myers, &own, &theirs) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            (0..len).for_each(|at| of[old_index + at] = Some(new_index + at));
        }
    }
    Places { of, is_same: false }
}

/// Parses a profile's instructions as a listing, so that both are parsed by the same code.
fn listing(texts: &[&str], sm: u16) -> Listing {
    let mut text = format!("\tcode for sm_{sm}\n\t\tFunction : kernel\n");
    for (at, instruction) in texts.iter().enumerate() {
        let instruction = instruction.trim().trim_end_matches(';').replace(['\n', '\r'], " ");
        let _ = writeln!(text, "        /*{:04x}*/                   {instruction} ;", at * 16);
    }
    Listing::parse(&text)
}

/// Returns an instruction without the tokens that tools print differently: code addresses and reuse flags.
fn comparable(chunk: &Chunk, instruction: &Instruction, with_operands: bool) -> String {
    /// Opcodes with a code address as an operand.
    const TO_PLACES: [&str; 18] = [
        "BRA", "BRX", "JMP", "JMX", "JCAL", "CALL", "RET", "BSSY", "SSY", "PBK", "PCNT", "PRET", "BREAK",
        "WARPSYNC", "CAL", "BRXU", "JMXU", "LEPC",
    ];
    let line = chunk.line_text(instruction.line as usize);
    let mnemonic = chunk.mnemonic(instruction);
    let mut text = String::new();
    for token in chunk.guard(instruction) {
        text.push_str(token.text(line));
    }
    text.push_str(mnemonic);
    for modifier in chunk.modifiers(instruction) {
        text.push('.');
        text.push_str(modifier);
    }
    if !with_operands {
        return text;
    }
    let leads = TO_PLACES.contains(&mnemonic);
    let is_place = |kind: TokenKind| {
        use TokenKind::{Barrier, Predicate, Register, UniformPredicate, UniformRegister};
        leads && !matches!(kind, Register | UniformRegister | Predicate | UniformPredicate | Barrier)
    };
    let is_reuse =
        |kind: TokenKind, own: &str| kind == TokenKind::Modifier && own.eq_ignore_ascii_case(".reuse");
    for operand in chunk.operands(instruction) {
        text.push(' ');
        for token in operand {
            let own = token.text(line);
            if !is_reuse(token.kind, own) && !is_place(token.kind) {
                text.push_str(own);
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
}
