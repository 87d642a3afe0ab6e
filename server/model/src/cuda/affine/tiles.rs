//! Launches whose tiles exceed the problem size: some of their threads store nothing. The problem size is the
//! bound that the source compares thread positions with.

use super::kernel_accesses::{Context, KernelAccesses, touches};
use super::numbers::LaunchContext;
use super::quantity::{Dependence, Form, Quantity};
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::source::environment::Environment;
use crate::cuda::source::launch::Configuration;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, ExprKind, Function, UnaryOp};

/// Maximum number of blocks whose tile starts are computed individually.
// limit: keeps the computation within a few milliseconds.
const MAX_BLOCKS: u64 = 1 << 16;

/// Bounds that guard all global stores of a kernel, for a launch whose tiles just cover these bounds. A tile is the
/// range of positions that one block covers.
#[derive(Debug, Clone, PartialEq)]
pub struct Tiles {
    /// Problem size by axis of the block; `None` if the axis has no known bound.
    pub axes: [Option<Axis>; 3],
    /// True if threads whose positions are beyond the bounds execute loops or barriers. If false, these threads are
    /// assumed to return at once.
    pub go_along: bool,
    /// True if the kernel has variables in shared memory.
    pub shares: bool,
}

/// Problem size and tiles along one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Number of positions below the bound.
    pub extent: u64,
    /// Number of adjacent tiles along the axis.
    pub tiles: u64,
    /// Byte range of the comparison in the kernel's item.
    pub place: Range<u32>,
}

/// A thread's position along an axis: the start of the block's tile plus one axis of `threadIdx`.
struct Position<'a> {
    axis: u8,
    place: &'a Expr,
    start: Form<'a>,
    depends: Dependence,
}

/// Returns the tiles of a launch and the bounds that the tiles cover. `None` if they are unknown, or if the
/// launch has more or fewer blocks than the bounds require.
pub fn tiles(env: &Environment, kernel: &Function, launch: &Configuration) -> Option<Tiles> {
    let at = LaunchContext::new(env, kernel, launch)?;
    tiles_at(&at, &touches(&at))
}

