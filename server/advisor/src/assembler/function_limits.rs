//! Limits of a complete function: the total size of its parameters, and settings that its instructions must
//! share.

use super::code::Code;
use super::findings::Findings;
use crate::finding::ItemRelated as Related;
use machine::LaunchLimits;
use machine::ptx::Version;
use model::ptx::{SymbolKind, alignment, bytes_of};
use std::ops::Range;
use syntax::ptx::{FunctionKind, StatementKind};

/// First PTX version in which a kernel may have more than `short_parameter_bytes` of parameters.
const LONG_PARAMETERS: Version = Version { major: 8, minor: 1 };

/// Maximum number of parameters whose sizes a message lists.
const LISTED: usize = 4; // limit: length of a message

pub(super) fn check(out: &mut Findings<'_>) {
    if out.facts.item.errors().is_empty() {
        parameter_space(out);
        cta_groups(out);
        register_budget(out);
    }
}

/// Checks the total size of a kernel's parameters.
fn parameter_space(out: &mut Findings<'_>) {
    let facts = out.facts;
    let Some(function) = facts.item.function().filter(|function| function.kind == FunctionKind::Entry) else {
        return;
    };
    let (Some(name), Some((version, target))) = (function.name, facts.context.module.version_and_target())
    else {
        return;
    };
    let tables = facts.context.tables;
    let mut sizes = Vec::new();
    let mut end = 0_u64;
    for symbol in facts.names.symbols().iter().filter(|symbol| symbol.kind == SymbolKind::Parameter) {
        let ty = symbol.type_word(facts.item);
        let (Some(bytes), Some(align)) = (bytes_of(symbol, ty, tables), alignment(symbol, ty, tables)) else {
            return;
        };
        end = end.saturating_add(align - 1) / align * align;
        end = end.saturating_add(bytes);
        sizes.push((symbol.name(facts.item), bytes));
    }
    let limits = LaunchLimits::builtin();
    let (most, short) = (limits.parameter_bytes.value, limits.short_parameter_bytes.value);
    if end <= u64::from(short) {
        return;
    }
    sizes.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let listed: Vec<String> =
        sizes.iter().take(LISTED).map(|(name, bytes)| format!("`{name}` {bytes}")).collect();
    let more = if sizes.len() > LISTED { ", …" } else { "" };
    let have = format!("the parameters take {end} bytes ({}{more})", listed.join(", "));
    let first = limits.first_long_parameters.value;
    let (code, message) = if u32::from(target.sm) < first {
        let message = format!("{have}; more than {short} require sm_{first} or later");
        (Code::AboveTarget, format!("{message}; the module targets {target}"))
    } else if version < LONG_PARAMETERS {
        let message = format!("{have}; more than {short} require PTX {LONG_PARAMETERS}");
        (Code::AboveVersion, format!("{message}; the module uses {version}"))
    } else if end > u64::from(most) {
        (Code::InvalidDeclaration, format!("{have}; a kernel may have {most}"))
    } else {
        return;
    };
    out.error(code, facts.range_of(name), message);
}

/// Checks that all tensor memory instructions of a function have the same `.cta_group`.
///
/// Bulk copies (`cp.async.bulk`) may use either group. Source: ptxas 13.5 for sm_100a.
fn cta_groups(out: &mut Findings<'_>) {
    let facts = out.facts;
    let mut first: Option<(&str, Range<u32>)> = None;
    for statement in facts.item.instructions() {
        let StatementKind::Instruction { opcode, .. } = statement.kind else { continue };
        let is_group = |token: &u32| facts.text(*token).starts_with(".cta_group::");
        if !facts.text(opcode).starts_with("tcgen05") || facts.is_broken(statement) {
            continue;
        }
        let Some(token) = (statement.tokens.start..statement.tokens.end).find(is_group) else { continue };
        let (word, range) = (facts.text(token), facts.range_of(token));
        let Some((group, place)) = &first else {
            first = Some((word, range));
            continue;
        };
        if *group == word {
            continue;
        }
        let message = format!("`{word}` and `{group}` cannot be used in one function");
        let related = Related { place: place.clone(), message: format!("`{group}` is used here") };
        out.add(Code::MisplacedModifier, true, range, message).related.push(related);
        return;
    }
}

/// Reports `setmaxnreg` in a kernel without a fixed register count at entry. ptxas ignores the instruction
/// there, with an advisory (C7508).
///
/// Source: ptxas 13.5 for sm_90a, nine combinations of directives.
fn register_budget(out: &mut Findings<'_>) {
    let facts = out.facts;
    let Some(function) = facts.item.function().filter(|function| function.kind == FunctionKind::Entry) else {
        return;
    };
    let words: Vec<&str> =
        facts.item.performance(function).map(|one| facts.item.token_text(one.word)).collect();
    let has = |word: &str| words.contains(&word);
    let is_known = has(".maxnreg") || has(".minnctapersm") && (has(".maxntid") || has(".reqntid"));
    if is_known {
        return;
    }
    for statement in facts.item.instructions() {
        let StatementKind::Instruction { opcode, .. } = statement.kind else { continue };
        if facts.text(opcode) == "setmaxnreg" {
            let missing = if has(".maxntid") || has(".reqntid") {
                "`.minnctapersm` or `.maxnreg`"
            } else {
                "`.maxnreg`, or `.minnctapersm` with `.maxntid`"
            };
            let message = format!(
                "ptxas ignores `setmaxnreg` here: the kernel does not fix its registers at entry; add {missing}"
            );
            out.warning(Code::UselessModifier, facts.range_of(opcode), message);
        }
    }
}
