//! Arrays in host code, and the pointers that are known to point into separate arrays.

use crate::cuda::affine::numbers::LaunchContext;
use crate::cuda::source::syntactic::{root_of, target_of};
use rustc_hash::FxHashSet;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Function, StmtKind, UnaryOp};

/// Pointers of a host function. Each pointer counts as a separate array unless another pointer is assigned to
/// it.
pub(crate) struct HostArrays<'s, 'h> {
    /// Names of pointers that may be changed to point into another array.
    unclear: FxHashSet<&'h str>,
    at: &'s LaunchContext<'h>,
}

impl<'s, 'h> HostArrays<'s, 'h> {
    pub(crate) fn new(host: &'h Function, at: &'s LaunchContext<'h>) -> Option<Self> {
        let mut unclear: FxHashSet<&str> = FxHashSet::default();
        let body = host.body.as_ref()?;
        body.walk_expressions(&mut |expr| match &expr.kind {
            ExprKind::Assign { op: None, left, right } if !is_fresh(right) => unclear.extend(root_of(left)),
            // A function with "swap" in its name exchanges its arguments.
            ExprKind::Call { function, arguments }
                if function.as_name().is_some_and(|name| name.to_ascii_lowercase().contains("swap")) =>
            {
                unclear.extend(arguments.iter().filter_map(|argument| match &argument.kind {
                    ExprKind::Unary { op: UnaryOp::AddressOf, of } => root_of(of),
                    _ => root_of(argument),
                }));
            }
            ExprKind::Assign { .. } | ExprKind::Unary { op: UnaryOp::AddressOf, .. } => {}
            _ => unclear.extend(target_of(expr).and_then(root_of)),
        });
        body.walk(&mut |stmt| {
            let StmtKind::Declaration(all) = &stmt.kind else { return };
            let references = all.iter().filter(|variable| variable.of.is_reference);
            unclear.extend(references.filter_map(|variable| root_of(variable.value.as_ref()?)));
        });
        Some(Self { unclear, at })
    }

    /// Returns the name, in host code, of the array that an expression points into; `None` if the expression
    /// may point into one of several arrays.
    pub(crate) fn array(&self, expr: &Expr) -> Option<String> {
        self.array_at(expr, 0)
    }

    fn array_at(&self, expr: &Expr, depth: u32) -> Option<String> {
        match &expr.kind {
            _ if depth > 8 => None,
            ExprKind::Name { name, .. } => {
                if self.unclear.contains(name.as_str()) {
                    return None;
                }
                match self.at.variable(name).and_then(|variable| variable.value.as_ref()) {
                    Some(value) if !is_fresh(value) => self.array_at(value, depth + 1),
                    _ => Some(name.clone()),
                }
            }
            ExprKind::Field { of, name, is_arrow } => {
                let dot = if *is_arrow { "->" } else { "." };
                let of = self.array_at(of, depth + 1)?;
                Some(format!("{of}{dot}{name}"))
            }
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Subtract, left, .. } => {
                self.array_at(left, depth + 1)
            }
            ExprKind::Cast { of, .. } => self.array_at(of, depth + 1),
            ExprKind::Unary { op: UnaryOp::AddressOf, of } => match &of.kind {
                ExprKind::Index { of, .. } => self.array_at(of, depth + 1),
                _ => None,
            },
            _ => None,
        }
    }
}

/// True if an expression is assumed to alias no other pointer: a call, a null pointer, or an unknown
/// expression.
fn is_fresh(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call { .. } | ExprKind::Integer { .. } | ExprKind::Unknown | ExprKind::List(_) => true,
        ExprKind::Cast { of, .. } => is_fresh(of),
        ExprKind::Name { name, .. } => matches!(name.as_str(), "NULL" | "nullptr"),
        _ => false,
    }
}
