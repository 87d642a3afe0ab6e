//! Values of expressions, lane by lane.

use super::interpreter::Interpreter;
use crate::cuda::source::types::{IntType, Type};
use crate::cuda::values::convert::{assembled, converted};
use crate::cuda::values::lanes::{Lanes, Truth};
use crate::cuda::values::lvalue::Lvalue;
use crate::cuda::values::value::Value;
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, ExprKind, UnaryOp};

impl<'a> Interpreter<'a> {
    /// The value of an expression, with all that its evaluation does.
    pub(super) fn value(&mut self, expr: &'a Expr) -> Value {
        self.deeper(|all| all.value_of(expr)).unwrap_or(Value::Unknown(Type::Unknown))
    }

    fn value_of(&mut self, expr: &'a Expr) -> Value {
        if !self.step() {
            return Value::Unknown(Type::Unknown);
        }
        match &expr.kind {
            ExprKind::Integer { value, is_unsigned, is_long } => {
                let of = IntType { bytes: if *is_long { 8 } else { 4 }, is_signed: !is_unsigned };
                Value::Int(Lanes::all(of, *value as i64))
            }
            ExprKind::Float { is_double, .. } => Value::Unknown(Type::Float(if *is_double { 8 } else { 4 })),
            ExprKind::Name { name, .. } => self.name(name, expr),
            ExprKind::Field { .. }
            | ExprKind::Index { .. }
            | ExprKind::Unary { op: UnaryOp::Dereference, .. } => {
                let place = self.place(expr);
                self.read(place, &expr.range)
            }
            ExprKind::Call { function, arguments } => {
                let place = self.called(function, arguments, expr);
                self.read(place, &expr.range)
            }
            ExprKind::Launch { function, configuration, arguments } => {
                self.launch(function, configuration, arguments, expr);
                Value::Unknown(Type::Void)
            }
            ExprKind::Unary { op, of } => self.unary(*op, of, expr),
            ExprKind::Binary { op: BinaryOp::Both | BinaryOp::Either, .. } => {
                Value::Int(self.truth(expr).as_lanes())
            }
            ExprKind::Binary { op, left, right } => {
                let (one, other) = (self.value(left), self.value(right));
                self.note_double_constants((left, &one), (right, &other));
                if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
                    self.note_division(*op, (left, &one), (right, &other), &expr.range);
                }
                self.binary(*op, &one, &other)
            }
            ExprKind::Assign { op, left, right } => self.assign(*op, left, right),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise)
            }
            ExprKind::Cast { to, of } => {
                let to = self.type_of(to);
                let value = self.value(of);
                converted(&to, value)
            }
            ExprKind::Construct { of, values } => {
                let of = self.type_of(of);
                let values = values.iter().map(|value| self.value(value)).collect();
                assembled(&of, values)
            }
            ExprKind::SizeOfType(of) => {
                let of = self.type_of(of);
                size(&of)
            }
            ExprKind::SizeOf(of) => {
                let (counts, place) = (std::mem::replace(&mut self.counts, false), self.place(of));
                self.counts = counts;
                match place {
                    Lvalue::Memory(pointer) => size(&pointer.to),
                    other => size(&self.read(other, &expr.range).value_type()),
                }
            }
            ExprKind::List(values) => {
                let values: Vec<Value> = values.iter().map(|value| self.value(value)).collect();
                let of = values.first().map_or(Type::Unknown, Value::value_type);
                Value::Elements(of, values)
            }
            ExprKind::Lambda(body) => {
                // On the host, the launches of a lambda are collected; whether it is called is unknown.
                if self.indices.is_none() {
                    self.statement(body);
                    self.frame().returned = 0;
                }
                Value::Unknown(Type::Unknown)
            }
            ExprKind::Comma { left, right } => {
                self.value(left);
                self.value(right)
            }
            ExprKind::Unknown => Value::Unknown(Type::Unknown),
        }
    }

    /// Notes the constants of double precision that make an operation on numbers of single precision one of double precision.
    ///
    /// Where the constant is exact in single precision, the compiler computes in that if the result is converted to it. So does it
    /// for a comparison. Source: nvcc 13.5 for sm_90, 40 expressions.
    fn note_double_constants(&mut self, (left, one): (&Expr, &Value), (right, other): (&Expr, &Value)) {
        if self.indices.is_none() {
            return;
        }
        self.note_double_constant(left, other);
        self.note_double_constant(right, one);
        self.note_wide(left);
        self.note_wide(right);
    }

    /// Notes a constant of double precision whose other operand has single precision.
    fn note_double_constant(&mut self, constant: &Expr, other: &Value) {
        let number = without_sign(constant);
        let ExprKind::Float { value, is_double: true } = number.kind else { return };
        if !matches!(other, Value::Unknown(Type::Float(4))) {
            return;
        }
        let found = (self.item(), self.used_at.clone().unwrap_or_else(|| number.range.clone()));
        #[expect(clippy::float_cmp, reason = "it asks whether the conversion loses anything")]
        let is_exact = f64::from(value as f32) == value;
        let noted = if is_exact { &mut self.exact_constants } else { &mut self.double_constants };
        if !noted.contains(&found) {
            noted.push(found);
        }
    }

    /// Notes the constants of an operation whose result of double precision goes into another operation as it is.
    fn note_wide(&mut self, operand: &Expr) {
        let ExprKind::Binary { op, left, right } = &without_sign(operand).kind else { return };
        if op.is_comparison() {
            return;
        }
        for side in [left, right].map(|side| without_sign(side)) {
            let place = (self.item(), self.used_at.clone().unwrap_or_else(|| side.range.clone()));
            if matches!(side.kind, ExprKind::Float { is_double: true, .. })
                && self.exact_constants.contains(&place)
                && !self.double_constants.contains(&place)
            {
                self.double_constants.push(place);
            }
        }
    }

    fn name(&mut self, name: &'a str, expr: &'a Expr) -> Value {
        if let Some(index) = self.launch_index(name).filter(|_| self.lookup(name).is_none()) {
            return index;
        }
        if name == "this"
            && let Some(object) = self.named(name)
        {
            return self.address(object);
        }
        if name == "warpSize" {
            return Value::int(32);
        }
        if self.lookup(name).is_none() {
            let env = self.env;
            if let Some(of) = env.macro_named(name) {
                return match &of.value {
                    Some(value) if of.parameters.is_none() => {
                        self.in_macro(&expr.range, |all| all.value(value))
                    }
                    _ => Value::Unknown(Type::Unknown),
                };
            }
            if let Some((stated, more)) = env.enumerator(name) {
                let value = stated.map_or(Some(0), |stated| self.constant(stated));
                return value.map_or(Value::Unknown(Type::Unknown), |value| Value::int(value + more));
            }
        }
        let place = self.named(name);
        place.map_or(Value::Unknown(Type::Unknown), |place| self.read(place, &expr.range))
    }

    /// Evaluates the text of a macro: what it accesses is accessed where the macro is used.
    pub(super) fn in_macro<T>(&mut self, range: &Range<u32>, work: impl FnOnce(&mut Self) -> T) -> T {
        const DEEPEST: usize = 64;
        let before = self.used_at.clone();
        self.used_at.get_or_insert_with(|| range.clone());
        self.macros += 1;
        let steps = self.steps;
        if self.macros > DEEPEST {
            self.steps = 0;
        }
        let result = work(self);
        if self.macros > DEEPEST {
            self.steps = steps;
        }
        self.macros -= 1;
        self.used_at = before;
        result
    }

    fn unary(&mut self, op: UnaryOp, of: &'a Expr, expr: &'a Expr) -> Value {
        match op {
            UnaryOp::AddressOf => {
                let place = self.place(of);
                self.address(place)
            }
            UnaryOp::Increment | UnaryOp::Decrement | UnaryOp::IncrementAfter | UnaryOp::DecrementAfter => {
                let place = self.place(of);
                let before = self.read(place.clone(), &of.range);
                let is_up = matches!(op, UnaryOp::Increment | UnaryOp::IncrementAfter);
                let op_on = if is_up { BinaryOp::Add } else { BinaryOp::Subtract };
                let after = self.binary(op_on, &before, &Value::int(1));
                let after = converted(&before.value_type(), after);
                self.write(&place, &after, &expr.range);
                if matches!(op, UnaryOp::Increment | UnaryOp::Decrement) { after } else { before }
            }
            UnaryOp::Plus => self.value(of),
            UnaryOp::Minus => {
                let value = self.value(of);
                match &value {
                    Value::Int(lanes) => {
                        self.binary(BinaryOp::Subtract, &Value::Int(Lanes::all(lanes.of, 0)), &value)
                    }
                    _ => value,
                }
            }
            UnaryOp::Invert => {
                let value = self.value(of);
                match &value {
                    Value::Int(lanes) => {
                        self.binary(BinaryOp::Subtract, &Value::Int(Lanes::all(lanes.of, -1)), &value)
                    }
                    _ => value,
                }
            }
            UnaryOp::Not => Value::Int(self.truth(expr).as_lanes()),
            UnaryOp::Dereference => {
                let place = self.place(expr);
                self.read(place, &expr.range)
            }
        }
    }

    /// Lanes for which a condition holds.
    pub(super) fn truth(&mut self, condition: &'a Expr) -> Truth {
        self.deeper(|all| all.truth_of(condition)).unwrap_or(Truth::UNKNOWN)
    }

    fn truth_of(&mut self, condition: &'a Expr) -> Truth {
        match &condition.kind {
            ExprKind::Binary { op: op @ (BinaryOp::Both | BinaryOp::Either), left, right } => {
                self.logical(*op, left, right)
            }
            ExprKind::Binary { op, left, right } if op.is_comparison() => {
                let (one, other) = (self.value(left), self.value(right));
                self.note_double_constants((left, &one), (right, &other));
                self.comparison(*op, &one, &other)
            }
            ExprKind::Unary { op: UnaryOp::Not, of } => self.truth(of).not(),
            _ => {
                let value = self.value(condition);
                self.is_true(&value)
            }
        }
    }

    pub(super) fn is_true(&self, value: &Value) -> Truth {
        match value {
            Value::Int(lanes) => lanes.truth(&self.symbols),
            Value::Pointer(_) => Truth::ALL,
            _ => Truth::UNKNOWN,
        }
    }

    /// `&&` and `||`: the right side is evaluated by the lanes that need it.
    fn logical(&mut self, op: BinaryOp, left: &'a Expr, right: &'a Expr) -> Truth {
        let left = self.truth(left);
        let needed = if op == BinaryOp::Both { left.holds } else { left.not().holds } | left.unknown;
        let right = self.with_lanes(needed, left.unknown, |all| all.truth(right)).unwrap_or(Truth::UNKNOWN);
        if op == BinaryOp::Both { left.both(right) } else { left.either(right) }
    }

    /// Does something for some of the active lanes; `None` where none of them is.
    pub(super) fn with_lanes<T>(
        &mut self,
        lanes: u32,
        doubt: u32,
        work: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        let (active, before) = (self.active, self.doubt);
        self.active &= lanes;
        self.doubt |= doubt & self.active;
        let result = (self.active != 0).then(|| work(self));
        (self.active, self.doubt) = (active, before);
        result
    }

    fn conditional(&mut self, condition: &'a Expr, then: &'a Expr, otherwise: &'a Expr) -> Value {
        let truth = self.truth(condition);
        let one = self.with_lanes(truth.holds | truth.unknown, truth.unknown, |all| all.value(then));
        let other = self.with_lanes(!truth.holds, truth.unknown, |all| all.value(otherwise));
        match (one, other) {
            (Some(one), Some(other)) => {
                // Both have one type in C++.
                let (one, other) = match (&one, &other) {
                    (Value::Int(a), Value::Int(b)) => {
                        let of = a.of.joined(b.of);
                        (Value::Int(a.to(of)), Value::Int(b.to(of)))
                    }
                    _ => (one, other),
                };
                let is_same = one == other;
                let mut merged = other.merged(truth.holds | truth.unknown, &one);
                if !is_same {
                    merged.forget(truth.unknown);
                }
                merged
            }
            (Some(value), None) | (None, Some(value)) => value,
            (None, None) => Value::Unknown(Type::Unknown),
        }
    }

    fn assign(&mut self, op: Option<BinaryOp>, left: &'a Expr, right: &'a Expr) -> Value {
        // The right side comes first, as C++ has it since 2017.
        let new = self.value(right);
        let place = self.place(left);
        if op.is_some() {
            let counts = std::mem::replace(&mut self.counts, false);
            let before = self.read(place.clone(), &left.range);
            self.counts = counts;
            self.note_double_constants((left, &before), (right, &new));
        }
        let value = match op {
            Some(op) => {
                let before = self.read(place.clone(), &left.range);
                if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
                    self.note_division(op, (left, &before), (right, &new), &left.range);
                }
                let of = before.value_type();
                let value = self.binary(op, &before, &new);
                converted(&of, value)
            }
            None => match &place {
                Lvalue::Memory(pointer) => converted(&pointer.to, new),
                _ => new,
            },
        };
        self.write(&place, &value, &left.range);
        value
    }

    /// An operation on two values.
    pub(super) fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Value {
        if op.is_comparison() {
            return Value::Int(self.comparison(op, left, right).as_lanes());
        }
        match (left, right) {
            (Value::Int(left), Value::Int(right)) => {
                Value::Int(left.binary(op, right, self.active, &mut self.symbols))
            }
            (Value::Pointer(pointer), Value::Int(by)) if matches!(op, BinaryOp::Add | BinaryOp::Subtract) => {
                Value::Pointer(self.moved(pointer, by, op == BinaryOp::Subtract))
            }
            (Value::Int(by), Value::Pointer(pointer)) if op == BinaryOp::Add => {
                Value::Pointer(self.moved(pointer, by, false))
            }
            (Value::Pointer(left), Value::Pointer(right)) if op == BinaryOp::Subtract => {
                let of = IntType::LONG;
                if left.place != right.place {
                    return Value::Int(Lanes::unknown(of));
                }
                let bytes = left.offset.binary(op, &right.offset, self.active, &mut self.symbols);
                let size = left.to.size().and_then(|size| i64::try_from(size).ok()).unwrap_or(0);
                Value::Int(bytes.binary(
                    BinaryOp::Divide,
                    &Lanes::all(of, size),
                    self.active,
                    &mut self.symbols,
                ))
            }
            (Value::Pointer(_) | Value::Unknown(Type::Pointer(_)), _) => Value::Unknown(left.value_type()),
            (_, Value::Unknown(Type::Float(8))) | (Value::Unknown(Type::Float(8)), _) => {
                Value::Unknown(Type::Float(8))
            }
            (Value::Unknown(Type::Float(_)), _) => left.clone(),
            (_, Value::Unknown(Type::Float(_))) => right.clone(),
            (Value::Record(..), _) => Value::unknown(&left.value_type()),
            (_, Value::Record(..)) => Value::unknown(&right.value_type()),
            _ => Value::Unknown(Type::Unknown),
        }
    }

    fn comparison(&self, op: BinaryOp, left: &Value, right: &Value) -> Truth {
        match (left, right) {
            (Value::Int(left), Value::Int(right)) => left.compare(op, right, &self.symbols),
            (Value::Pointer(left), Value::Pointer(right)) if left.place == right.place => {
                left.offset.compare(op, &right.offset, &self.symbols)
            }
            // A pointer that a launch passes is not null.
            (Value::Pointer(_), Value::Int(_)) | (Value::Int(_), Value::Pointer(_))
                if op == BinaryOp::NotEqual =>
            {
                Truth::ALL
            }
            (Value::Pointer(_), Value::Int(_)) | (Value::Int(_), Value::Pointer(_))
                if op == BinaryOp::Equal =>
            {
                Truth::ALL.not()
            }
            _ => Truth::UNKNOWN,
        }
    }

    /// The value that a variable of that type starts with.
    pub(super) fn initial(&mut self, of: &Type, value: &'a Expr) -> Value {
        let ExprKind::List(values) = &value.kind else {
            let value = self.value(value);
            return converted(of, value);
        };
        let values: Vec<Value> = values.iter().map(|value| self.value(value)).collect();
        match (of, values.as_slice()) {
            (Type::Int(_) | Type::Float(_) | Type::Pointer(_), [one]) => converted(of, one.clone()),
            _ => assembled(of, values),
        }
    }
}

fn size(of: &Type) -> Value {
    let bytes = of.size().and_then(|size| i64::try_from(size).ok());
    let of = IntType { bytes: 8, is_signed: false };
    Value::Int(bytes.map_or_else(|| Lanes::unknown(of), |bytes| Lanes::all(of, bytes)))
}

/// The expression without its leading plus and minus signs.
fn without_sign(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Unary { op: UnaryOp::Minus | UnaryOp::Plus, of } => without_sign(of),
        _ => expr,
    }
}
