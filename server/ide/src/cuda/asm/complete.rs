//! Completion in the strings of `asm` statements.

use super::at_cursor::CodeAtCursor;
use super::operand;
use crate::cuda::view::CudaView;
use crate::engine::lineage::Lineage;
use crate::engine::ptx_text::PtxText;
use crate::ptx::complete;
use crate::ptx::view::View;
use crate::{Completion, CompletionKind, Completions};
use std::sync::Arc;

/// Returns completions for PTX, including the statement's operands, escaped as required in the strings.
/// `None` outside of the strings.
pub(crate) fn completions(view: &CudaView<'_>, offset: usize) -> Option<Completions> {
    let code = CodeAtCursor::new(view, offset)?;
    let cursor = code.cursor(offset)?;
    let found = code.ask(view, |view| complete::completions(view, cursor))?;
    let range = code.word(&found.range, offset)?;
    let typed = view.text.text().get(range.start..offset)?;
    let items = found.items.into_iter().filter_map(|item| written(&code, item, typed));
    Some(Completions { range, opcode: found.opcode, items: items.collect() })
}

/// Escapes a completion item as required in the strings. `None` if the item cannot be used in an `asm`
/// statement.
fn written(code: &CodeAtCursor<'_>, item: Completion, typed: &str) -> Option<Completion> {
    let is_doubled = typed.starts_with("%%");
    if let Some(own) = code.operand_named(&item.label) {
        let (role, value) = (operand::role(code.text(), own), operand::value(code.text(), own));
        let detail = format!("{}, {role}: {value}", item.detail);
        return (!is_doubled).then_some(Completion { detail, ..item });
    }
    if item.kind == CompletionKind::Snippet {
        return None;
    }
    if !item.label.starts_with('%') || !code.doubles_percents() {
        return Some(item);
    }
    // After a single `%`, offer the name with `%%`.
    let filter = (typed.starts_with('%') && !is_doubled).then(|| item.label.clone());
    Some(Completion { label: format!("%{}", item.label), filter, ..item })
}

/// Returns the documentation of a proposed item, in Markdown. `None` if the item has no documentation.
pub(crate) fn page(view: &CudaView<'_>, kind: CompletionKind, label: &str, opcode: &str) -> Option<String> {
    let (text, lineage) = (Arc::new(PtxText::parse("")), Lineage::default());
    let name = if label.starts_with("%%") { &label[1..] } else { label };
    complete::page(&View::new(&text, &lineage, view.context, view.cancel), kind, name, opcode)
}
