//! Reader of the kernels of a text: functions under `triton.jit`, with the arguments of `triton.autotune`.

use super::interpreter::Interpreter;
use super::names::{Imports, parts, slice, walk};
use super::value::Value;
use super::{Configurations, Kernel, MAX_CONFIGURATIONS, Parameter, Precision, shortened};
use tree_sitter::{Node, Parser};

/// Maximum nesting depth of the module's blocks that are read.
const MAX_DEPTH: usize = 20; // limit: the stack

/// Maximum number of kernels that are read from a text.
const MAX_KERNELS: usize = 1024; // limit: time for a text

/// Reads the kernels of a text.
pub(super) fn read(text: &str) -> Vec<Kernel> {
    let mut parser = Parser::new();
    if parser.set_language(&tree_sitter_python::LANGUAGE.into()).is_err() {
        return Vec::new();
    }
    let Some(tree) = parser.parse(text, None) else { return Vec::new() };
    let root = tree.root_node();
    let interpreter = Interpreter::new(text, Imports::read(text, root));
    let mut all = Vec::new();
    module(&interpreter, root, 0, &mut all);
    all.truncate(MAX_KERNELS);
    all
}

/// Executes the statements of the module in order. Each kernel sees the values of names assigned above its
/// definition.
fn module<'t>(interpreter: &Interpreter<'t>, block: Node<'t>, depth: usize, all: &mut Vec<Kernel>) {
    for statement in parts(block) {
        // Most conditions at module level are true: they guard imports that may fail, or kernels that need a
        // GPU.
        let is_under = matches!(statement.kind(), "if_statement" | "try_statement" | "with_statement");
        let before = all.len();
        walk(statement, |node| {
            if node.kind() == "decorated_definition" && all.len() < MAX_KERNELS {
                all.extend(kernel(interpreter, node));
            }
            true
        });
        if is_under && all.len() > before && depth < MAX_DEPTH {
            all.truncate(before);
            let mut blocks = Vec::new();
            walk(statement, |node| {
                if node.kind() == "block" {
                    blocks.push(node);
                }
                node.kind() != "block"
            });
            for block in blocks {
                module(interpreter, block, depth + 1, all);
            }
        } else {
            interpreter.execute(statement);
        }
    }
}

fn kernel<'t>(interpreter: &Interpreter<'t>, node: Node<'t>) -> Option<Kernel> {
    let text = interpreter.text;
    let is_of = |node: Node<'t>, member: &str| interpreter.imports.is_of_triton(text, node, member);
    let decorators: Vec<Node<'t>> = parts(node)
        .filter(|part| part.kind() == "decorator")
        .filter_map(|decorator| parts(decorator).next())
        .collect();
    let callee = |decorator: &Node<'t>| decorator.child_by_field_name("function").unwrap_or(*decorator);
    if !decorators.iter().any(|decorator| is_of(callee(decorator), "jit")) {
        return None;
    }
    let function =
        node.child_by_field_name("definition").filter(|own| own.kind() == "function_definition")?;
    let name = function.child_by_field_name("name")?;
    let autotune = decorators.iter().find(|decorator| is_of(callee(decorator), "autotune"));
    let mut kernel = Kernel {
        name: slice(text, name).to_owned(),
        name_range: name.byte_range(),
        range: node.byte_range(),
        parameters: parameters(interpreter, function),
        configurations: autotune.map(|autotune| configurations(interpreter, *autotune)),
        precisions: Vec::new(),
        has_dot: false,
    };
    if let Some(body) = function.child_by_field_name("body") {
        products(interpreter, body, &mut kernel);
    }
    Some(kernel)
}

fn parameters<'t>(interpreter: &Interpreter<'t>, function: Node<'t>) -> Vec<Parameter> {
    let text = interpreter.text;
    let Some(list) = function.child_by_field_name("parameters") else { return Vec::new() };
    let read = |parameter: Node<'t>| {
        let name = match parameter.kind() {
            "identifier" => parameter,
            "typed_parameter" => parts(parameter).next().filter(|name| name.kind() == "identifier")?,
            "default_parameter" | "typed_default_parameter" => parameter.child_by_field_name("name")?,
            _ => return None,
        };
        let kind = parameter.child_by_field_name("type").and_then(|kind| parts(kind).next());
        let is_constexpr = kind.is_some_and(|kind| {
            // The annotation may be quoted.
            let path = interpreter.imports.path(text, kind);
            let written = path.unwrap_or_else(|| slice(text, kind).trim_matches(['"', '\'']).to_owned());
            written.rsplit('.').next() == Some("constexpr")
        });
        let default = parameter.child_by_field_name("value");
        let default = default.map(|value| interpreter.value(value, None, 0).setting(slice(text, value)));
        Some(Parameter { name: slice(text, name).to_owned(), is_constexpr, default })
    };
    parts(list).filter_map(read).collect()
}

