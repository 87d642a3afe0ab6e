//! Finds kernel loops with independent iterations, from the source and a launch.

use super::kernel_accesses::{GlobalAccess, KernelAccesses, touches};
use super::numbers::LaunchContext;
use super::quantity::{Form, Quantity, is_linear};
use super::scope::{Trips, counter, trips};
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::source::environment::Environment;
use crate::cuda::source::launch::Configuration;
use crate::cuda::source::syntactic::{root_of, target_of};
use std::ops::Range;
use syntax::cuda::{Function, Loop, Stmt, StmtKind, Unroll};

/// The only outermost loop of a kernel, with iterations that could run in parallel. Each iteration writes
/// separate elements and carries no other state to the next iteration, and no thread waits for another
/// thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeLoop {
    /// Byte range of the loop header in the kernel's item.
    pub place: Range<u32>,
    pub counter: String,
    pub passes: u64,
    /// Byte range of the loop's first store. The store writes a different element through `pointer` in each
    /// iteration.
    pub store: Range<u32>,
    pub pointer: String,
}

/// Returns the only outermost loop of a kernel if its iterations are independent. `None` if they are not, or
/// if their independence is unknown.
pub fn free_loop(env: &Environment, kernel: &Function, launch: &Configuration) -> Option<FreeLoop> {
    let at = LaunchContext::new(env, kernel, launch)?;
    let touches = touches(&at);
    if touches.is_unclear || touches.uses_shared {
        return None;
    }
    let mut outermost = touches.loops.iter().filter(|(.., context)| context.loops.is_empty());
    // If the iterations were distributed over blocks, each block would repeat all other loops.
    match (outermost.next(), outermost.next()) {
        (Some((of, stmt, _)), None) => free_loop_at(&at, &touches, of, stmt),
        _ => None,
    }
}

fn free_loop_at<'a>(
    at: &LaunchContext<'a>,
    touches: &KernelAccesses<'a>,
    of: &'a Loop,
    stmt: &'a Stmt,
) -> Option<FreeLoop> {
    let own = trips(at, of)?;
    let is_in = |range: &Range<u32>| stmt.range.start <= range.start && range.end <= stmt.range.end;
    let meets = touches.meetings.iter().any(|(range, _)| is_in(range));
    if of.unroll != Unroll::Unsaid || meets || leaves(of) || !keeps_all_to_itself(touches, of) {
        return None;
    }
    let (inside, outside): (Vec<_>, Vec<_>) = touches.all.iter().partition(|touch| is_in(&touch.range));
    let stores = |of: &&GlobalAccess<'a>| of.kind != AccessKind::Load;
    if outside.iter().any(|touch| touch.kind != AccessKind::Load || touch.pointer.is_none()) {
        return None;
    }
    let first = *inside.iter().find(|touch| stores(touch))?;
    for store in inside.iter().filter(|touch| stores(touch)) {
        let pointer = store.pointer?;
        let is_same = |touch: &&&GlobalAccess<'a>| touch.pointer == Some(pointer);
        if store.kind == AccessKind::Atomic || outside.iter().any(|touch| is_same(&touch)) {
            return None;
        }
        let all: Vec<&GlobalAccess<'a>> = inside.iter().filter(is_same).copied().collect();
        if !are_apart(at, own, &all)? {
            return None;
        }
    }
    if inside.iter().any(|touch| touch.pointer.is_none()) {
        return None;
    }
    Some(FreeLoop {
        place: stmt.range.start..of.body.range.start,
        counter: counter(of)?.name.clone(),
        passes: u64::try_from(own.count).ok()?,
        store: first.range.clone(),
        pointer: first.pointer?.to_owned(),
    })
}

/// True if no two iterations of a thread access the same element: the step between iterations exceeds the
/// range that one iteration accesses. `None` if the offsets are unknown or not linear.
fn are_apart<'a>(at: &LaunchContext<'a>, own: Trips, all: &[&GlobalAccess<'a>]) -> Option<bool> {
    let mut of_first: Option<Form<'a>> = None;
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    for touch in all {
        let mut loops = touch.context.loops.iter();
        let mut scope = at.within(loops.next()?)?;
        let mut inner: Vec<(Quantity<'a>, (i64, i64))> = Vec::new();
        for (of, depth) in loops.zip(1..) {
            let trips = trips(&scope, of)?;
            inner.push((Quantity::Counter(depth), (trips.first, trips.last()?)));
            scope = scope.within(of)?;
        }
        let place = touch.place_in(&scope).filter(is_linear)?;
        let inner_range = |of: &Quantity<'a>| inner.iter().find(|own| own.0 == *of).map(|own| own.1);
        let outer =
            place.terms().iter().filter(|(of, _)| of.symbols().iter().all(|of| inner_range(of).is_none()));
        let outer = Form::collect(0, outer.cloned())?;
        let within = place.plus(&outer, -1)?.range(|of| inner_range(of.symbols().first()?))?;
        if of_first.get_or_insert_with(|| outer.clone()) != &outer {
            return None;
        }
        (least, most) = (least.min(within.0), most.max(within.1));
    }
    let apart = of_first?.multiples(&Quantity::Counter(0)).checked_mul(own.step)?.checked_abs()?;
    Some(apart > most.checked_sub(least)?)
}

/// True if an iteration may leave the loop early: by `break`, `return`, `goto` or an unknown statement.
fn leaves(of: &Loop) -> bool {
    fn is_left(stmt: &Stmt, in_loop: bool) -> bool {
        let goes_on =
            matches!(stmt.kind, StmtKind::Loop(_) | StmtKind::ForEach { .. } | StmtKind::Switch { .. });
        match stmt.kind {
            StmtKind::Return(_) | StmtKind::Goto | StmtKind::Unknown => true,
            StmtKind::Break => !in_loop,
            _ => stmt.children().into_iter().any(|child| is_left(child, in_loop || goes_on)),
        }
    }
    is_left(&of.body, false)
}

/// True if the body of a loop writes only its own variables, and memory only through accesses listed in
/// `touches`.
fn keeps_all_to_itself(touches: &KernelAccesses<'_>, of: &Loop) -> bool {
    let mut own: Vec<&str> = Vec::new();
    of.body.walk(&mut |stmt| {
        if let StmtKind::Declaration(all) = &stmt.kind {
            own.extend(
                all.iter().filter(|variable| !variable.is_static).map(|variable| variable.name.as_str()),
            );
        }
    });
    let is_stored = |range: &Range<u32>| {
        touches.all.iter().any(|touch| touch.kind != AccessKind::Load && touch.range == *range)
    };
    let mut keeps = true;
    of.body.walk_expressions(&mut |expr| {
        if let Some(target) = target_of(expr) {
            keeps &= is_stored(&target.range)
                || is_stored(&expr.range)
                || root_of(target).is_some_and(|name| own.contains(&name));
        }
    });
    keeps
}
