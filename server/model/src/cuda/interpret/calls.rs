//! Calls: functions of the unit, which are inlined, macros, and the arguments of templates.

use super::frame::{Binding, Frame, Held};
use super::interpreter::Interpreter;
use crate::cuda::source::launch::TemplateValue;
use crate::cuda::source::syntactic::target_of;
use crate::cuda::source::types::Type;
use crate::cuda::values::convert::{assembled, converted, decayed};
use crate::cuda::values::lvalue::Lvalue;
use crate::cuda::values::value::Value;
use std::hash::{Hash, Hasher};
use syntax::cuda::{self, Expr, ExprKind, Function, Parameter, TemplateParameter};

/// A parameter with the value, or the place, that is passed for it.
type Passed<'a> = (&'a Parameter, Result<Value, Lvalue>);

/// Functions that call each other so deep are not followed.
const DEEPEST: usize = 12;

impl<'a> Interpreter<'a> {
    pub(super) fn call(&mut self, function: &'a Expr, arguments: &'a [Expr], expr: &'a Expr) -> Value {
        let ExprKind::Name { name, arguments: templates } = &function.kind else {
            self.value(function);
            for argument in arguments {
                self.value(argument);
            }
            return Value::Unknown(Type::Unknown);
        };
        let env = self.env;
        if self.lookup(name).is_none() {
            if self.frames.len() < DEEPEST
                && let Some((item, function)) = self.overload(name, arguments)
            {
                let place = self.inlined(Frame::new(item), function, templates, arguments);
                return self.read(place, &expr.range);
            }
            if !env.functions(name).any(|(_, function)| function.body.is_some()) {
                let value = self.group_call(name, templates, arguments, expr);
                let value = value.or_else(|| self.fragment_call(name, arguments, expr));
                if let Some(value) = value.or_else(|| self.built_in_call(name, arguments, expr)) {
                    return value;
                }
            }
            let of = self.type_by_name(name, templates);
            if of != Type::Unknown {
                let values: Vec<Value> = arguments.iter().map(|argument| self.value(argument)).collect();
                return assembled(&of, values);
            }
        } else {
            // What a lambda does is not followed.
            self.watch_unclear();
        }
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(argument)).collect();
        self.watch_unknown_call(&values);
        Value::Unknown(Type::Unknown)
    }

    /// Expands a call of a macro: the place that it names, else its value; `None` for other calls. A macro with parameters takes precedence
    /// over a variable of its name, wherever parentheses follow.
    pub(super) fn expanded(&mut self, name: &str, arguments: &'a [Expr], expr: &'a Expr) -> Option<Lvalue> {
        let of = self.env.macro_named(name)?;
        let (Some(parameters), Some(value)) = (&of.parameters, &of.value) else { return None };
        if parameters.len() != arguments.len() {
            return None;
        }
        let visible = self.frame().names.len();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.frame().names.push((parameter, Binding::Argument(argument, visible)));
        }
        let result = self.in_macro(&expr.range, |all| match target_of(value) {
            Some(_) => Lvalue::Value(Box::new(all.value(value))),
            None => all.place(value),
        });
        self.frame().names.truncate(visible);
        Some(result)
    }

    /// Runs a function in a frame that does not run yet, with the values of its own template's parameters.
    pub(super) fn inlined(
        &mut self,
        mut frame: Frame<'a>,
        function: &'a Function,
        templates: &'a [cuda::Argument],
        arguments: &'a [Expr],
    ) -> Lvalue {
        let bound = self.arguments(function, arguments);
        let stated: Vec<TemplateValue> =
            templates.iter().map(|argument| self.template_value(argument)).collect();
        let values: Vec<(&Parameter, Option<Type>)> = bound
            .iter()
            .map(|(parameter, value)| (*parameter, value.as_ref().ok().map(Value::value_type)))
            .collect();
        if !function.templates.is_empty() {
            self.bind_templates(&mut frame, &function.templates, &stated, &values);
        }
        self.run_inlined(frame, function, bound)
    }

    /// Runs a function in a frame that does not run yet and that has the values of all template parameters.
    pub(super) fn inlined_bound(
        &mut self,
        frame: Frame<'a>,
        function: &'a Function,
        arguments: &'a [Expr],
    ) -> Lvalue {
        let bound = self.arguments(function, arguments);
        self.run_inlined(frame, function, bound)
    }

    /// The arguments of a call: places for references, else values.
    fn arguments(&mut self, function: &'a Function, arguments: &'a [Expr]) -> Vec<Passed<'a>> {
        let each = function.parameters.iter().zip(arguments);
        let passed = each.map(|(parameter, argument)| {
            let is_reference = parameter.of.is_reference;
            (parameter, if is_reference { Err(self.place(argument)) } else { Ok(self.value(argument)) })
        });
        passed.collect()
    }

    fn run_inlined(&mut self, frame: Frame<'a>, function: &'a Function, passed: Vec<Passed<'a>>) -> Lvalue {
        let used_at = self.used_at.take();
        let (active, doubt, maybe) = (self.active, self.doubt, self.maybe);
        self.frames.push(frame);
        for (parameter, value) in passed {
            match value {
                Err(place) => self.frame().names.push((&parameter.name, Binding::Alias(place))),
                Ok(value) => {
                    let of = self.type_of(&parameter.of);
                    let of = decayed(of);
                    let value = converted(&of, value);
                    self.declare(&parameter.name, of, value);
                }
            }
        }
        if let Some(body) = &function.body {
            self.statement(body);
        }
        let of = self.type_of(&function.result);
        let ended = self.frames.pop();
        (self.active, self.doubt, self.maybe, self.used_at) = (active, doubt, maybe, used_at);
        let (place, result) = ended.map_or((None, None), |frame| (frame.place, frame.result));
        match place {
            // What a variable of the function held is gone.
            Some(Lvalue::Variable { frame, .. }) if frame >= self.frames.len() => {
                Lvalue::Value(Box::new(Value::unknown(&of)))
            }
            Some(place) => place,
            None => {
                let value = result.map_or_else(|| Value::unknown(&of), |value| converted(&of, value));
                Lvalue::Value(Box::new(value))
            }
        }
    }

    /// The value of a template's argument, as the frame that runs sees it.
    pub(super) fn template_value(&mut self, argument: &'a cuda::Argument) -> TemplateValue {
        match argument {
            cuda::Argument::Type(of) => match self.type_of(of) {
                Type::Unknown => TemplateValue::Unknown,
                of => TemplateValue::Type(of),
            },
            cuda::Argument::Value(expr) => {
                if let ExprKind::Name { name, arguments } = &expr.kind {
                    let of = self.type_by_name(name, arguments);
                    if of != Type::Unknown {
                        return TemplateValue::Type(of);
                    }
                }
                self.constant(expr).map_or(TemplateValue::Unknown, TemplateValue::Number)
            }
        }
    }

    /// Gives the parameters of a template their values in a frame that does not run yet: those stated, else those that the
    /// arguments of the function show, else their defaults.
    pub(crate) fn bind_templates(
        &mut self,
        frame: &mut Frame<'a>,
        parameters: &'a [TemplateParameter],
        stated: &[TemplateValue],
        arguments: &[(&Parameter, Option<Type>)],
    ) {
        let mut hasher = rustc_hash::FxHasher::default();
        for (at, parameter) in parameters.iter().enumerate() {
            let shown = || {
                let of = arguments.iter().find(|(own, _)| own.of.name == parameter.name)?;
                deduced(of.0, of.1.as_ref()?).map(TemplateValue::Type)
            };
            let value = stated.get(at).cloned().or_else(shown);
            let value =
                value.or_else(|| parameter.default.as_ref().map(|default| self.template_value(default)));
            let value = value.unwrap_or(TemplateValue::Unknown);
            format!("{value:?}").hash(&mut hasher);
            match value {
                TemplateValue::Type(of) => {
                    frame.types.insert(&parameter.name, of);
                }
                TemplateValue::Number(number) => {
                    let value = Value::int(number);
                    let number = frame.values.len() as u32;
                    frame.values.push(Held { of: value.value_type(), value, doubt: 0 });
                    frame.names.push((&parameter.name, Binding::Variable(number)));
                }
                TemplateValue::Unknown if !parameter.is_type => {
                    let symbol = self.symbols.named(&parameter.name);
                    let lanes = crate::cuda::values::lanes::Lanes::symbol(
                        crate::cuda::source::types::IntType::INT,
                        symbol,
                    );
                    let number = frame.values.len() as u32;
                    let value = Value::Int(lanes);
                    frame.values.push(Held { of: value.value_type(), value, doubt: 0 });
                    frame.names.push((&parameter.name, Binding::Variable(number)));
                }
                TemplateValue::Unknown => {}
            }
        }
        frame.instance = hasher.finish();
    }
}

/// The type of a template parameter, deduced from the type of an argument; `None` if they do not fit.
fn deduced(parameter: &Parameter, argument: &Type) -> Option<Type> {
    let mut of = argument.clone();
    for _ in 0..parameter.of.pointers {
        of = match of {
            Type::Pointer(to) => (*to).clone(),
            Type::Array(of, _) => (*of).clone(),
            _ => return None,
        };
    }
    (of != Type::Unknown).then_some(of)
}