fn configurations<'t>(interpreter: &Interpreter<'t>, autotune: Node<'t>) -> Configurations {
    let text = interpreter.text;
    let mut own = Configurations::default();
    let Some(arguments) = autotune.child_by_field_name("arguments") else { return own };
    let named = |wanted: &str| {
        parts(arguments).find_map(|part| {
            let name = part.child_by_field_name("name").filter(|_| part.kind() == "keyword_argument")?;
            (slice(text, name) == wanted).then(|| part.child_by_field_name("value"))?
        })
    };
    let first = parts(arguments).next().filter(|part| part.kind() != "keyword_argument");
    let Some(list) = named("configs").or(first) else { return own };
    match interpreter.value(list, None, 0) {
        Value::List(items) => {
            for item in items {
                match item {
                    Value::Configuration(_) if own.all.len() == MAX_CONFIGURATIONS => {
                        own.gap(format!("the configurations after the first {MAX_CONFIGURATIONS}"));
                    }
                    Value::Configuration(read) => own.all.push(*read),
                    Value::Unknown(why) => own.gap(format!("`{why}`")),
                    _ => own.gap(format!("an element of `{}`", shortened(slice(text, list)))),
                }
            }
        }
        Value::Unknown(why) => own.gap(format!("`{why}`")),
        _ => own.gap(format!("`{}`", shortened(slice(text, list)))),
    }
    own.elements = elements(&own);
    own
}

/// Ranges of all configurations if all of them are elements of one literal list and the list has no gaps; otherwise
/// empty.
fn elements(own: &Configurations) -> Vec<super::Element> {
    let places: Option<Vec<_>> = own.all.iter().map(|own| own.element.clone()).collect();
    let Some(places) = places.filter(|_| own.gaps.is_empty()) else { return Vec::new() };
    let is_one = places
        .windows(2)
        .all(|pair| pair[0].0 == pair[1].0 && pair[0].1.with_comma.end <= pair[1].1.range.start);
    if is_one { places.into_iter().map(|(_, element)| element).collect() } else { Vec::new() }
}

impl Configurations {
    fn gap(&mut self, why: String) {
        if !self.gaps.contains(&why) {
            self.gaps.push(why);
        }
    }
}

/// Collects the precisions that are requested by the `tl.dot` calls in a kernel's body.
fn products<'t>(interpreter: &Interpreter<'t>, body: Node<'t>, kernel: &mut Kernel) {
    let text = interpreter.text;
    walk(body, |node| {
        let callee = node.child_by_field_name("function").filter(|_| node.kind() == "call");
        if callee.is_some_and(|callee| interpreter.imports.is_of_triton(text, callee, "dot")) {
            kernel.has_dot = true;
            let precision = precision(interpreter, node);
            if let Some(precision) = precision.filter(|own| !kernel.precisions.contains(own)) {
                kernel.precisions.push(precision);
            }
        }
        true
    });
}

/// The precision that one `tl.dot` call requests; `None` if Triton chooses it.
fn precision<'t>(interpreter: &Interpreter<'t>, call: Node<'t>) -> Option<Precision> {
    let text = interpreter.text;
    let arguments = call.child_by_field_name("arguments")?;
    parts(arguments).find_map(|part| {
        let name = part.child_by_field_name("name").filter(|_| part.kind() == "keyword_argument")?;
        let node = part.child_by_field_name("value")?;
        let unknown = || Precision::Unknown(shortened(slice(text, node)));
        match (slice(text, name), interpreter.value(node, None, 0)) {
            ("input_precision", Value::Text(word)) => Some(match word.as_str() {
                "tf32" => Precision::Tf32,
                "tf32x3" => Precision::Tf32x3,
                "ieee" => Precision::Ieee,
                _ => unknown(),
            }),
            ("allow_tf32", value) => Some(match value.is_true() {
                Some(true) => Precision::Tf32,
                Some(false) => Precision::Ieee,
                None => unknown(),
            }),
            ("input_precision", Value::Nothing) => None,
            ("input_precision", _) => Some(unknown()),
            _ => None,
        }
    })
}
