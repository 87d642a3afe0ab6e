//! Reader of expressions.

use super::super::{BinaryOp, Expr, ExprKind, TypeName, UnaryOp};
use super::nodes::{ItemText, children, parts};
use std::ops::Range;
use tree_sitter::Node;

/// Maximum nesting depth of loops.
const MAX_LOOPS: u32 = 64; // limit: each nesting level multiplies the work of an interpreter

/// A reader for the nodes of one item.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub text: ItemText<'a>,
    /// Depth of the current node, counted in levels of the resulting tree.
    depth: u32,
    /// Number of loops around the current node.
    loops: u32,
}

impl<'a> Reader<'a> {
    /// Returns a reader for the item that starts at byte `start` of a text.
    pub(super) fn new(whole: &'a str, start: usize) -> Self {
        Self { text: ItemText { whole, start }, depth: 0, loops: 0 }
    }

    /// Returns the reader for nodes one level down; `None` if they are deeper than [`crate::DEEPEST_TREE`] levels.
    pub(super) fn deeper(&self) -> Option<Self> {
        (self.depth < crate::DEEPEST_TREE).then(|| Self { depth: self.depth + 1, ..*self })
    }

    /// Returns the reader for the condition and the body of a loop; `None` if [`MAX_LOOPS`] loops already surround the
    /// loop.
    pub(super) fn looped(&self) -> Option<Self> {
        (self.loops < MAX_LOOPS).then(|| Self { loops: self.loops + 1, ..*self })
    }

    pub(super) fn expr(&self, node: Node<'_>) -> Expr {
        let range = self.text.range(node);
        let is_whole = !node.is_error() && !node.is_missing();
        let kind = self.deeper().filter(|_| is_whole).and_then(|inner| inner.kind(node));
        Expr { kind: kind.unwrap_or(ExprKind::Unknown), range }
    }

    fn field(&self, node: Node<'_>, name: &str) -> Option<Box<Expr>> {
        node.child_by_field_name(name).map(|child| Box::new(self.expr(child)))
    }

