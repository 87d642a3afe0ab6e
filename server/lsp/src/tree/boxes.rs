//! The boxes in a picture of a tree: its nodes and their advice.

use super::words::{figure, percent, root};
use ide::profiles::{Advice, Node, Tree};

/// Minimum share of all stalls at which a node is drawn.
const MIN: f64 = 0.01; // limit: a smaller share is not visible in the picture

/// A box of a picture.
#[derive(Debug)]
pub(crate) struct TreeBox {
    /// Number of steps from the root.
    pub(crate) depth: usize,
    /// The parent box, by its index in the list.
    pub(crate) parent: Option<usize>,
    pub(crate) title: String,
    pub(crate) detail: String,
    pub(crate) kind: BoxKind,
    /// Share of all stalls, 0 to 1.
    pub(crate) of_stalls: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoxKind {
    Stalls,
    Advice,
}

/// All boxes, each before its children.
pub(crate) fn boxes(tree: &Tree) -> Vec<TreeBox> {
    let facts: Vec<String> =
        tree.root.facts.iter().take(2).map(|fact| format!("{} {}", fact.name, figure(fact))).collect();
    let mut all = vec![TreeBox {
        depth: 0,
        parent: None,
        title: root(tree),
        detail: facts.join(", "),
        kind: BoxKind::Stalls,
        of_stalls: 1.0,
    }];
    advice(&tree.root, 0, 0, &mut all);
    tree.root.children.iter().for_each(|child| add(child, 1, 0, &mut all));
    all
}

fn add(node: &Node, depth: usize, parent: usize, all: &mut Vec<TreeBox>) {
    if node.of_stalls < MIN {
        return;
    }
    let at = all.len();
    let title = if node.children.is_empty() && node.places.is_empty() || depth != 2 {
        node.title.to_string()
    } else {
        node.name.to_string()
    };
    let own = if depth == 2 { format!(": {}", node.title) } else { String::new() };
    all.push(TreeBox {
        depth,
        parent: Some(parent),
        title,
        detail: format!("{} of the stalls{own}", percent(node.of_stalls)),
        kind: BoxKind::Stalls,
        of_stalls: node.of_stalls,
    });
    advice(node, depth, at, all);
    node.children.iter().for_each(|child| add(child, depth + 1, at, all));
}

/// Adds the advice at a node, the largest gain first.
fn advice(node: &Node, depth: usize, parent: usize, all: &mut Vec<TreeBox>) {
    let mut ordered: Vec<_> = node.advice.iter().collect();
    let times = |advice: &Advice| advice.gain.as_ref().map_or(0.0, |gain| gain.times);
    ordered.sort_by(|one, other| times(other).total_cmp(&times(one)));
    all.extend(ordered.into_iter().map(|advice| TreeBox {
        depth: depth + 1,
        parent: Some(parent),
        title: match &advice.gain {
            Some(gain) => format!("{}: {gain}", advice.code),
            None => advice.code.to_owned(),
        },
        detail: advice.text.to_owned(),
        kind: BoxKind::Advice,
        of_stalls: advice.removes,
    }));
}
