//! Diagnostics: what the parser and the rules found, as the settings and the text's own comments allow.

use super::allowed;
use super::cost::findings as of_cost;
use crate::engine::cancel::Answer;
use crate::engine::ptx_text::placed;
use crate::engine::rules::{SYNTAX_ERROR, level};
use crate::ptx::view::View;
use crate::{Diagnostic, Related};
use advisor::ptx::{Finding, Heading, Subject};
use model::Gpu;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use syntax::ptx::{Item, ItemKind};

pub(crate) fn of_syntax(view: &View<'_>) -> Answer<Vec<Diagnostic>> {
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

/// Returns the findings of the rules that look at the text alone.
pub(crate) fn of_text(view: &View<'_>) -> Answer<Vec<Diagnostic>> {
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

/// The same, and what they find in the SASS to expect; in text order.
pub(crate) fn of_model(view: &View<'_>) -> Answer<Vec<Diagnostic>> {
    let mut found = of_text(view)?;
    found.extend(of_cost(view, &found)?);
    found.sort_by_key(|diagnostic| diagnostic.range.start);
    Ok(found)
}

/// The findings of all rules in an item, whether they are on or off, from the memo or new.
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
        let subject = Subject::new(item, index, names, globals, &view.table, heading, gpu);
        advisor::check_item(&subject, |_| false).into()
    })
}

/// A finding as it is shown; `None` where its rule is off or the text allows it.
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

/// The function that an item is.
fn function(item: &Item) -> Option<String> {
    (item.kind() == ItemKind::Function).then(|| item.name().map(str::to_owned)).flatten()
}
