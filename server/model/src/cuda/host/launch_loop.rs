//! Loops of host code that launch a kernel once for each part of an array, though no launch needs another one.

use super::fusion::asks_for_errors;
use super::host_arrays::HostArrays;
use crate::cuda::affine::numbers::{AtLaunch, Index, Linear, counter, trips};
use crate::cuda::affine::touched::{Touch, touches};
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::source::environment::Environment;
use crate::cuda::source::launch::{Argument, Configuration, FoundLaunch};
use crate::cuda::source::syntactic::{has_effects, varies};
use crate::cuda::source::types::{Type, built_in};
use rustc_hash::FxHashSet;
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Function, ItemKind, Loop, Memory, Stmt, StmtKind, UnaryOp};

/// A loop whose launches could be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchLoop {
    /// The head of the loop, in bytes of the host code's item.
    pub place: Range<u32>,
    pub counter: String,
    /// Launches that it makes; `None` if only known at run time.
    pub passes: Option<u64>,
    /// An array that each launch writes its own part of, as host code calls it.
    pub array: String,
}

/// An argument from pass to pass.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Passed {
    /// The same in each pass; of a pointer the array that it leads into, where that is known.
    Same(Option<String>),
    /// A pointer into an array that moves by the same distance in each pass: this many elements, if that is a number.
    Moved(String, Option<i64>),
    /// A number that grows or falls by the same amount with each pass.
    Counted(Option<i64>),
}

/// Reads the loop right around a launch of a kernel: it does nothing but launch, each launch writes elements of its own, and none reads
/// an array that is written.
pub fn launch_loop(env: &Environment, kernel: &Function, own: &FoundLaunch) -> Option<LaunchLoop> {
    let placed = env.unit().items.get(own.item as usize)?;
    let ItemKind::Function(host) = &placed.item.kind else { return None };
    let (stmt, of) = innermost(host.body.as_ref()?, &own.range)?;
    let counter = counter(of)?;
    let launched = only_launch(env, of, own)?;
    let ExprKind::Launch { configuration, arguments, .. } = &launched.kind else { return None };
    // Host code is not itself launched: any configuration will do.
    let nowhere = configuration_of(own, Vec::new());
    let at_host = AtLaunch::new(env, host, &nowhere)?;
    let in_loop = at_host.within(of)?;
    let steps = Steps { at: &in_loop, counter: &counter.name, changed: changed(of, &counter.name) };
    let is_alike = configuration.iter().all(|expr| !varies(expr, &steps.changed));
    if !is_alike || !steps.are_even(of) || arguments.len() != kernel.parameters.len() {
        return None;
    }
    let arrays = HostArrays::new(host, &in_loop)?;
    let passed = arguments.iter().zip(&kernel.parameters).map(|(argument, parameter)| {
        let is_pointer = parameter.of.pointers > 0 || !parameter.of.dimensions.is_empty();
        steps.passed(argument, is_pointer, &arrays)
    });
    let passed: Vec<Passed> = passed.collect::<Option<_>>()?;
    let passes = trips(&at_host, of).and_then(|trips| u64::try_from(trips.count).ok());
    if passes == Some(1) {
        return None;
    }
    let array = written(env, kernel, own, &passed)?;
    Some(LaunchLoop {
        place: stmt.range.start..of.body.range.start,
        counter: counter.name.clone(),
        passes,
        array,
    })
}

/// The innermost loop around bytes of a body.
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

/// The launch of a loop that does nothing else; it may declare variables, and ask for errors.
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
    let launched = found.filter(|expr| expr.range == own.range)?;
    launched.children().into_iter().all(is_plain).then_some(launched)
}

/// Whether an expression computes a size by functions that do nothing else.
fn is_size(env: &Environment, expr: &Expr) -> bool {
    !expr.any(&|expr| match &expr.kind {
        ExprKind::Call { function, .. } => function.as_name().is_none_or(|name| {
            let is_known = matches!(
                name.trim_start_matches("std::"),
                "dim3" | "min" | "max" | "ceil" | "ceilf" | "CEIL_DIV" | "ceil_div" | "DIVUP" | "iDivUp"
            );
            let is_macro =
                env.macro_named(name).and_then(|of| of.value.as_ref()).is_some_and(|of| !has_effects(of));
            !is_known && !is_macro
        }),
        ExprKind::Assign { .. } | ExprKind::Lambda(_) | ExprKind::Unknown => true,
        ExprKind::Unary { op, .. } => matches!(
            op,
            UnaryOp::Increment | UnaryOp::Decrement | UnaryOp::IncrementAfter | UnaryOp::DecrementAfter
        ),
        _ => false,
    })
}

