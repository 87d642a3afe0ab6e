//! Findings in the SASS expected for PTX, reported at the PTX statements. They concern memory requests
//! of warps and trip counts of loops.

use super::hidden::HiddenListing;
use crate::engine::cancel::Cancellable;
use crate::engine::ptx_text::placed;
use crate::engine::rules::level;
use crate::kernels::findings::of_expected;
use crate::ptx::allowed;
use crate::ptx::view::View;
use crate::{Diagnostic, Related};
use advisor::ptx::Heading;
use rustc_hash::FxHashSet;
use std::ops::Range;
use syntax::ptx::{Item, OperandKind, Statement, StatementKind};

/// Findings in the expected SASS. Omits findings at statements for which `known` has a finding of the
/// same rule.
pub(crate) fn findings(view: &View<'_>, known: &[Diagnostic]) -> Cancellable<Vec<Diagnostic>> {
    let mut found = Vec::new();
    // The speed of debug code is irrelevant.
    if !view.context.config.diagnostics || Heading::read(view.module).is_debug {
        return Ok(found);
    }
    let known: FxHashSet<(&str, u32)> =
        known.iter().filter_map(|one| Some((one.code, statement_at(view, one.range.start)?))).collect();
    for item in view.bodies() {
        view.cancel.check()?;
        let Some(hidden) = view.cost(item) else { continue };
        let mut seen = FxHashSet::default();
        for finding in of_expected(&hidden.sass) {
            let Some(statement) = hidden.placed.statement(finding.place.instruction) else { continue };
            let at = hidden.placed.range(statement).start;
            let is_known = statement_at(view, at).is_some_and(|at| known.contains(&(finding.code, at)));
            // An access that is lowered to several instructions is reported for its first instruction
            // only.
            if !is_known && seen.insert((finding.code, statement)) {
                found.extend(shown(view, item, &hidden, statement, finding));
            }
        }
    }
    Ok(found)
}

/// Offset of the start of the statement at `offset`; `None` if no statement contains the offset.
fn statement_at(view: &View<'_>, offset: usize) -> Option<u32> {
    let place = view.place(offset)?;
    let statement = place.item.statement_at(place.byte)?;
    u32::try_from(place.start + place.item.range(&place.item.statements()[statement]).start as usize).ok()
}

/// Converts a finding to a diagnostic; `None` if its rule is disabled or a comment allows the finding.
fn shown(
    view: &View<'_>,
    item: usize,
    hidden: &HiddenListing,
    statement: usize,
    finding: advisor::Finding,
) -> Option<Diagnostic> {
    let severity = level(view.context, finding.code, finding.severity)?;
    let range = address(view, item, hidden, statement, &finding);
    let byte = u32::try_from(range.start - view.start(item)).ok()?;
    if allowed::is_allowed(view, item, byte, finding.code) {
        return None;
    }
    let mut named = FxHashSet::default();
    let related = finding.related.into_iter().filter_map(|related| {
        let other = hidden.placed.statement(related.place.instruction)?;
        let is_new = other != statement && named.insert(other);
        is_new.then(|| Related { range: hidden.placed.range(other), message: related.message })
    });
    let message = format!("Estimated, before ptxas: {}", finding.message);
    Some(Diagnostic {
        related: related.collect(),
        function: view.module.items()[item].name().map(str::to_owned),
        ..Diagnostic::new(finding.code, severity, range, message)
    })
}

/// Byte range of a finding in the text: the address operand of the access, otherwise the opcode. For a
/// copy, the address that the finding concerns.
fn address(
    view: &View<'_>,
    item: usize,
    hidden: &HiddenListing,
    statement: usize,
    finding: &advisor::Finding,
) -> Range<usize> {
    let text = &view.module.items()[item];
    let own = &text.statements()[statement];
    let addresses: Vec<_> = text
        .operands(own)
        .filter(|operand| operand.kind() == OperandKind::Address)
        .filter_map(|operand| operand.range())
        .collect();
    // A listing line with two addresses is a copy. Its first address is the destination, as in PTX.
    let is_first = hidden.chunk().is_some_and(|(chunk, _)| {
        let instruction = &chunk.instructions()[finding.place.instruction as usize];
        let line = chunk.line_text(instruction.line as usize);
        let before = finding.place.range.as_ref().and_then(|range| line.get(..range.start as usize));
        before.is_some_and(|before| !before.contains('['))
    });
    let chosen = if is_first { addresses.first() } else { addresses.last() };
    let accesses = advisor::rule(finding.code).is_some_and(|rule| rule.group == advisor::Group::Memory);
    let range = chosen.filter(|_| accesses).cloned().unwrap_or_else(|| opcode(text, own));
    placed(view.start(item), &range)
}

/// Byte range of an instruction's opcode and modifiers.
fn opcode(item: &Item, statement: &Statement) -> Range<u32> {
    let StatementKind::Instruction { opcode, operands } = statement.kind else {
        return item.range(statement);
    };
    match item.tokens().get(opcode as usize..operands as usize) {
        Some([first, .., last] | [first @ last]) => first.start..last.end(),
        _ => item.range(statement),
    }
}
