//! Quick fixes for findings. Fixes that repair the code come first. Fixes that add a comment to suppress the rule come
//! last.

use crate::engine::cancel::Cancellable;
use crate::engine::plain::{Fix, TextEdit};
use crate::engine::proposed::{prefer_only, proposed};
use crate::engine::rules::UNKNOWN_OPCODE;
use crate::engine::sass_view::{LineAt, SassView};
use crate::kernels::findings::in_line;
use crate::sass::navigate::rename;
use crate::sass::repairs::repairs;
use crate::words::numbers::counted;
use model::Program;
use model::schedule::{Renaming, renamings};
use std::ops::Range;
use syntax::sass::{LineKind, Token};

/// Rule whose fix replaces a register.
const REGISTER_BANK_CONFLICT: &str = "register-bank-conflict";

/// Largest number of proposed opcodes for an unknown opcode.
const MAX_OPCODES: usize = 3; // limit: a menu of a few lines

/// Returns the fixes for a rule's finding at a range, best fix first.
pub(crate) fn fixes(sass: &SassView, rule: &str, range: Range<usize>) -> Cancellable<Vec<Fix>> {
    let mut fixes = Vec::new();
    if advisor::rule(rule).is_none() {
        return Ok(fixes);
    }
    match rule {
        UNKNOWN_OPCODE => fixes.extend(nearest_opcodes(sass, &range).into_iter().flatten()),
        REGISTER_BANK_CONFLICT => fixes.extend(other_register(sass, range.start)?),
        _ => {
            fixes.extend(of_rule(sass, rule, &range));
            fixes.extend(repairs(sass, rule, range.start)?);
        }
    }
    if !sass.listing().is_empty() {
        fixes.extend(allow_here(sass, rule, range.start));
        fixes.push(Fix {
            title: format!("Suppress {rule} in this file"),
            edits: vec![TextEdit {
                range: 0..0,
                text: format!("// warplens: allow({rule}){}", ending(sass)),
            }],
            preferred: false,
            suppresses: true,
        });
    }
    Ok(fixes)
}

/// Fixes that the rule proposes for a finding.
fn of_rule(sass: &SassView, rule: &str, range: &Range<usize>) -> Vec<Fix> {
    let Some(LineAt { index, chunk, line, .. }) = sass.line_at(range.start) else { return Vec::new() };
    let start = sass.line_range(index, line).start;
    let model = sass.model(chunk, &sass.target(chunk));
    let is_here = |finding: &&advisor::Finding| {
        chunk.instructions()[finding.place.instruction as usize].line as usize == line
    };
    let here = model.code_findings(chunk).iter().filter(is_here);
    let mut fixes = proposed(here, rule, range, |site| in_line(start, chunk, site));
    prefer_only(&mut fixes);
    fixes
}

/// Returns the line ending of the text's first line.
fn ending(sass: &SassView) -> &'static str {
    let first = sass.listing().chunks().first().and_then(|chunk| chunk.lines().first());
    if first.is_some_and(|line| line.ending == 2) { "\r\n" } else { "\n" }
}

/// Fix that uses the register proposed by the finding. `None` unless the kernel provably behaves the
/// same with this register and unchanged control codes.
fn other_register(sass: &SassView, offset: usize) -> Cancellable<Option<Fix>> {
    let Some(line) = sass.line_at(offset) else { return Ok(None) };
    let Some(inst) = line.instruction() else { return Ok(None) };
    let chunk = line.chunk;
    let operands = chunk.operands(&chunk.instructions()[inst]);
    let starts = |tokens: &[Token]| tokens.iter().any(|token| line.range(token).start == offset);
    let Some(operand) = operands.into_iter().position(starts) else { return Ok(None) };
    let arch = sass.isa_arch(chunk);
    let program = Program::decode(chunk, &arch);
    let place = (inst as u32, operand as u8);
    let found = renamings(&program, |_| true).into_iter().find(|found| found.places.contains(&place));
    let Some(Renaming { from, to, places, .. }) = found else { return Ok(None) };
    let (from, to) = (from.to_string(), to.to_string());
    let edits = rename(sass, offset, &to)?;
    Ok(edits.ok().map(|edits| Fix {
        title: format!("Use {to} in place of {from} ({})", counted(places.len(), "time")),
        edits,
        preferred: true,
        suppresses: false,
    }))
}

/// Proposes the nearest opcodes. If several opcodes are equally near, none is preferred, because they
/// compute different values.
fn nearest_opcodes(sass: &SassView, range: &Range<usize>) -> Option<Vec<Fix>> {
    let line = sass.line_at(range.start)?;
    let chunk = line.chunk;
    let instruction = &chunk.instructions()[line.instruction()?];
    let arch = sass.isa_arch(chunk);
    let near = arch.isa.all_nearest(chunk.mnemonic(instruction));
    let range = line.range(chunk.mnemonic_token(instruction));
    let fix = |opcode: &&str| Fix {
        title: format!("Change to {opcode}"),
        edits: vec![TextEdit { range: range.clone(), text: (*opcode).to_owned() }],
        preferred: near.len() == 1,
        suppresses: false,
    };
    Some(near.iter().take(MAX_OPCODES).map(fix).collect())
}

/// Inserts a suppressing comment above the line, or appends the rule to an existing suppressing
/// comment.
fn allow_here(sass: &SassView, rule: &str, offset: usize) -> Option<Fix> {
    let place = sass.line_at(offset)?;
    let LineAt { index, chunk, line, start } = place;
    let above = line.checked_sub(1).filter(|&above| chunk.lines()[above].kind == LineKind::Comment);
    let list = above.and_then(|above| {
        let text = chunk.line_text(above);
        let open = text.find("warplens: allow(")?;
        let close = open + text[open..].find(')')?;
        Some(sass.line_range(index, above).start + close)
    });
    let edit = if let Some(close) = list {
        TextEdit { range: close..close, text: format!(", {rule}") }
    } else {
        let text = place.text();
        let indent = &text[..text.len() - text.trim_start().len()];
        let comment = format!("{indent}// warplens: allow({rule}){}", ending(sass));
        TextEdit { range: start..start, text: comment }
    };
    Some(Fix {
        title: format!("Suppress {rule} on this line"),
        edits: vec![edit],
        preferred: false,
        suppresses: true,
    })
}
