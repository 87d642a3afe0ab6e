//! Reading and writing the places that expressions name.

use super::frame::Binding;
use super::interpreter::Interpreter;
use super::memory::is_accessed;
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::source::types::{IntType, Type};
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::lvalue::{Lvalue, Part};
use crate::cuda::values::value::{Place, Pointer, Value};
use std::ops::Range;
use std::sync::Arc;
use syntax::cuda::{BinaryOp, Expr, ExprKind, UnaryOp};

impl<'a> Interpreter<'a> {
    /// The place that an expression names; its value, where it names none.
    pub(super) fn place(&mut self, expr: &'a Expr) -> Lvalue {
        let found = self.deeper(|all| all.place_of(expr));
        found.unwrap_or_else(|| Lvalue::Value(Box::new(Value::Unknown(Type::Unknown))))
    }

    fn place_of(&mut self, expr: &'a Expr) -> Lvalue {
        match &expr.kind {
            ExprKind::Name { name, .. } => {
                if let Some(found) = self.named(name) {
                    return found;
                }
                if let Some(of) = self.env.macro_named(name)
                    && let (None, Some(value)) = (&of.parameters, &of.value)
                {
                    return self.in_macro(&expr.range, |all| all.place(value));
                }
            }
            ExprKind::Field { of, name, is_arrow } => {
                let of = self.object(of, *is_arrow);
                return self.field(of, name);
            }
            ExprKind::Call { function, arguments } => return self.called(function, arguments, expr),
            ExprKind::Index { of, index } => {
                let of = self.place(of);
                if let Some(element) = self.inlined_method(&of, "operator[]", std::slice::from_ref(index)) {
                    self.watch_unclear();
                    return element;
                }
                let index = self.value(index);
                return self.element(of, &index, expr);
            }
            ExprKind::Unary { op: UnaryOp::Dereference, of } => {
                return self.object(of, true);
            }
            ExprKind::Unary { op: UnaryOp::Increment | UnaryOp::Decrement, of }
            | ExprKind::Assign { left: of, .. } => {
                // The effect comes first, then the place.
                self.value(expr);
                let counts = std::mem::replace(&mut self.counts, false);
                let place = self.place(of);
                self.counts = counts;
                return place;
            }
            _ => {}
        }
        Lvalue::Value(Box::new(self.value(expr)))
    }

    pub(super) fn named(&mut self, name: &'a str) -> Option<Lvalue> {
        match self.lookup(name).cloned() {
            Some(Binding::Variable(variable)) => {
                let frame = self.frames.len().checked_sub(1)?;
                Some(Lvalue::Variable { frame, variable, path: Vec::new() })
            }
            Some(Binding::Memory(pointer)) => Some(Lvalue::Memory(pointer)),
            Some(Binding::Alias(of)) => Some(of),
            Some(Binding::Argument(expr, visible)) => Some(self.in_scope(visible, |all| all.place(expr))),
            None if self.env.macro_named(name).is_some() => None,
            None => self.unit_variable(name),
        }
    }

    /// Does something that sees only the first names of the frame.
    pub(super) fn in_scope<T>(&mut self, visible: usize, work: impl FnOnce(&mut Self) -> T) -> T {
        let names = &mut self.frame().names;
        let hidden = names.split_off(visible.min(names.len()));
        let result = work(self);
        self.frame().names.extend(hidden);
        result
    }

