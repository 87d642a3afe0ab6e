//! The rule for PTX: variables that a function declares in local memory.

use super::RULE;
use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use model::ptx::{Meaning, Space, SymbolKind, bytes_of};

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    if subject.fast_body().is_none() {
        return;
    }
    let item = subject.item;
    for (symbol, at) in subject.names.symbols().iter().zip(0..) {
        if symbol.kind != SymbolKind::Variable || symbol.space != Some(Space::Local) {
            continue;
        }
        let is_used = subject
            .names
            .uses()
            .iter()
            .any(|used| matches!(used.what, Meaning::Symbol(symbol, _) if symbol == at));
        if !is_used {
            continue;
        }
        let size = bytes_of(symbol, symbol.type_word(item), subject.tables);
        let size = size.map_or_else(String::new, |bytes| format!("{bytes} bytes of "));
        let token = &item.tokens()[symbol.token as usize];
        let message = format!(
            "`{}` takes {size}local memory per thread, which is cached like global memory. ptxas can keep it in \
             registers instead if every index is constant",
            symbol.name(item)
        );
        findings.push(Finding {
            severity: Some(Severity::Hint),
            ..Finding::new(RULE.code, token.start..token.end(), message)
        });
    }
}
