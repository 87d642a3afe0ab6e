//! Imported names, and resolution of dotted names.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// Imported names of the text, each with the dotted path of the import.
#[derive(Debug, Default)]
pub(super) struct Imports(FxHashMap<String, String>);

impl Imports {
    /// Collects the imports of a text, at any depth.
    pub(super) fn read(text: &str, root: Node<'_>) -> Self {
        let mut all = Self::default();
        walk(root, |node| {
            match node.kind() {
                "import_statement" => all.import(text, node, ""),
                "import_from_statement" => {
                    let module = node.child_by_field_name("module_name");
                    let module = module.map(|module| slice(text, module)).unwrap_or_default();
                    all.import(text, node, module);
                }
                _ => return true,
            }
            false
        });
        all
    }

    fn import(&mut self, text: &str, node: Node<'_>, module: &str) {
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            let (path, alias) = match name.kind() {
                "aliased_import" => (name.child_by_field_name("name"), name.child_by_field_name("alias")),
                _ => (Some(name), None),
            };
            let Some(path) = path.map(|path| slice(text, path)) else { continue };
            let (own, full) = match (alias, module) {
                (Some(alias), "") => (slice(text, alias), path.to_owned()),
                // `import triton.language` defines the name `triton`.
                (None, "") => {
                    let first = path.split('.').next().unwrap_or(path);
                    (first, first.to_owned())
                }
                (alias, module) => {
                    (alias.map_or(path, |alias| slice(text, alias)), format!("{module}.{path}"))
                }
            };
            self.0.insert(own.to_owned(), full);
        }
    }

    /// The path of a dotted name, with its first component resolved by the imports; `None` for any other
    /// expression.
    pub(super) fn path(&self, text: &str, node: Node<'_>) -> Option<String> {
        let dotted = dotted(text, node)?;
        let (first, rest) =
            dotted.split_once('.').map_or((dotted, None), |(first, rest)| (first, Some(rest)));
        let first = self.0.get(first).map_or(first, String::as_str);
        Some(rest.map_or_else(|| first.to_owned(), |rest| format!("{first}.{rest}")))
    }

    /// True if an expression names a member of Triton: `triton.jit`.
    pub(super) fn is_of_triton(&self, text: &str, node: Node<'_>, member: &str) -> bool {
        self.path(text, node).is_some_and(|path| {
            let rest = path.strip_prefix("triton.");
            rest.is_some_and(|rest| rest.rsplit('.').next() == Some(member))
        })
    }
}

/// The text of a name or of an attribute of a name: `triton.language`. `None` for other expressions.
fn dotted<'t>(text: &'t str, node: Node<'_>) -> Option<&'t str> {
    let mut inner = node;
    while inner.kind() == "attribute" {
        inner = inner.child_by_field_name("object")?;
    }
    (inner.kind() == "identifier").then(|| slice(text, node))
}

/// The text of a node.
pub(super) fn slice<'t>(text: &'t str, node: Node<'_>) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The named children, without punctuation and comments.
pub(super) fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let count = u32::try_from(node.named_child_count()).unwrap_or(0);
    (0..count).filter_map(move |at| node.named_child(at)).filter(|child| child.kind() != "comment")
}

/// Visits a node and its descendants in text order, without recursion. If `visit` returns `false`, the node's
/// descendants are skipped.
pub(super) fn walk<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    let mut step = 0;
    loop {
        crate::stop::check_at(step);
        step += 1;
        if visit(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
