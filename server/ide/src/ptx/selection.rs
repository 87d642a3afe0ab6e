//! Selection ranges around an offset, smallest first: token, element, operand, instruction, scopes,
//! function, file.

use super::lines;
use super::symbols::extent;
use crate::engine::plain::grow;
use crate::engine::ptx_text::placed;
use crate::ptx::view::{Position, View};
use std::ops::Range;
use syntax::ptx::{Operand, OperandKind, Statement, StatementKind};

/// Ranges around an offset, innermost first. Each range contains the preceding range and is larger.
pub(crate) fn around(view: &View<'_>, offset: usize) -> Vec<Range<usize>> {
    let Some(place) = view.place(offset) else { return Vec::new() };
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut add = |range: Range<usize>| grow(&mut ranges, offset, range);
    if let Some(token) = place.token() {
        add(placed(place.start, &(token.start..token.end())));
    }
    if let Some(at) = place.item.statement_at(place.byte) {
        within(&place, &place.item.statements()[at], &mut add);
        scopes(&place, at, &mut add);
    }
    if let Some(range) = extent(place.item) {
        add(placed(place.start, &range));
    }
    add(0..view.module.len());
    ranges
}

/// Adds the ranges that contain the cursor: element, operand, opcode with modifiers, and statement.
fn within(place: &Position<'_>, statement: &Statement, add: &mut impl FnMut(Range<usize>)) {
    let item = place.item;
    let holds = |range: &Range<u32>| range.start <= place.byte && place.byte <= range.end;
    if let StatementKind::Instruction { opcode, operands } = statement.kind
        && let [first, .., last] | [first @ last] = &item.tokens()[opcode as usize..operands as usize]
    {
        add_held(place, first.start..last.end(), add);
    }
    for operand in item.operands(statement) {
        let Some(range) = operand.range().filter(holds) else { continue };
        elements(place, &operand, add);
        add_held(place, range, add);
    }
    add(placed(place.start, &item.range(statement)));
}

fn elements(place: &Position<'_>, operand: &Operand<'_>, add: &mut impl FnMut(Range<usize>)) {
    for element in operand.elements() {
        // Nested brackets contain the coordinates of a tensor box.
        if matches!(element.kind(), OperandKind::Vector) {
            for inner in element.elements() {
                add_held(place, inner.range().unwrap_or(0..0), add);
            }
        }
        add_held(place, element.range().unwrap_or(0..0), add);
    }
}

fn add_held(place: &Position<'_>, range: Range<u32>, add: &mut impl FnMut(Range<usize>)) {
    if range.start <= place.byte && place.byte <= range.end {
        add(placed(place.start, &range));
    }
}

/// Adds the scopes around a statement, with their braces.
fn scopes(place: &Position<'_>, statement: usize, add: &mut impl FnMut(Range<usize>)) {
    let item = place.item;
    let mut around = match item.statements()[statement].kind {
        StatementKind::Open { .. } => Some(statement),
        StatementKind::Close { open } => Some(open as usize),
        _ => item.scope_around(statement),
    };
    while let Some(open) = around {
        let statements = item.statements();
        if let StatementKind::Open { close } = statements[open].kind
            && let Some(close) = statements.get(close as usize)
        {
            add(placed(place.start, &lines::span(item, &statements[open], close)));
        }
        around = item.scope_around(open);
    }
}
