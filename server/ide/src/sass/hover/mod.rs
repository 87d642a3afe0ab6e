//! Hover: explains the token at an offset. Facts come first. The hover fits on one screen.

mod control;
mod operands;

use crate::engine::cancel::Cancellable;
use crate::engine::names::demangle;
use crate::engine::sass_view::SassView;
use crate::kernels::hover::{View, write_access, write_first_times, write_other_times};
use crate::kernels::places::printed;
use crate::sass::modifiers;
use crate::sass::token_at::TokenAt;
use crate::words::markdown::{code, heading};
use crate::{Hover, kernels};
use machine::docs;
use std::fmt::Write;
use syntax::sass::{LineKind, TokenKind};

pub(crate) fn hover(sass: &SassView, offset: usize) -> Cancellable<Option<Hover>> {
    let Some(place) = TokenAt::at(sass, offset) else { return Ok(None) };
    let markdown = match place.line.kind() {
        LineKind::Instruction => {
            let inst = place.line.instruction();
            return inst.map(|inst| instruction(sass, &place, inst)).transpose();
        }
        LineKind::Word => word(&place),
        LineKind::Header | LineKind::Label => header(sass, &place)?.or_else(|| directive(&place)),
        LineKind::Directive | LineKind::Data => directive(&place),
        _ => None,
    };
    Ok(markdown.map(|markdown| Hover { range: place.range(), markdown, links: Vec::new() }))
}

/// Hover of an instruction. It starts with the word under the cursor.
fn instruction(sass: &SassView, place: &TokenAt<'_>, inst: usize) -> Cancellable<Hover> {
    let kernel = sass.kernel(place.line.index);
    let view = View::new(&kernel, inst)?;
    let (mut text, mut links) = (String::new(), Vec::new());
    if let Some(first) = under_cursor(&view, place) {
        let _ = writeln!(text, "{first}\n\n---\n");
    }
    let _ = writeln!(text, "{}", code(&printed(view.kernel.chunk, view.inst)));
    write_first_times(&view, &mut text, &mut links);
    view.title(&mut text);
    view.modifiers(&mut text);
    operands::write(&view, place, &mut text);
    control::write(&view, &mut text);
    write_other_times(&view, &mut text);
    // The figures of the access are more useful than pitfalls, and the drawing of the access needs the
    // space.
    let mut access = String::new();
    if !write_access(&view, &mut access) {
        view.pitfalls(&mut text);
    }
    text.push_str(&access);
    Ok(Hover { range: place.range(), markdown: text, links })
}

/// Maximum number of lines in a formula.
const MAX_OPERATION_LINES: usize = 4; // limit: keeps a hover under a screen
const MAX_PITFALLS: usize = 2; // limit: keeps a hover under a screen

impl View<'_> {
    fn title(&self, text: &mut String) {
        let instruction = self.kernel.text(self.inst);
        let mnemonic = self.kernel.chunk.mnemonic(instruction);
        let summary = if let Some(id) = self.kernel.program().instructions[self.inst].opcode {
            self.kernel.model.isa().form(id).summary.to_string()
        } else {
            let near = self.kernel.model.isa().nearest(mnemonic);
            let near = near.map_or_else(String::new, |near| format!(" Did you mean `{near}`?"));
            format!("Not in the opcode table of sm_{}.{near}", self.kernel.target.isa_sm)
        };
        let is_plain = mnemonic.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
        let shown = if is_plain { format!("**{mnemonic}**") } else { heading(mnemonic) };
        let _ = writeln!(text, "\n{shown}: {summary}");
        if let Some(formula) = self.formula(mnemonic) {
            let _ = writeln!(text, "\n{formula}");
        }
    }

    /// Returns the formula of an opcode that requires no modifiers; `None` for an opcode with required modifiers, or if
    /// the page has no short formula.
    fn formula(&self, mnemonic: &str) -> Option<&'static str> {
        let form = self.kernel.model.isa().form(self.kernel.program().instructions[self.inst].opcode?);
        let operation = docs::opcode(mnemonic)?.operation()?;
        let is_short = operation.lines().count() <= MAX_OPERATION_LINES;
        (form.requires.is_empty() && is_short && operation.contains(" = ")).then_some(operation)
    }

    /// Appends the pitfalls. They come last, because many readers know them.
    fn pitfalls(&self, text: &mut String) {
        let mnemonic = self.kernel.mnemonic(self.inst);
        for pitfall in docs::opcode(mnemonic).into_iter().flat_map(docs::Page::pitfalls).take(MAX_PITFALLS) {
            let _ = writeln!(text, "- Note: {pitfall}");
        }
    }

    fn modifiers(&self, text: &mut String) {
        let instruction = self.kernel.text(self.inst);
        let mnemonic = self.kernel.chunk.mnemonic(instruction);
        let modifiers = self.kernel.chunk.modifiers(instruction);
        if modifiers.clone().next().is_some() {
            text.push('\n');
        }
        for modifier in modifiers {
            if let Some(meaning) = modifiers::meaning(self.kernel.model.isa(), mnemonic, modifier) {
                let _ = writeln!(text, "- `.{modifier}`: {meaning}");
            } else {
                let _ = writeln!(text, "- `.{modifier}`: Not in the modifier table.");
            }
        }
    }
}

