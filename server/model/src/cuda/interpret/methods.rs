//! Calls of methods of structures of the unit, which are inlined.

use super::frame::{Binding, Frame};
use super::interpreter::Interpreter;
use super::invariants::is_pure_method;
use crate::cuda::source::launch::TemplateValue;
use crate::cuda::source::types::{RecordType, Type};
use crate::cuda::values::lvalue::Lvalue;
use crate::cuda::values::value::Value;
use std::sync::Arc;
use syntax::cuda::{Expr, ExprKind, Function, Record};

/// Functions that call each other so deep are not followed.
const DEEPEST: usize = 12;

fn unknown() -> Lvalue {
    Lvalue::Value(Box::new(Value::Unknown(Type::Unknown)))
}

impl<'a> Interpreter<'a> {
    /// Result of a call: the place that a returned reference refers to, else a value.
    pub(super) fn called(&mut self, function: &'a Expr, arguments: &'a [Expr], expr: &'a Expr) -> Lvalue {
        match &function.kind {
            ExprKind::Field { of, name, is_arrow } => {
                if let Some(value) = self.group_method(of, name, expr) {
                    return Lvalue::Value(Box::new(value));
                }
                let object = self.object(of, *is_arrow);
                self.method(object, name, arguments, &of.range)
            }
            ExprKind::Name { name, .. } => {
                if let Some(place) = self.expanded(name, arguments, expr) {
                    return place;
                }
                // An object that is called.
                let is_object = matches!(
                    self.lookup(name),
                    Some(Binding::Variable(_) | Binding::Memory(_) | Binding::Alias(_))
                );
                if is_object
                    && let Some(object) = self.named(name)
                    && let Some(place) = self.inlined_method(&object, "operator()", arguments)
                {
                    self.watch_unclear();
                    return place;
                }
                // A method that another one of its structure calls.
                let record = self.frames.last().and_then(|frame| frame.record);
                if record.is_some_and(|record| record.methods.iter().any(|method| method.name == *name))
                    && self.lookup(name).is_none()
                {
                    let object = self.named("this").unwrap_or_else(unknown);
                    return self.method(object, name, arguments, &function.range);
                }
                if let Some(place) = self.static_method(name, arguments) {
                    self.watch_unclear();
                    return place;
                }
                Lvalue::Value(Box::new(self.call(function, arguments, expr)))
            }
            _ => Lvalue::Value(Box::new(self.call(function, arguments, expr))),
        }
    }

    /// The object in front of a `.` or a `->`.
    pub(super) fn object(&mut self, of: &'a Expr, is_arrow: bool) -> Lvalue {
        match of.as_name() {
            Some("this") if is_arrow && self.lookup("this").is_some() => {
                self.named("this").unwrap_or_else(unknown)
            }
            _ if is_arrow => {
                let value = self.value(of);
                super::places::pointed_to(value)
            }
            _ => self.place(of),
        }
    }

    fn method(
        &mut self,
        object: Lvalue,
        name: &str,
        arguments: &'a [Expr],
        range: &std::ops::Range<u32>,
    ) -> Lvalue {
        let is_pure = is_pure_method(name);
        if !is_pure {
            self.watch_unclear();
        }
        if let Some(place) = self.inlined_method(&object, name, arguments) {
            return place;
        }
        self.read(object.clone(), range);
        // A method that is not followed may do anything.
        if !is_pure && matches!(object, Lvalue::Variable { .. }) {
            self.address(object);
        }
        for argument in arguments {
            self.value(argument);
        }
        unknown()
    }

    /// Runs a method of an object; `None` if the unit has none that runs on the GPU, or if which one is called depends on types.
    pub(super) fn inlined_method(
        &mut self,
        object: &Lvalue,
        name: &str,
        arguments: &'a [Expr],
    ) -> Option<Lvalue> {
        let of = Arc::clone(self.record_at(object)?);
        let record = self.env.record_item(&of.name)?;
        self.run_method(record, &of.templates, object, name, arguments)
    }

    /// Runs a method that is called without an object, by the name of its structure; `None` where the unit has no such structure,
    /// and where it is a template.
    fn static_method(&mut self, name: &str, arguments: &'a [Expr]) -> Option<Lvalue> {
        let (scope, method) = name.rsplit_once("::")?;
        let record = self.env.record_item(scope).filter(|(_, record)| record.templates.is_empty())?;
        self.run_method(record, &[], &unknown(), method, arguments)
    }

    fn run_method(
        &mut self,
        (mut item, record): (u32, &'a Record),
        templates: &[TemplateValue],
        object: &Lvalue,
        name: &str,
        arguments: &'a [Expr],
    ) -> Option<Lvalue> {
        let declared = only_method(record, name, arguments.len())?;
        let mut function = declared;
        if declared.body.is_none() {
            (item, function) = self.env.method_outside(record, declared)?;
        }
        let is_on_device = declared.is_on_device() || function.is_on_device();
        if !is_on_device || self.frames.len() >= DEEPEST || self.indices.is_none() {
            return None;
        }
        let mut frame = Frame::new(item);
        self.bind_templates(&mut frame, &record.templates, templates, &[]);
        if declared.body.is_none() {
            // There the structure's parameters may have other names.
            self.bind_templates(&mut frame, &function.templates, templates, &[]);
        }
        for field in &record.fields {
            let is_constant = field.is_constexpr || field.of.is_const;
            let binding = match &field.value {
                Some(value) if field.is_static && is_constant => Binding::Argument(value, frame.names.len()),
                _ if field.is_static => Binding::Alias(unknown()),
                _ => Binding::Alias(self.field(object.clone(), &field.name)),
            };
            frame.names.push((&field.name, binding));
        }
        frame.names.push(("this", Binding::Alias(object.clone())));
        // Types of the structure's own hide those of the unit and are not read.
        frame.types.extend(record.types.iter().map(|name| (name.as_str(), Type::Unknown)));
        frame.record = Some(record);
        frame.returns_place = function.result.is_reference;
        Some(self.inlined_bound(frame, function, arguments))
    }

    /// The structure at a place; `None` for what is no structure.
    fn record_at<'p>(&'p self, place: &'p Lvalue) -> Option<&'p Arc<RecordType>> {
        let value = match place {
            Lvalue::Variable { frame, variable, path } => self.part(*frame, *variable, path)?,
            Lvalue::Memory(pointer) => match &pointer.to {
                Type::Record(record) => return Some(record),
                _ => return None,
            },
            Lvalue::Value(value) => value,
        };
        match value {
            Value::Record(record, _) | Value::Unknown(Type::Record(record)) => Some(record),
            _ => None,
        }
    }

    /// Notes the place that a function returns a reference to; it is unknown if there are several.
    pub(super) fn return_place(&mut self, expr: &'a Expr) {
        let place = self.place(expr);
        let doubt = (self.doubt | self.maybe) & self.active;
        let frame = self.frame();
        let is_first = frame.place.is_none() && doubt == 0;
        frame.place = Some(if is_first { place } else { unknown() });
    }
}

/// The method of that name with this number of arguments; `None` if there is not exactly one, or if it is a template.
fn only_method<'a>(record: &'a Record, name: &str, arguments: usize) -> Option<&'a Function> {
    let is_named = |method: &&Function| method.name == name && method.parameters.len() == arguments;
    let mut all = record.methods.iter().filter(is_named);
    let method = all.next().filter(|_| all.next().is_none())?;
    method.templates.is_empty().then_some(method)
}