/// Like [`tiles`], for a kernel whose accesses are already collected.
pub(crate) fn tiles_at<'a>(at: &LaunchContext<'a>, touches: &KernelAccesses<'a>) -> Option<Tiles> {
    let stores: Vec<&Context<'a>> = touches
        .all
        .iter()
        .filter(|touch| touch.kind != AccessKind::Load)
        .map(|touch| &touch.context)
        .collect();
    let (first, rest) = stores.split_first()?;
    if touches.is_unclear {
        return None;
    }
    let mut bounds = comparisons(first);
    for store in rest {
        let own = comparisons(store);
        bounds.retain(|bound| own.iter().any(|other| std::ptr::eq(other.0, bound.0) && other.1 == bound.1));
    }
    let mut axes: [Option<(Axis, Position<'a>)>; 3] = Default::default();
    for (expr, holds) in &bounds {
        let Some((position, extent)) = bound(at, expr, *holds) else { continue };
        let slot = &mut axes[usize::from(position.axis)];
        // If an axis has two bounds, it is unknown which bound is the problem size.
        if slot.is_some() {
            return None;
        }
        let block = at.block?[usize::from(position.axis)].into();
        let tiles = tiles_along(at, &position, block)?;
        // Entirely empty tiles are not caused by the tile size.
        if !(tiles.saturating_sub(1) * block < extent && extent <= tiles * block) {
            return None;
        }
        *slot = Some((Axis { extent, tiles, place: expr.range.clone() }, position));
    }
    are_independent(at, &axes)?;
    let has_bounds = |context: &Context<'a>| {
        let own = comparisons(context);
        let is_bound =
            |bound: &&(&'a Expr, bool)| axes.iter().flatten().any(|(axis, _)| axis.place == bound.0.range);
        bounds
            .iter()
            .filter(is_bound)
            .all(|bound| own.iter().any(|other| std::ptr::eq(other.0, bound.0) && other.1 == bound.1))
    };
    let go_along = touches.loops.iter().any(|(.., context)| !has_bounds(context))
        || touches.meetings.iter().any(|(_, context)| !has_bounds(context));
    let axes = axes.map(|axis| axis.map(|(axis, _)| axis));
    axes.iter().any(Option::is_some).then_some(Tiles { axes, go_along, shares: touches.uses_shared })
}

impl Tiles {
    /// Returns the fraction of threads that run but store nothing, 0 to 1, for blocks of this size and a grid
    /// that covers the bounds. If threads beyond the bounds return at once, warps that consist only of such
    /// threads are not counted.
    pub fn idle_share(&self, block: [u32; 3], lanes: u32) -> f64 {
        let sizes = block.map(u64::from);
        let mut parts = [[(0_u64, 0_u64); 2]; 3];
        for (axis, part) in parts.iter_mut().enumerate() {
            *part = match &self.axes[axis] {
                None => [(1, sizes[axis]), (0, 0)],
                Some(own) => {
                    let whole = own.extent / sizes[axis].max(1);
                    let rest = own.extent % sizes[axis].max(1);
                    [(whole, sizes[axis]), (u64::from(rest > 0), rest)]
                }
            };
        }
        let (mut used, mut held) = (0_u64, 0_u64);
        for [x, y, z] in (0..8).map(|at| [parts[0][at & 1], parts[1][at >> 1 & 1], parts[2][at >> 2]]) {
            let count = x.0 * y.0 * z.0;
            let active = [x.1, y.1, z.1];
            if count == 0 {
                continue;
            }
            used += count * active.iter().product::<u64>();
            let threads = sizes.iter().product::<u64>();
            let warps =
                if self.go_along { threads.div_ceil(lanes.into()) } else { warps_with(sizes, active, lanes) };
            held += count * warps * u64::from(lanes);
        }
        1.0 - used as f64 / held.max(1) as f64
    }

    /// Returns the number of blocks of this size that cover the bounds. Axes without a bound are ignored.
    pub fn blocks(&self, block: [u32; 3]) -> u64 {
        self.axes.iter().zip(block).fold(1, |blocks: u64, (axis, size)| match axis {
            Some(axis) => blocks.saturating_mul(axis.extent.div_ceil(u64::from(size.max(1)))),
            None => blocks,
        })
    }

    /// Returns the number of threads of a launch whose positions are below all bounds.
    pub fn threads_below(&self, launch: &Configuration) -> u64 {
        let all = launch
            .grid
            .iter()
            .chain(&launch.block)
            .fold(1, |all: u64, size| all.saturating_mul((*size).into()));
        self.axes.iter().zip(launch.block).fold(all, |threads, (axis, size)| match axis {
            Some(axis) => threads / (axis.tiles * u64::from(size)).max(1) * axis.extent,
            None => threads,
        })
    }
}

/// Returns the number of warps of a block with at least one thread whose index is below `active` along each
/// axis.
fn warps_with(block: [u64; 3], active: [u64; 3], lanes: u32) -> u64 {
    let mut warps = FxHashSet::default();
    for z in 0..active[2] {
        for y in 0..active[1] {
            let row = (z * block[1] + y) * block[0];
            warps.extend(row / u64::from(lanes)..=(row + active[0].max(1) - 1) / u64::from(lanes));
        }
    }
    warps.len() as u64
}

/// Splits the conditions of a context at `&&`, `||` and `!`. Returns each part whose result is known, with this
/// result.
fn comparisons<'a>(context: &Context<'a>) -> Vec<(&'a Expr, bool)> {
    fn collect<'a>(expr: &'a Expr, holds: bool, found: &mut Vec<(&'a Expr, bool)>) {
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Both, left, right } if holds => {
                collect(left, holds, found);
                collect(right, holds, found);
            }
            ExprKind::Binary { op: BinaryOp::Either, left, right } if !holds => {
                collect(left, holds, found);
                collect(right, holds, found);
            }
            ExprKind::Unary { op: UnaryOp::Not, of } => collect(of, !holds, found),
            _ => found.push((expr, holds)),
        }
    }
    let mut found = Vec::new();
    for (condition, holds) in &context.conditions {
        collect(condition, *holds, &mut found);
    }
    found
}

