//! Pairs of consecutive launches in which each thread of the second kernel reads the elements that the same
//! thread of the first kernel has written.

use crate::cuda::affine::kernel_accesses::{GlobalAccess, KernelAccesses, touches};
use crate::cuda::affine::numbers::LaunchContext;
use crate::cuda::affine::quantity::{Form, Quantity, is_linear};
use crate::cuda::affine::tiles::tiles_at;
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::source::environment::Environment;
use crate::cuda::source::launch::{Configuration, FoundLaunch};
use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::source::types::built_in;
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Function, ItemKind, Stmt, StmtKind};

/// An array that two launches share. A fused kernel could keep its elements in registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fusible {
    /// Name of the first kernel.
    pub first: String,
    /// Name, in host code, of the array that the first kernel writes and the second kernel reads.
    pub array: String,
    /// Number of elements that the second kernel reads. `bytes` is the size of an element in bytes.
    pub elements: u64,
    pub bytes: u64,
    /// Source position of the first launch in host code.
    pub place: SourceSpan,
}

/// A launched kernel, and the host variables that are passed for its parameters.
struct LaunchedKernel<'a> {
    at: LaunchContext<'a>,
    touches: KernelAccesses<'a>,
    arguments: Vec<Option<&'a str>>,
}

/// Checks whether a launch can be fused with the directly preceding launch. `found` holds the launches of the
/// host function. `None` if the launches cannot be fused.
pub fn fusible(
    env: &Environment,
    kernel: &Function,
    own: &FoundLaunch,
    found: &[&FoundLaunch],
) -> Option<Fusible> {
    let placed = env.unit().item(own.place.item)?;
    let ItemKind::Function(host) = &placed.item.kind else { return None };
    let (before, after) = neighbours(host.body.as_ref()?, own)?;
    let (ExprKind::Launch { configuration: one, .. }, ExprKind::Launch { configuration: other, .. }) =
        (&before.kind, &after.kind)
    else {
        return None;
    };
    let stream = |configuration: &'_ [Expr]| match configuration.get(3) {
        None | Some(Expr { kind: ExprKind::Integer { value: 0, .. }, .. }) => Some(None),
        Some(expr) => expr.as_name().map(|name| Some(name.to_owned())),
    };
    let first = found.iter().find(|found| found.place == SourceSpan::new(own.place.item, &before.range))?;
    let is_similar = stream(one)? == stream(other)?
        && first.grid.is_some()
        && first.block.is_some()
        && (first.grid, first.block) == (own.grid, own.block)
        && (first.shared, own.shared) == (Some(0), Some(0));
    let (item, producer) = env.only_function(&first.function)?;
    let is_read = env.unit().item(item).is_some_and(|placed| placed.item.errors.is_empty());
    if !is_similar || !is_read || !producer.is_kernel() {
        return None;
    }
    let launch = |found: &FoundLaunch| {
        let arguments = found.arguments.clone();
        let templates = found.templates.clone();
        Some(Configuration { grid: found.grid?, block: found.block?, arguments, templates })
    };
    let (first_launch, own_launch) = (launch(first)?, launch(own)?);
    let producer_part = part(env, producer, &first_launch, before)?;
    let consumer_part = part(env, kernel, &own_launch, after)?;
    let (array, element) = shared_array(&producer_part, &consumer_part)?;
    let elements = threads(&consumer_part, &own_launch)?.min(threads(&producer_part, &first_launch)?);
    Some(Fusible {
        first: producer.name.clone(),
        array: array.to_owned(),
        elements,
        bytes: element,
        place: first.place,
    })
}

/// Returns the preceding launch in the same compound statement, and the launch itself. Only calls that check for
/// errors may separate the two launches.
fn neighbours<'h>(body: &'h Stmt, own: &FoundLaunch) -> Option<(&'h Expr, &'h Expr)> {
    let mut found = None;
    body.walk(&mut |stmt| {
        let StmtKind::Block(all) = &stmt.kind else { return };
        let mut before: Option<&Expr> = None;
        for stmt in all {
            match &stmt.kind {
                StmtKind::Expression(expr) if matches!(expr.kind, ExprKind::Launch { .. }) => {
                    if expr.range == own.place.range() {
                        found = before.map(|before| (before, expr));
                    }
                    before = Some(expr);
                }
                StmtKind::Expression(expr) if asks_for_errors(expr) => {}
                StmtKind::Empty => {}
                _ => before = None,
            }
        }
    });
    found
}

/// True if an expression only queries launch errors: a call of `cudaGetLastError()` or
/// `cudaPeekAtLastError()`, possibly wrapped in calls whose names contain "check".
pub(crate) fn asks_for_errors(expr: &Expr) -> bool {
    let ExprKind::Call { function, arguments } = &expr.kind else { return false };
    let asks = |name: &str| matches!(name, "cudaGetLastError" | "cudaPeekAtLastError");
    match (function.as_name(), arguments.as_slice()) {
        (Some(name), []) => asks(name),
        (Some(name), [only]) if name.to_ascii_lowercase().contains("check") => asks_for_errors(only),
        _ => false,
    }
}

/// Collects the accesses of a launched kernel; `None` if it has loops, synchronization, shared memory or
/// unclear accesses.
fn part<'a>(
    env: &'a Environment,
    kernel: &'a Function,
    launch: &'a Configuration,
    expr: &'a Expr,
) -> Option<LaunchedKernel<'a>> {
    let ExprKind::Launch { arguments, .. } = &expr.kind else { return None };
    let at = LaunchContext::new(env, kernel, launch)?;
    let touches = touches(&at);
    let is_plain = !touches.is_unclear
        && !touches.uses_shared
        && touches.loops.is_empty()
        && touches.meetings.is_empty()
        && arguments.len() == kernel.parameters.len();
    let arguments = arguments.iter().map(Expr::as_name).collect();
    is_plain.then_some(LaunchedKernel { at, touches, arguments })
}