    fn kind(&self, node: Node<'_>) -> Option<ExprKind> {
        Some(match node.kind() {
            "number_literal" => signed_number(self.text.slice(node), self.text.range(node))?,
            "true" => ExprKind::Integer { value: 1, is_unsigned: false, is_long: false },
            "false" | "null" | "nullptr" => {
                ExprKind::Integer { value: 0, is_unsigned: false, is_long: false }
            }
            "char_literal" => character(self.text.slice(node))?,
            // A type can occur before braces or as an argument: `float`, `unsigned int`.
            "identifier"
            | "field_identifier"
            | "namespace_identifier"
            | "type_identifier"
            | "this"
            | "primitive_type"
            | "sized_type_specifier" => {
                ExprKind::Name { name: self.text.slice(node).to_owned(), arguments: Vec::new() }
            }
            "qualified_identifier" => self.qualified(node)?,
            "template_function" | "template_type" => ExprKind::Name {
                name: self.text.slice(node.child_by_field_name("name")?).to_owned(),
                arguments: self.arguments(node.child_by_field_name("arguments")?),
            },
            "parenthesized_expression" | "condition_clause" => self.deeper()?.kind(parts(node).last()?)?,
            "field_expression" => {
                let name = node.child_by_field_name("field")?;
                ExprKind::Field {
                    of: self.field(node, "argument")?,
                    name: self.text.last_name(name).0,
                    is_arrow: children(node).any(|child| child.kind() == "->"),
                }
            }
            "subscript_expression" => self.subscript(node)?,
            "call_expression" => self.call(node)?,
            "unary_expression" | "pointer_expression" => {
                let op = match self.text.slice(node.child(0)?) {
                    "-" => UnaryOp::Minus,
                    "+" => UnaryOp::Plus,
                    "!" | "not" => UnaryOp::Not,
                    "~" | "compl" => UnaryOp::Invert,
                    "*" => UnaryOp::Dereference,
                    "&" => UnaryOp::AddressOf,
                    _ => return None,
                };
                ExprKind::Unary { op, of: self.field(node, "argument")? }
            }
            "update_expression" => {
                let is_prefix = matches!(node.child(0)?.kind(), "++" | "--");
                let is_increment = children(node).any(|child| child.kind() == "++");
                let op = match (is_prefix, is_increment) {
                    (true, true) => UnaryOp::Increment,
                    (true, false) => UnaryOp::Decrement,
                    (false, true) => UnaryOp::IncrementAfter,
                    (false, false) => UnaryOp::DecrementAfter,
                };
                ExprKind::Unary { op, of: self.field(node, "argument")? }
            }
            "binary_expression" => {
                let op = BinaryOp::parse(self.text.slice(node.child_by_field_name("operator")?))?;
                ExprKind::Binary { op, left: self.field(node, "left")?, right: self.field(node, "right")? }
            }
            "assignment_expression" => {
                let word = self.text.slice(node.child_by_field_name("operator")?);
                let op = match word.strip_suffix('=')? {
                    "" => None,
                    op => Some(BinaryOp::parse(op)?),
                };
                ExprKind::Assign { op, left: self.field(node, "left")?, right: self.field(node, "right")? }
            }
            "conditional_expression" => ExprKind::Conditional {
                condition: self.field(node, "condition")?,
                then: self.field(node, "consequence")?,
                otherwise: self.field(node, "alternative")?,
            },
            "cast_expression" => ExprKind::Cast {
                to: self.type_descriptor(node.child_by_field_name("type")?),
                of: self.field(node, "value")?,
            },
            "compound_literal_expression" => {
                let of = node.child_by_field_name("type")?;
                let of = match of.kind() {
                    "type_descriptor" => self.type_descriptor(of),
                    _ => self.base_type(node),
                };
                ExprKind::Construct { of, values: self.list(node.child_by_field_name("value")?) }
            }
            "sizeof_expression" => match node.child_by_field_name("type") {
                Some(of) => ExprKind::SizeOfType(self.type_descriptor(of)),
                None => ExprKind::SizeOf(self.field(node, "value")?),
            },
            "initializer_list" => ExprKind::List(self.list(node)),
            "comma_expression" => {
                ExprKind::Comma { left: self.field(node, "left")?, right: self.field(node, "right")? }
            }
            "parameter_pack_expansion" => ExprKind::Pack(self.field(node, "pattern")?),
            "lambda_expression" => ExprKind::Lambda(Box::new(self.stmt(node.child_by_field_name("body")?))),
            _ => return None,
        })
    }

    fn subscript(&self, node: Node<'_>) -> Option<ExprKind> {
        let indices = node.child_by_field_name("indices")?;
        let mut indices = parts(indices);
        let index = Box::new(self.expr(indices.next()?));
        let has_more = indices.next().is_some();
        let of = self.field(node, "argument")?;
        (!has_more).then_some(ExprKind::Index { of, index })
    }

    pub(super) fn list(&self, node: Node<'_>) -> Vec<Expr> {
        parts(node).map(|child| self.expr(child)).collect()
    }

    fn qualified(&self, node: Node<'_>) -> Option<ExprKind> {
        let inner = self.deeper()?.kind(node.child_by_field_name("name")?)?;
        let ExprKind::Name { name, arguments } = inner else { return None };
        let scope = node.child_by_field_name("scope").map(|scope| self.text.slice(scope));
        let name = scope.map_or_else(|| name.clone(), |scope| format!("{scope}::{name}"));
        Some(ExprKind::Name { name, arguments })
    }

