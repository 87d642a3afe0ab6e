//! Access to the nodes of an item: text, names and children.

use std::ops::Range;
use tree_sitter::Node;

/// The text that contains an item's nodes.
#[derive(Clone, Copy)]
pub(super) struct ItemText<'a> {
    pub whole: &'a str,
    /// Start of the item, in bytes. All ranges count from this offset.
    pub start: usize,
}

impl<'a> ItemText<'a> {
    pub(super) fn range(&self, node: Node<'_>) -> Range<u32> {
        (node.start_byte() - self.start) as u32..(node.end_byte() - self.start) as u32
    }

    pub(super) fn slice(&self, node: Node<'_>) -> &'a str {
        self.whole.get(node.byte_range()).unwrap_or_default()
    }

    /// The unqualified name of a node, and its byte range.
    pub(super) fn last_name(&self, node: Node<'_>) -> (String, Range<u32>) {
        let mut node = node;
        while matches!(node.kind(), "qualified_identifier" | "template_function" | "template_type") {
            let Some(name) = node.child_by_field_name("name") else { return Default::default() };
            node = name;
        }
        (self.slice(node).to_owned(), self.range(node))
    }

    /// The innermost scope of a qualified name, without template arguments; `None` for an unqualified name.
    pub(super) fn scope_of(&self, node: Node<'_>) -> Option<String> {
        let mut innermost = None;
        let mut open = Some(node);
        while let Some(node) = open.filter(|node| node.kind() == "qualified_identifier") {
            open = node.child_by_field_name("name");
            innermost = node.child_by_field_name("scope").filter(|_| open.is_some()).or(innermost);
        }
        innermost.map(|scope| self.last_name(scope).0)
    }
}

/// The named children, without punctuation and comments.
pub(super) fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    children(node).filter(|child| child.is_named() && child.kind() != "comment")
}

/// All children, including punctuation. A cursor visits them in linear time, whereas `Node::child` counts from the
/// start each time.
pub(super) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut is_at_one = cursor.goto_first_child();
    std::iter::from_fn(move || {
        let child = is_at_one.then(|| cursor.node());
        is_at_one = is_at_one && cursor.goto_next_sibling();
        child
    })
}
