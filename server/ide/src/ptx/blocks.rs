//! Blocks of statements, each starting at a label.

use syntax::ptx::{Item, StatementKind};

/// Pairs of statement indices: each label, and the last statement before the next label or the end of the scope. For an
/// empty block that is the label itself.
pub(super) fn labelled(item: &Item) -> Vec<(usize, usize)> {
    let statements = item.statements();
    let mut found: Vec<(usize, usize)> = Vec::new();
    // Index in `found` of the current block of each open scope, the innermost scope last.
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
            // A closing brace belongs to the block around the scope.
            StatementKind::Close { .. } if open.len() > 1 => drop(open.pop()),
            _ => {}
        }
        if let Some(label) = open.last().copied().flatten() {
            found[label].1 = at;
        }
    }
    found
}
