//! Kepler's eight-bit codes. A code states the cycles until the next instruction, or pairs an instruction with the next
//! instruction.
//!
//! The hardware waits for results of memory and of other instructions with variable latency, so codes contain no waits.
//! Source of the codes: Mesa's NAK (0x20 plus the delay minus one), and the values in compiler output for `sm_35`.

use super::flow::mnemonic;
use super::pairs;
use super::plan::plain;
use crate::{Control, Program};
use syntax::sass::KeplerFlags;

/// Maximum delay until the next instruction that a code can express.
pub(super) const MAX_DELAY: u32 = 16; // Source: the four bits of a delay
const SINGLE: u8 = 0x20; // Source: Kepler's control codes as maxas and the corpus show them
const PAIR: u8 = 0x04; // Source: as `SINGLE`
/// The code of `TEXDEPBAR`.
const TEXTURE_WAIT: u8 = 0xc2; // Source: as `SINGLE`

/// Returns the code for a delay of `cycles` cycles; 0 pairs the instruction with the next instruction.
pub(super) fn code(program: &Program, inst: u32, cycles: u32) -> Control {
    let code = match (mnemonic(program, inst), cycles) {
        ("TEXDEPBAR", _) => TEXTURE_WAIT,
        (_, 0) => PAIR,
        (_, cycles) => SINGLE | (cycles.min(MAX_DELAY) - 1) as u8,
    };
    Control { stall: Some(code & 0xf), dual: code == PAIR, kepler: Some(KeplerFlags { code }), ..plain() }
}

/// True if the program's architecture uses Kepler's control codes.
pub(super) fn is_kepler(program: &Program) -> bool {
    pairs::encoding(&program.arch) == syntax::sass::Encoding::Kepler
}
