//! Template arguments of a kernel's launches: those in the source, those of explicit instantiations, and assumed types.

use super::view::CudaView;
use advisor::cuda::{Launch, Origin};
use model::Gpu;
use model::cuda::{IntType, TemplateValue, Type, completed, instances};
use std::cell::LazyCell;
use std::collections::HashSet;
use syntax::cuda::{Argument, Expr, ExprKind, Function, StmtKind, TemplateParameter, Variable};

/// Parts of the names of types that are integers in most sources.
const INTEGERS: [&str; 5] = ["idx", "index", "offset", "size", "int"]; // limit: a convention of names

/// The template of a kernel, if it is one.
pub(super) struct Template<'a> {
    view: &'a CudaView<'a>,
    item: u32,
    kernel: &'a Function,
    gpu: &'a Gpu,
}

impl<'a> Template<'a> {
    pub(super) const fn new(view: &'a CudaView<'a>, item: u32, kernel: &'a Function, gpu: &'a Gpu) -> Self {
        Self { view, item, kernel, gpu }
    }

    /// Completes the template arguments of launches: from the first explicit instantiation that fits, by defaults, and
    /// by assumptions. Found launches of different instances are named by their template arguments.
    pub(super) fn complete(&self, launches: &mut [Launch]) {
        if self.kernel.templates.is_empty() {
            return;
        }
        let environment = self.view.text.environment();
        let explicit = instances(environment, &self.gpu.arch, self.kernel);
        let assumed = LazyCell::new(|| {
            self.kernel.templates.iter().map(|parameter| self.assumed(parameter)).collect::<Vec<_>>()
        });
        for launch in &mut *launches {
            let templates = &mut launch.configuration.templates;
            let fits =
                |all: &&Vec<TemplateValue>| templates.iter().zip(*all).all(|(own, other)| own.may_be(other));
            if let Some(instance) = explicit.iter().find(fits) {
                templates.clone_from(instance);
            }
            *templates = completed(environment, &self.gpu.arch, (self.item, self.kernel), templates);
            for ((parameter, value), at) in self.kernel.templates.iter().zip(templates).zip(0..) {
                if *value == TemplateValue::Unknown
                    && let Some(of) = &assumed[at]
                {
                    *value = TemplateValue::Type(of.clone());
                    launch.assumed_types.push(format!("{} = {}", parameter.name, value.spelled()));
                }
            }
        }
        let all: HashSet<&[TemplateValue]> =
            launches.iter().map(|launch| &*launch.configuration.templates).collect();
        if all.len() > 1 {
            for launch in launches.iter_mut().filter(|launch| launch.origin == Origin::Found) {
                let values: Vec<String> =
                    launch.configuration.templates.iter().map(TemplateValue::spelled).collect();
                let values = format!("<{}>", values.join(", "));
                launch.name = Some(match launch.name.take() {
                    Some(name) => format!("{name} {values}"),
                    None => values,
                });
            }
        }
    }

    /// Returns the type that is assumed for a type parameter: an integer if the type's name is that of an index or if
    /// the kernel uses values of this type in subscripts, otherwise a floating-point number if the kernel has pointers
    /// to this type. `None` for other parameters. Both have 4 bytes.
    fn assumed(&self, parameter: &TemplateParameter) -> Option<Type> {
        let name = &parameter.name;
        let mut own = self.kernel.parameters.iter().filter(|own| own.of.name == *name);
        let has_pointer = own.clone().any(|own| own.of.pointers > 0);
        let lower = name.to_ascii_lowercase();
        let is_integer = own.next().is_some() && INTEGERS.iter().any(|part| lower.contains(part));
        match parameter.is_type {
            true if is_integer || self.is_in_subscripts(name) => Some(Type::Int(IntType::INT)),
            true if has_pointer => Some(Type::Float(4)),
            _ => None,
        }
    }

    /// True if a subscript in the kernel contains a variable of a type or a value that is computed with it.
    fn is_in_subscripts(&self, of: &str) -> bool {
        let Some(body) = &self.kernel.body else { return false };
        let parameters = self.kernel.parameters.iter().filter(|own| own.of.name == of);
        let mut variables: Vec<&str> = parameters.map(|own| own.name.as_str()).collect();
        body.walk(&mut |stmt| {
            let StmtKind::Declaration(all) = &stmt.kind else { return };
            let is_of_type = |own: &&Variable| {
                own.of.name == of && own.of.pointers == 0
                    || own.value.as_ref().is_some_and(|value| value.any(&|expr| names(expr, of)))
            };
            variables.extend(all.iter().filter(is_of_type).map(|own| own.name.as_str()));
        });
        let mut found = false;
        body.walk_expressions(&mut |expr| {
            if let ExprKind::Index { index, .. } = &expr.kind {
                found |= index.any(&|expr| expr.as_name().is_some_and(|name| variables.contains(&name)));
            }
        });
        found
    }
}

/// True for a name with this type among its template arguments: `index<T>()`.
fn names(expr: &Expr, of: &str) -> bool {
    let ExprKind::Name { arguments, .. } = &expr.kind else { return false };
    arguments.iter().any(|argument| match argument {
        Argument::Type(own) => own.name == of,
        Argument::Value(own) => own.as_name() == Some(of),
    })
}
