//! Fix that swaps `threadIdx.x` and `threadIdx.y` in a kernel.

use super::gain::{compare, cost};
use super::place::EditSite;
use super::pointer::takes_values;
use crate::cuda::kernels::known_blocks;
use crate::engine::cancel::Cancellable;
use crate::{Fix, TextEdit};
use model::MemorySpace;
use model::cuda::Site;
use std::ops::Range;
use syntax::cuda::{ExprKind, ItemKind, StmtKind};

/// Returns the fix for an uncoalesced access at a range. `None` if the swap may change the result, or if it does not
/// reduce both the sectors of this access and all sectors of the kernel, or if it adds wavefronts of shared memory.
///
/// In a square block, the swap only exchanges the work of threads. The result is the same unless it depends
/// on the warp or lane of a thread.
pub(super) fn fix(place: &EditSite<'_>, range: &Range<usize>) -> Cancellable<Option<Fix>> {
    if !place.function.is_kernel() || !has_square_blocks(place) || !is_free_of_warps(place) {
        return Ok(None);
    }
    let Some(edits) = edits(place) else { return Ok(None) };
    let start = (range.start - place.placed.start as usize) as u32;
    let figures = compare(place, &edits, |before, after| {
        let of_kernel = |space| (cost(before, space, |_| true), cost(after, space, |_| true));
        let (wavefronts, wavefronts_after) = of_kernel(MemorySpace::Shared);
        let (sectors, sectors_after) = of_kernel(MemorySpace::Global);
        let is_here = |site: &Site| site.place.item == place.item && site.place.start == start;
        let here = cost(before, MemorySpace::Global, is_here);
        let figures = here.falls_to(cost(after, MemorySpace::Global, is_here))?;
        let in_all = sectors.falls_to(sectors_after)?;
        wavefronts_after.is_no_more_than(wavefronts).then_some((figures, in_all))
    })?;
    Ok(figures.map(|(here, in_all)| Fix {
        title: format!(
            "Swap threadIdx.x and threadIdx.y in `{}` (sectors per request: {here}; all accesses: {in_all})",
            place.function.name
        ),
        edits,
        preferred: false,
        suppresses: false,
    }))
}

/// True if all launches, stated or in host code, are known to have square blocks.
fn has_square_blocks(place: &EditSite<'_>) -> bool {
    let gpu = place.view.target_gpu().gpu;
    let blocks = known_blocks(place.view, place.item, place.function, &gpu);
    blocks.is_some_and(|all| all.iter().all(|[x, y, _]| x == y))
}

/// Substrings of code that distinguishes threads, lanes or warps.
const OF_WARPS: [&str; 8] =
    ["threadIdx", "tid", "laneid", "warp", "_sync(", "__activemask", "__shfl", "cg::"];

/// True if the code cannot depend on the warp or lane of a thread, except through `threadIdx` in the kernel.
fn is_free_of_warps(place: &EditSite<'_>) -> bool {
    let unit = place.view.text.unit();
    let is_index = |text: &str| OF_WARPS.iter().any(|word| text.contains(word));
    // Called functions and macros may also use the thread index.
    let is_elsewhere = unit.items.iter().any(|placed| match &placed.item.kind {
        ItemKind::Macro(of) => is_index(&of.text),
        ItemKind::Function(function) if function.is_on_device() && !function.is_kernel() => {
            is_index(&place.view.text.text()[placed.range(&(0..placed.item.length))])
        }
        _ => false,
    });
    let mut is_free = !is_elsewhere;
    place.body.walk(&mut |stmt| is_free &= !matches!(stmt.kind, StmtKind::Asm(_)));
    for expr in place.expressions() {
        if let ExprKind::Call { function, .. } = &expr.kind {
            is_free &= function.as_name().is_some_and(|name| is_of_a_thread(place, name));
        }
    }
    is_free && !place.variables().iter().any(|variable| variable.of.is_volatile)
}

/// True if the effect of a function call does not depend on the warp of the calling thread.
fn is_of_a_thread(place: &EditSite<'_>, name: &str) -> bool {
    const HARMLESS: [&str; 2] = ["__syncthreads", "__ldg"];
    HARMLESS.contains(&name)
        || place.function_named(name).is_some()
        || !name.starts_with("__") && takes_values(place, name)
}

/// Returns the edits that swap the indices in the kernel. `None` if the kernel uses only one of the two
/// indices, or uses `threadIdx` without a field.
fn edits(place: &EditSite<'_>) -> Option<Vec<TextEdit>> {
    let mut edits = Vec::new();
    let (mut names, mut fields, mut has_x, mut has_y) = (0, 0, false, false);
    for expr in place.expressions() {
        names += u32::from(expr.as_name() == Some("threadIdx"));
        let ExprKind::Field { of, name, is_arrow: false } = &expr.kind else { continue };
        if of.as_name() != Some("threadIdx") {
            continue;
        }
        fields += 1;
        let other = match name.as_str() {
            "x" => "threadIdx.y",
            "y" => "threadIdx.x",
            _ => continue,
        };
        has_x |= name == "x";
        has_y |= name == "y";
        edits.push(place.edit(expr.range.clone(), other));
    }
    edits.sort_by_key(|edit| edit.range.start);
    (names == fields && has_x && has_y).then_some(edits)
}
