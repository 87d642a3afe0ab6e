//! Documentation pages of proposed items, computed when an item is selected.

use super::items;
use crate::CompletionKind;
use crate::engine::sass_view::SassView;
use crate::sass::modifiers;
use machine::{Isa, docs};
use std::fmt::Write;
use std::sync::Arc;

/// Returns the page of a proposed item, in Markdown; for a modifier, `opcode` is the opcode that it modifies. `None` if
/// there is nothing to say.
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

/// Instruction set of the first kernel's architecture.
fn isa(sass: &SassView) -> Option<Arc<Isa>> {
    let chunks = sass.listing().chunks();
    let chunk = sass.kernels().next().map(|(_, chunk)| chunk).or_else(|| chunks.first())?;
    Some(Arc::clone(&sass.isa_arch(chunk).isa))
}

/// The parts of an opcode's page that a writer needs: what it does and computes, its operands, its pitfalls.
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
