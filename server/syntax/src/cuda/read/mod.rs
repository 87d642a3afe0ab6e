//! From tree-sitter's nodes to the trees of this crate.

mod declarations;
mod expressions;
mod statements;
mod types;

use super::mask::mask;
use super::{Expr, ExprKind};
use std::ops::Range;
use tree_sitter::{Node, Parser};

pub(super) use declarations::declarations;

/// A reader of one item's nodes.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    text: &'a str,
    /// Start of the item; all ranges count from it.
    base: usize,
    /// Levels of nodes that the current one is below, as far as they become levels of the trees that are made.
    depth: u32,
    /// Loops around the current node.
    loops: u32,
}

/// Most loops within each other. What runs a loop looks at all of its body, so that each further one multiplies the work.
const MOST_LOOPS: u32 = 64;

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, base: usize) -> Self {
        Self { text, base, depth: 0, loops: 0 }
    }

    /// The reader of a loop's parts; `None` within [`MOST_LOOPS`] others.
    fn looped(&self) -> Option<Self> {
        (self.loops < MOST_LOOPS).then(|| Self { loops: self.loops + 1, ..*self })
    }

    /// The reader of the nodes one level further down; `None` beyond [`crate::DEEPEST_TREE`].
    fn deeper(&self) -> Option<Self> {
        (self.depth < crate::DEEPEST_TREE).then(|| Self { depth: self.depth + 1, ..*self })
    }

    fn range(&self, node: Node<'_>) -> Range<u32> {
        (node.start_byte() - self.base) as u32..(node.end_byte() - self.base) as u32
    }

    fn slice(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

/// The children that mean something: not punctuation, not comments.
fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    children(node).filter(|child| child.is_named() && child.kind() != "comment")
}

/// All children, punctuation too. There may be thousands: a cursor passes them one by one, where `Node::child` counts up to each.
fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut is_at_one = cursor.goto_first_child();
    std::iter::from_fn(move || {
        let child = is_at_one.then(|| cursor.node());
        is_at_one = is_at_one && cursor.goto_next_sibling();
        child
    })
}

/// Reads a single expression, such as the text of a macro; `None` if the text is not an expression.
pub fn parse_expression(text: &str) -> Option<Expr> {
    const BEFORE: &str = "int x = (";
    // Longer ones are code.
    const MOST: usize = 4096;
    let text = text.trim();
    if text.is_empty() || text.len() > MOST {
        return None;
    }
    let whole = format!("{BEFORE}{text}\n);");
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).ok()?;
    let tree = parser.parse(&*mask(&whole), None)?;
    if tree.root_node().has_error() {
        return None;
    }
    let declaration = tree.root_node().named_child(0)?.child_by_field_name("declarator")?;
    let value = declaration.child_by_field_name("value")?;
    let expr = Reader::new(&whole, BEFORE.len()).expr(parts(value).next()?);
    (expr.kind != ExprKind::Unknown).then_some(expr)
}
