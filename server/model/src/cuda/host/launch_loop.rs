//! Loops in host code that launch a kernel once per section of an array, although the launches are independent and
//! could be one launch.

use super::fusion::asks_for_errors;
use super::host_arrays::HostArrays;
use super::sizes::is_size;
use crate::cuda::affine::kernel_accesses::{GlobalAccess, touches};
use crate::cuda::affine::numbers::LaunchContext;
use crate::cuda::affine::quantity::{Dependence, Form, Quantity};
use crate::cuda::affine::scope::{counter, step, trips};
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::source::environment::Environment;
use crate::cuda::source::launch::{Argument, FoundLaunch};
use crate::cuda::source::syntactic::{has_effects, varies};
use crate::cuda::source::types::{Type, built_in};
use rustc_hash::FxHashSet;
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Function, ItemKind, Loop, Memory, Stmt, StmtKind, UnaryOp};

/// A loop whose launches could be combined into one launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchLoop {
    /// Byte range of the loop header in the host function's item.
    pub place: Range<u32>,
    pub counter: String,
    /// Number of launches; `None` if the number is known only at run time.
    pub passes: Option<u64>,
    /// Name, in host code, of an array in which each launch writes a separate section.
    pub array: String,
}

/// An argument of a launch.
enum LaunchArgument<'h> {
    /// A pointer: the array that it points into, if known, and the number of elements that each iteration
    /// advances it by.
    Pointer { array: Option<String>, moves: Form<'h> },
    /// Any other argument, with its affine form; `None` if it has no such form.
    Number(Option<Form<'h>>),
}

/// Checks the innermost loop around a launch. Returns `Some` if the loop does nothing but launch the kernel,
/// each launch writes separate elements, and no launch reads an array that is written.
///
/// The proof is symbolic. Arguments are forms of loop-invariant host values and the iteration number. Store
/// addresses are forms of these symbols and the thread indices. A form counts as nonzero unless it is
/// identically 0.
pub fn launch_loop(env: &Environment, kernel: &Function, own: &FoundLaunch) -> Option<LaunchLoop> {
    let placed = env.unit().item(own.place.item)?;
    let ItemKind::Function(host) = &placed.item.kind else { return None };
    let (stmt, of) = innermost(host.body.as_ref()?, &own.place.range())?;
    let counter = counter(of)?;
    let launched = only_launch(env, of, own)?;
    let ExprKind::Launch { configuration, arguments, .. } = &launched.kind else { return None };
    let changed = changed(of, &counter.name);
    let is_similar = configuration.iter().all(|expr| !varies(expr, &changed));
    if !is_similar || of.condition.is_none() || arguments.len() != kernel.parameters.len() {
        return None;
    }
    let at_host = LaunchContext::in_host(env, host, changed.clone())?;
    let start = at_host.form(counter.value.as_ref()?)?;
    let by_pass = step(&at_host, of)?.multiply(&Form::of_symbol(Quantity::Pass))?;
    let in_loop = at_host.within_as(of, start.plus(&by_pass, 1)?)?;
    let arrays = HostArrays::new(host, &in_loop)?;
    let passes = ArgumentEvaluator { at: &in_loop, changed, arrays };
    let passed = arguments.iter().zip(&kernel.parameters).map(|(argument, parameter)| {
        let is_pointer = parameter.of.pointers > 0 || !parameter.of.dimensions.is_empty();
        passes.passed(argument, is_pointer)
    });
    let passed: Vec<LaunchArgument<'_>> = passed.collect::<Option<_>>()?;
    let count = trips(&at_host, of).and_then(|trips| u64::try_from(trips.count).ok());
    if count == Some(1) {
        return None;
    }
    Some(LaunchLoop {
        place: stmt.range.start..of.body.range.start,
        counter: counter.name.clone(),
        passes: count,
        array: written(env, kernel, own, &passed)?,
    })
}

/// Returns the innermost loop around a byte range of a body; `None` if there is no such loop, or if it is a
/// range-based `for`.
fn innermost<'h>(body: &'h Stmt, range: &Range<u32>) -> Option<(&'h Stmt, &'h Loop)> {
    let mut found = None;
    body.walk(&mut |stmt| {
        if stmt.range.start > range.start || stmt.range.end < range.end {
            return;
        }
        match &stmt.kind {
            StmtKind::Loop(of) => found = Some((stmt, &**of)),
            StmtKind::ForEach { .. } => found = None,
            _ => {}
        }
    });
    found
}

