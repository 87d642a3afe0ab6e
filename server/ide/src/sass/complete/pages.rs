//! Documentation of proposed items, computed when the user selects an item.

use super::items;
use crate::CompletionKind;
use crate::engine::sass_view::SassView;
use crate::sass::modifiers;
use machine::{Isa, docs};
use std::fmt::Write;
use std::sync::Arc;

/// Returns the documentation of a proposed item, in Markdown. For a modifier, `opcode` is the opcode
/// that it modifies. `None` if the item is undocumented.
pub(crate) fn page(sass: &SassView, kind: CompletionKind, label: &str, opcode: &str) -> Option<String> {
    let isa = isa(sass)?;
    match kind {
        CompletionKind::Opcode => of_opcode(&isa, label),
        CompletionKind::Modifier => {
            let meaning = modifiers::meaning(&isa, opcode, label)?;
            Some(format!("`.{label}`: {meaning}"))
        }
        CompletionKind::SpecialRegister => {
            let meaning = docs::special_register(label).or_else(|| isa.special_register(label))?;
            Some(format!("**{label}**: {meaning}"))
        }
        _ => None,
    }
}

/// Instruction set of the first kernel's architecture; `None` if the listing is empty.
fn isa(sass: &SassView) -> Option<Arc<Isa>> {
    let chunks = sass.listing().chunks();
    let chunk = sass.kernels().next().map(|(_, chunk)| chunk).or_else(|| chunks.first())?;
    Some(Arc::clone(&sass.isa_arch(chunk).isa))
}

/// Formats the sections of an opcode's page that are useful while writing: summary, operation, operands
/// and pitfalls.
fn of_opcode(isa: &Isa, opcode: &str) -> Option<String> {
    let page = docs::opcode(opcode)?;
    let mut text = format!("**{opcode}**: {}", items::summary(isa, opcode));
    if let Some(operation) = page.operation() {
        let _ = write!(text, "\n\n{operation}");
    }
    let mut operands = page.operands().peekable();
    if operands.peek().is_some() {
        text.push('\n');
    }
    for (names, meaning) in operands {
        let _ = write!(text, "\n- {names}: {meaning}");
    }
    let mut pitfalls = page.pitfalls().peekable();
    if pitfalls.peek().is_some() {
        text.push('\n');
    }
    for pitfall in pitfalls {
        let _ = write!(text, "\n- Note: {pitfall}");
    }
    Some(text)
}
