//! Scoreboards mentioned at a position in an instruction's line.

use crate::engine::kernel_view::KernelView;
use syntax::sass::{Token, TokenKind};

/// Returns the scoreboards at `column` in a control code, schedule mark, encoding or operand. The first
/// mask has the awaited scoreboards, the second mask has the scoreboards that are set.
pub(super) fn named(
    kernel: &KernelView<'_>,
    inst: usize,
    token: &Token,
    line: &str,
    column: usize,
) -> (u8, u8) {
    let text = token.text(line);
    if token.kind == TokenKind::Scoreboard {
        return (bit(token.value), 0);
    }
    let Some(control) = kernel.program().instructions[inst].control else { return (0, 0) };
    let (waits, reads, writes) =
        (control.wait_mask, barrier_bit(control.read_barrier), barrier_bit(control.write_barrier));
    match token.kind {
        TokenKind::Schedule if text.starts_with("&req") => (waits, 0),
        TokenKind::Schedule if text.starts_with("&rd") => (0, reads),
        TokenKind::Schedule if text.starts_with("&wr") => (0, writes),
        TokenKind::Control => {
            let before = text.get(..column - token.start as usize).unwrap_or(text);
            let fields: Vec<&str> = text.split(':').collect();
            // The older notation of CuAssembler has the reuse field first.
            let skipped = usize::from(fields.len() == 6);
            match before.matches(':').count().checked_sub(skipped) {
                Some(0) => {
                    let digit = text[before.len()..].bytes().next().filter(u8::is_ascii_digit);
                    let one = digit.filter(|_| fields[skipped].contains('B'));
                    (one.map_or(waits, |digit| bit(u32::from(digit - b'0'))), 0)
                }
                Some(1) => (0, reads),
                Some(2) => (0, writes),
                _ => (0, 0),
            }
        }
        TokenKind::Word if kernel.text(inst).control.is_some() => (waits, reads | writes),
        _ => (0, 0),
    }
}

pub(super) fn barrier_bit(barrier: Option<u8>) -> u8 {
    barrier.map_or(0, |barrier| bit(u32::from(barrier)))
}

pub(super) fn bit(scoreboard: u32) -> u8 {
    if scoreboard < 6 { 1 << scoreboard } else { 0 }
}
