//! Foldable ranges: functions, scopes, blocks after labels, sections, and consecutive declarations or
//! comments.

use super::symbols::extent;
use super::{blocks, lines};
use crate::engine::cancel::Cancellable;
use crate::engine::ptx_text::placed;
use crate::ptx::view::View;
use crate::{Fold, FoldKind};
use std::ops::Range;
use syntax::ptx::{Item, ItemKind, StatementKind};

pub(crate) fn folds(view: &View<'_>) -> Cancellable<Vec<Fold>> {
    let mut folds = Vec::new();
    for (index, item) in view.module.items().iter().enumerate() {
        view.cancel.check()?;
        let start = view.start(index);
        let regions = regions(item).into_iter().map(|range| (range, FoldKind::Region));
        let comments = comments(item).into_iter().map(|range| (range, FoldKind::Comment));
        let ends: Vec<u32> = item
            .text()
            .bytes()
            .zip(0..)
            .filter(|(byte, _)| lines::is_line_end(*byte))
            .map(|(_, at)| at)
            .collect();
        // Line ends are looked up, because scopes may be nested a million deep and scanning each range
        // would be quadratic.
        let is_over_lines = |range: &Range<u32>| {
            let first = ends.partition_point(|&end| end < range.start);
            ends.get(first).is_some_and(|&end| end < range.end)
        };
        let over_lines = regions.chain(comments).filter(|(range, _)| is_over_lines(range));
        folds.extend(over_lines.map(|(range, kind)| Fold { range: placed(start, &range), kind }));
    }
    folds.extend(runs_of_items(view));
    folds.sort_by_key(|fold| (fold.range.start, std::cmp::Reverse(fold.range.end)));
    folds.dedup_by(|next, first| next.range == first.range);
    Ok(folds)
}

fn regions(item: &Item) -> Vec<Range<u32>> {
    let statements = item.statements();
    let mut found = Vec::new();
    if matches!(item.kind(), ItemKind::Function | ItemKind::Section | ItemKind::Variable) {
        found.extend(extent(item));
    }
    for statement in statements {
        if let StatementKind::Open { close } = statement.kind
            && let Some(close) = statements.get(close as usize)
        {
            found.push(lines::span(item, statement, close));
        }
    }
    for (label, last) in blocks::labelled(item) {
        found.push(lines::span(item, &statements[label], &statements[last]));
    }
    let mut at = 0;
    while at < statements.len() {
        let run = statements[at..].iter().take_while(|one| one.kind == StatementKind::Variable).count();
        if run > 1 && item.kind() == ItemKind::Function {
            found.push(lines::span(item, &statements[at], &statements[at + run - 1]));
        }
        at += run.max(1);
    }
    found
}

/// Ranges of comments. Comments that start consecutive lines are merged.
fn comments(item: &Item) -> Vec<Range<u32>> {
    let mut found: Vec<Range<u32>> = Vec::new();
    for comment in item.comments() {
        let range = comment.start..comment.end();
        if !lines::starts_line(item, comment.start) {
            found.push(range);
            continue;
        }
        match found.last_mut() {
            Some(last) if follows(item, last, comment.start) => last.end = range.end,
            _ => found.push(range),
        }
    }
    found
}

/// True if a comment at `byte` is on the line directly below `last`, and `last` starts its own line.
fn follows(item: &Item, last: &Range<u32>, byte: u32) -> bool {
    let between = lines::text(item, &(last.end..byte));
    let ends = between.replace("\r\n", "\n").bytes().filter(|&byte| lines::is_line_end(byte)).count();
    ends == 1 && between.trim().is_empty() && lines::starts_line(item, last.start)
}

/// Folds of consecutive variables and function declarations at module scope.
fn runs_of_items(view: &View<'_>) -> Vec<Fold> {
    let items = view.module.items();
    let is_declaration = |item: &Item| {
        item.kind() == ItemKind::Variable || item.function().is_some_and(|function| function.body.is_none())
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < items.len() {
        let run = items[at..].iter().take_while(|item| is_declaration(item)).count();
        let ends = [at, at + run.saturating_sub(1)]
            .map(|index| Some(placed(view.start(index), &extent(&items[index])?)));
        if run > 1
            && let [Some(first), Some(last)] = ends
        {
            found.push(Fold { range: first.start..last.end, kind: FoldKind::Region });
        }
        at += run.max(1);
    }
    found
}
