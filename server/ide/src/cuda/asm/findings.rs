//! Errors that nvcc and ptxas would report in `asm` statements.

use super::text_of;
use crate::cuda::allowed::is_allowed;
use crate::cuda::view::{CudaView, lines_of};
use crate::engine::cancel::Cancellable;
use crate::engine::hashing::hash_of;
use crate::engine::proposed::proposed;
use crate::engine::rules::level;
use crate::{Diagnostic, Fix, Related, Severity};
use advisor::inline_asm::{self, Code, Statement};
use advisor::ptx::Finding;
use machine::ptx::{Feature, Ptx, Target};
use model::cuda::SourceSpan;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;
use syntax::cuda::asm::Template;
use syntax::cuda::{ExprKind, Function, Item, ItemKind, PlacedItem};

/// Codes of errors that depend on the architecture. Code under an unknown preprocessor condition may be for
/// another architecture.
const OF_TARGET: [&str; 2] = ["above-target", "above-version"];

/// Codes of errors about names that another statement of the function may declare.
const OF_NAMES: [&str; 2] = ["undeclared-name", "undefined-label"];

/// Returns the findings in all `asm` statements, in text order.
pub(crate) fn findings(view: &CudaView<'_>) -> Cancellable<Vec<Diagnostic>> {
    let mut found = Vec::new();
    let (known, called) = (known_names(view), called_names(view));
    for (placed, at) in with_asm(view) {
        view.cancel.check()?;
        let all = found_in(view, placed, &known, &called);
        if all.is_empty() {
            continue;
        }
        let conditions = view.text.conditions().around(&placed.item);
        for finding in all.iter() {
            let range = placed.range(&finding.place);
            let is_left_out = conditions.is_left_out(range.start)
                || OF_TARGET.contains(&finding.code) && conditions.is_unknown(range.start);
            if !is_left_out {
                found.extend(shown(view, placed, at, finding));
            }
        }
    }
    found.sort_by_key(|diagnostic| diagnostic.range.start);
    Ok(found)
}

/// Returns the fixes for a rule's finding at a range.
pub(crate) fn fixes(view: &CudaView<'_>, rule: &str, range: &Range<usize>) -> Vec<Fix> {
    let Some((placed, _)) = view.text.unit().item_at(range.start) else { return Vec::new() };
    let all = found_in(view, placed, &known_names(view), &called_names(view));
    proposed(all.iter(), rule, range, |bytes| placed.range(bytes))
}