/// The counter of a loop, and variables of its body that follow it.
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

/// The expressions of a loop as its counter changes them.
struct Steps<'s, 'h> {
    at: &'s AtLaunch<'h>,
    counter: &'h str,
    changed: FxHashSet<&'h str>,
}

impl<'h> Steps<'_, 'h> {
    /// Whether each pass changes the counter by the same amount.
    fn are_even(&self, of: &Loop) -> bool {
        let is_counter = |expr: &Expr| expr.as_name() == Some(self.counter);
        of.condition.is_some()
            && of.step.as_ref().is_some_and(|step| match &step.kind {
                ExprKind::Unary {
                    op:
                        UnaryOp::Increment
                        | UnaryOp::IncrementAfter
                        | UnaryOp::Decrement
                        | UnaryOp::DecrementAfter,
                    of,
                } => is_counter(of),
                ExprKind::Assign { op: Some(BinaryOp::Add | BinaryOp::Subtract), left, right } => {
                    is_counter(left) && !varies(right, &self.changed) && !has_effects(right)
                }
                _ => false,
            })
    }

    /// `None` for an argument that changes in a way that is not followed.
    fn passed(&self, argument: &'h Expr, is_pointer: bool, arrays: &HostArrays<'_>) -> Option<Passed> {
        match (is_pointer, varies(argument, &self.changed)) {
            (false, false) => Some(Passed::Same(None)),
            (true, false) => Some(Passed::Same(arrays.array(argument))),
            (false, true) => self.is_even(argument, 0).then(|| Passed::Counted(self.step(argument))),
            (true, true) => {
                let (start, offset) = self.pointer(argument, 0)?;
                let is_moved = !varies(start, &self.changed) && self.is_even(offset, 0);
                let array = arrays.array(start).filter(|_| is_moved)?;
                Some(Passed::Moved(array, self.step(offset)))
            }
        }
    }

    /// The distance of an expression from pass to pass, of a counter that counts by one.
    fn step(&self, expr: &'h Expr) -> Option<i64> {
        Some(self.at.linear(expr)?.coefficient(Index::Counter(0)))
    }

    /// A pointer as an array and the elements that it is further on.
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

    /// Whether an expression that the counter changes is another number in each pass, all of them the same distance apart.
    fn is_even(&self, expr: &'h Expr, depth: u32) -> bool {
        let varies = |expr: &Expr| varies(expr, &self.changed);
        match &expr.kind {
            _ if depth > 8 => false,
            ExprKind::Name { name, .. } if name == self.counter => true,
            ExprKind::Name { name, .. } => {
                self.at.settled(name).is_some_and(|value| varies(value) && self.is_even(value, depth + 1))
            }
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, left, right } => {
                match (varies(left), varies(right)) {
                    (true, false) => self.is_even(left, depth + 1) && self.at.number(right) != Some(0),
                    (false, true) => self.is_even(right, depth + 1) && self.at.number(left) != Some(0),
                    _ => false,
                }
            }
            ExprKind::Cast { to, of } => {
                to.pointers == 0 && !is_real(&to.name) && self.is_even(of, depth + 1)
            }
            _ => false,
        }
    }
}

fn is_real(name: &str) -> bool {
    matches!(built_in(name), Some(Type::Float(_)))
}

/// The configuration of a launch. Unknown sizes are replaced by primes, so that no two of them or of their products are equal.
fn configuration_of(own: &FoundLaunch, arguments: Vec<Argument>) -> Configuration {
    Configuration {
        grid: own.grid.unwrap_or([1009, 1013, 1019]),
        block: own.block.unwrap_or([31, 37, 41]),
        arguments,
        templates: own.templates.clone(),
    }
}

