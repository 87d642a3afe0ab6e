//! Kernels that declare more shared memory than the GPU allows.

use crate::finding::Severity;
use crate::ptx::{Finding, Related, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::{FunctionKind, Meaning, Space, SymbolKind, bytes_of};
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    code: "shared-over-budget",
    rank: 360,
    group: Group::Occupancy,
    severity: Severity::Error,
    summary: "A kernel that declares more shared memory than ptxas accepts.",
    page: include_str!("shared_over_budget.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let item = subject.item;
    let is_entry = item.function().is_some_and(|function| function.kind == FunctionKind::Entry);
    let Some(most) = subject.tables.static_shared_bytes().filter(|_| is_entry) else { return };
    let (bytes, places) = declared(subject);
    if subject.body().is_none() || bytes <= u64::from(most.value) {
        return;
    }
    let Some(name) = item.name_token() else { return };
    let message = format!(
        "`{}` declares {bytes} bytes of shared memory; the static limit is {} ({}). For more, use dynamic shared \
         memory: an `.extern .shared` array sized at launch, up to {} bytes on sm_{}",
        item.token_text(name),
        most.value,
        most.source,
        subject.gpu.arch.resources.shared_per_block.value,
        subject.gpu.arch.sm
    );
    findings.push(Finding { related: places, ..Finding::new(RULE.code, name.start..name.end(), message) });
}

/// The static shared memory, in bytes, that a function declares or uses from module scope. Returned with the
/// positions of the declarations and uses.
pub(super) fn declared(subject: &Subject<'_>) -> (u64, Vec<Related>) {
    let item = subject.item;
    let mut bytes = 0_u64;
    let mut places = Vec::new();
    for symbol in subject.names.symbols() {
        if symbol.kind == SymbolKind::Variable
            && symbol.space == Some(Space::Shared)
            && let Some(own) = bytes_of(symbol, symbol.type_word(item), subject.tables)
        {
            bytes = bytes.saturating_add(own);
            let token = &item.tokens()[symbol.token as usize];
            places.push(Related { place: token.start..token.end(), message: format!("{own} bytes") });
        }
    }
    let mut counted = BTreeSet::new();
    for used in subject.names.uses().iter().filter(|used| used.what == Meaning::Outer) {
        let Some(token) = item.tokens().get(used.token as usize) else { continue };
        let name = item.token_text(token);
        let Some(global) = subject.globals.find(name).filter(|global| global.is_definition) else { continue };
        let shared = global.variable.as_ref().filter(|variable| variable.space == Some(Space::Shared));
        let own = shared.and_then(|variable| bytes_of(variable, global.ty.as_deref(), subject.tables));
        if let Some(own) = own.filter(|_| counted.insert(name)) {
            bytes = bytes.saturating_add(own);
            places.push(Related { place: token.start..token.end(), message: format!("{own} bytes") });
        }
    }
    (bytes, places)
}
