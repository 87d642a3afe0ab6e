//! Short programs for tests.

use crate::Program;
use machine::Machine;
use std::fmt::Write;
use syntax::sass::{Encoding, Listing, SmVersion};

/// Decodes a kernel with these instructions, listed in the format of `cuobjdump -sass`, at addresses from 0 without gaps.
pub(crate) fn decode(sm: u16, instructions: &[&str]) -> Program {
    let bytes = SmVersion::new(sm).encoding().instruction_bytes() as usize;
    let end = if SmVersion::new(sm).encoding() == Encoding::Kepler { ";" } else { " ;" };
    let mut text = format!("\tcode for sm_{sm}\n\t\tFunction : kernel\n");
    for (index, instruction) in instructions.iter().enumerate() {
        writeln!(text, "        /*{:04x}*/                   {instruction}{end}", index * bytes).unwrap();
    }
    decode_text(sm, &text)
}

/// Decodes the first kernel in a listing.
pub(crate) fn decode_text(sm: u16, text: &str) -> Program {
    let listing = Listing::parse(text);
    let chunk =
        listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).expect("there is a kernel");
    assert!(chunk.errors().is_empty(), "{:?} in {text}", chunk.errors());
    Program::decode(chunk, &Machine::builtin().gpu_for_sm(sm).arch)
}
