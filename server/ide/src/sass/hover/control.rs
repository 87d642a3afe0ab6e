//! Explanations of control codes.

use crate::kernels::hover::View;
use crate::words::control_words::{in_words, notation, waits_in_words};
use std::fmt::Write;
use syntax::sass::{Chunk, Control, Dialect, TokenKind};

/// Writes a line that explains the control code. Also lists the instructions that set the awaited
/// scoreboards.
pub(super) fn write(view: &View<'_>, text: &mut String) {
    let Some(control) = view.kernel.program().instructions[view.inst].control else { return };
    let (code, base) = written(view, &control).unwrap_or_else(|| (notation(&control), ""));
    let _ = writeln!(text, "\nControl `{code}`: {}.{base}", in_words(&control));
    text.push_str(&waits_in_words(view.kernel, view.inst));
}

/// Returns the control code as spelled in the source, and a note if the explanation numbers scoreboards differently.
/// `None` if the line has no control code.
fn written(view: &View<'_>, control: &Control) -> Option<(String, &'static str)> {
    let line = view.kernel.text(view.inst).line;
    let code =
        view.kernel.chunk.line_tokens(line as usize).iter().find(|token| token.kind == TokenKind::Control)?;
    let code = view.kernel.chunk.token_text(line, code).trim_matches(['[', ']']).to_owned();
    let names_any = control.wait_mask != 0 || control.read_barrier.or(control.write_barrier).is_some();
    let differs = names_any && view.kernel.chunk.dialect() == Some(Dialect::Maxas);
    let base = if differs { " (maxas counts scoreboards from 1.)" } else { "" };
    Some((code, base))
}

/// Explains a control word of Kepler, Maxwell or Pascal, instruction by instruction. `next` is the
/// first instruction after the control word.
pub(super) fn control_word(chunk: &Chunk, next: usize) -> String {
    let group = chunk.instructions()[next..].iter().take_while(|inst| inst.control.is_some()).take(7);
    let mut text = String::from("Control word of the instructions below:\n");
    let slots = match chunk.instructions().get(next).and_then(|inst| inst.control) {
        Some(control) if control.kepler.is_some() => 7,
        Some(_) => 3,
        None => return "A control word, but no instruction follows.".to_owned(),
    };
    for inst in group.take(slots) {
        if let Some(control) = inst.control {
            let _ = write!(
                text,
                "\n- `{}` `{}`: {}",
                chunk.mnemonic(inst),
                notation(&control),
                in_words(&control)
            );
        }
    }
    text
}
