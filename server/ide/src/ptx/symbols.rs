//! Outline: functions with their parameters, variables, labels, loops and barriers; module variables;
//! sections.

use super::{blocks, lines};
use crate::engine::cancel::Cancellable;
use crate::engine::names::demangle;
use crate::engine::outline::{nested, uncrossed};
use crate::engine::ptx_text::placed;
use crate::ptx::view::View;
use crate::words::numbers::counted;
use crate::{Symbol, SymbolKind};
use model::ptx::{Meaning, Names, UseKind};
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::ptx::{Declarator, Function, FunctionKind, Item, ItemKind, Statement, StatementKind, Variable};

pub(crate) fn symbols(view: &View<'_>) -> Cancellable<Vec<Symbol>> {
    let mut symbols = Vec::new();
    for (index, item) in view.module.items().iter().enumerate() {
        view.cancel.check()?;
        let start = view.start(index);
        match item.kind() {
            ItemKind::Function => symbols.extend(function(view, item, start)),
            ItemKind::Variable => {
                let statements = item.statements().iter();
                symbols.extend(statements.filter_map(|one| item.variable(one)).flat_map(|variable| {
                    variable
                        .declarators()
                        .map(move |name| declared(item, start, &variable, &name))
                        .collect::<Vec<_>>()
                }));
            }
            ItemKind::Section => symbols.extend(section(item, start)),
            ItemKind::Directive | ItemKind::Blank | ItemKind::Error => {}
        }
    }
    Ok(symbols)
}

/// Byte range of an item, from its first token to its last token; `None` if the item has no tokens.
pub(super) fn extent(item: &Item) -> Option<Range<u32>> {
    Some(item.tokens().first()?.start..item.tokens().last()?.end())
}

fn function(view: &View<'_>, item: &Item, start: usize) -> Option<Symbol> {
    let function = item.function()?;
    let name = item.name_token()?;
    let raw = item.token_text(name);
    Some(Symbol {
        name: demangle(raw).unwrap_or_else(|| raw.to_owned()),
        detail: in_short(item, function),
        kind: if function.kind == FunctionKind::Entry { SymbolKind::Kernel } else { SymbolKind::Function },
        range: placed(start, &extent(item)?),
        selection: placed(start, &(name.start..name.end())),
        children: nested(children(item, function, view.facts(item).names(item), start)),
    })
}

/// Detail of a function: `entry, 2 parameters, 45 instructions`.
fn in_short(item: &Item, function: &Function) -> String {
    let kind = if function.kind == FunctionKind::Entry { "entry" } else { "func" };
    let parameters = item.parameters(function.parameters).flat_map(|one| one.declarators()).count();
    let parameters = counted(parameters, "parameter");
    if function.body.is_none() {
        return format!("{kind}, {parameters}, declared only");
    }
    format!("{kind}, {parameters}, {}", counted(item.instructions().count(), "instruction"))
}

/// Parameters, variables (without registers), labels, loops and barriers, in text order.
fn children(item: &Item, function: &Function, names: &Names, start: usize) -> Vec<Symbol> {
    let mut found = Vec::new();
    for variable in item.parameters(function.parameters) {
        found.extend(
            variable.declarators().map(|name| Symbol {
                kind: SymbolKind::Parameter,
                ..declared(item, start, &variable, &name)
            }),
        );
    }
    let statements = item.statements();
    let labels = blocks::labelled(item);
    let mut loops = uncrossed(loops(item, names)).into_iter().peekable();
    // Last statements of the enclosing loops, innermost loop last.
    let mut around: Vec<usize> = Vec::new();
    // Number of instructions before each statement.
    let mut before = vec![0];
    for (at, statement) in statements.iter().enumerate() {
        before.push(before[at] + usize::from(matches!(statement.kind, StatementKind::Instruction { .. })));
    }
    for (at, statement) in statements.iter().enumerate() {
        while around.pop_if(|last| *last < at).is_some() {}
        let begun = loops.next_if(|(first, _)| *first as usize == at);
        around.extend(begun.map(|(_, last)| last as usize));
        match statement.kind {
            StatementKind::Variable => {
                let Some(variable) = item.variable(statement) else { continue };
                if variable.space().is_some_and(|space| item.token_text(space) != ".reg") {
                    let names = variable.declarators();
                    found.extend(names.map(|name| declared(item, start, &variable, &name)));
                }
            }
            StatementKind::Label => {
                let Ok(label) = labels.binary_search_by_key(&at, |(label, _)| *label) else { continue };
                let Some(name) = item.tokens().get(statement.tokens.start as usize) else { continue };
                let last = match (begun, around.last()) {
                    (Some((_, last)), _) => last as usize,
                    // Statements after a loop do not belong to the loop's last label.
                    (None, Some(end)) => labels[label].1.min(*end),
                    (None, None) => labels[label].1,
                };
                let count = counted(before[last + 1] - before[at], "instruction");
                found.push(Symbol {
                    name: item.token_text(name).to_owned(),
                    detail: if begun.is_some() { format!("loop, {count}") } else { count },
                    kind: if begun.is_some() { SymbolKind::Loop } else { SymbolKind::Label },
                    range: placed(start, &lines::span(item, statement, &statements[last])),
                    selection: placed(start, &(name.start..name.end())),
                    children: Vec::new(),
                });
            }
            StatementKind::Instruction { .. } if is_barrier(item, statement) => {
                let range = item.range(statement);
                let selection = placed(start, &range);
                found.push(Symbol {
                    name: lines::text(item, &range).trim_end_matches(';').to_owned(),
                    detail: String::new(),
                    kind: SymbolKind::Barrier,
                    range: selection.clone(),
                    selection,
                    children: Vec::new(),
                });
            }
            _ => {}
        }
    }
    found
}

