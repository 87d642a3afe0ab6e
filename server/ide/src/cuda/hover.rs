//! Hovers for memory accesses and barriers.

use super::kernels::{refused, subject};
use super::view::CudaView;
use crate::Hover;
use crate::engine::cancel::Cancellable;
use crate::words::markdown::code;
use crate::words::numbers::thousands;
use advisor::cuda::Launch;
use advisor::memory::counted;
use model::MemorySpace;
use model::cuda::{AccessKind, Barrier, SiteUse, SourceSpan, StridedRequest};
use std::fmt::Write;

/// Maximum number of lines about launches in a hover.
const MAX: usize = 6; // limit: keeps a hover smaller than a screen

/// Returns a hover with the requests of the access, or the executions of the barrier, per launch. `None` if
/// neither an access nor a barrier is at the offset.
pub(crate) fn hover(view: &CudaView<'_>, offset: usize) -> Cancellable<Option<Hover>> {
    view.cancel.ending(|| hover_at(view, offset))
}

fn hover_at(view: &CudaView<'_>, offset: usize) -> Cancellable<Option<Hover>> {
    let unit = view.text.unit();
    let Some((placed, byte)) = unit.item_at(offset) else { return Ok(None) };
    let here = unit.items.iter().position(|other| other.start == placed.start).unwrap_or(0) as u32;
    let target = view.target_gpu();
    let mut best: Option<SourceSpan> = None;
    let mut text = String::new();
    let mut reported = 0;
    let is_kernel = view.kernels().any(|(kernel, ..)| kernel == here);
    for (item, _, kernel) in view.kernels() {
        // In a kernel, look only at this kernel. In a device function, look at all kernels that may call it.
        if is_kernel && item != here {
            continue;
        }
        let subject = subject(view, item, kernel, &target.gpu)?;
        let uses = subject.launches.iter().flat_map(|launched| &launched.run.uses);
        let holds = |place: &SourceSpan| place.item == here && place.range().contains(&byte);
        let narrow = uses.map(|(site, _)| site.place).filter(holds);
        best = best.or_else(|| narrow.min_by_key(|place| place.end - place.start));
        let Some(place) = best else { continue };
        for launched in &subject.launches {
            for (other, used) in &launched.run.uses {
                if other.place == place && reported < MAX {
                    reported += 1;
                    let doubted = launched.run.doubted(*other);
                    let used = (doubted.unwrap_or(used), doubted.is_some());
                    line(&mut text, &kernel.name, &launched.launch, other.kind, used);
                }
            }
        }
        if let Some(refused) = refused(view, kernel).filter(|_| reported < MAX) {
            reported += 1;
            let _ = writeln!(text, "- `{}`: {}.", kernel.name, refused.in_words());
        }
    }
    let Some(place) = best else { return barrier_at(view, here, byte) };
    let _ = write!(
        text,
        "\nGPU: {}. Computed from the source text for each lane, without a compiler. Requests follow the memory \
         rules of {}.",
        target.describe(),
        target.gpu.arch.name
    );
    let range = placed.range(&place.range());
    Ok(Some(Hover { range, markdown: text, links: Vec::new() }))
}

/// Returns the hover for the barrier at a byte of an item, with a line per launch.
fn barrier_at(view: &CudaView<'_>, here: u32, byte: u32) -> Cancellable<Option<Hover>> {
    let target = view.target_gpu();
    let warp = target.gpu.arch.resources.warp_size.max(1);
    let mut text = String::new();
    let mut place = None;
    for (item, _, kernel) in view.kernels() {
        let subject = subject(view, item, kernel, &target.gpu)?;
        for launched in &subject.launches {
            let run = &launched.run;
            let holds = |at: &&Barrier| at.place.item == here && at.place.range().contains(&byte);
            let Some(barrier) = run.barriers_by_place.iter().find(holds).filter(|_| run.is_whole) else {
                continue;
            };
            if text.lines().count() < MAX {
                let blocks = f64::from(launched.launch.threads().div_ceil(warp).max(1));
                let launch = launch_in_words(&launched.launch);
                let each = counted(barrier.passed);
                let times = if barrier.is_lower_bound {
                    "once per iteration of a loop with an unknown trip count".to_owned()
                } else {
                    let all = thousands(barrier.passed * run.all_warps as f64 / blocks);
                    format!("about {each} times per block, {all} times in the launch")
                };
                let _ = writeln!(text, "- `{}` ({launch}): {times}.", kernel.name);
            }
            place = Some(barrier.place);
        }
    }
    let Some(place) = place else { return Ok(None) };
    let _ = write!(text, "\nComputed from the source text for each lane, without a compiler.");
    let range = view.range(place);
    Ok(Some(Hover { range, markdown: text, links: Vec::new() }))
}

fn launch_in_words(launch: &Launch) -> String {
    let [x, y, z] = launch.block();
    let sizes = match (&launch.name, launch.is_assumed()) {
        (_, true) if launch.knows_block => format!("block {x} x {y} x {z}, assumed grid"),
        (_, true) => format!("assumed launch: block {x} x {y} x {z}"),
        (Some(name), _) => format!("launch {}", code(name)),
        (None, _) => format!("block {x} x {y} x {z}"),
    };
    if launch.assumed_types.is_empty() {
        return sizes;
    }
    format!("{sizes}, assumed {}", launch.assumed_types.join(", "))
}

fn line(
    text: &mut String,
    kernel: &str,
    launch: &Launch,
    kind: AccessKind,
    (used, is_doubted): (&SiteUse, bool),
) {
    let verb = match kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Atomic => "atomic",
    };
    let (space, what) = match used.space {
        MemorySpace::Shared => ("Shared", "wavefront"),
        _ => ("Global", "sector"),
    };
    let launch = launch_in_words(launch);
    let _ = write!(text, "- `{kernel}` ({launch}): {space} {verb}");
    if used.requests <= 0.0 {
        let _ = match &used.strided {
            Some(request) => writeln!(text, "; {}.", for_each_number(request)),
            None => writeln!(text, "; cost unknown: its addresses depend on values in memory."),
        };
        return;
    }
    let taken = counted(used.taken / used.requests);
    let _ = write!(
        text,
        ", {} byte{} per lane: {taken} {what}{} per request, {} would suffice",
        used.bytes,
        if used.bytes == 1 { "" } else { "s" },
        if taken == "1" { "" } else { "s" },
        counted(used.ideal / used.requests)
    );
    let rest = if is_doubted {
        " if all lanes take part, which depends on values in memory"
    } else if used.unknown > 0.0 {
        "; the cost of the other requests is unknown"
    } else {
        ""
    };
    let _ = writeln!(text, "{rest}.");
}

/// Describes the sectors per request of an access that depends on a value that no launch states. Lists the
/// sectors for the values 1, 2 and a large value.
fn for_each_number(request: &StridedRequest) -> String {
    let few = request
        .sectors
        .iter()
        .filter(|(number, ..)| *number <= 2)
        .map(|(number, taken, _)| (*taken, number.to_string()));
    let large = request.sectors.last().map(|(_, taken, _)| (*taken, "large".to_owned()));
    let each: Vec<String> =
        few.chain(large).map(|(taken, number)| format!("{taken} if it is {number}")).collect();
    let ideal = request.sectors.last().map_or(0, |(.., ideal)| *ideal);
    format!(
        "no launch states `{}`; sectors per request: {} ({ideal} would suffice)",
        request.number,
        each.join(", ")
    )
}
