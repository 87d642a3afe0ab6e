//! Alias and access analysis of the memory that a pointer of a function points to.

use super::place::EditSite;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, UnaryOp};

/// Strongest kind of access that a function makes to the memory that a pointer points to. Ordered by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    /// The function only reads the memory.
    Read,
    Written,
    /// The pointer or a reference to the memory escapes, so some uses are unknown.
    Unsure,
}

/// Returns the strongest kind of access of the function at the cursor to the memory that `name` points to.
pub(super) fn access(place: &EditSite<'_>, name: &str) -> Access {
    if place.type_of(name).is_none() {
        return Access::Unsure;
    }
    let mut walk = Walk { place, name, found: Access::Read };
    place.body.walk(&mut |stmt| walk.statement(stmt));
    walk.found
}

/// True if the function changes the pointer or takes the address of the pointer variable.
pub(super) fn is_moved(place: &EditSite<'_>, name: &str) -> bool {
    place.expressions().into_iter().any(|expr| changed(expr).is_some_and(|of| of.as_name() == Some(name)))
}

/// Returns the operand that an expression assigns, increments, decrements, or takes the address of.
pub(super) fn changed(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Assign { left: of, .. } => Some(of),
        ExprKind::Unary { op, of } if is_step(*op) || *op == UnaryOp::AddressOf => Some(of),
        _ => None,
    }
}

fn is_step(op: UnaryOp) -> bool {
    use UnaryOp::{Decrement, DecrementAfter, Increment, IncrementAfter};
    matches!(op, Increment | Decrement | IncrementAfter | DecrementAfter)
}

/// True for functions that cannot change variables passed to them: intrinsics, math functions, and functions
/// in this file without mutable references.
pub(super) fn takes_values(place: &EditSite<'_>, name: &str) -> bool {
    const NAMES: [&str; 22] = [
        "min", "max", "abs", "fabs", "fmin", "fmax", "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "pow",
        "sin", "cos", "tan", "tanh", "erf", "fma", "floor", "ceil", "round",
    ];
    if let Some(function) = place.function_named(name) {
        return function
            .parameters
            .iter()
            .all(|parameter| !parameter.of.is_reference || parameter.of.is_const);
    }
    !place.is_in_macro(name)
        && (["__", "make_", "atomic"].iter().any(|start| name.starts_with(start))
            || NAMES.contains(&name.strip_suffix('f').unwrap_or(name))
            || NAMES.contains(&name))
}

/// True if a launch in the file passes the same argument for two pointers of the kernel.
pub(super) fn passes_one_twice(place: &EditSite<'_>) -> bool {
    let text = place.view.text.text();
    let parameters = &place.function.parameters;
    let mut passes = false;
    for (placed, host) in place.view.text.unit().functions() {
        let Some(body) = &host.body else { continue };
        body.walk_expressions(&mut |expr| {
            let ExprKind::Launch { function, arguments, .. } = &expr.kind else { return };
            if !function.as_name().is_some_and(|name| is_kernel(place, name)) {
                return;
            }
            let mut seen: Vec<&str> = Vec::new();
            for (_, argument) in parameters.iter().zip(arguments).filter(|(own, _)| own.of.pointers > 0) {
                let argument = text.get(placed.range(&argument.range)).unwrap_or_default();
                passes |= seen.contains(&argument) && argument != "nullptr";
                seen.push(argument);
            }
        });
    }
    passes
}

/// True if a name, with or without namespace qualifiers, refers to the kernel.
pub(super) fn is_kernel(place: &EditSite<'_>, name: &str) -> bool {
    name.rsplit("::").next() == Some(&place.function.name)
}

struct Walk<'p> {
    place: &'p EditSite<'p>,
    name: &'p str,
    found: Access,
}

