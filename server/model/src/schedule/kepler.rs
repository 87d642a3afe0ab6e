//! Kepler's eight bits: how many cycles until the next instruction, or that it pairs with it.
//!
//! The hardware itself waits for results of memory and other variable latency, so there is nothing else to say.
//! Source of the codes: Mesa's NAK (0x20 with the delay less one), and the values in compilers' code for `sm_35`.

use super::flow::mnemonic;
use super::pairs;
use super::plan::plain;
use crate::{Control, Program};
use syntax::sass::KeplerFlags;

/// The most cycles until the next instruction that a code says.
pub(super) const MOST_DELAY: u32 = 16; // Source: the four bits of a delay
const SINGLE: u8 = 0x20;
const PAIR: u8 = 0x04;
/// The code of `TEXDEPBAR`.
const TEXTURE_WAIT: u8 = 0xc2;

/// A delay of 0 cycles pairs.
pub(super) fn code(program: &Program, inst: u32, cycles: u32) -> Control {
    let code = match (mnemonic(program, inst), cycles) {
        ("TEXDEPBAR", _) => TEXTURE_WAIT,
        (_, 0) => PAIR,
        (_, cycles) => SINGLE | (cycles.min(MOST_DELAY) - 1) as u8,
    };
    Control { stall: Some(code & 0xf), dual: code == PAIR, kepler: Some(KeplerFlags { code }), ..plain() }
}

/// True if the program's architecture uses Kepler's control codes.
pub(super) fn is_kepler(program: &Program) -> bool {
    pairs::encoding(&program.arch) == syntax::sass::Encoding::Kepler
}
