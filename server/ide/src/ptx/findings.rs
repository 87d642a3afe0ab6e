//! Diagnostics of the parser and the rules, filtered by the settings and by comments in the text.

use super::allowed;
use super::cost::findings as of_cost;
use crate::engine::cancel::Cancellable;
use crate::engine::ptx_text::placed;
use crate::engine::rules::{SYNTAX_ERROR, level};
use crate::ptx::view::View;
use crate::{Diagnostic, Related};
use advisor::ptx::{Finding, Heading, Subject};
use model::Gpu;
use model::ptx::Names;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use syntax::ptx::{Item, ItemKind};

pub(crate) fn of_syntax(view: &View<'_>) -> Cancellable<Vec<Diagnostic>> {
    let Some(severity) = level(view.context, SYNTAX_ERROR, None) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (index, item) in view.module.items().iter().enumerate() {
        view.cancel.check()?;
        let start = view.start(index);
        let errors = item.errors().iter();
        let errors =
            errors.filter(|error| !allowed::is_allowed(view, index, error.range.start, SYNTAX_ERROR));
        found.extend(errors.map(|error| {
            let range = placed(start, &error.range);
            let finding = Diagnostic::new(SYNTAX_ERROR, severity, range, error.message.to_owned());
            Diagnostic { function: function(item), ..finding }
        }));
    }
    Ok(found)
}

/// Findings of the rules that need only the PTX text.
pub(crate) fn of_text(view: &View<'_>) -> Cancellable<Vec<Diagnostic>> {
    let heading = Heading::read(view.module);
    let gpu = view.target_gpu().gpu;
    let mut found = Vec::new();
    for (index, finding) in advisor::check_heading(view.module, &view.table) {
        found.extend(shown(view, index, &view.module.items()[index], &finding));
    }
    for (index, item) in view.module.items().iter().enumerate() {
        view.cancel.check()?;
        let findings = of_item(view, index, item, heading, &gpu);
        found.extend(findings.iter().filter_map(|finding| shown(view, index, item, finding)));
    }
    Ok(found)
}

/// Findings of [`of_text`] and findings in the expected SASS, in text order.
pub(crate) fn of_model(view: &View<'_>) -> Cancellable<Vec<Diagnostic>> {
    let mut found = of_text(view)?;
    found.extend(of_cost(view, &found)?);
    found.sort_by_key(|diagnostic| diagnostic.range.start);
    Ok(found)
}

/// Findings of all rules in an item, including disabled rules. Memoized.
pub(super) fn of_item(
    view: &View<'_>,
    index: usize,
    item: &Item,
    heading: Heading,
    gpu: &Gpu,
) -> Arc<[Finding]> {
    let facts = view.facts(item);
    let names = facts.names(item);
    let globals = view.globals();
    let outer = names.outer(item);
    let own = item.name();
    let mut hasher = FxHasher::default();
    heading.hash(&mut hasher);
    gpu.part.name.hash(&mut hasher);
    globals.fingerprint(outer.into_iter().chain(own), index).hash(&mut hasher);
    view.context.ptx.findings(item, hasher.finish(), || {
        let check = |item, names| {
            let subject = Subject::new(item, index, names, globals, &view.table, heading, gpu);
            advisor::check_item(&subject, |_| false)
        };
        let mut found = check(item, names);
        if let Some((read, blanked)) = syntax::ptx::without_unfinished(item) {
            let others = check(&read, &Names::resolve(&read));
            found.extend(others.into_iter().filter(|finding| holds_anyhow(item, finding, &blanked)));
            found.sort_by(|one, other| {
                (one.place.start, one.code, &one.message).cmp(&(
                    other.place.start,
                    other.code,
                    &other.message,
                ))
            });
            found.dedup_by(|one, other| {
                one.place == other.place && one.code == other.code && one.message == other.message
            });
        }
        found.into()
    })
}

/// Rules about missing writes or reads of a register. An unfinished statement may contain the missing
/// write or read.
const ABOUT_OTHERS: [&str; 3] = [UNINITIALISED, "dead-write", "unused-register"];
const UNINITIALISED: &str = "uninitialised-register";

/// True if a finding remains valid however the unfinished statements at `blanked` are completed, judging by the names
/// in these statements.
fn holds_anyhow(item: &Item, finding: &Finding, blanked: &[Range<u32>]) -> bool {
    let text =
        |range: &Range<u32>| item.text().get(range.start as usize..range.end as usize).unwrap_or_default();
    if blanked.iter().any(|range| range.start <= finding.place.end && finding.place.start <= range.end) {
        return false;
    }
    // A finding about a write concerns all registers of its statement. A finding about a read concerns
    // only the marked operand.
    let statement = item.statement_at(finding.place.start).filter(|_| finding.code != UNINITIALISED);
    let about = statement.map(|at| item.range(&item.statements()[at]));
    let named = text(&about.unwrap_or_else(|| finding.place.clone()));
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '$' | '_');
    let mut names = named.split(|c| !is_name(c)).filter(|name| name.starts_with('%'));
    !ABOUT_OTHERS.contains(&finding.code)
        || names.all(|name| {
            blanked.iter().all(|range| text(range).split(|c| !is_name(c)).all(|other| other != name))
        })
}

/// Converts a finding to a diagnostic; `None` if its rule is disabled or a comment allows the finding.
fn shown(view: &View<'_>, index: usize, item: &Item, finding: &Finding) -> Option<Diagnostic> {
    let severity = level(view.context, finding.code, finding.severity)?;
    if allowed::is_allowed(view, index, finding.place.start, finding.code) {
        return None;
    }
    let start = view.start(index);
    let related = finding
        .related
        .iter()
        .map(|related| Related { range: placed(start, &related.place), message: related.message.clone() });
    let range = placed(start, &finding.place);
    Some(Diagnostic {
        related: related.collect(),
        function: function(item),
        ..Diagnostic::new(finding.code, severity, range, finding.message.clone())
    })
}

/// Name of a function item; `None` for other items.
fn function(item: &Item) -> Option<String> {
    (item.kind() == ItemKind::Function).then(|| item.name().map(str::to_owned)).flatten()
}
