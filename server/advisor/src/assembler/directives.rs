//! Checks directives: their positions and their arguments.

use super::code::Code;
use super::findings::Findings;
use super::needs;
use machine::nearest_name;
use model::ptx::{Meaning, SymbolKind};
use syntax::ptx::{FunctionKind, ItemKind, Performance, Statement, StatementKind, TokenKind, literal};

pub(super) fn check(out: &mut Findings<'_>) {
    let facts = out.facts;
    performance(out);
    for statement in facts.item.statements() {
        if statement.kind != StatementKind::Directive || facts.is_broken(statement) {
            continue;
        }
        match facts.item.directive(statement) {
            Some(".branchtargets") => target_list(out, statement, SymbolKind::Label),
            Some(".calltargets") => target_list(out, statement, SymbolKind::Function),
            Some(".pragma") if facts.item.kind() == ItemKind::Directive => {}
            Some(word) => directive_need(out, statement, word),
            None => {}
        }
    }
}

fn directive_need(out: &mut Findings<'_>, statement: &Statement, word: &str) {
    let facts = out.facts;
    if matches!(word, ".version" | ".target" | ".address_size") {
        return;
    }
    let Some((version, target)) = facts.context.module.version_and_target() else { return };
    let Some(directive) = facts.context.tables.directive(word) else { return };
    if !directive.need.is_met(version, target) {
        needs::report(out, facts.range_of(statement.tokens.start), &format!("`{word}`"), &directive.need);
    }
}

/// Checks the directives between a function's parameters and its body.
fn performance(out: &mut Findings<'_>) {
    let facts = out.facts;
    let Some(function) = facts.item.function().copied() else { return };
    let head = facts.item.statements().first();
    if head.is_none_or(|head| facts.is_broken(head)) {
        return;
    }
    let is_entry = function.kind == FunctionKind::Entry;
    let all: Vec<Performance<'_>> = facts.item.performance(&function).collect();
    let has = |name: &str| all.iter().any(|one| facts.item.token_text(one.word) == name);
    let conflicts = [(".maxntid", ".reqntid"), (".reqnctapercluster", ".maxclusterrank")];
    let conflict = conflicts.into_iter().find(|(first, second)| has(first) && has(second));
    let has_results = function.returns.start < function.returns.end;
    for one in &all {
        let word = facts.item.token_text(one.word);
        let is_for_kernels = matches!(
            word,
            ".maxnreg"
                | ".maxntid"
                | ".reqntid"
                | ".minnctapersm"
                | ".maxnctapersm"
                | ".reqnctapercluster"
                | ".explicitcluster"
                | ".maxclusterrank"
                | ".blocksareclusters"
                | ".minperctamemory"
        );
        let is_for_functions = matches!(word, ".noreturn" | ".abi_preserve" | ".abi_preserve_control");
        let Some(directive) = facts.context.tables.directive(word) else {
            let all = facts.context.tables.directives();
            let known = all.filter(|one| one.places.iter().any(|place| &**place == "function"));
            let near = nearest_name(word, known.map(|one| &*one.name));
            let message = format!("`{word}` is not a function directive");
            out.add(Code::InvalidDirective, true, one.word, message).suggest(near);
            continue;
        };
        let clash = conflict.filter(|(_, second)| *second == word);
        let wrong = if is_for_kernels && !is_entry {
            Some(format!("`{word}` is only for kernels, not for a .func"))
        } else if is_for_functions && is_entry {
            Some(format!("`{word}` is only for a .func, not for kernels"))
        } else if word == ".noreturn" && has_results {
            Some("a .noreturn function cannot have results".to_owned())
        } else {
            clash.map(|(first, second)| format!("`{first}` and `{second}` cannot be combined"))
        };
        if let Some(message) = wrong {
            out.error(Code::InvalidDirective, one.word, message);
        } else if let Some((version, target)) = facts.context.module.version_and_target()
            && !directive.need.is_met(version, target)
        {
            needs::report(out, one.word, &format!("`{word}`"), &directive.need);
        } else {
            sizes(out, one, word);
        }
    }
}

/// Checks the numbers of a directive, such as `.maxntid 256, 1, 1`.
fn sizes<'a>(out: &mut Findings<'a>, one: &Performance<'a>, word: &str) {
    let most = match word {
        ".maxntid" | ".reqntid" | ".reqnctapercluster" => 3,
        ".maxnreg" | ".minnctapersm" | ".maxnctapersm" | ".maxclusterrank" => 1,
        _ => return,
    };
    let arguments: Vec<_> = one.arguments().collect();
    if arguments.is_empty() || arguments.len() > most {
        let takes = if most == 1 { "one number".to_owned() } else { format!("one to {most} numbers") };
        let message = format!("`{word}` takes {takes}, not {}", arguments.len());
        return out.error(Code::InvalidDirective, one.word, message);
    }
    for argument in arguments {
        let is_fit = match argument.tokens() {
            [number] if number.kind == TokenKind::Integer => {
                literal::integer(out.facts.item.token_text(number)) != Some(0)
            }
            _ => false,
        };
        if !is_fit {
            let message = format!("`{word}` takes a positive number here, not `{}`", argument.text());
            out.error(Code::InvalidDirective, &argument, message);
        }
    }
}

/// Checks the names in a target list.
fn target_list(out: &mut Findings<'_>, statement: &Statement, kind: SymbolKind) {
    let facts = out.facts;
    for token in statement.tokens.start + 1..statement.tokens.end {
        let Some(used) = facts.names.use_at(token) else { continue };
        let fits = match used.what {
            Meaning::Symbol(symbol, _) => facts.names.symbols()[symbol as usize].kind == kind,
            Meaning::Outer => {
                let global = facts.context.globals.find(facts.text(token));
                global.is_none_or(|global| global.kind == kind)
            }
            _ => false,
        };
        if !fits {
            let what = if kind == SymbolKind::Label { "label" } else { "function" };
            let message = format!("`{}` is not a {what}", facts.text(token));
            out.error(Code::OperandKind, facts.range_of(token), message);
        }
    }
}
