//! Calls of macros, functions and methods of the translation unit, all of which are inlined; also template
//! arguments and types.

use super::evaluate::Interpreter;
use super::limits::Nesting;
use super::{builtins, driver, fragments, groups, induction, launch_statement, memory};
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::source::builtins::{GroupMethod, Operation, launches_by_pointers, writes_first};
use crate::cuda::source::driver_types::LAUNCH_CONFIG;
use crate::cuda::source::environment::last_part;
use crate::cuda::source::launch::{KernelInstance, LaunchCluster, TemplateValue};
use crate::cuda::source::syntactic::{has_effects, target_of};
use crate::cuda::source::types::{IntType, RecordType, Type, built_in};
use crate::cuda::state::frame::{Binding, Frame, VariableState};
use crate::cuda::values::convert::{assembled, converted, decayed};
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::lvalue::Lvalue;
use crate::cuda::values::value::Value;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use syntax::cuda::{
    Argument, Expr, ExprKind, Function, Parameter, Record, TemplateParameter, TypeName, UnaryOp,
};

/// The argument that is passed for a parameter.
enum PassedArgument {
    Value(Value),
    Reference(Lvalue),
    /// In host code, a pointer to this lvalue.
    Pointer(Lvalue),
    /// In host code, a kernel.
    Kernel(KernelInstance),
    /// The arguments of a parameter pack.
    Pack(Vec<Value>),
}

/// Maximum depth of inlined calls.
const MAX_CALLS: usize = 12; // limit: the stack
/// Maximum number of frames: running functions, and structures whose types are being resolved. Above this depth,
/// types are unknown.
const MAX_FRAMES: usize = 16; // limit: the stack
/// Maximum number of dimensions of an array type.
const MAX_DIMENSIONS: usize = 64; // limit: more than any source has

impl<'a> Interpreter<'a> {
    /// Evaluates a call. Returns the lvalue that a returned reference refers to; otherwise the returned value as a
    /// temporary.
    pub(super) fn called(&mut self, function: &'a Expr, arguments: &'a [Expr], expr: &'a Expr) -> Lvalue {
        if !self.warp.is_on_device() && self.driver_call(function, arguments, expr).is_some() {
            return Lvalue::from_value(Value::Int(Lanes::unknown(IntType::INT)));
        }
        match &function.kind {
            ExprKind::Field { of, name, is_arrow } => {
                if let Some(method) = GroupMethod::named(name).filter(|method| *method != GroupMethod::Pure) {
                    let group = self.value(of);
                    let (warp, notes) = (&self.warp, &mut self.notes);
                    return Lvalue::from_value(groups::method(warp, notes, method, &group, &expr.range));
                }
                let object = self.object(of, *is_arrow);
                self.method(object, name, arguments, &of.range)
            }
            ExprKind::Name { name, .. } => {
                if let Some(place) = self.expanded(name, arguments, expr) {
                    return place;
                }
                // The callee is an object with a call operator.
                let is_object = matches!(
                    self.warp.lookup(name),
                    Some(Binding::Variable(_) | Binding::Memory(_) | Binding::Alias(_))
                );
                if is_object
                    && let Some(object) = self.named(name)
                    && let Some(place) = self.inlined_method(&object, "operator()", arguments)
                {
                    self.notes.unclear();
                    return place;
                }
                // A method called by another method of the same structure.
                let record = self.warp.frames.last().and_then(|frame| frame.record);
                if record.is_some_and(|record| record.methods.iter().any(|method| method.name == *name))
                    && self.warp.lookup(name).is_none()
                {
                    let object = self.named("this").unwrap_or_else(Lvalue::unknown);
                    return self.method(object, name, arguments, &function.range);
                }
                if let Some(place) = self.static_method(name, arguments) {
                    self.notes.unclear();
                    return place;
                }
                Lvalue::from_value(self.call(function, arguments, expr))
            }
            _ => Lvalue::from_value(self.call(function, arguments, expr)),
        }
    }

