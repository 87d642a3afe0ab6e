//! Launches that host code makes, with the constants that flow into them.

use super::convert::decayed;
use super::environment::Environment;
use super::frame::Frame;
use super::interpreter::Interpreter;
use super::launch::{Argument, FoundLaunch};
use super::types::Type;
use super::value::Value;
use machine::Arch;
use syntax::cuda::{Expr, ExprKind};

/// Expressions that are evaluated of one host function.
const STEPS: u32 = 20_000;

/// Returns the launches that an item of a unit makes if it is a host function, in the order of the text; each place once.
pub fn launches(env: &Environment, arch: &Arch, item: u32) -> Vec<FoundLaunch> {
    let Some(placed) = env.unit().items.get(item as usize) else { return Vec::new() };
    let syntax::cuda::ItemKind::Function(function) = &placed.item.kind else { return Vec::new() };
    let Some(body) = function.body.as_ref().filter(|_| !function.is_on_device()) else { return Vec::new() };
    let mut host = Interpreter::new(env, arch, STEPS);
    host.begin_warp(u32::MAX, STEPS);
    let mut frame = Frame::new(item);
    host.bind_templates(&mut frame, &function.templates, &[], &[]);
    host.frames.push(frame);
    for parameter in &function.parameters {
        let of = decayed(host.type_of(&parameter.of));
        host.declare(&parameter.name, of.clone(), Value::unknown(&of));
    }
    host.statement(body);
    let mut found = std::mem::take(&mut host.launches);
    found.sort_by_key(|launch| (launch.item, launch.range.start));
    found.dedup_by(|later, earlier| {
        let is_same = (later.item, later.range.start) == (earlier.item, earlier.range.start);
        if is_same {
            // A block that changes from pass to pass of a loop is unknown; of the grids the first represents all.
            earlier.block = earlier.block.filter(|block| later.block == Some(*block));
        }
        is_same
    });
    found
}

impl<'a> Interpreter<'a> {
    /// Notes a launch.
    pub(super) fn launch(
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
            function: super::environment::last_part(name).to_owned(),
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
