//! Registers that are declared but not used.

use crate::finding::Severity;
use crate::ptx::{Edit, Finding, Fix, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::{Meaning, StatementKind, Symbol, SymbolKind};
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    code: "unused-register",
    rank: 350,
    group: Group::Style,
    severity: Severity::Hint,
    summary: "A register that is declared but never used.",
    page: include_str!("unused_register.md"),
    checks: &[Check::Ptx(check)],
};

/// Registers that NVIDIA's compilers declare for each call and stack frame, even if unused. Source: PTX of
/// nvcc 13.5.
const SCAFFOLD: [&str; 3] = ["temp_param_reg", "%SP", "%SPL"];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    if subject.body().is_none() {
        return;
    }
    let names = subject.names;
    let used: BTreeSet<u32> = names
        .uses()
        .iter()
        .filter_map(|used| match used.what {
            Meaning::Symbol(symbol, _) => Some(symbol),
            _ => None,
        })
        .collect();
    for (symbol, at) in names.symbols().iter().zip(0..) {
        let is_unused = symbol.kind == SymbolKind::Register && !used.contains(&at);
        if is_unused && !SCAFFOLD.contains(&symbol.name(subject.item)) {
            findings.push(finding(subject, symbol));
        }
    }
}

fn finding(subject: &Subject<'_>, symbol: &Symbol) -> Finding {
    let item = subject.item;
    let name = symbol.name(item);
    let message = match symbol.count {
        Some(count) => format!("none of the {count} registers `{name}<{count}>` is used"),
        None => format!("register `{name}` is never used"),
    };
    let token = &item.tokens()[symbol.token as usize];
    let mut finding = Finding::new(RULE.code, token.start..token.end(), message);
    finding.fixes.extend(removal(subject, symbol));
    finding
}

/// A fix that removes the declaration; `None` if the declaration contains other registers.
fn removal(subject: &Subject<'_>, symbol: &Symbol) -> Option<Fix> {
    let statement = subject.item.statements().get(symbol.statement as usize)?;
    let declares = subject.names.symbols().iter().filter(|other| other.statement == symbol.statement).count();
    if declares != 1 || statement.kind != StatementKind::Variable {
        return None;
    }
    let edits = vec![Edit { place: subject.item.range(statement), text: String::new() }];
    Some(Fix { title: format!("Remove the declaration of `{}`", symbol.name(subject.item)), edits })
}