    fn call(&mut self, function: &'a Expr, arguments: &'a [Expr], expr: &'a Expr) -> Value {
        let ExprKind::Name { name, arguments: templates } = &function.kind else {
            self.value(function);
            self.values(arguments);
            return Value::Unknown(Type::Unknown);
        };
        let env = self.warp.env;
        if self.warp.lookup(name).is_none() {
            if self.warp.frames.len() < MAX_CALLS
                && let Some((item, function)) = self.overload(name, arguments)
            {
                let place = self.inlined(Frame::new(item), function, templates, arguments);
                return self.read(place, &expr.range);
            }
            if !env.functions(name).any(|(_, function)| function.body.is_some())
                && let Some(value) = self.built_in_call(name, templates, arguments, &expr.range)
            {
                return value;
            }
            let of = self.type_by_name(name, templates);
            if of != Type::Unknown {
                return assembled(&of, self.values(arguments));
            }
        } else {
            // The effects of a lambda are not tracked.
            self.notes.unclear();
        }
        let values = self.passed_values(arguments);
        self.notes.unknown_call(&values);
        Value::Unknown(Type::Unknown)
    }

    /// Evaluates a host call of the CUDA driver or runtime that encodes a tensor map, launches a kernel or writes
    /// through its first argument only. `None` for other calls.
    fn driver_call(&mut self, function: &'a Expr, arguments: &'a [Expr], expr: &'a Expr) -> Option<()> {
        let name = function.as_name().map_or("", last_part);
        let env = self.warp.env;
        if env.macro_named(name).is_some() || env.functions(name).any(|(_, own)| own.body.is_some()) {
            return None;
        }
        match arguments {
            [config, kernel, arguments @ ..] if name == "cudaLaunchKernelEx" => {
                self.launch_with(config, kernel, arguments, expr)
            }
            [kernel, grid, block, arguments, shared, ..] if launches_by_pointers(name) => {
                let kernel = self.launched_kernel(kernel)?;
                let values = [grid, block, shared].map(|expr| self.value(expr));
                self.value(arguments);
                self.record_launch(kernel, (&[], &values), &[], LaunchCluster::Unstated, expr);
                Some(())
            }
            // A pointer to `cuTensorMapEncodeTiled` may have any name.
            [map, rest @ ..] if arguments.len() == driver::ENCODE_ARGUMENTS => {
                let map = self.pointee(map)?;
                let before = self.read(map.clone(), &expr.range);
                if !driver::is_tensor_map(&before.value_type()) {
                    return None;
                }
                let values = std::iter::once(Value::Unknown(Type::Unknown))
                    .chain(rest.iter().map(|argument| match self.pointee(argument) {
                        Some(place) => self.read(place, &argument.range),
                        None => match &argument.kind {
                            ExprKind::Name { .. } => {
                                let place = self.place(argument);
                                self.read(place, &argument.range)
                            }
                            _ => self.value(argument),
                        },
                    }))
                    .collect::<Vec<Value>>();
                let encoded = driver::encoded(values.first_chunk()?);
                if driver::is_blank(&before) {
                    // Without this call, there would be no map, and no launch that uses it.
                    self.warp.replace(&map, encoded);
                } else {
                    self.write(&map, &encoded, &expr.range);
                }
                Some(())
            }
            [first, rest @ ..] if writes_first(name) => {
                self.value(first);
                for argument in rest {
                    if self.pointee(argument).is_none() {
                        self.value(argument);
                    }
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Records a launch by `cudaLaunchKernelEx`. `None` if the kernel or the variable with the configuration is
    /// unknown.
    fn launch_with(
        &mut self,
        config: &'a Expr,
        kernel: &'a Expr,
        arguments: &'a [Expr],
        expr: &'a Expr,
    ) -> Option<()> {
        let kernel = self.launched_kernel(kernel)?;
        let place = self.pointee(config)?;
        let Value::Record(record, fields) = self.read(place, &config.range) else { return None };
        let [grid, block, shared, _, _, attributes] = fields.as_slice() else { return None };
        if record.name != LAUNCH_CONFIG {
            return None;
        }
        let cluster = match launch_statement::number(attributes).and_then(|count| usize::try_from(count).ok())
        {
            Some(0) => LaunchCluster::Unstated,
            Some(count) => self.cluster(config, count).unwrap_or(LaunchCluster::Unknown),
            None => LaunchCluster::Unknown,
        };
        let values = [grid, block, shared].map(Value::clone);
        self.record_launch(kernel, (&[], &values), arguments, cluster, expr);
        Some(())
    }

    /// Returns the cluster size in the launch attributes of a configuration. `None` unless the function sets the
    /// pointer to the attributes once, to a variable.
    fn cluster(&mut self, config: &Expr, count: usize) -> Option<LaunchCluster> {
        let ExprKind::Unary { op: UnaryOp::AddressOf, of: config } = &config.kind else { return None };
        let config = config.as_name()?;
        let body = self.warp.env.function_at(self.warp.item())?.body.as_ref()?;
        let mut set = Vec::new();
        body.walk_expressions(&mut |expr| {
            if let ExprKind::Assign { op: None, left, right } = &expr.kind
                && let ExprKind::Field { of, name, .. } = &left.kind
                && name == "attrs"
                && of.as_name() == Some(config)
            {
                set.push(&**right);
            }
        });
        let [attributes] = set.as_slice() else { return None };
        let place = self.pointee(attributes)?;
        let attributes = self.read(place, &attributes.range);
        Some(driver::cluster(&attributes, count))
    }

    /// Evaluates a call of a CUDA or standard library function; `None` for other functions.
    fn built_in_call(
        &mut self,
        name: &str,
        templates: &'a [Argument],
        arguments: &'a [Expr],
        range: &Range<u32>,
    ) -> Option<Value> {
        let own = last_part(name);
        let operation = Operation::of_function(own)?;
        if operation.is_of_device() && !self.warp.is_on_device() {
            return None;
        }
        Some(match operation {
            Operation::MakeVector => {
                let of = Type::Record(Arc::new(RecordType::vector(own.strip_prefix("make_")?)?));
                assembled(&of, self.values(arguments))
            }
            Operation::Ignored => {
                self.values(arguments);
                Value::Unknown(Type::Void)
            }
            Operation::BlockBarrier => {
                self.values(arguments);
                self.notes.block_barrier(&self.warp, range, name == "__syncthreads");
                Value::Int(Lanes::unknown(IntType::INT))
            }
            Operation::WarpBarrier => {
                self.notes.group_barrier(&self.warp, range);
                Value::Unknown(Type::Void)
            }
            Operation::Fence => {
                self.notes.fence();
                Value::Unknown(Type::Void)
            }
            Operation::Load => match self.values(arguments).into_iter().next()?.into_pointer() {
                Some(pointer) => memory::load(&mut self.warp, &mut self.notes, pointer, range),
                None => Value::Unknown(Type::Unknown),
            },
            Operation::Store => {
                if let Some(pointer) = self.values(arguments).into_iter().next()?.into_pointer() {
                    self.notes.access(&self.warp, &pointer, AccessKind::Store, range);
                }
                Value::Unknown(Type::Void)
            }
            Operation::Atomic | Operation::CombinedAtomic => {
                let is_combined = operation == Operation::CombinedAtomic;
                let pointer = self.values(arguments).into_iter().next().and_then(Value::into_pointer);
                builtins::atomic(&mut self.warp, &mut self.notes, is_combined, pointer, range)
            }
            Operation::Least | Operation::Greatest | Operation::Product => {
                let [one, other] = arguments else { return None };
                let (one, other) = (self.value(one), self.value(other));
                builtins::of_two(&mut self.warp, operation, &one, &other)
            }
            Operation::Same => self.value(arguments.first()?),
            Operation::Absolute
            | Operation::Ones
            | Operation::LeadingZeros32
            | Operation::LeadingZeros64
            | Operation::FirstOne
            | Operation::Reversed => builtins::of_one(operation, self.value(arguments.first()?)),
            Operation::BlockGroup => {
                let ([], []) = (templates, arguments) else { return None };
                groups::block(&mut self.warp)?
            }
            Operation::Partition => {
                let ([size, ..], [of]) = (templates, arguments) else { return None };
                let group = self.value(of);
                let (Argument::Value(size), Value::Record(..)) = (size, &group) else { return None };
                let size = self.constant(size).filter(|size| *size > 0)?;
                groups::tile(&mut self.warp, &group, size)?
            }
            Operation::GroupBarrier => {
                let ([], [of]) = (templates, arguments) else { return None };
                if !name.contains("::") {
                    return None;
                }
                let group = self.value(of);
                groups::barrier(&self.warp, &mut self.notes, &group, range);
                Value::Unknown(Type::Void)
            }
            Operation::ComputeFragment => {
                fragments::as_fragment(self.value(arguments.first()?))?;
                self.values(arguments);
                Value::Unknown(Type::Void)
            }
            Operation::LoadFragment | Operation::StoreFragment => {
                return self.move_fragment(operation, arguments, range);
            }
        })
    }

    /// Loads or stores a matrix fragment; `None` if the argument count is wrong for the operation.
    fn move_fragment(
        &mut self,
        operation: Operation,
        arguments: &'a [Expr],
        range: &Range<u32>,
    ) -> Option<Value> {
        let (fragment, pointer, step, layout, kind) = match (operation, arguments) {
            (Operation::LoadFragment, [fragment, pointer, step, layout @ ..]) => {
                (fragment, pointer, step, layout.first(), AccessKind::Load)
            }
            (Operation::StoreFragment, [pointer, fragment, step, layout]) => {
                (fragment, pointer, step, Some(layout), AccessKind::Store)
            }
            _ => return None,
        };
        let (fragment, pointer, step) = (self.value(fragment), self.value(pointer), self.value(step));
        let layout = layout.and_then(Expr::as_name).map(last_part);
        if let (Some(fragment), Some(pointer)) = (fragments::as_fragment(fragment), pointer.into_pointer()) {
            let moved = (&*fragment, &pointer);
            fragments::access(&mut self.warp, &mut self.notes, moved, (&step, layout), kind, range);
        }
        Some(Value::Unknown(Type::Void))
    }

    /// Expands a macro call to the lvalue that the macro body denotes, or to a value. `None` for other calls.
    /// In a call, a macro with parameters takes precedence over a variable with the same name.
    fn expanded(&mut self, name: &str, arguments: &'a [Expr], expr: &'a Expr) -> Option<Lvalue> {
        let of = self.warp.env.macro_named(name)?;
        let (Some(parameters), Some(value)) = (&of.parameters, &of.value) else { return None };
        if parameters.len() != arguments.len() {
            return None;
        }
        let visible = self.warp.frame().names.len();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.warp.frame().names.push((parameter, Binding::Argument(argument, visible)));
        }
        let result = self.in_macro(&expr.range, |all| match target_of(value) {
            Some(_) => Lvalue::from_value(all.value(value)),
            None => all.place(value),
        });
        self.warp.frame().names.truncate(visible);
        Some(result)
    }

    /// Runs a function in a new frame after binding its template parameters.
    fn inlined(
        &mut self,
        mut frame: Frame<'a>,
        function: &'a Function,
        templates: &'a [Argument],
        arguments: &'a [Expr],
    ) -> Lvalue {
        let bound = self.arguments(function, arguments);
        let stated: Vec<TemplateValue> =
            templates.iter().map(|argument| self.template_value(argument)).collect();
        let type_of = |passed: &PassedArgument| match passed {
            PassedArgument::Value(value) => Some(value.value_type()),
            _ => None,
        };
        let values: Vec<(&Parameter, Option<Type>)> =
            bound.iter().map(|(parameter, passed)| (*parameter, type_of(passed))).collect();
        if !function.templates.is_empty() {
            self.bind_templates(&mut frame, &function.templates, &stated, &values);
        }
        self.run_inlined(frame, function, bound)
    }

    /// Runs a function in a new frame in which all template parameters are already bound.
    fn inlined_bound(&mut self, frame: Frame<'a>, function: &'a Function, arguments: &'a [Expr]) -> Lvalue {
        let bound = self.arguments(function, arguments);
        self.run_inlined(frame, function, bound)
    }

    /// Evaluates the arguments of a call: to lvalues for reference parameters and for host pointers to variables,
    /// otherwise to values.
    fn arguments(
        &mut self,
        function: &'a Function,
        arguments: &'a [Expr],
    ) -> Vec<(&'a Parameter, PassedArgument)> {
        let changed = match &function.body {
            Some(body) if !self.warp.is_on_device() => induction::assigned(body, []),
            _ => Vec::new(),
        };
        let pack = function.parameters.iter().position(|parameter| parameter.is_pack);
        let each = function.parameters[..pack.unwrap_or(function.parameters.len())].iter().zip(arguments);
        let passed = each.map(|(parameter, argument)| {
            let is_pointer = parameter.of.pointers + parameter.of.dimensions.len() as u8 == 1;
            let is_constant = !changed.iter().any(|own| own.as_name() == Some(&parameter.name));
            let passed = if is_constant && let Some(kernel) = self.kernel_of(argument) {
                PassedArgument::Kernel(kernel)
            } else if parameter.of.is_reference {
                PassedArgument::Reference(self.place(argument))
            } else if is_pointer
                && self.warp.is_on_device()
                && let Some(array) = self.local_array(argument)
            {
                PassedArgument::Reference(array)
            } else if is_pointer
                && is_constant
                && let Some(place) = self.pointee(argument)
            {
                PassedArgument::Pointer(place)
            } else {
                PassedArgument::Value(self.value(argument))
            };
            (parameter, passed)
        });
        let mut passed: Vec<(&'a Parameter, PassedArgument)> = passed.collect();
        if let Some(at) = pack {
            let rest = self.values(arguments.get(at..).unwrap_or_default());
            passed.push((&function.parameters[at], PassedArgument::Pack(rest)));
        }
        passed
    }

    fn run_inlined(
        &mut self,
        mut frame: Frame<'a>,
        function: &'a Function,
        passed: Vec<(&'a Parameter, PassedArgument)>,
    ) -> Lvalue {
        let used_at = self.warp.used_at.take();
        frame.conditions = self.warp.lanes.conditions();
        self.warp.frames.push(frame);
        let of = self.scoped(|all| {
            for (parameter, passed) in passed {
                let binding = match passed {
                    PassedArgument::Pointer(place) if !all.warp.is_array(&place) => Binding::Pointer(place),
                    PassedArgument::Reference(place) | PassedArgument::Pointer(place) => {
                        Binding::Alias(place)
                    }
                    PassedArgument::Kernel(kernel) => Binding::Kernel(kernel),
                    PassedArgument::Pack(values) => Binding::Pack(values),
                    PassedArgument::Value(value) => {
                        let of = decayed(all.type_of(&parameter.of));
                        let value = converted(&of, value);
                        all.warp.declare(&parameter.name, of, value);
                        continue;
                    }
                };
                all.warp.frame().names.push((&parameter.name, binding));
            }
            if let Some(body) = &function.body {
                all.statement(body);
            }
            all.type_of(&function.result)
        });
        self.warp.used_at = used_at;
        let ended = self.warp.frames.pop();
        let (place, result) = ended.map_or((None, None), |frame| (frame.place, frame.result));
        match place {
            // The returned reference refers to a local variable of the function and dangles.
            Some(Lvalue::Variable { frame, .. }) if frame >= self.warp.frames.len() => {
                Lvalue::from_value(Value::unknown(&of))
            }
            Some(place) => place,
            None => {
                let value = result.map_or_else(|| Value::unknown(&of), |value| converted(&of, value));
                Lvalue::from_value(value)
            }
        }
    }

    /// Evaluates a template argument in the current frame.
    pub(crate) fn template_value(&mut self, argument: &'a Argument) -> TemplateValue {
        match argument {
            Argument::Type(of) => match self.type_of(of) {
                Type::Unknown => TemplateValue::Unknown,
                of => TemplateValue::Type(of),
            },
            Argument::Value(expr) => {
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

    /// Returns the values of template parameters; unknown ones are [`TemplateValue::Unknown`]. Explicit arguments take
    /// precedence over types deduced from the function's arguments, and deduced types take precedence over defaults.
    pub(crate) fn template_values(
        &mut self,
        parameters: &'a [TemplateParameter],
        stated: &[TemplateValue],
        arguments: &[(&Parameter, Option<Type>)],
    ) -> Vec<TemplateValue> {
        let value = |(at, parameter): (usize, &'a TemplateParameter)| {
            let mut own = arguments.iter().filter(|(own, _)| own.of.name == parameter.name);
            let shown =
                || own.find_map(|(own, of)| of.as_ref()?.behind(own.of.pointers)).map(TemplateValue::Type);
            let value = stated.get(at).cloned().or_else(shown);
            let value =
                value.or_else(|| parameter.default.as_ref().map(|default| self.template_value(default)));
            value.unwrap_or(TemplateValue::Unknown)
        };
        parameters.iter().enumerate().map(value).collect()
    }

    /// Binds the template parameters of [`Self::template_values`] in a new frame.
    pub(crate) fn bind_templates(
        &mut self,
        frame: &mut Frame<'a>,
        parameters: &'a [TemplateParameter],
        stated: &[TemplateValue],
        arguments: &[(&Parameter, Option<Type>)],
    ) {
        let mut hasher = rustc_hash::FxHasher::default();
        for (parameter, value) in parameters.iter().zip(self.template_values(parameters, stated, arguments)) {
            format!("{value:?}").hash(&mut hasher);
            match value {
                TemplateValue::Type(of) => {
                    frame.types.insert(&parameter.name, of);
                }
                TemplateValue::Number(number) => {
                    let value = Value::int(number);
                    frame.declare(&parameter.name, VariableState::constant(value));
                }
                TemplateValue::Unknown if !parameter.is_type => {
                    let symbol = self.warp.symbols.named(&parameter.name);
                    let value = Value::Int(Lanes::symbol(IntType::INT, symbol));
                    frame.declare(&parameter.name, VariableState::constant(value));
                }
                TemplateValue::Unknown => {}
            }
        }
        frame.instance = hasher.finish();
        frame.templates = frame.values.len();
    }

    fn method(&mut self, object: Lvalue, name: &str, arguments: &'a [Expr], range: &Range<u32>) -> Lvalue {
        let is_pure = GroupMethod::named(name).is_some_and(|method| method != GroupMethod::Barrier);
        if !is_pure {
            self.notes.unclear();
        }
        if let Some(place) = self.inlined_method(&object, name, arguments) {
            return place;
        }
        self.read(object.clone(), range);
        // A method that was not inlined may have any effect.
        if !is_pure && matches!(object, Lvalue::Variable { .. }) {
            memory::address(&mut self.warp, object);
        }
        for argument in arguments {
            self.value(argument);
        }
        Lvalue::unknown()
    }

    /// Runs a method of an object. `None` if the translation unit has no such device method, or if the choice between
    /// overloads depends on argument types.
    pub(super) fn inlined_method(
        &mut self,
        object: &Lvalue,
        name: &str,
        arguments: &'a [Expr],
    ) -> Option<Lvalue> {
        let of = Arc::clone(self.warp.record_at(object)?);
        let record = self.warp.env.record_item(&of.name)?;
        self.run_method(record, &of.templates, object, name, arguments)
    }

    /// Runs a static method that is qualified by its structure's name. `None` if the translation unit has no
    /// such structure, or if the structure is a template.
    fn static_method(&mut self, name: &str, arguments: &'a [Expr]) -> Option<Lvalue> {
        let (scope, method) = name.rsplit_once("::")?;
        let record = self.warp.env.record_item(scope).filter(|(_, record)| record.templates.is_empty())?;
        self.run_method(record, &[], &Lvalue::unknown(), method, arguments)
    }

    fn run_method(
        &mut self,
        (mut item, record): (u32, &'a Record),
        templates: &[TemplateValue],
        object: &Lvalue,
        name: &str,
        arguments: &'a [Expr],
    ) -> Option<Lvalue> {
        let declared = record.only_method(name, arguments.len())?;
        let mut function = declared;
        if declared.body.is_none() {
            (item, function) = self.warp.env.method_outside(record, declared)?;
        }
        let is_on_device = declared.is_on_device() || function.is_on_device();
        if !is_on_device || self.warp.frames.len() >= MAX_CALLS || !self.warp.is_on_device() {
            return None;
        }
        let mut frame = Frame::new(item);
        self.bind_templates(&mut frame, &record.templates, templates, &[]);
        if declared.body.is_none() {
            // The definition may name the structure's template parameters differently.
            self.bind_templates(&mut frame, &function.templates, templates, &[]);
        }
        for field in &record.fields {
            let is_constant = field.is_constexpr || field.of.is_const;
            let binding = match &field.value {
                Some(value) if field.is_static && is_constant => Binding::Argument(value, frame.names.len()),
                _ if field.is_static => Binding::Alias(Lvalue::unknown()),
                _ => Binding::Alias(self.warp.field(object.clone(), &field.name)),
            };
            frame.names.push((&field.name, binding));
        }
        frame.names.push(("this", Binding::Alias(object.clone())));
        // Member types of the structure hide types of the translation unit. Member types are not resolved.
        frame.types.extend(record.types.iter().map(|name| (name.as_str(), Type::Unknown)));
        frame.record = Some(record);
        frame.returns_place = function.result.is_reference;
        Some(self.inlined_bound(frame, function, arguments))
    }

    /// Records the lvalue that a function returns a reference to. With several `return` statements, the
    /// lvalue is unknown.
    pub(super) fn return_place(&mut self, expr: &'a Expr) {
        let place = self.place(expr);
        let is_sure = self.warp.lanes.unsure_active() == 0;
        let frame = self.warp.frame();
        let is_first = frame.place.is_none() && is_sure;
        frame.place = Some(if is_first { place } else { Lvalue::unknown() });
    }

    /// Returns the function definition that a call resolves to, and the item index of the definition. `None`
    /// if no function fits, or if several functions fit the number and the types of the arguments.
    fn overload(&mut self, name: &str, arguments: &'a [Expr]) -> Option<(u32, &'a Function)> {
        let env = self.warp.env;
        let mut all = env.functions(name).filter(|(_, function)| function.body.is_some());
        let first = all.next()?;
        if all.next().is_none() {
            return Some(first);
        }
        let fits = |function: &Function| function.parameters.len() == arguments.len();
        let fitting: Vec<(u32, &'a Function)> = env
            .functions(name)
            .filter(|(_, function)| function.body.is_some() && function.is_on_device() && fits(function))
            .collect();
        // Several preprocessor branches may declare the same function.
        let (first, others) = fitting.split_first()?;
        if others.iter().all(|(_, other)| other.has_parameters_of(first.1)) {
            return Some(*first);
        }
        let types: Vec<Type> = arguments.iter().map(|argument| self.type_of_argument(argument)).collect();
        let mut meant = fitting.into_iter().filter(|(_, function)| self.takes(function, &types));
        meant.next().filter(|_| meant.next().is_none())
    }

    fn type_of_argument(&mut self, argument: &'a Expr) -> Type {
        if has_effects(argument) {
            return Type::Unknown;
        }
        let steps = self.limits.steps;
        let of = self.uncounted(|all| all.value(argument)).value_type();
        self.limits.steps = steps.saturating_sub(1);
        of
    }

    /// True if a function's parameters have exactly these types. False for a template, or if a type is
    /// unknown.
    fn takes(&mut self, function: &'a Function, types: &[Type]) -> bool {
        let mut parameters = function.parameters.iter().zip(types);
        function.templates.is_empty()
            && parameters.all(|(parameter, of)| *of != Type::Unknown && self.type_of(&parameter.of) == *of)
    }

    /// Resolves a type as written in the source.
    pub(crate) fn type_of(&mut self, written: &'a TypeName) -> Type {
        if written.dimensions.len() > MAX_DIMENSIONS {
            return Type::Unknown;
        }
        let mut of = self.named_type(written);
        for _ in 0..written.pointers {
            of = Type::Pointer(Arc::new(of));
        }
        for dimension in written.dimensions.iter().rev() {
            let count = dimension.as_ref().and_then(|size| self.constant(size));
            of = Type::Array(Arc::new(of), count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0));
        }
        of
    }

    fn named_type(&mut self, written: &'a TypeName) -> Type {
        self.type_by_name(&written.name, &written.arguments)
    }

    /// Resolves a type by its name and template arguments.
    pub(crate) fn type_by_name(&mut self, name: &'a str, arguments: &'a [Argument]) -> Type {
        let work = |all: &mut Self| all.type_of_name(name, arguments);
        let of = self.deeper(Nesting::TypeName, |all| all.deeper(Nesting::Evaluation, work));
        of.flatten().unwrap_or(Type::Unknown)
    }

    /// Returns the type of a matrix fragment; `None` for other names or arguments.
    fn fragment_type(&mut self, name: &str, arguments: &'a [Argument]) -> Option<Type> {
        let [_, m, n, k, of, ..] = arguments else { return None };
        if last_part(name) != "fragment" {
            return None;
        }
        let values = [m, n, k, of].map(|argument| self.template_value(argument)).to_vec();
        fragments::fragment_type(arguments, values)
    }

    fn type_of_name(&mut self, name: &'a str, arguments: &'a [Argument]) -> Type {
        if let Some(of) = self.warp.frames.last().and_then(|frame| frame.types.get(name)) {
            return of.clone();
        }
        if let Some(of) = built_in(name) {
            return of;
        }
        if self.warp.frames.len() > MAX_FRAMES {
            return Type::Unknown;
        }
        let env = self.warp.env;
        if let Some(alias) = env.alias(name) {
            return if alias.of.name == name { Type::Unknown } else { self.type_of(&alias.of) };
        }
        if let Some(of) = env.macro_named(name).and_then(|of| built_in(&of.text)) {
            return of;
        }
        let Some(record) = env.record(name) else {
            return self.fragment_type(name, arguments).unwrap_or(Type::Unknown);
        };
        if record.is_opaque {
            return Type::Unknown;
        }
        let is_plain = record.templates.is_empty();
        if is_plain && let Some(known) = self.records.begin(&record.name) {
            return known;
        }
        let mut bound = Frame::new(self.warp.item());
        let arguments: Vec<TemplateValue> =
            arguments.iter().map(|argument| self.template_value(argument)).collect();
        self.bind_templates(&mut bound, &record.templates, &arguments, &[]);
        self.warp.frames.push(bound);
        let alignment = record.alignment.as_ref().and_then(|value| self.constant(value));
        let fields: Vec<(String, Type)> = record
            .fields
            .iter()
            .filter(|field| !field.is_static)
            .map(|field| (field.name.clone(), self.type_of(&field.of)))
            .collect();
        self.warp.frames.pop();
        let alignment = alignment.and_then(|value| u64::try_from(value).ok()).unwrap_or(1);
        let laid_out = RecordType::lay_out(record.name.clone(), fields, alignment, record.is_union);
        let has_constructor = record.has_constructor;
        let of = laid_out.map_or(Type::Unknown, |laid_out| {
            Type::Record(Arc::new(RecordType { templates: arguments, has_constructor, ..laid_out }))
        });
        if is_plain {
            self.records.end(&of);
        }
        of
    }
}