/// Returns the launch in a loop that otherwise only declares variables and queries launch errors; `None` for
/// other loops.
fn only_launch<'h>(env: &Environment, of: &'h Loop, own: &FoundLaunch) -> Option<&'h Expr> {
    let all = match &of.body.kind {
        StmtKind::Block(all) => all.as_slice(),
        _ => std::slice::from_ref(&of.body),
    };
    let mut found = None;
    for stmt in all {
        match &stmt.kind {
            StmtKind::Expression(expr) if matches!(expr.kind, ExprKind::Launch { .. }) => {
                if found.replace(expr).is_some() {
                    return None;
                }
            }
            StmtKind::Expression(expr) if asks_for_errors(expr) => {}
            StmtKind::Declaration(variables) => {
                let is_plain = |value: &Expr| !has_effects(value) || is_size(env, value);
                let are_plain = variables.iter().all(|variable| {
                    variable.memory == Memory::Local
                        && !variable.is_static
                        && variable.value.as_ref().is_none_or(is_plain)
                });
                if !are_plain {
                    return None;
                }
            }
            StmtKind::Empty => {}
            _ => return None,
        }
    }
    let is_plain = |expr: &Expr| !has_effects(expr) || is_size(env, expr);
    let launched = found.filter(|expr| expr.range == own.place.range())?;
    launched.children().into_iter().all(is_plain).then_some(launched)
}

/// Returns the counter of a loop, and the variables of the loop body that depend on the counter.
fn changed<'h>(of: &'h Loop, counter: &'h str) -> FxHashSet<&'h str> {
    let mut changed = FxHashSet::from_iter([counter]);
    of.body.walk(&mut |stmt| {
        let StmtKind::Declaration(all) = &stmt.kind else { return };
        for variable in all {
            if variable.value.as_ref().is_none_or(|value| varies(value, &changed)) {
                changed.insert(&variable.name);
            }
        }
    });
    changed
}

/// Evaluates launch arguments as functions of the loop iteration.
struct ArgumentEvaluator<'s, 'h> {
    at: &'s LaunchContext<'h>,
    changed: FxHashSet<&'h str>,
    arrays: HostArrays<'s, 'h>,
}

impl<'h> ArgumentEvaluator<'_, 'h> {
    /// Evaluates an argument; `None` if the change of the argument between iterations is not modelled.
    fn passed(&self, argument: &'h Expr, is_pointer: bool) -> Option<LaunchArgument<'h>> {
        let is_moved = varies(argument, &self.changed);
        if !is_pointer {
            let form = self.at.form(argument);
            let is_even = !is_moved || !is_zero(&per_pass(form.as_ref()?)?);
            return is_even.then_some(LaunchArgument::Number(form));
        }
        if !is_moved {
            return Some(LaunchArgument::Pointer {
                array: self.arrays.array(argument),
                moves: Form::default(),
            });
        }
        let (start, offset) = self.pointer(argument, 0)?;
        let array = self.arrays.array(start).filter(|_| !varies(start, &self.changed))?;
        let moves = per_pass(&self.at.form(offset)?).filter(|moves| !is_zero(moves))?;
        Some(LaunchArgument::Pointer { array: Some(array), moves })
    }

    /// Splits a pointer into a loop-invariant array and a varying offset in elements; `None` for other
    /// pointers.
    fn pointer(&self, expr: &'h Expr, depth: u32) -> Option<(&'h Expr, &'h Expr)> {
        match &expr.kind {
            _ if depth > 8 => None,
            ExprKind::Binary { op: BinaryOp::Add, left, right } => {
                match (varies(left, &self.changed), varies(right, &self.changed)) {
                    (false, true) => Some((left, right)),
                    (true, false) => self.pointer(left, depth + 1).or(Some((right, left))),
                    _ => None,
                }
            }
            ExprKind::Unary { op: UnaryOp::AddressOf, of } => match &of.kind {
                ExprKind::Index { of, index } => Some((of, index)),
                _ => None,
            },
            ExprKind::Cast { to, of } if to.pointers > 0 => self.pointer(of, depth + 1),
            ExprKind::Name { name, .. } => self.pointer(self.at.settled(name)?, depth + 1),
            _ => None,
        }
    }
}

/// Returns the amount by which a form grows per iteration; `None` if this amount is not the same in all iterations
/// and threads.
fn per_pass<'h>(form: &Form<'h>) -> Option<Form<'h>> {
    let (slope, rest) = form.split(&Quantity::Pass)?;
    let is_even = Dependence::from_forms([&slope]) == Dependence::default()
        && !Dependence::from_forms([&rest]).has(Dependence::PASSES);
    is_even.then_some(slope)
}

