//! Template arguments of a kernel's launches: those in the source, those of explicit instantiations, and assumed types.

use super::view::CudaView;
use advisor::cuda::{Launch, Origin};
use model::Gpu;
use model::cuda::{IntType, TemplateValue, Type, completed, instances};
use std::collections::HashSet;
use syntax::cuda::{Function, TemplateParameter};

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
        for launch in &mut *launches {
            let templates = &mut launch.configuration.templates;
            let fits = |all: &&Vec<TemplateValue>| {
                templates.iter().zip(*all).all(|(own, other)| *own == TemplateValue::Unknown || own == other)
            };
            if let Some(instance) = explicit.iter().find(fits) {
                templates.clone_from(instance);
            }
            *templates = completed(environment, &self.gpu.arch, (self.item, self.kernel), templates);
            for (parameter, value) in self.kernel.templates.iter().zip(templates) {
                if *value == TemplateValue::Unknown
                    && let Some(of) = self.assumed(parameter)
                {
                    *value = TemplateValue::Type(of);
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
                launch.name = Some(format!("<{}>", values.join(", ")));
            }
        }
    }

    /// Returns the type that is assumed for a type parameter: a 4-byte number, if the kernel has pointers to this type
    /// or if the type's name is that of an index. `None` for other parameters.
    fn assumed(&self, parameter: &TemplateParameter) -> Option<Type> {
        let own = self.kernel.parameters.iter().filter(|own| own.of.name == parameter.name);
        let (pointers, values): (Vec<_>, Vec<_>) = own.partition(|own| own.of.pointers > 0);
        let name = parameter.name.to_ascii_lowercase();
        let is_integer = INTEGERS.iter().any(|part| name.contains(part));
        match (parameter.is_type, is_integer) {
            (true, true) if !(pointers.is_empty() && values.is_empty()) => Some(Type::Int(IntType::INT)),
            (true, false) if !pointers.is_empty() => Some(Type::Float(4)),
            _ => None,
        }
    }
}
