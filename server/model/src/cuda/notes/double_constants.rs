//! Double-precision constants that promote an operation on single-precision numbers to double precision.
//!
//! If the constant is exact in single precision and the result is converted to single precision, the compiler
//! performs the operation in single precision. The compiler also compares with an exact constant in single
//! precision. Source: nvcc 13.5 for `sm_90`, 40 expressions.

use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::source::types::Type;
use crate::cuda::state::WarpState;
use crate::cuda::values::value::Value;
use syntax::cuda::{Expr, ExprKind, UnaryOp};

/// Source positions of promoting constants, without duplicates.
#[derive(Debug, Default)]
pub(crate) struct DoubleConstants {
    pub found: Vec<SourceSpan>,
    /// Constants that are exact in single precision. Such a constant costs nothing if the result is converted
    /// to single precision.
    exact: Vec<SourceSpan>,
}

impl DoubleConstants {
    /// Records the constants among the operands of an operation.
    pub(super) fn note(
        &mut self,
        warp: &WarpState<'_>,
        (left, one): (&Expr, &Value),
        (right, other): (&Expr, &Value),
    ) {
        if warp.is_on_device() {
            self.note_operand(warp, left, other);
            self.note_operand(warp, right, one);
            self.note_wide(warp, left);
            self.note_wide(warp, right);
        }
    }

    /// Records a double-precision constant if the other operand has single precision.
    fn note_operand(&mut self, warp: &WarpState<'_>, constant: &Expr, other: &Value) {
        let number = without_sign(constant);
        let ExprKind::Float { value, is_double: true } = number.kind else { return };
        if !matches!(other, Value::Unknown(Type::Float(4))) {
            return;
        }
        let found = warp.place(&number.range);
        #[expect(clippy::float_cmp, reason = "it asks whether the conversion loses anything")]
        let is_exact = f64::from(value as f32) == value;
        let noted = if is_exact { &mut self.exact } else { &mut self.found };
        if !noted.contains(&found) {
            noted.push(found);
        }
    }

    /// Records the exact constants in an operand that is itself an operation. The double-precision result of
    /// such an operand is not converted.
    fn note_wide(&mut self, warp: &WarpState<'_>, operand: &Expr) {
        let ExprKind::Binary { op, left, right } = &without_sign(operand).kind else { return };
        if op.is_comparison() {
            return;
        }
        for side in [left, right].map(|side| without_sign(side)) {
            let place = warp.place(&side.range);
            if matches!(side.kind, ExprKind::Float { is_double: true, .. })
                && self.exact.contains(&place)
                && !self.found.contains(&place)
            {
                self.found.push(place);
            }
        }
    }
}

/// Returns the expression without its leading plus and minus signs.
fn without_sign(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Unary { op: UnaryOp::Minus | UnaryOp::Plus, of } => without_sign(of),
        _ => expr,
    }
}