    pub(super) fn field(&mut self, of: Lvalue, name: &str) -> Lvalue {
        let unknown = || Lvalue::Value(Box::new(Value::Unknown(Type::Unknown)));
        match of {
            Lvalue::Variable { frame, variable, mut path } => {
                let of = self.part(frame, variable, &path).map(Value::value_type);
                let Some(Type::Record(record)) = of else { return unknown() };
                let Some((at, _)) = record.field(name) else { return unknown() };
                path.push(Part::At(at));
                Lvalue::Variable { frame, variable, path }
            }
            Lvalue::Memory(mut pointer) => {
                let Type::Record(record) = pointer.to.clone() else { return unknown() };
                let Some((_, field)) = record.field(name) else { return unknown() };
                let (bytes, to) = (Lanes::all(IntType::LONG, field.offset as i64), field.of.clone());
                pointer.within = pointer.within.max(record.alignment);
                pointer.offset = pointer.offset.binary(BinaryOp::Add, &bytes, self.active, &mut self.symbols);
                pointer.to = to;
                Lvalue::Memory(pointer)
            }
            Lvalue::Value(value) => match *value {
                Value::Record(record, mut fields) => match record.field(name) {
                    Some((at, _)) => Lvalue::Value(Box::new(fields.swap_remove(at))),
                    None => unknown(),
                },
                _ => unknown(),
            },
        }
    }

    /// The element of an array, or of what a pointer points to.
    fn element(&mut self, of: Lvalue, index: &Value, expr: &Expr) -> Lvalue {
        let unknown = Lanes::unknown(IntType::LONG);
        let index = index.as_lanes().unwrap_or(&unknown);
        if let Lvalue::Variable { frame, variable, path } = &of {
            let part = self.part(*frame, *variable, path);
            let count = match part {
                Some(Value::Elements(_, all)) => Some(all.len()),
                _ => None,
            };
            let is_array = matches!(part.map(Value::value_type), Some(Type::Array(..)));
            if let Some(count) = count {
                let at = index.constant(self.active).and_then(|at| usize::try_from(at).ok());
                let mut path = path.clone();
                path.push(at.filter(|at| *at < count).map_or(Part::Any, Part::At));
                return Lvalue::Variable { frame: *frame, variable: *variable, path };
            }
            if is_array {
                let element = part.map(Value::value_type);
                let Some(Type::Array(element, _)) = element else { return of };
                return Lvalue::Value(Box::new(Value::unknown(&element)));
            }
        }
        let value = self.read(of, &expr.range);
        match value {
            Value::Pointer(pointer) => Lvalue::Memory(self.moved(&pointer, index, false)),
            Value::Unknown(Type::Pointer(to)) => Lvalue::Memory(Pointer::nowhere((*to).clone())),
            _ => Lvalue::Value(Box::new(Value::Unknown(Type::Unknown))),
        }
    }

    /// A pointer moved by this many elements, forward or back.
    pub(super) fn moved(&mut self, pointer: &Pointer, by: &Lanes, is_back: bool) -> Pointer {
        let mut moved = pointer.clone();
        moved.within = 0;
        let by = by.to(IntType { bytes: 8, is_signed: true });
        match pointer.to.size() {
            Some(size) => {
                let size = Lanes::all(IntType::LONG, i64::try_from(size).unwrap_or(0));
                let bytes = by.binary(BinaryOp::Multiply, &size, self.active, &mut self.symbols);
                let op = if is_back { BinaryOp::Subtract } else { BinaryOp::Add };
                moved.offset = pointer.offset.binary(op, &bytes, self.active, &mut self.symbols);
            }
            None => moved.offset.forget(u32::MAX),
        }
        moved
    }

