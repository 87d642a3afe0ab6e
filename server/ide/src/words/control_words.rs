//! Wording of control codes.

use crate::engine::kernel_view::KernelView;
use crate::words::numbers::listed;
use model::Program;
use std::fmt::Write;
use syntax::sass::{Control, KeplerFlags, Notation};

/// Returns one line per scoreboard that an instruction waits for, with the instruction that sets the
/// scoreboard.
pub(crate) fn waits_in_words(kernel: &KernelView<'_>, inst: usize) -> String {
    let mut text = String::new();
    let mask = kernel.program().instructions[inst].control.map_or(0, |control| control.wait_mask);
    for scoreboard in bits(mask) {
        let _ = match setter_of(kernel.program(), inst, scoreboard) {
            Some(setter) => {
                writeln!(text, "- waits for SB{scoreboard}, set by {}", kernel.located(setter as u32))
            }
            None => writeln!(text, "- waits for SB{scoreboard}, which nothing above sets"),
        };
    }
    text
}

/// Returns the nearest preceding instruction that sets a scoreboard. `None` if no such instruction exists.
fn setter_of(program: &Program, inst: usize, scoreboard: u8) -> Option<usize> {
    let sets = |control: &Control| [control.write_barrier, control.read_barrier].contains(&Some(scoreboard));
    let above = &program.instructions[..inst];
    above.iter().rposition(|inst| inst.control.as_ref().is_some_and(sets))
}

/// Formats a Kepler control code in the notation of KeplerAs: `T:G:D:S:stall`.
pub(crate) fn kepler_notation(flags: KeplerFlags) -> String {
    notation(&Control::from_kepler(flags))
}

/// Describes the fields of a control code. Skips flags and masks that are not set.
pub(crate) fn in_words(control: &Control) -> String {
    if let Some(flags) = control.kepler {
        return kepler_in_words(flags);
    }
    let mut parts = Vec::new();
    if control.wait_mask != 0 {
        let names: Vec<String> = bits(control.wait_mask).map(|bit| format!("SB{bit}")).collect();
        let are = if names.len() == 1 { "is" } else { "are" };
        parts.push(format!("waits until {} {are} clear", listed(&names, "and")));
    }
    if control.dual {
        parts.push("issues together with the next instruction".to_owned());
    } else {
        parts.push(match control.stall {
            None => "leaves the stall count to the assembler".to_owned(),
            Some(0) => "stall count 0".to_owned(),
            Some(1) => "the next instruction may issue 1 cycle later".to_owned(),
            Some(stall) => format!("the next instruction may issue {stall} cycles later"),
        });
    }
    if let Some(barrier) = control.write_barrier {
        parts.push(format!("holds SB{barrier} until its result is written"));
    }
    if let Some(barrier) = control.read_barrier {
        parts.push(format!("holds SB{barrier} until its sources are read"));
    }
    if control.yields {
        parts.push("the scheduler may switch to another warp".to_owned());
    }
    if control.reuse_mask != 0 {
        let slots: Vec<String> =
            bits(control.reuse_mask).map(|slot| ((b'a' + slot) as char).to_string()).collect();
        let s = if slots.len() == 1 { "" } else { "s" };
        parts.push(format!("keeps source{s} {} in the reuse cache", listed(&slots, "and")));
    }
    parts.join("; ")
}

fn kepler_in_words(flags: KeplerFlags) -> String {
    let code = flags.code;
    let mut parts = vec![match code {
        0x04 => "issues together with the next instruction".to_owned(),
        0x00 => "the warp pauses 16 cycles".to_owned(),
        _ if flags.dual_bit_clear() => format!("code {code:#04x}, issues alone"),
        _ => match code & 0xf {
            0 => "issues alone".to_owned(),
            1 => "issues alone, then the warp pauses 1 cycle".to_owned(),
            cycles => format!("issues alone, then the warp pauses {cycles} cycles"),
        },
    }];
    for (set, what) in [
        (flags.shared(), "waits on shared memory"),
        (flags.global(), "waits on global memory"),
        (flags.texture(), "waits on texture loads"),
    ] {
        if set {
            parts.push(format!("{what} (flag as KeplerAs names it)"));
        }
    }
    parts.join("; ")
}

fn bits(mask: u8) -> impl Iterator<Item = u8> {
    (0..8).filter(move |bit| mask >> bit & 1 == 1)
}

/// Formats a control code in the notation of CuAssembler. A Kepler control code is formatted in the notation
/// of KeplerAs.
pub(crate) fn notation(control: &Control) -> String {
    let notation = if control.kepler.is_some() { Notation::KeplerAs } else { Notation::CuAssembler };
    notation.print(control).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volta_code_reads_as_a_sentence() {
        let control = Control::from_volta_word(0x001f_c400_03f0_6270);
        assert_eq!(notation(&control), "B0-----:R-:W-:Y:S02");
        assert_eq!(
            in_words(&control),
            "waits until SB0 is clear; the next instruction may issue 2 cycles later; the scheduler may switch to another warp"
        );
    }

    #[test]
    fn keplers_codes_are_named_as_keplaras_does() {
        let pair = Control::from_kepler(KeplerFlags { code: 0x04 });
        assert_eq!(notation(&pair), "-:-:D:-:04");
        assert_eq!(in_words(&pair), "issues together with the next instruction");
        assert_eq!(
            in_words(&Control::from_kepler(KeplerFlags { code: 0x28 })),
            "issues alone, then the warp pauses 8 cycles"
        );
    }
}
