//! Signature help: the operands of the instruction at the cursor, or the parameters of the called
//! function.

use super::complete::{OperandSite, Site, SiteKind, forms, possible, present};
use super::{referent, roles, symbols};
use crate::ptx::view::View;
use crate::{Signature, SignatureOperand};
use machine::ptx::{Form, OperandKind};
use model::ptx::{Instruction, bind};
use std::fmt::Write;
use syntax::ptx::{Item, StatementKind};

/// Signature at an offset. `None` outside of operands, after the last operand, or if no form matches
/// the instruction.
pub(crate) fn signature(view: &View<'_>, offset: usize) -> Option<Signature> {
    let site = Site::at(view, offset)?;
    let (SiteKind::Operand(operand), item) = (&site.context, site.place.item) else { return None };
    if let Some(callee) = callee(view, operand) {
        return of_call(callee, operand.element);
    }
    // Forms with the same modifiers are distinguished by the operands of the statement.
    let statement = item.statement_at(site.word.start.saturating_sub(1));
    let statement = statement.map(|at| &item.statements()[at]);
    let is_instruction = |kind| matches!(kind, StatementKind::Instruction { .. });
    let bound = statement
        .filter(|statement| is_instruction(statement.kind))
        .and_then(|statement| bind(&view.table, item, statement)?.ok());
    of_instruction(view, operand, bound.as_ref())
}

fn of_instruction(
    view: &View<'_>,
    site: &OperandSite,
    bound: Option<&Instruction<'_, '_>>,
) -> Option<Signature> {
    let found = forms(&view.table, &site.spelled);
    let is_bound = |form: &Form| bound.is_some_and(|bound| std::ptr::eq(bound.form, form));
    let (form, words) = found.iter().find(|(form, _)| is_bound(form)).or_else(|| found.first())?;
    let bound = bound.filter(|_| is_bound(form));
    let operands = present(form, words);
    let active = *possible(&operands, site).first()?;
    let mut spelling = site.spelled.opcode.clone();
    for modifier in &site.spelled.modifiers {
        let _ = write!(spelling, ".{modifier}");
    }
    let label = roles::Label::new(&spelling, operands.iter().copied());
    let meanings = operands.iter().map(|operand| roles::in_words(operand, bound));
    let described = label.operands.into_iter().zip(meanings);
    Some(Signature {
        label: label.text,
        summary: view.table.page(&form.name).map_or_else(String::new, |page| page.summary().to_owned()),
        operands: described.map(|(label, meaning)| SignatureOperand { label, meaning }).collect(),
        active,
    })
}

/// The called function, if the cursor is in the arguments or results of a call; otherwise `None`.
fn callee<'a>(view: &View<'a>, site: &OperandSite) -> Option<&'a Item> {
    let calls = |form: &Form| form.operands.iter().any(|operand| operand.kind == OperandKind::Function);
    if site.bracket != Some(b'(') || !view.table.instruction(&site.spelled.opcode).iter().any(calls) {
        return None;
    }
    let name = site.before.iter().rev().find(|operand| !operand.starts_with('('))?;
    let global = referent::main_declaration(view, name)?;
    global.function.as_ref()?;
    Some(&view.module.items()[global.item])
}

fn of_call(item: &Item, active: usize) -> Option<Signature> {
    let function = item.function()?;
    let name = item.name()?;
    let mut label = format!("{name}(");
    let mut operands = Vec::new();
    for parameter in item.parameters(function.parameters) {
        for declared in parameter.declarators() {
            if !operands.is_empty() {
                label.push_str(", ");
            }
            let start = label.len();
            label.push_str(item.token_text(declared.name));
            let meaning = format!("`{}`", symbols::in_words(item, &parameter, &declared));
            operands.push(SignatureOperand { label: start..label.len(), meaning });
        }
    }
    label.push(')');
    let summary = crate::engine::names::demangle(name).unwrap_or_default();
    (active < operands.len()).then_some(Signature { label, summary, operands, active })
}
