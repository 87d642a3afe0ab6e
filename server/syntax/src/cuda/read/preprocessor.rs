//! Conditions of the preprocessor among statements: the part that counts.

use super::{Reader, children, parts};
use tree_sitter::Node;

/// The statements of the part of a condition that counts: the one that holds, as far as its own text tells, else the first.
pub(super) fn chosen<'t>(reader: &Reader<'_>, node: Node<'t>) -> Vec<Node<'t>> {
    let mut node = node;
    while node.kind() != "preproc_else" && holds(reader, node) == Some(false) {
        match node.child_by_field_name("alternative") {
            Some(other) => node = other,
            None => return Vec::new(),
        }
    }
    let skipped = ["condition", "name", "alternative"].map(|name| node.child_by_field_name(name));
    parts(node).filter(|part| !skipped.contains(&Some(*part))).collect()
}

/// Whether a condition holds in code for a GPU; `None` where that hangs on more than its own text.
fn holds(reader: &Reader<'_>, node: Node<'_>) -> Option<bool> {
    if let Some(name) = node.child_by_field_name("name") {
        let is_not = children(node).next().is_some_and(|word| reader.slice(word).ends_with("ndef"));
        return is_defined(reader.slice(name)).map(|is_defined| is_defined != is_not);
    }
    truth(reader, node.child_by_field_name("condition")?)
}

fn truth(reader: &Reader<'_>, condition: Node<'_>) -> Option<bool> {
    let field = |name| condition.child_by_field_name(name);
    match condition.kind() {
        "number_literal" => reader.slice(condition).parse::<u64>().ok().map(|number| number != 0),
        "preproc_defined" => is_defined(reader.slice(parts(condition).next()?)),
        "parenthesized_expression" => truth(reader, parts(condition).next()?),
        "unary_expression" if reader.slice(field("operator")?) == "!" => {
            truth(reader, field("argument")?).map(|holds| !holds)
        }
        "binary_expression" => {
            let (left, right) = (truth(reader, field("left")?), truth(reader, field("right")?));
            match (reader.slice(field("operator")?), left, right) {
                ("&&", Some(false), _) | ("&&", _, Some(false)) | ("||", Some(false), Some(false)) => {
                    Some(false)
                }
                ("&&", Some(true), Some(true)) | ("||", Some(true), _) | ("||", _, Some(true)) => Some(true),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Names that every compilation of CUDA for a GPU defines.
fn is_defined(name: &str) -> Option<bool> {
    matches!(name, "__CUDA_ARCH__" | "__CUDACC__" | "__NVCC__" | "__cplusplus").then_some(true)
}