    pub(super) fn part(&self, frame: usize, variable: u32, path: &[Part]) -> Option<&Value> {
        let mut value = &self.frames.get(frame)?.values.get(variable as usize)?.value;
        for part in path {
            value = match (value, part) {
                (Value::Record(_, all) | Value::Elements(_, all), Part::At(at)) => all.get(*at)?,
                (Value::Elements(_, all), Part::Any) => all.first()?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// The value at a place; an array in memory is a pointer to its first element.
    pub(super) fn read(&mut self, of: Lvalue, range: &Range<u32>) -> Value {
        match of {
            Lvalue::Variable { frame, variable, path } => {
                let is_any = path.contains(&Part::Any);
                match self.part(frame, variable, &path) {
                    Some(part) if is_any => Value::unknown(&part.value_type()),
                    Some(part) => part.clone(),
                    None => Value::Unknown(Type::Unknown),
                }
            }
            Lvalue::Value(value) => *value,
            Lvalue::Memory(pointer) => self.load(pointer, range),
        }
    }

    /// The value in memory.
    pub(super) fn load(&mut self, pointer: Pointer, range: &Range<u32>) -> Value {
        if let Type::Array(of, _) = &pointer.to {
            let to = (**of).clone();
            return Value::Pointer(Pointer { to, ..pointer });
        }
        if is_accessed(&pointer.to) {
            self.access(&pointer, AccessKind::Load, range);
        }
        let value = match &pointer.to {
            // All lanes load the same number, though it is unknown.
            Type::Int(of) if pointer.offset.shared(self.active).is_some() => {
                self.loaded += 1;
                Value::Int(Lanes::symbol(*of, self.symbols.loaded(self.loaded)))
            }
            Type::Pointer(to) => Value::Pointer(Pointer::nowhere((**to).clone())),
            other => Value::unknown(other),
        };
        // Of variables of the unit the compiler may know what they hold.
        match pointer.place {
            Place::Parameter(_) | Place::Shared => value.runtime(),
            _ => value,
        }
    }

    /// Writes a value to a place, for the active lanes.
    pub(super) fn write(&mut self, of: &Lvalue, value: &Value, range: &Range<u32>) {
        match of {
            Lvalue::Variable { frame, variable, path } => {
                let mask = self.active;
                let doubt = self.doubt | self.maybe;
                let Some(held) =
                    self.frames.get_mut(*frame).and_then(|frame| frame.values.get_mut(*variable as usize))
                else {
                    return;
                };
                let doubt = doubt & !held.doubt & mask;
                let is_any = path.contains(&Part::Any);
                let Some(target) = part_mut(&mut held.value, path) else { return };
                if is_any {
                    // Any element may be the one.
                    target.forget(u32::MAX);
                    return;
                }
                let mut merged = target.merged(mask, value);
                if doubt != 0 && merged != *target {
                    merged.forget(doubt);
                }
                *target = merged;
            }
            Lvalue::Memory(pointer) => self.access(pointer, AccessKind::Store, range),
            Lvalue::Value(_) => {}
        }
    }

    /// The pointer to a place.
    pub(super) fn address(&mut self, of: Lvalue) -> Value {
        match of {
            Lvalue::Memory(pointer) => Value::Pointer(pointer),
            Lvalue::Variable { frame, variable, path } => {
                let to = self.part(frame, variable, &path).map_or(Type::Unknown, Value::value_type);
                // The address may be used to write there.
                if let Some(held) =
                    self.frames.get_mut(frame).and_then(|frame| frame.values.get_mut(variable as usize))
                {
                    held.value.forget(u32::MAX);
                }
                Value::Pointer(Pointer {
                    place: Place::Local,
                    offset: Lanes::unknown(IntType::LONG),
                    to,
                    within: 0,
                })
            }
            Lvalue::Value(value) => Value::Unknown(Type::Pointer(Arc::new(value.value_type()))),
        }
    }
}

fn part_mut<'v>(value: &'v mut Value, path: &[Part]) -> Option<&'v mut Value> {
    let mut value = value;
    for part in path {
        value = match (value, part) {
            (Value::Record(_, all) | Value::Elements(_, all), Part::At(at)) => all.get_mut(*at)?,
            (all @ Value::Elements(..), Part::Any) => return Some(all),
            _ => return None,
        };
    }
    Some(value)
}

/// The place that a pointer points to.
pub(super) fn pointed_to(value: Value) -> Lvalue {
    match value {
        Value::Pointer(pointer) => Lvalue::Memory(pointer),
        Value::Unknown(Type::Pointer(to)) => Lvalue::Memory(Pointer::nowhere((*to).clone())),
        _ => Lvalue::Value(Box::new(Value::Unknown(Type::Unknown))),
    }
}
