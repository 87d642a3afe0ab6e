//! Evaluates expressions lane by lane to values and lvalues.
//!
//! Expressions, statements ([`super::execute`]) and calls ([`super::calls`]) evaluate each other. The other
//! files of this folder do not call back into these three.

use super::limits::{Limits, Nesting};
use super::record_types::RecordTypes;
use super::{launch_statement, memory};
use crate::cuda::notes::Notes;
use crate::cuda::source::builtins::{BuiltInVariable, enumerator};
use crate::cuda::source::environment::{Constant, Environment, constant_value, last_part};
use crate::cuda::source::launch::{FoundLaunch, KernelInstance, LaunchCluster};
use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::source::syntactic::has_effects;
use crate::cuda::source::types::{IntType, Type};
use crate::cuda::state::WarpState;
use crate::cuda::state::frame::Binding;
use crate::cuda::values::convert::{assembled, converted};
use crate::cuda::values::lanes::{LaneCondition, Lanes};
use crate::cuda::values::lvalue::Lvalue;
use crate::cuda::values::value::{MemoryRegion, Pointer, Value};
use machine::Arch;
use std::ops::Range;
use syntax::cuda::{Argument, BinaryOp, Expr, ExprKind, Memory, Parameter, UnaryOp};

/// Runs the functions of a translation unit for one warp at a time. Holds the state of the warp, the notes
/// and the limits of the run.
pub(crate) struct Interpreter<'a> {
    pub warp: WarpState<'a>,
    pub notes: Notes<'a>,
    pub(super) limits: Limits,
    pub(super) records: RecordTypes<'a>,
}

impl<'a> Interpreter<'a> {
    pub(crate) fn new(env: &'a Environment, arch: &'a Arch, parameters: &'a [Parameter]) -> Self {
        let warp = WarpState::new(env, arch, parameters);
        Self { warp, notes: Notes::default(), limits: Limits::new(0), records: RecordTypes::new() }
    }

    /// Starts another warp with the active lanes `lanes` and a budget of `steps` steps. The notes are
    /// retained.
    pub(crate) fn begin_warp(&mut self, lanes: u32, indices: Option<[Value; 4]>, steps: u32) {
        self.warp.begin(lanes, indices);
        self.limits.steps = steps;
        self.notes.begin_warp();
    }

    /// Returns the number of steps that remain for the warp.
    pub(crate) fn steps_left(&self) -> u32 {
        self.limits.steps
    }

    /// Calls `work` one nesting level deeper; `None` if the depth limit is reached.
    pub(super) fn deeper<T>(&mut self, what: Nesting, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if !self.limits.enter(what) {
            return None;
        }
        let result = work(self);
        self.limits.leave(what);
        Some(result)
    }