fn is_zero(form: &Form<'_>) -> bool {
    form.as_constant() == Some(0)
}

fn is_real(name: &str) -> bool {
    matches!(built_in(name), Some(Type::Float(_)))
}

/// Returns the array of a kernel's first store. `None` unless each launch writes separate elements and no
/// launch reads a written array.
fn written<'h>(
    env: &'h Environment,
    kernel: &'h Function,
    own: &'h FoundLaunch,
    passed: &[LaunchArgument<'h>],
) -> Option<String> {
    let argument = |(at, passed): (usize, &LaunchArgument<'h>)| match (passed, own.arguments.get(at)) {
        (LaunchArgument::Pointer { .. }, _) => None,
        (LaunchArgument::Number(Some(form)), _) if Dependence::from_forms([form]).has(Dependence::PASSES) => {
            Some(form.clone())
        }
        (_, Some(Argument::Number(number))) => Some(Form::from_constant(*number)),
        (LaunchArgument::Number(form), _) => {
            form.clone().filter(|_| !is_real(&kernel.parameters[at].of.name))
        }
    };
    let arguments = passed.iter().enumerate().map(argument).collect();
    let at = LaunchContext::with_arguments(env, kernel, [own.grid, own.block], arguments, &own.templates)?;
    let found = touches(&at);
    if found.is_unclear || writes_surfaces(at.body) {
        return None;
    }
    let pointer = |touch: &GlobalAccess<'_>| {
        let at = kernel.parameters.iter().position(|own| Some(own.name.as_str()) == touch.pointer)?;
        match passed.get(at)? {
            LaunchArgument::Pointer { array: Some(array), moves } => Some((array.as_str(), moves)),
            _ => None,
        }
    };
    let mut arrays: Vec<&str> = Vec::new();
    for store in found.all.iter().filter(|touch| touch.kind != AccessKind::Load) {
        let (array, moves) = pointer(store)?;
        // If the element within the section is unknown, the section still advances with the pointer.
        let place = store.place(&at).unwrap_or_default();
        let by_pass = per_pass(&place)?.plus(moves, 1)?;
        if store.kind == AccessKind::Atomic || is_zero(&by_pass) || meets_next(&place, &by_pass, own)? {
            return None;
        }
        arrays.push(array);
    }
    // No launch may read elements that another launch has written, through any pointer.
    for load in found.all.iter().filter(|touch| touch.kind == AccessKind::Load) {
        let is_parameter = kernel.parameters.iter().any(|own| Some(own.name.as_str()) == load.pointer);
        match pointer(load) {
            Some((array, _)) if !arrays.contains(&array) => {}
            None if !is_parameter && load.pointer.is_some() => {}
            _ => return None,
        }
    }
    arrays.first().map(|array| (*array).to_owned())
}

/// True if a kernel calls surface functions. Surface functions may write to any memory.
fn writes_surfaces(body: &Stmt) -> bool {
    let mut writes = false;
    body.walk_expressions(&mut |expr| {
        if let ExprKind::Call { function, .. } = &expr.kind {
            writes |= function.as_name().is_some_and(|name| name.starts_with("surf"));
        }
    });
    writes
}

/// True if two successive iterations access the same element: the step between iterations equals the distance
/// between two threads, blocks or counter values. Bounds checks in the kernel are ignored. `None` if an index
/// is multiplied by itself.
fn meets_next<'h>(place: &Form<'h>, step: &Form<'h>, own: &FoundLaunch) -> Option<bool> {
    let size = |index: &Quantity<'_>| match *index {
        Quantity::Thread(axis) => {
            // limit: minimum assumed size of an unknown block: a warp in x, and two in y and z.
            Some(own.block.map_or(if axis == 0 { 32 } else { 2 }, |block| block[usize::from(axis)]))
        }
        Quantity::Block(axis) => Some(own.grid.map_or(2, |grid| grid[usize::from(axis)])),
        Quantity::Counter(_) => Some(2),
        _ => None,
    };
    for index in place.symbols() {
        let Some(size) = size(index) else { continue };
        let times = step.quotient(&place.split(index)?.0);
        if times.is_some_and(|times| times.unsigned_abs() < u64::from(size)) {
            return Some(true);
        }
    }
    Some(false)
}
