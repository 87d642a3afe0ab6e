//! Reader of declarations outside of functions.

use super::super::asm;
use super::super::head_macros::macros_in;
use super::super::item::names_in;
use super::super::mask::cluster_dims;
use super::super::{
    Alias, Argument, Attribute, Enumerator, Expr, ExprKind, Function, Instantiation, Item, ItemKind, Macro,
    Parameter, Record, StmtKind, TemplateParameter, parse_expression,
};
use super::expressions::Reader;
use super::nodes::{ItemText, children, parts};
use std::ops::Range;
use tree_sitter::Node;

/// The declarations below a node, including those in namespaces, in `extern "C"` and under preprocessor conditions.
pub(crate) fn declarations(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut open: Vec<(Node<'_>, bool)> = vec![(root, false)];
    let mut cursor = root.walk();
    while let Some((node, is_broken)) = open.pop() {
        match node.kind() {
            "translation_unit" | "declaration_list" | "preproc_if" | "preproc_ifdef" | "preproc_else"
            | "preproc_elif" | "preproc_elifdef" | "ERROR" => {
                let is_broken = is_broken || node.kind() == "ERROR";
                // A node may have thousands of children, which a cursor visits in linear time.
                let inner: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                open.extend(inner.into_iter().rev().map(|inner| (inner, is_broken)));
            }
            "namespace_definition" | "linkage_specification" => {
                open.extend(node.child_by_field_name("body").map(|body| (body, is_broken)));
            }
            // If the head or the end of a function does not parse, its statements appear as declarations.
            "declaration" if is_broken => {}
            "function_definition"
            | "declaration"
            | "template_declaration"
            | "struct_specifier"
            | "class_specifier"
            | "union_specifier"
            | "enum_specifier"
            | "type_definition"
            | "alias_declaration"
            | "template_instantiation"
            | "preproc_def"
            | "preproc_function_def" => found.push(node),
            _ => {}
        }
    }
    found
}

/// The members of a structure, including members under preprocessor conditions. The flag is true if a field
/// is under a preprocessor condition.
fn members(body: Node<'_>) -> (Vec<Node<'_>>, bool) {
    let mut found = Vec::new();
    let mut has_conditional_field = false;
    let mut open: Vec<(Node<'_>, bool)> = vec![(body, false)];
    while let Some((node, is_conditional)) = open.pop() {
        for part in parts(node) {
            if part.kind().starts_with("preproc_") {
                open.push((part, true));
            } else {
                let is_field = part.kind() == "field_declaration";
                has_conditional_field |= is_conditional && is_field;
                found.push(part);
            }
        }
    }
    (found, has_conditional_field)
}

/// True if the statements of a declaration contain preprocessor conditions.
fn has_conditions(kind: &ItemKind) -> bool {
    let functions = match kind {
        ItemKind::Function(function) => std::slice::from_ref(function),
        ItemKind::Record(record) => &record.methods,
        _ => return false,
    };
    let mut has = false;
    for body in functions.iter().filter_map(|function| function.body.as_ref()) {
        body.walk(&mut |stmt| has |= matches!(stmt.kind, StmtKind::Preprocessor(_)));
    }
    has
}

/// Reads the declaration at a node.
pub(crate) fn item(text: &str, node: Node<'_>) -> Item {
    let reader = &Reader::new(text, node.start_byte());
    let length = (node.end_byte() - node.start_byte()) as u32;
    let kind = item_kind(reader, node, Vec::new()).unwrap_or(ItemKind::Other);
    Item {
        has_conditions: has_conditions(&kind),
        kind,
        length,
        errors: errors(reader.text, node),
        names: names_in(reader.text.slice(node)),
        asm: asm::scan(reader.text.slice(node)),
    }
}

fn errors(text: ItemText<'_>, node: Node<'_>) -> Vec<Range<u32>> {
    let mut errors = Vec::new();
    let mut open = if node.has_error() { vec![node] } else { Vec::new() };
    while let Some(node) = open.pop() {
        if node.is_error() || node.is_missing() {
            errors.push(text.range(node));
        } else {
            open.extend(children(node).filter(Node::has_error));
        }
    }
    errors.sort_by_key(|range| range.start);
    errors
}

fn item_kind(reader: &Reader<'_>, node: Node<'_>, templates: Vec<TemplateParameter>) -> Option<ItemKind> {
    let field = |name| node.child_by_field_name(name);
    Some(match node.kind() {
        "template_declaration" => {
            let list = field("parameters")?;
            let inner = parts(node).filter(|part| *part != list).last()?;
            return item_kind(&reader.deeper()?, inner, template_parameters(reader, list));
        }
        "template_instantiation" => ItemKind::Instantiation(instantiation(reader, node)?),
        "function_definition" => ItemKind::Function(function(reader, node, templates)?),
        "declaration" => {
            let variables = reader.variables(node);
            match function(reader, node, templates) {
                Some(function) if variables.is_empty() => ItemKind::Function(function),
                _ => ItemKind::Variables(variables),
            }
        }
        "struct_specifier" | "class_specifier" | "union_specifier" => {
            ItemKind::Record(record(reader, node, None, templates)?)
        }
        "enum_specifier" => ItemKind::Enumerators(enumerators(reader, node)?),
        "type_definition" => {
            let name = field("declarator")?;
            let inner = field("type")?;
            // `typedef struct { … } P;`
            if let ("struct_specifier" | "union_specifier", Some(_)) =
                (inner.kind(), inner.child_by_field_name("body"))
            {
                return Some(ItemKind::Record(record(
                    reader,
                    inner,
                    Some(reader.text.slice(name).to_owned()),
                    templates,
                )?));
            }
            let declared = reader.declared(name, reader.base_type(node));
            ItemKind::Alias(Alias { name: reader.text.slice(declared.name?).to_owned(), of: declared.of })
        }
        "alias_declaration" => ItemKind::Alias(Alias {
            name: reader.text.slice(field("name")?).to_owned(),
            of: reader.type_descriptor(field("type")?),
        }),
        "preproc_def" | "preproc_function_def" => {
            let text = field("value").map(|value| reader.text.slice(value)).unwrap_or_default();
            let text = text.split("//").next().unwrap_or_default().trim();
            let parameters = field("parameters")
                .map(|list| parts(list).map(|name| reader.text.slice(name).to_owned()).collect());
            ItemKind::Macro(Macro {
                name: reader.text.slice(field("name")?).to_owned(),
                parameters,
                text: text.to_owned(),
                value: parse_expression(text),
            })
        }
        _ => return None,
    })
}

fn template_parameters(reader: &Reader<'_>, list: Node<'_>) -> Vec<TemplateParameter> {
    let parameters = parts(list).map(|node| {
        let is_type = node.kind().contains("type_parameter");
        let declarator = node.child_by_field_name("declarator").or_else(|| node.child_by_field_name("name"));
        let name = declarator.or_else(|| parts(node).find(|part| part.kind() == "type_identifier"));
        let value =
            node.child_by_field_name("default_value").map(|value| Argument::Value(reader.expr(value)));
        let of = node.child_by_field_name("default_type");
        let of = of.map(|of| Argument::Type(reader.type_descriptor(of)));
        let name = name.map(|name| reader.text.slice(name).to_owned()).unwrap_or_default();
        TemplateParameter { name, is_type, default: of.or(value) }
    });
    parameters.collect()
}

fn function(reader: &Reader<'_>, node: Node<'_>, templates: Vec<TemplateParameter>) -> Option<Function> {
    let declared = reader.declared(node.child_by_field_name("declarator")?, reader.base_type(node));
    let list = declared.parameters?;
    let (name, name_range) = reader.text.last_name(declared.name?);
    let scope = reader.text.scope_of(declared.name?);
    // The tree has blanks in place of some attributes and macros.
    let head_text = reader.text.whole.get(reader.text.start..declared.name?.start_byte()).unwrap_or_default();
    let number = |size| parse_expression(size).unwrap_or(Expr { kind: ExprKind::Unknown, range: 0..0 });
    let head = children(node).filter(|child| Some(*child) != node.child_by_field_name("body"));
    let bounds = children(node).find(|child| child.kind() == "launch_bounds");
    let parameters = parts(list).filter(|part| part.kind().contains("parameter_declaration"));
    Some(Function {
        name,
        name_range,
        scope,
        attributes: head.filter_map(|child| Attribute::named(reader.text.slice(child))).collect(),
        macros: macros_in(head_text),
        templates,
        result: declared.of,
        parameters: parameters.map(|node| parameter(reader, node)).collect(),
        launch_bounds: bounds.map(|bounds| reader.list(bounds)).unwrap_or_default(),
        cluster_dims: cluster_dims(head_text).map(number).collect(),
        parameters_range: reader.text.range(list),
        body: node.child_by_field_name("body").map(|body| reader.stmt(body)),
    })
}

fn instantiation(reader: &Reader<'_>, node: Node<'_>) -> Option<Instantiation> {
    let declared = reader.declared(node.child_by_field_name("declarator")?, reader.base_type(node));
    let mut name = declared.name?;
    while name.kind() == "qualified_identifier" {
        name = name.child_by_field_name("name")?;
    }
    let parameters = parts(declared.parameters?).filter(|part| part.kind().contains("parameter_declaration"));
    Some(Instantiation {
        function: reader.text.last_name(name).0,
        arguments: name
            .child_by_field_name("arguments")
            .map(|list| reader.arguments(list))
            .unwrap_or_default(),
        parameters: parameters.map(|node| parameter(reader, node).of).collect(),
    })
}

fn parameter(reader: &Reader<'_>, node: Node<'_>) -> Parameter {
    let base = reader.base_type(node);
    let range = reader.text.range(node);
    let is_pack = node.kind() == "variadic_parameter_declaration";
    match node.child_by_field_name("declarator") {
        Some(declarator) => {
            let declared = reader.declared(declarator, base);
            let name = declared.name.map(|name| reader.text.slice(name)).unwrap_or_default();
            let name = name.trim_start_matches("...").trim_start().to_owned();
            Parameter { name, range, of: declared.of, is_pack }
        }
        None => Parameter { name: String::new(), range, of: base, is_pack },
    }
}

fn record(
    reader: &Reader<'_>,
    node: Node<'_>,
    name: Option<String>,
    templates: Vec<TemplateParameter>,
) -> Option<Record> {
    let own = node.child_by_field_name("name").map(|name| reader.text.last_name(name).0);
    let body = node.child_by_field_name("body")?;
    let is_field = |part: &Node<'_>| part.kind() == "field_declaration";
    let has_bases = parts(node).any(|part| part.kind() == "base_class_clause");
    let is_odd = |part: Node<'_>| {
        parts(part).any(|inner| inner.kind() == "bitfield_clause" || inner.kind() == "virtual")
    };
    let alignment = parts(node).find(|part| part.kind() == "alignas_qualifier");
    let alignment = alignment.and_then(|alignas| parts(alignas).next());
    let name = name.or(own)?;
    let (members, has_conditional_field) = members(body);
    let methods: Vec<Function> = members.iter().filter_map(|member| method(reader, *member)).collect();
    let has_constructor = methods.iter().any(|method| method.name == name);
    Some(Record {
        templates,
        is_union: node.kind() == "union_specifier",
        alignment: alignment.map(|value| reader.expr(value)),
        fields: parts(body).filter(is_field).flat_map(|field| reader.variables(field)).collect(),
        is_opaque: has_bases || has_conditional_field || parts(body).any(is_odd),
        types: members.iter().filter_map(|member| type_member(reader, *member)).collect(),
        methods,
        has_constructor,
        name,
    })
}

/// The function that a member of a structure declares; `None` for other members.
fn method(reader: &Reader<'_>, node: Node<'_>) -> Option<Function> {
    let function = match node.kind() {
        "template_declaration" => match item_kind(reader, node, Vec::new())? {
            ItemKind::Function(function) => function,
            _ => return None,
        },
        "function_definition" | "declaration" | "field_declaration" => function(reader, node, Vec::new())?,
        _ => return None,
    };
    let name = function.name.split_whitespace().collect();
    Some(Function { name, ..function })
}

/// The name of the type that a member of a structure declares; `None` for other members.
fn type_member(reader: &Reader<'_>, node: Node<'_>) -> Option<String> {
    let name = match node.kind() {
        "alias_declaration" | "struct_specifier" | "class_specifier" | "union_specifier"
        | "enum_specifier" => node.child_by_field_name("name")?,
        "type_definition" => node.child_by_field_name("declarator")?,
        "field_declaration" => {
            let of =
                node.child_by_field_name("type").filter(|of| of.child_by_field_name("body").is_some())?;
            of.child_by_field_name("name")?
        }
        _ => return None,
    };
    Some(reader.text.last_name(name).0)
}

fn enumerators(reader: &Reader<'_>, node: Node<'_>) -> Option<Vec<Enumerator>> {
    let each = parts(node.child_by_field_name("body")?).filter(|part| part.kind() == "enumerator");
    each.map(|node| {
        let name = reader.text.slice(node.child_by_field_name("name")?).to_owned();
        Some(Enumerator { name, value: node.child_by_field_name("value").map(|value| reader.expr(value)) })
    })
    .collect()
}