/// Returns the items that contain `asm` statements, with their indices.
fn with_asm<'a>(view: &CudaView<'a>) -> impl Iterator<Item = (&'a PlacedItem, u32)> + use<'a> {
    view.text.unit().items.iter().zip(0..).filter(|(placed, _)| !placed.item.asm.is_empty())
}

/// Returns the names that `asm` statements declare for later statements of their function, in alphabetical order.
fn known_names<'a>(view: &CudaView<'a>) -> Vec<&'a str> {
    let blocks = with_asm(view).flat_map(|(placed, _)| &placed.item.asm);
    let mut names: Vec<&str> = blocks.flat_map(|block| &block.open_names).map(|name| &**name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the findings in the statements of an item, including findings of rules that are off. Ranges are
/// relative to the item.
fn found_in(
    view: &CudaView<'_>,
    placed: &PlacedItem,
    known: &[&str],
    called: &FxHashSet<&str>,
) -> Arc<[Finding]> {
    let target = target_of(view, &placed.item, called);
    let asked = hash_of(&(target.map(|target| target.sm), known));
    view.text.asm_findings(placed.hash, asked, || {
        let tables = Ptx::builtin();
        let known: FxHashSet<&str> = known.iter().copied().collect();
        let text = text_of(view, placed);
        let mut found = Vec::new();
        for block in &placed.item.asm {
            let statement = Statement { item: &placed.item, text, block };
            found.extend(of_statement(view, statement, &tables, target, &known));
        }
        found
    })
}

fn of_statement(
    view: &CudaView<'_>,
    statement: Statement<'_>,
    tables: &Ptx,
    target: Option<Target>,
    known: &FxHashSet<&str>,
) -> Vec<Finding> {
    let Statement { item, text, block } = statement;
    let Some(template) = Template::read(text, block).filter(|template| statement.is_ptx(template, tables))
    else {
        return Vec::new();
    };
    // A line with a syntax error may be incomplete.
    if is_broken(item, text, &block.range) {
        return Vec::new();
    }
    let mut found = inline_asm::check_operands(statement, &template);
    if let Some(code) = Code::new(text, block, &template, None) {
        let key = hash_of(&(code.text(), target.map(|target| target.sm)));
        let of_code = view.text.asm_code_findings(key, || code.findings(tables, target));
        let has_unread = item.asm.iter().any(|other| !other.is_whole);
        let is_known = |finding: &Finding| {
            let name = template.text.get(finding.place.start as usize..finding.place.end as usize);
            OF_NAMES.contains(&finding.code) && (has_unread || name.is_none_or(|name| known.contains(name)))
        };
        let own: Vec<Finding> = found.clone();
        let overlaps = |one: &Range<u32>, other: &Range<u32>| one.start < other.end && other.start < one.end;
        let is_wrong = |operand: u32| {
            let operand = block.operands.get(operand as usize);
            operand.is_some_and(|operand| own.iter().any(|other| overlaps(&other.place, &operand.constraint)))
        };
        let wrong: Vec<Range<u32>> = template
            .registers
            .iter()
            .filter(|register| is_wrong(register.operand))
            .map(|register| template.place(&register.range))
            .collect();
        let is_reported = |place: &Range<u32>| {
            own.iter().map(|other| &other.place).chain(&wrong).any(|other| overlaps(other, place))
        };
        for finding in of_code.iter().filter(|finding| !is_known(finding)) {
            // Do not report follow-up errors at a range that already has an error.
            if is_reported(&template.place(&finding.place)) {
                continue;
            }
            let mut finding = finding.clone();
            finding.places_mut().for_each(|place| *place = template.place(place));
            found.push(finding);
        }
    }
    found.sort_by_key(|finding| finding.place.start);
    found
}

/// Returns the target that the statements of an item are assembled for. This is the selected GPU with its
/// architecture-specific features, because builds for an H100 use `sm_90a`. `None` if no GPU is selected, for
/// templates, and for functions that no kernel calls.
fn target_of(view: &CudaView<'_>, item: &Item, called: &FxHashSet<&str>) -> Option<Target> {
    let gpu = view.context.wish.gpu.as_ref()?;
    let ItemKind::Function(function) = &item.kind else { return None };
    let is_assembled =
        function.templates.is_empty() && (function.is_kernel() || called.contains(&*function.name));
    let own = |feature| Target { sm: gpu.arch.sm, feature };
    let has = |target: &Target| Ptx::builtin().targets().any(|(known, _)| known == *target);
    let all = [Feature::Architecture, Feature::Base].map(own);
    all.into_iter().find(has).filter(|_| is_assembled)
}

/// Returns the names of functions that non-template kernels call, directly or through non-template functions.
/// Empty if no target depends on them: if no GPU is selected, or if only kernels have `asm` statements.
fn called_names<'a>(view: &CudaView<'a>) -> FxHashSet<&'a str> {
    let mut known: FxHashSet<&str> = FxHashSet::default();
    let is_called = |item: &Item| matches!(&item.kind, ItemKind::Function(function) if !function.is_kernel());
    if view.context.wish.gpu.is_none() || !with_asm(view).any(|(placed, _)| is_called(&placed.item)) {
        return known;
    }
    let mut functions: FxHashMap<&str, Vec<&Function>> = FxHashMap::default();
    for placed in &view.text.unit().items {
        if let ItemKind::Function(function) = &placed.item.kind
            && function.templates.is_empty()
        {
            functions.entry(&function.name).or_default().push(function);
        }
    }
    let mut open: Vec<&Function> =
        functions.values().flatten().copied().filter(|function| function.is_kernel()).collect();
    while let Some(function) = open.pop() {
        for called in calls_of(function).into_iter().filter(|called| known.insert(called)) {
            open.extend(functions.get(called).into_iter().flatten());
        }
    }
    known
}

/// Returns the names of the functions that a function calls, with duplicates.
fn calls_of(function: &Function) -> Vec<&str> {
    let mut names = Vec::new();
    if let Some(body) = &function.body {
        body.walk_expressions(&mut |expr| {
            if let ExprKind::Call { function, .. } = &expr.kind {
                names.extend(function.as_name());
            }
        });
    }
    names
}

/// True if a line of the statement has a syntax error.
fn is_broken(item: &Item, text: &str, range: &Range<u32>) -> bool {
    let lines = lines_of(text, &(range.start as usize..range.end as usize));
    let lines = lines.start as u32..lines.end as u32;
    item.errors.iter().any(|error| error.start <= lines.end && lines.start <= error.end)
}

/// Converts a finding to a diagnostic. `None` if its rule is off, a comment suppresses it, or its line has a
/// syntax error.
fn shown(view: &CudaView<'_>, placed: &PlacedItem, item: u32, finding: &Finding) -> Option<Diagnostic> {
    // The file may be for another architecture than that of the selected GPU.
    let own = if OF_TARGET.contains(&finding.code) { Some(Severity::Info) } else { finding.severity };
    let severity = level(view.context, finding.code, own)?;
    let range = placed.range(&finding.place);
    if view.is_broken(SourceSpan::new(item, &finding.place)) || is_allowed(view.text, &range, finding.code) {
        return None;
    }
    let related = finding
        .related
        .iter()
        .map(|related| Related { range: placed.range(&related.place), message: related.message.clone() });
    // Inline PTX has no module that states a target.
    let message = finding.message.replace("the module targets", "the selected GPU is");
    let function = match &placed.item.kind {
        ItemKind::Function(function) => Some(function.name.clone()),
        _ => None,
    };
    Some(Diagnostic {
        related: related.collect(),
        function,
        ..Diagnostic::new(finding.code, severity, range, message)
    })
}
