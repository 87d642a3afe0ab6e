//! Hover section on an instruction: its effect, operands, modifiers and requirements.

use super::super::{needs, roles};
use super::token_at_cursor::{HoverText, TokenAtCursor};
use machine::ptx::MismatchKind;
use model::ptx::{Instruction, NotBound, bind};
use std::fmt::Write;
use syntax::ptx::StatementKind;

pub(super) fn write(at: &TokenAtCursor<'_, '_>, text: &mut HoverText) {
    let bound = bind(&at.view.table, at.place.item, at.statement);
    match &bound {
        None => {}
        Some(Ok(bound)) => {
            title(at, &bound.form.name, text);
            operands(at, bound, text);
            if at.is_on_opcode() {
                modifiers(at, &bound.form.name, text);
            }
            guard(at, text);
            need(at, bound, text);
        }
        Some(Err(NotBound::UnknownOpcode)) => {
            let opcode = at.place.item.opcode(at.statement).unwrap_or_default();
            let _ = writeln!(text.markdown, "**{opcode}** is not a PTX instruction.");
        }
        Some(Err(NotBound::Modifier { token, mismatch })) => {
            title(at, &spelling(at), text);
            let word = at.place.item.tokens().get(*token as usize);
            let word = word.map_or("", |token| at.place.item.token_text(token));
            let _ = match mismatch.kind {
                MismatchKind::Missing => writeln!(text.markdown, "\nA modifier is missing."),
                _ => writeln!(text.markdown, "\nNo form of the instruction has `{word}` here."),
            };
            modifiers(at, &spelling(at), text);
        }
    }
}

/// The opcode with all modifiers as written.
fn spelling(at: &TokenAtCursor<'_, '_>) -> String {
    let item = at.place.item;
    let mut text = item.opcode(at.statement).unwrap_or_default().to_owned();
    for modifier in item.modifiers(at.statement) {
        let _ = write!(text, ".{modifier}");
    }
    text
}

/// Writes the instruction's name and documentation. If the cursor is on an operand, only the first
/// sentence is written.
fn title(at: &TokenAtCursor<'_, '_>, name: &str, text: &mut HoverText) {
    let Some(page) = at.view.table.page(name) else { return };
    if !at.is_on_opcode() {
        let _ = writeln!(text.markdown, "**{}**: {}", page.name, page.summary());
        return;
    }
    let mut paragraphs = page.body().lines().filter(|line| !line.trim().is_empty());
    let first = paragraphs.next().unwrap_or_default();
    let _ = writeln!(text.markdown, "**{}**: {first}", page.name);
    for paragraph in paragraphs {
        let _ = writeln!(text.markdown, "\n{paragraph}");
    }
}

/// Writes the instruction form with operand names, and the actual operand for each name.
fn operands(at: &TokenAtCursor<'_, '_>, bound: &Instruction<'_, '_>, text: &mut HoverText) {
    if bound.arguments.is_empty() {
        return;
    }
    let present = bound.arguments.iter().filter_map(|argument| argument.role);
    let label = roles::Label::new(&spelling(at), present);
    let _ = writeln!(text.markdown, "\n`{}`\n", label.text);
    for argument in &bound.arguments {
        let Some(role) = argument.role.filter(|_| argument.operand.range().is_some()) else { continue };
        let written: Vec<&str> = argument.operand.text().split_whitespace().collect();
        let holds = argument.operand.tokens().iter().any(|token| token.start == at.token.start);
        let mark = if holds { "**" } else { "" };
        let name = roles::name(role);
        let name = name.trim_end_matches('?');
        let words = roles::in_words(role, Some(bound));
        let _ = writeln!(text.markdown, "- {mark}`{name}`{mark} = `{}`: {words}", written.join(" "));
    }
}

/// Explains each modifier. The modifier under the cursor is in bold.
fn modifiers(at: &TokenAtCursor<'_, '_>, name: &str, text: &mut HoverText) {
    let StatementKind::Instruction { opcode, operands } = at.statement.kind else { return };
    let mut found = String::new();
    for index in opcode as usize + 1..operands as usize {
        let Some(token) = at.place.item.tokens().get(index) else { break };
        let word = at.place.item.token_text(token);
        let mark = if index == at.index { "**" } else { "" };
        let Some(meaning) = meaning(at, name, &word[1..], index == at.index) else { continue };
        let _ = writeln!(found, "- {mark}`{word}`{mark}: {meaning}");
    }
    if !found.is_empty() {
        let _ = writeln!(text.markdown, "\n{}", found.trim_end());
    }
}

/// Meaning of a modifier; `None` if it is undocumented.
fn meaning<'a>(at: &'a TokenAtCursor<'_, '_>, name: &str, word: &str, is_asked: bool) -> Option<&'a str> {
    let is_of_name = is_asked && name.split('.').skip(1).any(|part| part == word);
    let known = at.view.table.modifier(name, word);
    known.or_else(|| is_of_name.then_some("Part of the instruction's name."))
}

fn guard(at: &TokenAtCursor<'_, '_>, text: &mut HoverText) {
    let Some((is_negated, predicate)) = at.place.item.guard(at.statement) else { return };
    let value = if is_negated { "false" } else { "true" };
    let _ = writeln!(text.markdown, "\nExecutes only in threads where `{predicate}` is {value}.");
}

/// Writes the lowest PTX version and target that support the instruction, and the requirement that the
/// module does not meet.
fn need(at: &TokenAtCursor<'_, '_>, bound: &Instruction<'_, '_>, text: &mut HoverText) {
    if at.is_on_opcode() {
        let _ = writeln!(text.markdown, "\nNeeds {}.", needs::in_words(&bound.form.need));
    }
    let Some((version, target)) = at.view.written_for() else { return };
    let Some((word, need)) = bound.form.lacks(&bound.words, version, target) else { return };
    let what = word.map_or_else(|| "the instruction".to_owned(), |word| format!("`.{word}`"));
    let Some(lack) = needs::lack(at.view, need) else { return };
    let _ = writeln!(text.markdown, "\n**Not here**: {what} needs {}, but {lack}.", needs::in_words(need));
}