/// Loops of a function, as a map from the statement index of a label to the index of the last branch back to the label.
fn loops(item: &Item, names: &Names) -> BTreeMap<u32, u32> {
    let mut ends = BTreeMap::new();
    let statement_of = |token: u32| {
        let byte = item.tokens().get(token as usize)?.start;
        item.statement_at(byte).and_then(|at| u32::try_from(at).ok())
    };
    for used in names.uses().iter().filter(|used| used.kind == UseKind::Jump) {
        let Meaning::Symbol(symbol, _) = used.what else { continue };
        let label = statement_of(names.symbols()[symbol as usize].token);
        let (Some(label), Some(jump)) = (label, statement_of(used.token)) else { continue };
        let is_code = matches!(item.statements()[jump as usize].kind, StatementKind::Instruction { .. });
        if is_code && label < jump {
            ends.insert(label, jump);
        }
    }
    ends
}

/// True for an instruction that synchronises the threads of a block or cluster.
fn is_barrier(item: &Item, statement: &Statement) -> bool {
    let StatementKind::Instruction { opcode, .. } = statement.kind else { return false };
    item.tokens()
        .get(opcode as usize)
        .is_some_and(|token| matches!(item.token_text(token), "bar" | "barrier"))
}

fn declared(item: &Item, start: usize, variable: &Variable<'_>, name: &Declarator<'_>) -> Symbol {
    let range = placed(start, &(name.name.start..name.name.end()));
    Symbol {
        name: item.token_text(name.name).to_owned(),
        detail: in_words(item, variable, name),
        kind: SymbolKind::Variable,
        range: range.clone(),
        selection: range,
        children: Vec::new(),
    }
}

/// All variables that an item declares. Variables in a function's head come first.
pub(super) fn declarations(item: &Item) -> Vec<(Variable<'_>, Declarator<'_>)> {
    let heads = item.function().into_iter().flat_map(|function| [function.returns, function.parameters]);
    let of_heads = heads.flat_map(|range| item.parameters(range));
    let of_bodies = item.statements().iter().filter_map(|statement| item.variable(statement));
    let all = of_heads.chain(of_bodies);
    all.flat_map(|variable| variable.declarators().map(move |name| (variable, name))).collect()
}

/// Formats a declaration without its name: `.global .align 4 .b8[64]`.
pub(super) fn in_words(item: &Item, variable: &Variable<'_>, name: &Declarator<'_>) -> String {
    let word = |token: Option<&syntax::ptx::Token>| token.map(|token| item.token_text(token));
    let align = word(variable.align()).map(|bytes| format!(".align {bytes}"));
    let mut words: Vec<String> = Vec::new();
    words.extend(word(variable.space()).map(str::to_owned));
    words.extend(align);
    words.extend([variable.vector(), variable.ty()].into_iter().filter_map(word).map(str::to_owned));
    let mut text = words.join(" ");
    for dimension in name.dimensions() {
        text.push('[');
        text.push_str(word(dimension).unwrap_or_default());
        text.push(']');
    }
    text
}

fn section(item: &Item, start: usize) -> Option<Symbol> {
    let name = item.tokens().get(1)?;
    Some(Symbol {
        name: item.token_text(name).to_owned(),
        detail: counted(item.lines() as usize, "line"),
        kind: SymbolKind::Section,
        range: placed(start, &extent(item)?),
        selection: placed(start, &(name.start..name.end())),
        children: Vec::new(),
    })
}