/// Explains the word under the cursor; `None` if the explanation of the instruction already covers it.
fn under_cursor(view: &View<'_>, place: &TokenAt<'_>) -> Option<String> {
    let token = place.token?;
    let word = place.token_text();
    match token.kind {
        TokenKind::SpecialRegister => {
            let meaning = docs::special_register(word)
                .or_else(|| view.kernel.model.isa().special_register(word))
                .unwrap_or("Not in the table of special registers.");
            Some(format!("{}: {meaning}", heading(word)))
        }
        TokenKind::Register
        | TokenKind::UniformRegister
        | TokenKind::Predicate
        | TokenKind::UniformPredicate => Some(operands::register(view, token, word)),
        // Listings of cuobjdump name a branch target by its address.
        TokenKind::Integer => target_of(view, word).or_else(|| Some(operands::integer(word))),
        TokenKind::ConstantBank => Some(format!(
            "**{word}[bank][offset]**: constant memory. Bank 0 holds launch dimensions and kernel parameters; the other \
             banks hold literals and `__constant__` data."
        )),
        TokenKind::Name => target_of(view, word).or_else(|| operands::mapped(view, word)),
        TokenKind::Label => target_of(view, word),
        _ => None,
    }
}

fn target_of(view: &View<'_>, label: &str) -> Option<String> {
    let target = view.kernel.program().instructions[view.inst].target? as usize;
    let text = code(&printed(view.kernel.chunk, target));
    Some(match view.kernel.text(target).address {
        Some(address) => format!("{}: {text} at {address:#06x}", heading(label)),
        None => format!("{}: {text} (instruction {} of the kernel)", heading(label), target + 1),
    })
}

/// Explains an encoding word on its own line: the instruction that it encodes, or the control codes
/// that it contains.
fn word(place: &TokenAt<'_>) -> Option<String> {
    place.token.filter(|token| token.kind == TokenKind::Word)?;
    let before =
        place.line.chunk.instructions().partition_point(|inst| (inst.line as usize) < place.line.line);
    let value = u64::from_str_radix(place.token_text().get(5..21)?, 16).ok()?;
    let own = before
        .checked_sub(1)
        .filter(|&inst| place.line.chunk.instructions()[inst].words.contains(&Some(value)));
    Some(match own {
        Some(inst) => format!("Encoding of {}", code(&printed(place.line.chunk, inst))),
        None => control::control_word(place.line.chunk, before),
    })
}

/// Explains a directive or an assembler tag; `None` if it is undocumented.
fn directive(place: &TokenAt<'_>) -> Option<String> {
    place.token.filter(|token| token.kind == TokenKind::Directive)?;
    let word = place.token_text();
    let tag = word.strip_prefix('<').map(|tag| {
        let name = tag.trim_start_matches('/').split(['>', ' ', '/']).next().unwrap_or_default();
        format!("<{name}>")
    });
    let name = tag.as_deref().unwrap_or(word);
    Some(format!("**`{name}`**: {}", docs::directive(name)?))
}

/// Returns the facts about a kernel if the token is the kernel's name or label; otherwise `None`.
fn header(sass: &SassView, place: &TokenAt<'_>) -> Cancellable<Option<String>> {
    let is_label = place.token.is_some_and(|token| token.kind == TokenKind::Label);
    let Some(name) = place.line.chunk.name().filter(|_| is_label) else { return Ok(None) };
    let word = place.token_text();
    if word != name && word.strip_prefix(".text.") != Some(name) {
        return Ok(None);
    }
    if place.line.chunk.instructions().is_empty() {
        return Ok(demangle(name).map(|demangled| heading(&demangled)));
    }
    kernels::hover::kernel(&sass.kernel(place.line.index)).map(Some)
}