impl<'a> LaunchedKernel<'a> {
    /// Returns the host variable that is passed for the pointer of an access; `None` if unknown.
    fn array(&self, touch: &GlobalAccess<'a>) -> Option<&'a str> {
        let name = touch.pointer?;
        let at = self.at.kernel.parameters.iter().position(|parameter| parameter.name == name)?;
        self.arguments.get(at).copied().flatten()
    }

    fn place(&self, touch: &GlobalAccess<'a>) -> Option<Form<'a>> {
        touch.place_in(&self.at).filter(is_linear)
    }

    /// Returns the element size in bytes of the accessed array; `None` if unknown.
    fn element(&self, touch: &GlobalAccess<'a>) -> Option<u64> {
        let name = touch.pointer?;
        let parameter = self.at.kernel.parameters.iter().find(|parameter| parameter.name == name)?;
        built_in(&parameter.of.name)?.size()
    }
}

/// Returns the array that the first kernel writes and the second kernel reads, and the bytes per element.
/// `None` unless, in every array that either kernel writes, each thread accesses a single element, which is
/// the same in both kernels.
fn shared_array<'a>(first: &LaunchedKernel<'a>, second: &LaunchedKernel<'a>) -> Option<(&'a str, u64)> {
    let is_written = |part: &LaunchedKernel<'a>, array: &str| {
        let mut touches = part.touches.all.iter();
        touches.any(|touch| touch.kind != AccessKind::Load && part.array(touch) == Some(array))
    };
    let mut shared: Option<(&'a str, u64)> = None;
    for part in [first, second] {
        for touch in &part.touches.all {
            let array = part.array(touch)?;
            if touch.kind == AccessKind::Atomic {
                return None;
            }
            let in_first = is_written(first, array);
            if !in_first && !is_written(second, array) {
                continue;
            }
            // All accesses of a thread to a written array must access the same element.
            let place = part.place(touch)?;
            let mut others = [first, second].into_iter().flat_map(|part| {
                part.touches
                    .all
                    .iter()
                    .filter(move |other| part.array(other) == Some(array))
                    .map(move |other| part.place(other))
            });
            if !others.all(|other| other.as_ref() == Some(&place)) || !is_of_one_thread(&part.at, &place)? {
                return None;
            }
            let is_read = std::ptr::eq(part, second) && touch.kind == AccessKind::Load;
            if in_first && is_read {
                let element = part.element(touch)?;
                let is_same = |other: &&GlobalAccess<'a>| first.array(other) == Some(array);
                let writes = first.touches.all.iter().find(is_same).and_then(|other| first.element(other));
                if writes != Some(element) {
                    return None;
                }
                shared = shared.or(Some((array, element)));
            }
        }
    }
    shared
}

/// True if no two threads of a launch access the same element: the coefficient of each index exceeds the
/// range of all terms with smaller coefficients. `None` if the grid or the block is unknown.
fn is_of_one_thread<'a>(at: &LaunchContext<'a>, place: &Form<'a>) -> Option<bool> {
    let (block, grid) = (at.block?, at.grid?);
    let sizes = (0..3_u8).flat_map(|axis| {
        let [block, grid] = [block, grid].map(|sizes| i64::from(sizes[usize::from(axis)]));
        [(Quantity::Thread(axis), block), (Quantity::Block(axis), grid)]
    });
    let mut parts: Vec<(i64, i64)> = sizes
        .filter(|(_, size)| *size > 1)
        .map(|(index, size)| (place.multiples(&index).abs(), size))
        .collect();
    parts.sort_unstable();
    let mut reach = 0_i64;
    for (factor, size) in parts {
        if factor <= reach {
            return Some(false);
        }
        reach = reach.checked_add(factor.checked_mul(size - 1)?)?;
    }
    Some(true)
}

/// Calls `take` with each part of a condition that `&&` and `||` combine.
fn comparisons<'e>(expr: &'e Expr, take: &mut dyn FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Both | BinaryOp::Either, left, right } => {
            comparisons(left, take);
            comparisons(right, take);
        }
        _ => take(expr),
    }
}

/// Returns the number of threads that perform the accesses; `None` if conditions that guard the accesses depend on
/// more than the launch.
fn threads(part: &LaunchedKernel<'_>, launch: &Configuration) -> Option<u64> {
    let has_conditions = part.touches.all.iter().any(|touch| !touch.context.conditions.is_empty());
    if !has_conditions {
        return Some(
            launch
                .grid
                .iter()
                .chain(&launch.block)
                .fold(1, |all: u64, size| all.saturating_mul((*size).into())),
        );
    }
    let tiles = tiles_at(&part.at, &part.touches)?;
    let known: Vec<&Range<u32>> = tiles.axes.iter().flatten().map(|axis| &axis.place).collect();
    let is_known = |expr: &Expr| {
        let mut is_known = true;
        comparisons(expr, &mut |leaf| is_known &= known.contains(&&leaf.range));
        is_known
    };
    let touches = &part.touches.all;
    let are_known =
        touches.iter().flat_map(|touch| &touch.context.conditions).all(|(expr, _)| is_known(expr));
    are_known.then(|| tiles.threads_below(launch))
}