impl Walk<'_> {
    fn found(&mut self, access: Access) {
        self.found = self.found.max(access);
    }

    fn is_name(&self, expr: &Expr) -> bool {
        expr.as_name() == Some(self.name)
    }

    fn statement(&mut self, stmt: &Stmt) {
        if let StmtKind::Declaration(variables) = &stmt.kind {
            for variable in variables.iter().filter(|variable| variable.of.is_reference) {
                if variable.value.as_ref().is_some_and(|value| self.is_place(value)) {
                    self.found(Access::Unsure);
                }
            }
        }
        if let StmtKind::Asm(asm) = &stmt.kind
            && asm.outputs.iter().filter_map(|output| output.value.as_ref()).any(|value| self.is_place(value))
        {
            self.found(Access::Written);
        }
        for expr in stmt.expressions() {
            // `p += n;` and `++p;` only move the pointer. No other variable receives the new value.
            match &expr.kind {
                ExprKind::Assign { op: Some(_), left, right } if self.is_name(left) => self.expression(right),
                ExprKind::Unary { op, of } if is_step(*op) && self.is_name(of) => {}
                _ => self.expression(expr),
            }
        }
    }

    fn expression(&mut self, expr: &Expr) {
        if self.is_place(expr) {
            self.found(Access::Read);
            return self.below(expr);
        }
        match &expr.kind {
            ExprKind::Name { name, .. } if name == self.name => self.found(Access::Unsure),
            ExprKind::Assign { left, right, .. } => {
                self.target(left, Access::Written);
                self.expression(right);
            }
            ExprKind::Unary { op, of } if is_step(*op) => self.target(of, Access::Written),
            ExprKind::Unary { op: UnaryOp::AddressOf, of } => self.target(of, Access::Unsure),
            ExprKind::Call { function, arguments } => self.call(function, arguments),
            ExprKind::Binary { op, left, right } if op.is_comparison() => {
                for side in [left, right] {
                    if !self.is_name(side) {
                        self.expression(side);
                    }
                }
            }
            _ => expr.children().into_iter().for_each(|child| self.expression(child)),
        }
    }

    fn target(&mut self, of: &Expr, access: Access) {
        if self.is_place(of) {
            self.found(access);
            self.below(of);
        } else {
            self.expression(of);
        }
    }

    fn call(&mut self, function: &Expr, arguments: &[Expr]) {
        let name = function.as_name();
        let by_value = name.is_some_and(|name| takes_values(self.place, name));
        if name.is_none() {
            self.target(function, Access::Unsure);
        }
        for argument in arguments {
            match &argument.kind {
                ExprKind::Unary { op: UnaryOp::AddressOf, of } if name == Some("__ldg") => {
                    self.target(of, Access::Read);
                }
                _ => self.target(argument, if by_value { Access::Read } else { Access::Unsure }),
            }
        }
    }

    /// True if an expression is an lvalue in the memory that the pointer points to.
    fn is_place(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Index { of, .. } => self.is_pointer(of) || self.is_place(of),
            ExprKind::Unary { op: UnaryOp::Dereference, of } | ExprKind::Field { of, is_arrow: true, .. } => {
                self.is_pointer(of)
            }
            ExprKind::Field { of, is_arrow: false, .. } => self.is_place(of),
            _ => false,
        }
    }

    /// True if an expression is the pointer, possibly with an offset or a cast to a pointer to `const`.
    fn is_pointer(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name { name, .. } => name == self.name,
            ExprKind::Binary { op: BinaryOp::Add, left, right } => {
                self.is_pointer(left) || self.is_pointer(right)
            }
            ExprKind::Binary { op: BinaryOp::Subtract, left, .. } => self.is_pointer(left),
            ExprKind::Unary { op: UnaryOp::AddressOf, of } => self.is_place(of),
            ExprKind::Unary { op, of } => is_step(*op) && self.is_name(of),
            ExprKind::Cast { to, of } => to.is_const && to.pointers > 0 && self.is_pointer(of),
            _ => false,
        }
    }

    /// Visits the subscripts and offsets in an lvalue or a pointer expression. Skips the pointer itself.
    fn below(&mut self, expr: &Expr) {
        for child in expr.children() {
            if self.is_place(child) || self.is_pointer(child) {
                self.below(child);
            } else {
                self.expression(child);
            }
        }
    }
}
