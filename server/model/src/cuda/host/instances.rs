//! Explicit instantiations of kernel templates.

use crate::cuda::interpret::Interpreter;
use crate::cuda::source::environment::Environment;
use crate::cuda::source::launch::TemplateValue;
use crate::cuda::state::frame::Frame;
use crate::cuda::values::convert::decayed;
use machine::Arch;
use syntax::cuda::Function;

/// Maximum number of expressions evaluated per instantiation.
const STEPS: u32 = 2_000; // limit: time
/// Maximum number of instantiations to read.
const MAX: usize = 64; // limit: time

/// Returns `stated` template arguments of a function template, completed by the defaults of the template. Unknown
/// arguments are [`TemplateValue::Unknown`]. `item` is the function's item.
pub fn completed(
    env: &Environment,
    arch: &Arch,
    (item, function): (u32, &Function),
    stated: &[TemplateValue],
) -> Vec<TemplateValue> {
    let mut host = Interpreter::new(env, arch, &[]);
    host.begin_warp(u32::MAX, None, STEPS);
    host.warp.frames.push(Frame::new(item));
    host.template_values(&function.templates, stated, &[])
}

/// Returns the template arguments of the explicit instantiations of a function template, in source order, without
/// duplicates. Unknown arguments are [`TemplateValue::Unknown`]. Empty if the function is no template.
pub fn instances(env: &Environment, arch: &Arch, function: &Function) -> Vec<Vec<TemplateValue>> {
    let mut all: Vec<Vec<TemplateValue>> = Vec::new();
    if function.templates.is_empty() {
        return all;
    }
    let mut host = Interpreter::new(env, arch, &[]);
    for (item, of) in env.instantiations(&function.name).take(MAX) {
        host.begin_warp(u32::MAX, None, STEPS);
        host.warp.frames.push(Frame::new(item));
        let stated: Vec<TemplateValue> =
            of.arguments.iter().map(|argument| host.template_value(argument)).collect();
        let types: Vec<_> = of.parameters.iter().map(|of| Some(decayed(host.type_of(of)))).collect();
        let passed: Vec<_> = function.parameters.iter().zip(types).collect();
        let values = host.template_values(&function.templates, &stated, &passed);
        host.warp.frames.pop();
        if !all.contains(&values) {
            all.push(values);
        }
    }
    all
}