/// Returns a thread's position, and the exclusive bound that a comparison sets for the position. `None` for
/// other expressions.
fn bound<'a>(at: &LaunchContext<'a>, expr: &'a Expr, holds: bool) -> Option<(Position<'a>, u64)> {
    let ExprKind::Binary { op, left, right } = &expr.kind else { return None };
    let (place, than, is_below) = match (op, holds) {
        (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => (left, right, true),
        (BinaryOp::LessEqual, true) | (BinaryOp::Greater, false) => (left, right, false),
        (BinaryOp::Greater, true) | (BinaryOp::LessEqual, false) => (right, left, true),
        (BinaryOp::GreaterEqual, true) | (BinaryOp::Less, false) => (right, left, false),
        _ => return None,
    };
    let extent = u64::try_from(at.number(than)?).ok()? + u64::from(!is_below);
    Some((position(at, place)?, extent))
}

fn position<'a>(at: &LaunchContext<'a>, expr: &'a Expr) -> Option<Position<'a>> {
    let place = at.form(expr)?;
    let axis = (0..3).find(|axis| place.multiples(&Quantity::Thread(*axis)) == 1)?;
    let start = start(at, expr, axis)?;
    let depends = Dependence::from_forms([&start]);
    // A comparison that involves only the position within the block does not bound the problem size.
    let is_of_block = !depends.has(Dependence::THREADS) && !depends.has(Dependence::COUNTERS);
    (is_of_block && depends.blocks().contains(&true)).then_some(Position {
        axis,
        place: expr,
        start,
        depends,
    })
}

/// Returns the number of tiles along an axis. `None` unless the tiles are adjacent, the first tile starts at 0, and
/// each tile belongs to the same number of blocks.
fn tiles_along<'a>(at: &LaunchContext<'a>, position: &Position<'a>, block: u64) -> Option<u64> {
    if let Some(tiles) = tiles_in_a_row(at, position, block) {
        return Some(tiles);
    }
    let starts = starts(at, position)?;
    let mut found: FxHashMap<u64, u64> = FxHashMap::default();
    for start in starts {
        *found.entry(start).or_default() += 1;
    }
    let count = found.len() as u64;
    let is_even = found.values().all(|times| Some(times) == found.values().next());
    let are_adjacent = (0..count).all(|tile| found.contains_key(&(tile * block)));
    (is_even && are_adjacent).then_some(count)
}

/// Returns the number of tiles if they follow one axis of the grid and each tile starts at the end of the
/// previous tile.
fn tiles_in_a_row(at: &LaunchContext<'_>, position: &Position<'_>, block: u64) -> Option<u64> {
    let tile = i64::try_from(block).ok()?;
    let axis = (0..3).find(|axis| {
        Form::of_symbol(Quantity::Block(*axis)).times(tile).is_some_and(|own| own == position.start)
    })?;
    Some(at.grid?[usize::from(axis)].into())
}

/// Returns the start of each block's tile, for all indices along the grid axes that the position depends on.
fn starts<'a>(at: &LaunchContext<'a>, position: &Position<'a>) -> Option<Vec<u64>> {
    let (grid, depends) = (at.grid?, position.depends.blocks());
    let [x, y, z] = [0, 1, 2].map(|axis| if depends[axis] { grid[axis] } else { 1 });
    if u64::from(x).checked_mul(y.into())?.checked_mul(z.into())? > MAX_BLOCKS {
        return None;
    }
    let blocks = (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])));
    blocks
        .map(|block| {
            u64::try_from(start(&at.in_block(block), position.place, position.axis)?.as_constant()?).ok()
        })
        .collect()
}

/// Returns a thread's position without the contribution of `threadIdx` along an axis.
fn start<'a>(at: &LaunchContext<'a>, place: &'a Expr, axis: u8) -> Option<Form<'a>> {
    at.form(place)?.substitute(&Quantity::Thread(axis), &Form::default())
}

/// Checks that every combination of a tile along one axis and a tile along another belongs to some block. `None` if
/// axes share a block index and some combinations are missing.
fn are_independent<'a>(at: &LaunchContext<'a>, axes: &[Option<(Axis, Position<'a>)>; 3]) -> Option<()> {
    let known: Vec<&(Axis, Position<'a>)> = axes.iter().flatten().collect();
    for (number, one) in known.iter().enumerate() {
        for other in &known[number + 1..] {
            let (own, others) = (one.1.depends.blocks(), other.1.depends.blocks());
            if !(0..3).any(|axis| own[axis] && others[axis]) {
                continue;
            }
            // A single block index may be split, such as into quotient and remainder.
            if own != others || own.iter().filter(|is_used| **is_used).count() != 1 {
                return None;
            }
            let pairs: FxHashSet<(u64, u64)> =
                starts(at, &one.1)?.into_iter().zip(starts(at, &other.1)?).collect();
            if pairs.len() as u64 != one.0.tiles * other.0.tiles {
                return None;
            }
        }
    }
    Some(())
}