    /// Calls `work`, then restores the active lanes.
    pub(super) fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let lanes = self.warp.lanes;
        let result = work(self);
        self.warp.lanes = lanes;
        result
    }

    /// Calls `work` for the active lanes in `lanes`; `None` if no lane is active. Lanes in `doubt` may be
    /// inactive.
    pub(super) fn within<T>(
        &mut self,
        lanes: u32,
        doubt: u32,
        work: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        self.scoped(|all| {
            all.warp.lanes.retain(lanes);
            all.warp.lanes.add_doubt(doubt);
            (all.warp.active() != 0).then(|| work(all))
        })
    }

    /// Calls `work` for an evaluation that the program does not perform. Nothing is recorded in the notes.
    pub(super) fn uncounted<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let counts = std::mem::replace(&mut self.warp.counts, false);
        let result = work(self);
        self.warp.counts = counts;
        result
    }

    /// Evaluates the body of a macro. Accesses are attributed to the use of the macro.
    pub(super) fn in_macro<T>(&mut self, range: &Range<u32>, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.warp.used_at.clone();
        self.warp.used_at.get_or_insert_with(|| range.clone());
        let result = if self.limits.enter(Nesting::Macro) {
            let result = work(self);
            self.limits.leave(Nesting::Macro);
            result
        } else {
            // Without steps, every value is unknown.
            let steps = std::mem::take(&mut self.limits.steps);
            let result = work(self);
            self.limits.steps = steps;
            result
        };
        self.warp.used_at = before;
        result
    }

    /// Calls `work` with only the first `visible` names of the frame in scope.
    fn in_scope<T>(&mut self, visible: usize, work: impl FnOnce(&mut Self) -> T) -> T {
        let names = &mut self.warp.frame().names;
        let hidden = names.split_off(visible.min(names.len()));
        let result = work(self);
        self.warp.frame().names.extend(hidden);
        result
    }

    /// Evaluates an expression with its side effects.
    pub(super) fn value(&mut self, expr: &'a Expr) -> Value {
        let value = self.deeper(Nesting::Evaluation, |all| all.value_of(expr));
        value.unwrap_or(Value::Unknown(Type::Unknown))
    }

    /// Evaluates expressions in order. An expanded parameter pack has several values.
    pub(super) fn values(&mut self, all: &'a [Expr]) -> Vec<Value> {
        let mut values = Vec::with_capacity(all.len());
        for expr in all {
            match self.pack(expr) {
                Some(pack) => values.extend(pack),
                None => values.push(self.value(expr)),
            }
        }
        values
    }

    /// Evaluates the arguments of an unknown function or constructor, which probably takes variables of unknown or
    /// structure types by reference: `BlockReduce(temp_storage)`.
    pub(super) fn passed_values(&mut self, all: &'a [Expr]) -> Vec<Value> {
        let mut values = Vec::with_capacity(all.len());
        for expr in all {
            let bound = expr.as_name().and_then(|name| self.warp.lookup(name));
            match bound {
                Some(Binding::Memory(pointer)) if matches!(pointer.to, Type::Unknown | Type::Record(_)) => {
                    values.push(Value::Unknown(pointer.to.clone()));
                }
                _ => values.extend(self.values(std::slice::from_ref(expr))),
            }
        }
        values
    }

    /// Returns the values of an expanded parameter pack; `None` for other expressions. An unknown pack has no values.
    fn pack(&mut self, expr: &'a Expr) -> Option<Vec<Value>> {
        let ExprKind::Pack(of) = &expr.kind else { return None };
        let mut values = None;
        of.walk(&mut |inner| {
            let bound = inner.as_name().and_then(|name| self.warp.lookup(name));
            if let Some(Binding::Pack(own)) = bound {
                values.get_or_insert_with(|| own.clone());
            }
        });
        Some(values.unwrap_or_default())
    }

    fn value_of(&mut self, expr: &'a Expr) -> Value {
        if !self.limits.step() {
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
                self.rvalue(place, &expr.range)
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
                self.notes.operands(&self.warp, (left, &one), (right, &other));
                self.notes.division(&self.warp, *op, (left, &one), (right, &other), &expr.range);
                self.warp.binary(*op, &one, &other)
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
                self.listed(&of, values)
            }
            ExprKind::SizeOfType(of) => {
                let of = self.type_of(of);
                size(&of)
            }
            // The grammar reads `sizeof(__half)` as the size of a variable.
            ExprKind::SizeOf(of) if self.is_type(of) => {
                let of = of.as_name().map(|name| self.type_by_name(name, &[]));
                size(&of.unwrap_or(Type::Unknown))
            }
            ExprKind::SizeOf(of) => match self.uncounted(|all| all.place(of)) {
                Lvalue::Memory(pointer) => size(&pointer.to),
                other => size(&self.read(other, &expr.range).value_type()),
            },
            ExprKind::List(values) => {
                let values = self.values(values);
                let of = values.first().map_or(Type::Unknown, Value::value_type);
                Value::Elements(of, values)
            }
            ExprKind::Lambda(body) => {
                // On the host, the launches in a lambda body are collected, although it is unknown whether
                // the lambda is called.
                if !self.warp.is_on_device() {
                    self.statement(body);
                    self.warp.frame().returned = 0;
                }
                Value::Unknown(Type::Unknown)
            }
            ExprKind::Comma { left, right } => {
                self.value(left);
                self.value(right)
            }
            ExprKind::Pack(_) | ExprKind::Unknown => Value::Unknown(Type::Unknown),
        }
    }

    /// True if an expression is a name that denotes a type and not a variable.
    fn is_type(&mut self, expr: &'a Expr) -> bool {
        expr.as_name().is_some_and(|name| {
            self.warp.lookup(name).is_none()
                && self.warp.env.constant(name).is_none()
                && self.warp.env.variable(name).is_none()
                && self.type_by_name(name, &[]) != Type::Unknown
        })
    }

    fn name(&mut self, name: &'a str, expr: &'a Expr) -> Value {
        let is_local = self.warp.lookup(name).is_some();
        let built_in = BuiltInVariable::named(name);
        if let Some(variable) = built_in.filter(|of| !is_local || *of == BuiltInVariable::Lanes) {
            return self.warp.built_in(variable);
        }
        if name == "this"
            && let Some(object) = self.named(name)
        {
            return memory::address(&mut self.warp, object);
        }
        if !is_local {
            match self.warp.env.constant(name) {
                Some(Constant::Macro(Some(value))) => {
                    return self.in_macro(&expr.range, |all| all.value(value));
                }
                Some(Constant::Macro(None)) => return Value::Unknown(Type::Unknown),
                Some(Constant::Enumerator(stated, more)) => {
                    let value = stated.map_or(Some(0), |stated| self.constant(stated));
                    let value = value.and_then(|value| value.checked_add(more));
                    return value.map_or(Value::Unknown(Type::Unknown), Value::int);
                }
                Some(Constant::Variable(_)) => {}
                None => {
                    if let Some(value) = enumerator(name) {
                        return Value::int(value);
                    }
                }
            }
        }
        let place = self.named(name);
        place.map_or(Value::Unknown(Type::Unknown), |place| self.rvalue(place, &expr.range))
    }

    /// Reads an lvalue as an operand. A local array that is used as a pointer becomes unknown, because it may be
    /// written through the pointer.
    fn rvalue(&mut self, of: Lvalue, range: &Range<u32>) -> Value {
        if self.warp.is_array(&of) {
            return memory::address(&mut self.warp, of);
        }
        self.read(of, range)
    }

    /// Returns the local array that an expression names; `None` for other expressions.
    pub(super) fn local_array(&mut self, expr: &'a Expr) -> Option<Lvalue> {
        let place = self.named(expr.as_name()?)?;
        (self.warp.lookup(expr.as_name()?).is_some() && self.warp.is_array(&place)).then_some(place)
    }

    /// Returns the host variable that a pointer points to, or the field or element of a host variable. For an array
    /// and for the address of its first element, returns the array. `None` on the device, and if the variable is
    /// unknown.
    pub(super) fn pointee(&mut self, pointer: &'a Expr) -> Option<Lvalue> {
        if self.warp.is_on_device() {
            return None;
        }
        let place = match &pointer.kind {
            ExprKind::Cast { of, .. } => return self.deeper(Nesting::Evaluation, |all| all.pointee(of))?,
            ExprKind::Unary { op: UnaryOp::AddressOf, of } if !has_effects(of) => match &of.kind {
                ExprKind::Index { of, index } if matches!(index.kind, ExprKind::Integer { value: 0, .. }) => {
                    let array = self.place(of);
                    if self.warp.is_array(&array) { array } else { return None }
                }
                _ => self.place(of),
            },
            ExprKind::Name { name, .. } => match self.warp.lookup(name).cloned() {
                Some(Binding::Pointer(place)) => place,
                Some(Binding::Argument(own, visible)) => {
                    let work = |all: &mut Self| all.in_scope(visible, |all| all.pointee(own));
                    return self.deeper(Nesting::Evaluation, work)?;
                }
                _ => self.named(name).filter(|place| self.warp.is_array(place))?,
            },
            ExprKind::Field { .. } | ExprKind::Index { .. } if !has_effects(pointer) => {
                let place = self.place(pointer);
                if self.warp.is_array(&place) { place } else { return None }
            }
            _ => return None,
        };
        matches!(place, Lvalue::Variable { .. }).then_some(place)
    }

    fn unary(&mut self, op: UnaryOp, of: &'a Expr, expr: &'a Expr) -> Value {
        match op {
            UnaryOp::AddressOf => {
                let place = self.place(of);
                memory::address(&mut self.warp, place)
            }
            UnaryOp::Increment | UnaryOp::Decrement | UnaryOp::IncrementAfter | UnaryOp::DecrementAfter => {
                let place = self.place(of);
                let before = self.read(place.clone(), &of.range);
                let is_up = matches!(op, UnaryOp::Increment | UnaryOp::IncrementAfter);
                let op_on = if is_up { BinaryOp::Add } else { BinaryOp::Subtract };
                let after = self.warp.binary(op_on, &before, &Value::int(1));
                let after = converted(&before.value_type(), after);
                self.write(&place, &after, &expr.range);
                if matches!(op, UnaryOp::Increment | UnaryOp::Decrement) { after } else { before }
            }
            UnaryOp::Plus => self.value(of),
            // `~x` is `-1 - x`.
            UnaryOp::Minus | UnaryOp::Invert => {
                let value = self.value(of);
                let Value::Int(lanes) = &value else { return value };
                let from = Lanes::all(lanes.of, if op == UnaryOp::Minus { 0 } else { -1 });
                Value::Int(self.warp.calculate(BinaryOp::Subtract, &from, lanes))
            }
            UnaryOp::Not => Value::Int(self.truth(expr).as_lanes()),
            UnaryOp::Dereference => {
                let place = self.place(expr);
                self.read(place, &expr.range)
            }
        }
    }

    /// Evaluates a condition: the lanes for which the condition holds, and the lanes for which it is unknown.
    pub(super) fn truth(&mut self, condition: &'a Expr) -> LaneCondition {
        let truth = self.deeper(Nesting::Evaluation, |all| all.truth_of(condition));
        let mut truth = truth.unwrap_or(LaneCondition::UNKNOWN);
        if truth.unknown != 0 && !truth.is_shared && self.warp.is_on_device() {
            truth.is_shared = self.is_uniform(condition);
        }
        truth
    }

    /// True if an expression has the same value in all lanes because it consists of constants and of parameters of the
    /// kernel.
    fn is_uniform(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Integer { .. }
            | ExprKind::Float { .. }
            | ExprKind::SizeOf(_)
            | ExprKind::SizeOfType(_) => true,
            ExprKind::Name { name, .. } => match self.warp.lookup(name).cloned() {
                None => {
                    self.warp.env.macro_named(name).is_none()
                        && BuiltInVariable::named(name) != Some(BuiltInVariable::ThreadIndex)
                }
                Some(Binding::Variable(variable)) => {
                    let frame = self.warp.frames.len() - 1;
                    self.warp.is_kernel_parameter(frame, variable) && !self.is_assigned(name)
                }
                Some(Binding::Alias(Lvalue::Variable { frame, variable, .. })) => {
                    self.warp.is_kernel_parameter(frame, variable)
                }
                _ => false,
            },
            ExprKind::Field { of, is_arrow: false, .. }
            | ExprKind::Cast { of, .. }
            | ExprKind::Unary { op: UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Not | UnaryOp::Invert, of } => {
                self.is_uniform(of)
            }
            ExprKind::Binary { left, right, .. } => self.is_uniform(left) && self.is_uniform(right),
            _ => false,
        }
    }

    fn truth_of(&mut self, condition: &'a Expr) -> LaneCondition {
        match &condition.kind {
            ExprKind::Binary { op: op @ (BinaryOp::Both | BinaryOp::Either), left, right } => {
                self.logical(*op, left, right)
            }
            ExprKind::Binary { op, left, right } if op.is_comparison() => {
                let (one, other) = (self.value(left), self.value(right));
                self.notes.operands(&self.warp, (left, &one), (right, &other));
                self.warp.comparison(*op, &one, &other)
            }
            ExprKind::Unary { op: UnaryOp::Not, of } => self.truth(of).not(),
            _ => {
                let value = self.value(condition);
                self.warp.is_true(&value)
            }
        }
    }

    /// Evaluates `&&` and `||`. Only the lanes that need the right operand evaluate it.
    fn logical(&mut self, op: BinaryOp, left: &'a Expr, right: &'a Expr) -> LaneCondition {
        let left = self.truth(left);
        let needed = if op == BinaryOp::Both { left.holds } else { left.not().holds } | left.unknown;
        let right =
            self.within(needed, left.unknown, |all| all.truth(right)).unwrap_or(LaneCondition::UNKNOWN);
        if op == BinaryOp::Both { left.both(right) } else { left.either(right) }
    }

    fn conditional(&mut self, condition: &'a Expr, then: &'a Expr, otherwise: &'a Expr) -> Value {
        let truth = self.truth(condition);
        let one = self.within(truth.holds | truth.unknown, truth.unknown, |all| all.value(then));
        let other = self.within(!truth.holds, truth.unknown, |all| all.value(otherwise));
        match (one, other) {
            (Some(one), Some(other)) => {
                // In C++ both branches of a conditional expression have the same type.
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
        if !self.warp.is_on_device() && matches!(&left.kind, ExprKind::Field { name, .. } if name == "attrs")
        {
            // The attributes of a launch are read at the launch. Taking their address here does not change them.
            return Value::Unknown(Type::Unknown);
        }
        // Since C++17, the right operand of an assignment is evaluated first.
        let new = match &right.kind {
            ExprKind::List(_) if !self.warp.is_on_device() && !has_effects(left) => {
                let place = self.place(left);
                let of = self.read(place, &left.range).value_type();
                self.initial(&of, right)
            }
            _ => self.value(right),
        };
        let place = self.place(left);
        if op.is_some() {
            let before = self.uncounted(|all| all.read(place.clone(), &left.range));
            self.notes.operands(&self.warp, (left, &before), (right, &new));
        }
        let value = match op {
            Some(op) => {
                let before = self.read(place.clone(), &left.range);
                self.notes.division(&self.warp, op, (left, &before), (right, &new), &left.range);
                let value = self.warp.binary(op, &before, &new);
                converted(&before.value_type(), value)
            }
            None => match &place {
                Lvalue::Memory(pointer) => converted(&pointer.to, new),
                _ => new,
            },
        };
        self.write(&place, &value, &left.range);
        value
    }

    /// Evaluates the initializer of a variable with the type `of`.
    pub(super) fn initial(&mut self, of: &Type, value: &'a Expr) -> Value {
        let ExprKind::List(values) = &value.kind else {
            let value = self.value(value);
            return converted(of, value);
        };
        match (of, values.as_slice()) {
            (Type::Int(_) | Type::Float(_) | Type::Pointer(_), [one]) => {
                let value = self.value(one);
                converted(of, value)
            }
            _ => self.listed(of, values),
        }
    }

    /// Evaluates a braced initializer list for an object of type `of`.
    fn listed(&mut self, of: &Type, list: &'a [Expr]) -> Value {
        let values = self.values(list);
        // On the host, such an element may be a designated initializer, whose position is unknown.
        let is_unread = |value: &Expr| matches!(value.kind, ExprKind::Unknown);
        if !self.warp.is_on_device() && list.iter().any(is_unread) {
            return Value::unknown(of);
        }
        assembled(of, values)
    }

    /// Returns the value of a constant expression; `None` unless the value is known and equal in all lanes.
    pub(super) fn constant(&mut self, expr: &'a Expr) -> Option<i64> {
        let begun = self.limits.begin_constant();
        let value = self.uncounted(|all| all.value(expr));
        self.limits.end_constant(begun);
        value.as_lanes()?.constant(u32::MAX)
    }

    /// Returns the lvalue that an expression denotes; for an expression without a location, its value.
    pub(super) fn place(&mut self, expr: &'a Expr) -> Lvalue {
        self.deeper(Nesting::Evaluation, |all| all.place_of(expr)).unwrap_or_else(Lvalue::unknown)
    }

    fn place_of(&mut self, expr: &'a Expr) -> Lvalue {
        match &expr.kind {
            ExprKind::Name { name, .. } => {
                if let Some(found) = self.named(name) {
                    return found;
                }
                if let Some(of) = self.warp.env.macro_named(name)
                    && let (None, Some(value)) = (&of.parameters, &of.value)
                {
                    return self.in_macro(&expr.range, |all| all.place(value));
                }
            }
            ExprKind::Field { of, name, is_arrow } => {
                let of = self.object(of, *is_arrow);
                return self.warp.field(of, name);
            }
            ExprKind::Call { function, arguments } => return self.called(function, arguments, expr),
            ExprKind::Index { of, index } => {
                let of = self.place(of);
                if let Some(element) = self.inlined_method(&of, "operator[]", std::slice::from_ref(index)) {
                    self.notes.unclear();
                    return element;
                }
                let index = self.value(index);
                return memory::element(&mut self.warp, &mut self.notes, of, &index, &expr.range);
            }
            ExprKind::Unary { op: UnaryOp::Dereference, of } => {
                return self.object(of, true);
            }
            ExprKind::Unary { op: UnaryOp::Increment | UnaryOp::Decrement, of }
            | ExprKind::Assign { left: of, .. } => {
                // Applies the side effect first, then returns the lvalue.
                self.value(expr);
                return self.uncounted(|all| all.place(of));
            }
            _ => {}
        }
        Lvalue::from_value(self.value(expr))
    }

    /// Returns the lvalue that a name refers to; `None` for macros and unknown names.
    pub(super) fn named(&mut self, name: &'a str) -> Option<Lvalue> {
        match self.warp.lookup(name).cloned() {
            Some(Binding::Variable(variable)) => {
                let frame = self.warp.frames.len().checked_sub(1)?;
                Some(Lvalue::Variable { frame, variable, path: Vec::new() })
            }
            Some(Binding::Memory(pointer)) => Some(Lvalue::Memory(pointer)),
            Some(Binding::Alias(of)) => Some(of),
            Some(Binding::Pointer(of)) => Some(Lvalue::from_value(memory::address(&mut self.warp, of))),
            Some(Binding::Argument(expr, visible)) => Some(self.in_scope(visible, |all| all.place(expr))),
            Some(Binding::Kernel(_) | Binding::Pack(_)) => None,
            None if self.warp.env.macro_named(name).is_some() => None,
            None => self.unit_variable(name),
        }
    }

    /// Returns the lvalue of a variable declared outside functions; `None` if no such variable exists.
    fn unit_variable(&mut self, name: &str) -> Option<Lvalue> {
        let (number, variable) = self.warp.env.variable(name)?;
        let of = self.type_of(&variable.of);
        let place = match variable.memory {
            Memory::Global => MemoryRegion::Global(number),
            Memory::Constant => MemoryRegion::Constant,
            Memory::Shared | Memory::Local => {
                let value = constant_value(variable).map(|value| self.initial(&of, value));
                return Some(Lvalue::from_value(value.unwrap_or_else(|| Value::unknown(&of))));
            }
        };
        let offset = Lanes::all(IntType::LONG, 0);
        Some(Lvalue::Memory(Pointer { place, offset, to: of, within: 0 }))
    }

    /// Returns the object to the left of a `.` or a `->`.
    pub(super) fn object(&mut self, of: &'a Expr, is_arrow: bool) -> Lvalue {
        match of.as_name() {
            Some("this") if is_arrow && self.warp.lookup("this").is_some() => {
                self.named("this").unwrap_or_else(Lvalue::unknown)
            }
            // Other pointers, such as fields, would be evaluated twice.
            _ if is_arrow && !matches!(of.kind, ExprKind::Field { .. } | ExprKind::Index { .. }) => {
                match self.pointee(of) {
                    Some(array) if self.warp.is_array(&array) => {
                        let first = Value::int(0);
                        memory::element(&mut self.warp, &mut self.notes, array, &first, &of.range)
                    }
                    Some(place) => place,
                    None => Lvalue::pointed_to(self.value(of)),
                }
            }
            _ if is_arrow => Lvalue::pointed_to(self.value(of)),
            _ => self.place(of),
        }
    }

    pub(super) fn read(&mut self, of: Lvalue, range: &Range<u32>) -> Value {
        memory::read(&mut self.warp, &mut self.notes, of, range)
    }

    pub(super) fn write(&mut self, to: &Lvalue, value: &Value, range: &Range<u32>) {
        memory::write(&mut self.warp, &mut self.notes, to, value, range);
    }

    /// Returns the kernel that an expression refers to: a kernel's name or address, or a variable that was
    /// initialized with one of these. `None` for other expressions, and on the device.
    pub(super) fn kernel_of(&mut self, expr: &'a Expr) -> Option<KernelInstance> {
        if self.warp.is_on_device() {
            return None;
        }
        let ExprKind::Name { name, arguments } = &expr.kind else {
            return match &expr.kind {
                ExprKind::Unary { op: UnaryOp::AddressOf, of } | ExprKind::Cast { of, .. } => {
                    self.deeper(Nesting::Evaluation, |all| all.kernel_of(of))?
                }
                _ => None,
            };
        };
        match self.warp.lookup(name).cloned() {
            Some(Binding::Kernel(kernel)) => Some(kernel),
            Some(Binding::Argument(own, visible)) => {
                self.deeper(Nesting::Evaluation, |all| all.in_scope(visible, |all| all.kernel_of(own)))?
            }
            Some(_) => None,
            None => {
                let is_kernel = self.warp.env.functions(name).any(|(_, function)| function.is_kernel());
                is_kernel.then(|| self.instance_named(name, arguments))
            }
        }
    }

    /// Returns the kernel that a launch starts: [`Self::kernel_of`] the expression or, for any other name that is no
    /// variable, a kernel of a header that was not read.
    pub(super) fn launched_kernel(&mut self, function: &'a Expr) -> Option<KernelInstance> {
        self.kernel_of(function).or_else(|| {
            let function = match &function.kind {
                ExprKind::Unary { op: UnaryOp::AddressOf, of } => of,
                _ => function,
            };
            let ExprKind::Name { name, arguments } = &function.kind else { return None };
            self.warp.lookup(name).is_none().then(|| self.instance_named(name, arguments))
        })
    }

    fn instance_named(&mut self, name: &str, arguments: &'a [Argument]) -> KernelInstance {
        let templates = arguments.iter().map(|argument| self.template_value(argument)).collect();
        KernelInstance { name: last_part(name).to_owned(), templates }
    }

    /// Records a launch in host code.
    fn launch(
        &mut self,
        function: &'a Expr,
        configuration: &'a [Expr],
        arguments: &'a [Expr],
        expr: &'a Expr,
    ) {
        let kernel = self.launched_kernel(function);
        let values = self.values(&configuration[..configuration.len().min(3)]);
        if let Some(kernel) = kernel {
            self.record_launch(kernel, (configuration, &values), arguments, LaunchCluster::Unstated, expr);
        }
    }

    /// Records a launch of a kernel.
    pub(super) fn record_launch(
        &mut self,
        kernel: KernelInstance,
        configuration: (&[Expr], &[Value]),
        arguments: &'a [Expr],
        cluster: LaunchCluster,
        expr: &'a Expr,
    ) {
        let values = self.values(arguments);
        let kernel = self.instance(kernel, &values);
        let at = SourceSpan::new(self.warp.item(), &expr.range);
        let launch = launch_statement::found(kernel, at, configuration, (arguments, values));
        let mut launch = FoundLaunch { cluster, ..launch };
        launch.block_number.take_if(|_| self.warp.used_at.is_some());
        self.notes.launches.push(launch);
    }

    /// Adds the template arguments that the arguments of a launch and the defaults of the template determine.
    fn instance(&mut self, kernel: KernelInstance, arguments: &[Value]) -> KernelInstance {
        let Some((_, function)) = self.warp.env.only_function(&kernel.name) else { return kernel };
        let types = arguments.iter().map(|value| Some(value.value_type()));
        let passed: Vec<(&Parameter, Option<Type>)> = function.parameters.iter().zip(types).collect();
        let templates = self.template_values(&function.templates, &kernel.templates, &passed);
        KernelInstance { templates, ..kernel }
    }
}

fn size(of: &Type) -> Value {
    let bytes = of.size().and_then(|size| i64::try_from(size).ok());
    let of = IntType { bytes: 8, is_signed: false };
    Value::Int(bytes.map_or_else(|| Lanes::unknown(of), |bytes| Lanes::all(of, bytes)))
}