    fn call(&self, node: Node<'_>) -> Option<ExprKind> {
        let function = node.child_by_field_name("function")?;
        let arguments = self.list(node.child_by_field_name("arguments")?);
        if let Some(syntax) = parts(node).find(|child| child.kind() == "kernel_call_syntax") {
            let function = Box::new(self.expr(function));
            return Some(ExprKind::Launch { function, configuration: self.list(syntax), arguments });
        }
        if let Some(to) = self.named_cast(function)
            && let [of] = arguments.as_slice()
        {
            return Some(ExprKind::Cast { to, of: Box::new(of.clone()) });
        }
        if let ("primitive_type" | "sized_type_specifier", [of]) = (function.kind(), arguments.as_slice()) {
            let to = TypeName::named(self.text.slice(function));
            return Some(ExprKind::Cast { to, of: Box::new(of.clone()) });
        }
        Some(ExprKind::Call { function: Box::new(self.expr(function)), arguments })
    }

    /// The type `T` of `static_cast<T>` and the other named casts.
    fn named_cast(&self, function: Node<'_>) -> Option<TypeName> {
        if function.kind() != "template_function" {
            return None;
        }
        let name = self.text.slice(function.child_by_field_name("name")?);
        let is_cast = matches!(name, "static_cast" | "reinterpret_cast" | "const_cast");
        let list = function.child_by_field_name("arguments").filter(|_| is_cast)?;
        parts(list).find(|child| child.kind() == "type_descriptor").map(|of| self.type_descriptor(of))
    }
}

/// Reads a number literal. In the grammar, the literal includes a sign at the start of an expression.
fn signed_number(text: &str, range: Range<u32>) -> Option<ExprKind> {
    let Some(positive) = text.strip_prefix(['-', '+']) else { return number(text) };
    let op = if text.starts_with('-') { UnaryOp::Minus } else { UnaryOp::Plus };
    let of = Box::new(Expr { kind: number(positive)?, range: range.start + 1..range.end });
    Some(ExprKind::Unary { op, of })
}

/// Reads a number literal.
fn number(text: &str) -> Option<ExprKind> {
    let text = text.replace('\'', "").to_ascii_lowercase();
    let (radix, digits) = match text.as_str() {
        hex if hex.starts_with("0x") => (16, &hex[2..]),
        binary if binary.starts_with("0b") => (2, &binary[2..]),
        _ => (10, text.as_str()),
    };
    let is_float = radix == 10 && digits.contains(['.', 'e']) || radix == 16 && digits.contains(['.', 'p']);
    if is_float {
        let number = digits.trim_end_matches(['f', 'l']);
        let value = if radix == 10 { number.parse().ok()? } else { hexadecimal_float(number)? };
        return Some(ExprKind::Float { value, is_double: !digits.ends_with('f') });
    }
    let whole = digits.trim_end_matches(['u', 'l', 'z']);
    let suffix = &digits[whole.len()..];
    if radix == 10 && whole.ends_with('f') {
        return None;
    }
    let is_octal = radix == 10 && whole.len() > 1 && whole.starts_with('0');
    let value = u64::from_str_radix(whole, if is_octal { 8 } else { radix }).ok()?;
    let is_unsigned =
        suffix.contains('u') || radix != 10 && value > i32::MAX as u64 && u32::try_from(value).is_ok();
    let is_long =
        suffix.contains('l') || value > u64::from(u32::MAX) || radix == 10 && value > i32::MAX as u64;
    Some(ExprKind::Integer { value, is_unsigned, is_long })
}

/// Reads the digits of a hexadecimal floating-point literal, `1.8p-3`.
fn hexadecimal_float(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = digits.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let bits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(4 * fraction.len() as i32)?;
    Some(bits as f64 * 2f64.powi(exponent))
}

fn character(text: &str) -> Option<ExprKind> {
    let mut inner = text.strip_prefix('\'')?.strip_suffix('\'')?.chars();
    let value = match (inner.next()?, inner.next()) {
        ('\\', Some('n')) => 10,
        ('\\', Some('t')) => 9,
        ('\\', Some('0')) => 0,
        (one, None) => u64::from(u32::from(one)),
        _ => return None,
    };
    Some(ExprKind::Integer { value, is_unsigned: false, is_long: false })
}
