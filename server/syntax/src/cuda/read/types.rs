//! Reader of types and declarators.

use super::super::{Argument, Expr, ExprKind, TypeName};
use super::expressions::Reader;
use super::nodes::{children, parts};
use tree_sitter::Node;

/// Result of reading a declarator: the declared name, and the type with pointers and dimensions.
pub(super) struct ParsedDeclarator<'t> {
    pub name: Option<Node<'t>>,
    pub of: TypeName,
    /// The parameters if a function is declared; `None` otherwise.
    pub parameters: Option<Node<'t>>,
}

impl Reader<'_> {
    /// The type before a node's declarators: its specifiers and qualifiers.
    pub(super) fn base_type(&self, node: Node<'_>) -> TypeName {
        let mut of = node.child_by_field_name("type").map(|named| self.named_type(named)).unwrap_or_default();
        for child in children(node) {
            if child.kind() == "type_qualifier" {
                match self.text.slice(child) {
                    "const" | "constexpr" => of.is_const = true,
                    "volatile" => of.is_volatile = true,
                    _ => {}
                }
            }
        }
        of
    }

    fn named_type(&self, node: Node<'_>) -> TypeName {
        self.deeper().map(|inner| inner.named_type_of(node)).unwrap_or_default()
    }

    fn named_type_of(&self, node: Node<'_>) -> TypeName {
        match node.kind() {
            "template_type" => {
                let name =
                    node.child_by_field_name("name").map(|name| self.text.slice(name)).unwrap_or_default();
                let arguments = node.child_by_field_name("arguments");
                let arguments = arguments.map(|list| self.arguments(list)).unwrap_or_default();
                TypeName { arguments, ..TypeName::named(name) }
            }
            "qualified_identifier" => {
                let inner = node.child_by_field_name("name").map(|inner| self.named_type(inner));
                let inner = inner.unwrap_or_default();
                let scope = node.child_by_field_name("scope").map(|scope| self.text.slice(scope));
                let name =
                    scope.map_or_else(|| inner.name.clone(), |scope| format!("{scope}::{}", inner.name));
                TypeName { name, ..inner }
            }
            "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => TypeName::named(
                node.child_by_field_name("name").map(|name| self.text.slice(name)).unwrap_or_default(),
            ),
            "dependent_type" => parts(node).next().map(|inner| self.named_type(inner)).unwrap_or_default(),
            _ => {
                let words: Vec<&str> = self.text.slice(node).split_whitespace().collect();
                TypeName::named(words.join(" "))
            }
        }
    }

    /// Reads template arguments.
    pub(super) fn arguments(&self, list: Node<'_>) -> Vec<Argument> {
        parts(list)
            .map(|node| match node.kind() {
                "type_descriptor" => self.type_argument(node),
                _ => Argument::Value(self.expr(node)),
            })
            .collect()
    }

    /// Reads a type argument. A single name that the grammar parses as a type may also be a constant.
    fn type_argument(&self, node: Node<'_>) -> Argument {
        let of = self.type_descriptor(node);
        let is_name = node.child_by_field_name("type").is_some_and(|of| of.kind() == "type_identifier");
        let is_bare = is_name && node.child_by_field_name("declarator").is_none() && !of.is_const;
        if !is_bare {
            return Argument::Type(of);
        }
        let kind = ExprKind::Name { name: of.name, arguments: of.arguments };
        Argument::Value(Expr { kind, range: self.text.range(node) })
    }

    /// Reads a type with its declarator, or a plain type.
    pub(super) fn type_descriptor(&self, node: Node<'_>) -> TypeName {
        if node.kind() != "type_descriptor" && node.child_by_field_name("type").is_none() {
            return self.named_type(node);
        }
        let base = self.base_type(node);
        match node.child_by_field_name("declarator") {
            Some(declarator) => self.declared(declarator, base).of,
            None => base,
        }
    }

    /// Splits a declarator into name, type and parameters.
    pub(super) fn declared<'t>(&self, node: Node<'t>, base: TypeName) -> ParsedDeclarator<'t> {
        let mut found = ParsedDeclarator { name: None, of: base, parameters: None };
        let mut dimensions: Vec<Option<Expr>> = Vec::new();
        let mut open = Some(node);
        while let Some(node) = open {
            open = node.child_by_field_name("declarator");
            match node.kind() {
                "pointer_declarator" | "abstract_pointer_declarator" | "pointer_type_declarator" => {
                    found.of.pointers = found.of.pointers.saturating_add(1);
                    for qualifier in parts(node).filter(|child| child.kind() == "type_qualifier") {
                        let word = self.text.slice(qualifier);
                        found.of.is_restrict |= word.contains("restrict");
                        found.of.is_volatile |= word == "volatile";
                    }
                }
                "reference_declarator" | "abstract_reference_declarator" => {
                    found.of.is_reference = true;
                    open = open.or_else(|| parts(node).last());
                }
                "array_declarator" | "abstract_array_declarator" => {
                    dimensions.push(node.child_by_field_name("size").map(|size| self.expr(size)));
                }
                "function_declarator" | "abstract_function_declarator" => {
                    found.parameters = node.child_by_field_name("parameters");
                }
                "parenthesized_declarator" | "abstract_parenthesized_declarator" => {
                    open = open.or_else(|| parts(node).last());
                }
                "init_declarator" | "attributed_declarator" => open = open.or_else(|| parts(node).next()),
                _ => {
                    found.name = Some(node);
                    open = None;
                }
            }
        }
        // The outermost declarator is the innermost array dimension.
        dimensions.reverse();
        found.of.dimensions = dimensions;
        found
    }
}
