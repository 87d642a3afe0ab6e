//! Builds launches from the launch statements that the interpreter reaches in host code.

use super::driver;
use crate::cuda::source::launch::{Argument, FoundLaunch, KernelInstance, LaunchCluster};
use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::source::types::Type;
use crate::cuda::values::value::Value;
use syntax::cuda::{Expr, ExprKind};

/// Builds a launch from the expressions and values of its configuration and arguments.
pub(super) fn found(
    kernel: KernelInstance,
    place: SourceSpan,
    (configuration, values): (&[Expr], &[Value]),
    (texts, arguments): (&[Expr], Vec<Value>),
) -> FoundLaunch {
    let is_number = |expr: &&Expr| matches!(expr.kind, ExprKind::Integer { .. });
    let shared = match values.get(2) {
        None => Some(0),
        Some(value) => number(value).and_then(|bytes| u32::try_from(bytes).ok()),
    };
    let arguments: Vec<Argument> = arguments.iter().map(argument_of).collect();
    FoundLaunch {
        function: kernel.name,
        templates: kernel.templates,
        place,
        elsewhere: None,
        grid: values.first().and_then(three),
        block: values.get(1).and_then(three),
        block_number: configuration.get(1).filter(is_number).map(|expr| expr.range.clone()),
        shared,
        cluster: LaunchCluster::Unstated,
        shares_arrays: share_names(texts, &arguments),
        arguments,
    }
}

/// True if two arguments that may be pointers use the same variable, such as `y` and `y + n`.
fn share_names(texts: &[Expr], arguments: &[Argument]) -> bool {
    let is_pointer = |argument: &Argument| matches!(argument, Argument::Pointer | Argument::Unknown);
    let pointers: Vec<&Expr> = texts
        .iter()
        .zip(arguments)
        .filter(|(_, argument)| is_pointer(argument))
        .map(|(text, _)| text)
        .collect();
    let mut pairs = pointers
        .iter()
        .enumerate()
        .flat_map(|(at, one)| pointers[at + 1..].iter().map(move |other| (one, other)));
    pairs.any(|(one, other)| {
        one.any(&|name| name.as_name().is_some_and(|name| other.any(&|own| own.as_name() == Some(name))))
    })
}

pub(super) fn number(value: &Value) -> Option<i64> {
    value.as_lanes()?.constant(u32::MAX)
}

/// Returns the sizes of a grid or a block; `None` if a size is unknown or not positive.
pub(super) fn three(value: &Value) -> Option<[u32; 3]> {
    let size =
        |value: &Value| number(value).and_then(|size| u32::try_from(size).ok()).filter(|size| *size > 0);
    match value {
        Value::Record(_, fields) => {
            let [x, y, z] = fields.as_slice() else { return None };
            Some([size(x)?, size(y)?, size(z)?])
        }
        other => Some([size(other)?, 1, 1]),
    }
}

fn argument_of(value: &Value) -> Argument {
    match value {
        Value::Pointer(_) | Value::Unknown(Type::Pointer(_)) => Argument::Pointer,
        Value::Unknown(Type::Float(_)) => Argument::Float,
        Value::Int(lanes) => lanes.constant(u32::MAX).map_or(Argument::Unknown, Argument::Number),
        _ => driver::stated(value).map_or(Argument::Unknown, Argument::Tensor),
    }
}
