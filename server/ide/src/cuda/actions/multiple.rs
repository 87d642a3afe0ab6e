//! Proofs that an integer expression is a multiple of a power of two.

use super::place::EditSite;
use super::pointer::{changed, takes_values};
use syntax::cuda::{BinaryOp, Expr, ExprKind, StmtKind};

/// Largest power of two to prove.
const MAX: u64 = 4; // limit: vector types of CUDA have at most four elements
/// Largest depth at which variables are replaced by their values.
const DEEPEST: u32 = 8; // limit: bounds the recursion

/// True if the source proves that an expression is always a multiple of four.
pub(super) fn is_multiple_of_four(place: &EditSite<'_>, expr: &Expr) -> bool {
    multiple(place, expr, 0) == MAX
}

/// Returns the largest power of two, at most [`MAX`], that provably divides the expression.
fn multiple(place: &EditSite<'_>, expr: &Expr, depth: u32) -> u64 {
    let of = |expr: &Expr| multiple(place, expr, depth + 1);
    match &expr.kind {
        ExprKind::Integer { value: 0, .. } => MAX,
        ExprKind::Integer { value, .. } => 1 << value.trailing_zeros().min(MAX.trailing_zeros()),
        ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Subtract, left, right } => of(left).min(of(right)),
        ExprKind::Binary { op: BinaryOp::Multiply, left, right } => (of(left) * of(right)).min(MAX),
        ExprKind::Binary { op: BinaryOp::ShiftLeft, left, right } => match &right.kind {
            ExprKind::Integer { value, .. } => (of(left) << value.min(&8)).min(MAX),
            _ => 1,
        },
        ExprKind::Name { name, .. } if depth < DEEPEST => variable(place, name, depth),
        _ => 1,
    }
}

/// Returns the largest power of two, at most [`MAX`], that provably divides all values of an integer variable.
fn variable(place: &EditSite<'_>, name: &str, depth: u32) -> u64 {
    const WHOLE: [&str; 8] =
        ["int", "unsigned int", "unsigned", "long", "long long", "size_t", "int64_t", "uint32_t"];
    let Some(variable) = place.variable(name) else { return 1 };
    let of = &variable.of;
    let is_whole = of.pointers == 0 && of.dimensions.is_empty() && !of.is_reference;
    if !is_whole || !(WHOLE.contains(&&*of.name) || of.name == "auto") {
        return 1;
    }
    let Some(first) = variable.value.as_ref().filter(|_| !is_lent(place, name)) else { return 1 };
    let mut least = multiple(place, first, depth + 1);
    for expr in place.expressions() {
        if changed(expr).and_then(Expr::as_name) != Some(name) {
            continue;
        }
        least = least.min(match &expr.kind {
            ExprKind::Assign { op: None | Some(BinaryOp::Add | BinaryOp::Subtract), right, .. } => {
                multiple(place, right, depth + 1)
            }
            ExprKind::Assign { op: Some(BinaryOp::Multiply), .. } => least,
            _ => 1,
        });
    }
    least
}

/// True if a variable may be changed through a reference, a call or an `asm` output.
fn is_lent(place: &EditSite<'_>, name: &str) -> bool {
    let is_name = |expr: &Expr| expr.as_name() == Some(name);
    let mut is_lent = false;
    place.body.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Declaration(all) => {
            let mut references = all.iter().filter(|variable| variable.of.is_reference);
            is_lent |= references.any(|variable| variable.value.as_ref().is_some_and(is_name));
        }
        StmtKind::Asm(asm) => {
            is_lent |= asm.outputs.iter().any(|output| output.value.as_ref().is_some_and(is_name));
        }
        _ => {}
    });
    is_lent
        || place.expressions().into_iter().any(|expr| match &expr.kind {
            ExprKind::Call { function, arguments } => {
                arguments.iter().any(is_name)
                    && !function.as_name().is_some_and(|callee| takes_values(place, callee))
            }
            _ => false,
        })
}