/// The array of the first store of a kernel, if each launch writes places of its own and reads no array that is written.
fn written(env: &Environment, kernel: &Function, own: &FoundLaunch, passed: &[Passed]) -> Option<String> {
    // The launches of three passes: what moves with the counter moves twice by the same distance.
    let launches = [0, 1, 2].map(|pass| {
        let argument = |(at, passed): (usize, &Passed)| {
            let unlike = unlike(at);
            let is_number =
                kernel.parameters[at].of.pointers == 0 && !is_real(&kernel.parameters[at].of.name);
            match (passed, own.arguments.get(at)) {
                (Passed::Counted(_), _) => Argument::Number(pass * unlike),
                (_, Some(Argument::Unknown) | None) if is_number => Argument::Number(unlike),
                (_, known) => known.copied().unwrap_or(Argument::Unknown),
            }
        };
        configuration_of(own, passed.iter().enumerate().map(argument).collect())
    });
    let [first, second, third] = &launches;
    let (first, second, third) = (
        AtLaunch::new(env, kernel, first)?,
        AtLaunch::new(env, kernel, second)?,
        AtLaunch::new(env, kernel, third)?,
    );
    let found = touches(&first);
    if found.is_unclear || writes_surfaces(first.body) {
        return None;
    }
    let mut counted = passed.iter().enumerate().filter_map(|(at, passed)| match passed {
        Passed::Counted(step) => Some((at, *step)),
        _ => None,
    });
    let only_counted = counted.next().filter(|_| counted.next().is_none());
    let role = |touch: &Touch<'_>| {
        let at = kernel.parameters.iter().position(|own| Some(own.name.as_str()) == touch.pointer)?;
        passed.get(at)
    };
    let mut arrays: Vec<&str> = Vec::new();
    for store in found.all.iter().filter(|touch| touch.kind != AccessKind::Load) {
        let array = match role(store)? {
            _ if store.kind == AccessKind::Atomic => return None,
            Passed::Moved(array, step) => {
                if let (Some(step), Some(place)) = (*step, place(&first, store))
                    && meets_next(&place, step, own)
                {
                    return None;
                }
                array
            }
            Passed::Same(Some(array)) => {
                let place = |at| place(at, store);
                let (one, two, three) = (place(&first)?, place(&second)?, place(&third)?);
                let step = two.constant.checked_sub(one.constant)?;
                let is_moved = step != 0
                    && three.constant.checked_sub(two.constant)? == step
                    && one.of == two.of
                    && two.of == three.of;
                let of_one = only_counted.and_then(|(at, of_one)| (step / unlike(at)).checked_mul(of_one?));
                if !is_moved || of_one.is_some_and(|step| meets_next(&one, step, own)) {
                    return None;
                }
                array
            }
            Passed::Same(None) | Passed::Counted(_) => return None,
        };
        arrays.push(array);
    }
    // What a launch reads no other one may have written, under whatever name.
    let is_written = |array: &String| arrays.contains(&array.as_str());
    for load in found.all.iter().filter(|touch| touch.kind == AccessKind::Load) {
        let is_parameter = kernel.parameters.iter().any(|own| Some(own.name.as_str()) == load.pointer);
        match role(load) {
            Some(Passed::Moved(array, _) | Passed::Same(Some(array))) if !is_written(array) => {}
            None if !is_parameter && load.pointer.is_some() => {}
            _ => return None,
        }
    }
    arrays.first().map(|array| (*array).to_owned())
}

/// A number for a parameter of unknown value, different for each parameter.
fn unlike(parameter: usize) -> i64 {
    10_007 + 30_011 * parameter as i64
}

/// Whether a kernel writes to surfaces, whose memory may be any.
fn writes_surfaces(body: &Stmt) -> bool {
    let mut writes = false;
    body.walk_expressions(&mut |expr| {
        if let ExprKind::Call { function, .. } = &expr.kind {
            writes |= function.as_name().is_some_and(|name| name.starts_with("surf"));
        }
    });
    writes
}

/// Whether the places of two successive passes overlap: some two threads or blocks are as far apart as the passes, `step` elements. Bounds
/// within the kernel are ignored.
fn meets_next(place: &Linear, step: i64, own: &FoundLaunch) -> bool {
    let size = |index: &Index| match *index {
        Index::Thread(axis) => {
            own.block.map_or(if axis == 0 { 32 } else { 2 }, |block| block[usize::from(axis)])
        }
        Index::Block(axis) => own.grid.map_or(2, |grid| grid[usize::from(axis)]),
        Index::Counter(_) => 2,
    };
    place.of.iter().any(|(index, factor)| {
        let times = step.unsigned_abs() / factor.unsigned_abs();
        times > 0 && step % factor == 0 && times < u64::from(size(index))
    })
}

/// The place of an access as a sum of indices.
fn place(at: &AtLaunch<'_>, touch: &Touch<'_>) -> Option<Linear> {
    let mut loops = touch.context.loops.iter();
    let sum = |at: &AtLaunch<'_>| {
        let offsets = touch.offsets.as_ref()?.iter();
        offsets.copied().try_fold(Linear::default(), |sum, offset| sum.plus(&at.linear(offset)?, 1))
    };
    match loops.next() {
        None => sum(at),
        Some(first) => {
            let mut scope = at.within(first)?;
            for of in loops {
                scope = scope.within(of)?;
            }
            sum(&scope)
        }
    }
}
