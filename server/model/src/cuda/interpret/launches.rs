//! Launches that host code makes, as they are met.

use super::interpreter::Interpreter;
use crate::cuda::source::launch::{Argument, FoundLaunch};
use crate::cuda::source::types::Type;
use crate::cuda::values::value::Value;
use syntax::cuda::{Expr, ExprKind};

impl<'a> Interpreter<'a> {
    /// Notes a launch.
    pub(crate) fn launch(
        &mut self,
        function: &'a Expr,
        configuration: &'a [Expr],
        arguments: &'a [Expr],
        expr: &'a Expr,
    ) {
        let ExprKind::Name { name, arguments: templates } = &function.kind else { return };
        let templates = templates.iter().map(|argument| self.template_value(argument)).collect();
        let is_number = |expr: &&Expr| matches!(expr.kind, ExprKind::Integer { .. });
        let block_number = configuration.get(1).filter(is_number).map(|expr| expr.range.clone());
        let mut configuration = configuration.iter().map(|expr| self.value(expr));
        let mut next = || configuration.next();
        let (grid, block, shared) = (next(), next(), next());
        let shared = match shared {
            None => Some(0),
            Some(value) => number(&value).and_then(|bytes| u32::try_from(bytes).ok()),
        };
        let (grid, block) = (grid.as_ref().and_then(three), block.as_ref().and_then(three));
        let texts = arguments;
        let arguments: Vec<Argument> =
            texts.iter().map(|argument| argument_of(&self.value(argument))).collect();
        self.launches.push(FoundLaunch {
            function: crate::cuda::source::environment::last_part(name).to_owned(),
            templates,
            item: self.item(),
            range: expr.range.clone(),
            grid,
            block,
            block_number: block_number.filter(|_| self.used_at.is_none()),
            shared,
            shares_arrays: share_names(texts, &arguments),
            arguments,
        });
    }
}

/// Whether two arguments that may be pointers use the same variable: `y` and `y + n`.
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

fn number(value: &Value) -> Option<i64> {
    value.as_lanes()?.constant(u32::MAX)
}

/// The sizes of a grid or a block.
fn three(value: &Value) -> Option<[u32; 3]> {
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
        _ => Argument::Unknown,
    }
}
