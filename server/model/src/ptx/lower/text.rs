//! Instructions in the format of a disassembler.

use super::selection::Fragment;
use crate::Program;
use std::fmt::Write;
use std::sync::Arc;
use syntax::sass::{Chunk, LineKind, Listing};
use syntax::stop;

/// Bytes per instruction from Volta on.
const BYTES: usize = 16; // Source: the encodings from Volta on

/// Header of a function's listing.
pub(super) struct Header<'a> {
    pub name: &'a str,
    pub sm: u16,
}

/// Returns the listing of the instructions as one chunk; `None` if there are none. `firsts` contains the index of
/// the first instruction of each block, and `numbers` the first register number of each web.
pub(super) fn chunk(
    header: &Header<'_>,
    lines: &[&[Fragment]],
    firsts: &[usize],
    numbers: &[u32],
) -> Option<Chunk> {
    let mut text = String::with_capacity(64 * lines.len() + 64);
    let _ = write!(text, "\tcode for sm_{}\n\t\tFunction : {}\n", header.sm, header.name);
    for (at, line) in lines.iter().enumerate() {
        stop::check_at(at);
        let _ = write!(text, "        /*{:04x}*/                   ", at * BYTES);
        for piece in *line {
            let _ = match piece {
                Fragment::Text(piece) => text.write_str(piece),
                Fragment::General(web, word) => {
                    write!(text, "R{}", numbers[*web as usize] + u32::from(*word))
                }
                Fragment::Predicate(web) => write!(text, "P{}", numbers[*web as usize]),
                Fragment::Block(block) => {
                    let first = firsts.get(*block as usize).copied().unwrap_or(lines.len());
                    write!(text, "{:#x}", first * BYTES)
                }
            };
        }
        text.push_str(" ;\n");
    }
    let chunk = Listing::parse(&text).chunks().iter().find(|chunk| !chunk.instructions().is_empty()).cloned();
    chunk.and_then(Arc::into_inner)
}

/// Returns the text of the chunk, with the control codes of `program` in encoding words after each
/// instruction.
pub(super) fn with_controls(chunk: &Chunk, program: &Program) -> String {
    let mut text = String::with_capacity(4 * chunk.text().len());
    let mut controls = program.instructions.iter().map(|inst| inst.control);
    for (line, info) in chunk.lines().iter().enumerate() {
        let own = chunk.line_text(line).trim_end_matches(['\n', '\r']);
        text.push_str(own);
        if info.kind == LineKind::Instruction
            && let Some(Some(control)) = controls.next()
        {
            let word = control.in_volta_word(0);
            let _ = write!(text, "  /* {:#018x} */\n{:80}/* {word:#018x} */", 0, "");
        }
        text.push('\n');
    }
    text
}
