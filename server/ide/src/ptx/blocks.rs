//! Blocks of statements. Each block starts at a label.

use syntax::ptx::{Item, StatementKind};

/// Pairs of statement indices: each label, and the last statement before the next label or the end of
/// the scope. An empty block ends at its own label.
pub(super) fn labelled(item: &Item) -> Vec<(usize, usize)> {
    let statements = item.statements();
    let mut found: Vec<(usize, usize)> = Vec::new();
    // Index in `found` of the current block in each open scope, innermost scope last.
    let mut open: Vec<Option<usize>> = vec![None];
    for (at, statement) in statements.iter().enumerate() {
        match statement.kind {
            StatementKind::Label => {
                if let Some(innermost) = open.last_mut() {
                    *innermost = Some(found.len());
                }
                found.push((at, at));
                continue;
            }
            StatementKind::Open { .. } => open.push(None),
            // A closing brace belongs to the block that contains the scope.
            StatementKind::Close { .. } if open.len() > 1 => drop(open.pop()),
            _ => {}
        }
        if let Some(label) = open.last().copied().flatten() {
            found[label].1 = at;
        }
    }
    found
}
