//! Types of operands, if the function's source determines them.

use super::statement::Statement;
use syntax::cuda::{Expr, ExprKind, Function, Stmt, StmtKind, TypeName, UnaryOp};

/// The type of a value, in the categories that constraints distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// An integer with this number of bits.
    Integer(u32),
    Float(u32),
    Pointer,
}

impl ValueType {
    /// Description in messages: `a 16-bit integer`.
    pub fn in_words(self) -> String {
        match self {
            Self::Integer(bits) => format!("a {bits}-bit integer"),
            Self::Float(32) => "a `float`".to_owned(),
            Self::Float(_) => "a `double`".to_owned(),
            Self::Pointer => "a 64-bit pointer".to_owned(),
        }
    }
}

/// Returns the type of each operand, by operand number; `None` for an uncertain type.
pub(super) fn of_operands(statement: Statement<'_>) -> Vec<Option<ValueType>> {
    let unknown = || vec![None; statement.block.operands.len()];
    let Some(function) = statement.function() else { return unknown() };
    // Unparsed text may contain any declaration.
    if !statement.item.errors.is_empty() {
        return unknown();
    }
    let Some(body) = &function.body else { return unknown() };
    let at = statement.block.range.start;
    let mut path = Vec::new();
    let mut stmt = body;
    loop {
        path.push(stmt);
        match stmt.children().into_iter().find(|child| child.range.contains(&at)) {
            Some(child) => stmt = child,
            None => break,
        }
    }
    // If the innermost statement is not the `asm`, it contains a lambda with its own names.
    let StmtKind::Asm(asm) = &stmt.kind else { return unknown() };
    let values: Vec<_> = asm.operands().map(|operand| operand.value.as_ref()).collect();
    if values.len() != statement.block.operands.len() {
        return unknown();
    }
    let scope = Scope { function, body, path: &path, at };
    values.into_iter().map(|value| value.and_then(|value| scope.value(value))).collect()
}

struct Scope<'a> {
    function: &'a Function,
    body: &'a Stmt,
    /// The statements that enclose the position, outermost first.
    path: &'a [&'a Stmt],
    at: u32,
}

impl Scope<'_> {
    /// The type of an expression. `None` for an integer literal, because characters and Booleans are also parsed as
    /// integers.
    fn value(&self, expr: &Expr) -> Option<ValueType> {
        match &expr.kind {
            ExprKind::Name { name, arguments } if arguments.is_empty() => of_type(self.variable(name)?),
            ExprKind::Cast { to, .. } => self.of_written(to),
            ExprKind::Float { is_double, .. } => Some(ValueType::Float(if *is_double { 64 } else { 32 })),
            ExprKind::Unary { op: UnaryOp::AddressOf, of } => {
                self.variable(of.as_name()?).and_then(of_type).map(|_| ValueType::Pointer)
            }
            ExprKind::Call { function, .. } if function.as_name()?.starts_with("__cvta_generic_to_") => {
                Some(ValueType::Integer(64))
            }
            _ => None,
        }
    }

    /// The result type of a cast; `None` if the type name is a template parameter.
    fn of_written(&self, to: &TypeName) -> Option<ValueType> {
        let is_parameter = self.function.templates.iter().any(|parameter| parameter.name == to.name);
        if is_parameter && to.pointers == 0 { None } else { of_type(to) }
    }

    /// The type of the variable with this name. `None` if the variable is not in scope, or if the function
    /// declares the name more than once.
    fn variable(&self, name: &str) -> Option<&TypeName> {
        let mut found: Vec<(&TypeName, bool)> = Vec::new();
        for parameter in self.function.parameters.iter().filter(|parameter| parameter.name == name) {
            found.push((&parameter.of, true));
        }
        self.body.walk(&mut |stmt| {
            let is_around = self.path.iter().any(|other| std::ptr::eq(*other, stmt));
            let own: Vec<(&syntax::cuda::Variable, bool)> = match &stmt.kind {
                StmtKind::Declaration(all) => {
                    // The variable is in scope if the statement that contains its declaration also encloses
                    // the position.
                    let holds =
                        |outer: &&&Stmt| outer.children().iter().any(|child| std::ptr::eq(*child, stmt));
                    let is_reached = stmt.range.end <= self.at && self.path.iter().any(|outer| holds(&outer));
                    all.iter().map(|variable| (variable, is_reached)).collect()
                }
                StmtKind::ForEach { variable, .. } => vec![(variable, is_around)],
                _ => Vec::new(),
            };
            found.extend(
                own.iter()
                    .filter(|(variable, _)| variable.name == name)
                    .map(|(variable, is)| (&variable.of, *is)),
            );
        });
        match found.as_slice() {
            [(of, true)] if !self.function.templates.iter().any(|parameter| parameter.name == of.name) => {
                Some(of)
            }
            _ => None,
        }
    }
}

/// The type of a type name, if it is the same on all platforms; otherwise `None`. `long` differs: it has 32
/// bits on Windows.
fn of_type(of: &TypeName) -> Option<ValueType> {
    if !of.dimensions.is_empty() || !of.arguments.is_empty() {
        return None;
    }
    if of.pointers > 0 {
        return Some(ValueType::Pointer);
    }
    let name = of.name.strip_prefix("std::").unwrap_or(&of.name);
    let fixed = name.strip_suffix("_t").map(|name| name.strip_prefix('u').unwrap_or(name));
    if let Some(bits) = fixed.and_then(|name| name.strip_prefix("int")).and_then(|bits| bits.parse().ok()) {
        return matches!(bits, 8 | 16 | 32 | 64).then_some(ValueType::Integer(bits));
    }
    let mut words: Vec<&str> =
        name.split(' ').filter(|word| !matches!(*word, "int" | "signed" | "unsigned")).collect();
    words.sort_unstable();
    Some(match words.as_slice() {
        [] if !name.is_empty() => ValueType::Integer(32),
        ["char" | "bool"] => ValueType::Integer(8),
        ["short"] => ValueType::Integer(16),
        ["long", "long"] => ValueType::Integer(64),
        ["__int128"] => ValueType::Integer(128),
        ["float"] => ValueType::Float(32),
        ["double"] => ValueType::Float(64),
        _ => return None,
    })
}
