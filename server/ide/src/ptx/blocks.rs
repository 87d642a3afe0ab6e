//! Blocks of statements that labels begin.

use syntax::ptx::{Item, StatementKind};

/// For each label's statement (by index) the last statement of its block: before the next label or the end of the
/// scope. The label's own statement if the block is empty.
pub(super) fn labelled(item: &Item) -> Vec<(usize, usize)> {
    let statements = item.statements();
    let mut found: Vec<(usize, usize)> = Vec::new();
    // Labels that still go on, by scope; the innermost last.
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
            // The brace that closes a scope belongs to what goes on around it.
            StatementKind::Close { .. } if open.len() > 1 => drop(open.pop()),
            _ => {}
        }
        if let Some(label) = open.last().copied().flatten() {
            found[label].1 = at;
        }
    }
    found
}
