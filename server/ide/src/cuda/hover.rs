//! Hovers: what an access asks memory for.

use super::kernels::subject;
use super::view::CudaView;
use crate::Hover;
use crate::engine::cancel::Answer;
use advisor::cuda::Launched;
use advisor::memory::counted;
use model::MemorySpace;
use model::cuda::{AccessKind, Site, SiteUse};
use std::fmt::Write;

/// Lines on launches that a hover shows at most.
const MOST: usize = 6;

/// The requests of the access at a place, launch by launch; `None` where no kernel accesses memory there.
pub(crate) fn hover(view: &CudaView<'_>, offset: usize) -> Answer<Option<Hover>> {
    view.cancel.ending(|| hover_at(view, offset))
}

fn hover_at(view: &CudaView<'_>, offset: usize) -> Answer<Option<Hover>> {
    let unit = view.text.unit();
    let Some((placed, byte)) = unit.item_at(offset) else { return Ok(None) };
    let here = unit.items.iter().position(|other| other.start == placed.start).unwrap_or(0) as u32;
    let target = view.target_gpu();
    let mut best: Option<Site> = None;
    let mut text = String::new();
    let mut told = 0;
    let is_kernel = view.kernels().any(|(kernel, ..)| kernel == here);
    for (item, _, kernel) in view.kernels() {
        // Only the kernel itself, or kernels that may call the function that the place is in.
        if is_kernel && item != here {
            continue;
        }
        let subject = subject(view, item, kernel, &target.gpu)?;
        let sites = subject.launches.iter().flat_map(|launched| &launched.run.uses).map(|(site, _)| site);
        let holds = |site: &&Site| site.item == here && (site.start..site.end).contains(&byte);
        let narrow = sites.filter(holds).min_by_key(|site| site.end - site.start);
        if best.is_none() {
            best = narrow.cloned();
        }
        let Some(site) = &best else { continue };
        for launched in &subject.launches {
            for (other, used) in &launched.run.uses {
                let is_here = (other.item, other.start, other.end) == (site.item, site.start, site.end);
                if is_here && told < MOST {
                    told += 1;
                    line(&mut text, &kernel.name, launched, other.kind, used);
                }
            }
        }
    }
    let Some(site) = best else { return Ok(None) };
    let _ = write!(
        text,
        "\nGPU: {}. Computed from the text, lane by lane, without a compiler. Source: `machine/data`, requests of {}.",
        target.describe(),
        target.gpu.arch.name
    );
    let range = placed.range(&(site.start..site.end));
    Ok(Some(Hover { range, markdown: text, links: Vec::new() }))
}

fn line(text: &mut String, kernel: &str, launched: &Launched, kind: AccessKind, used: &SiteUse) {
    let verb = match kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Atomic => "atomic",
    };
    let (space, what) = match used.space {
        MemorySpace::Shared => ("Shared", "wavefronts"),
        _ => ("Global", "sectors"),
    };
    let [x, y, z] = launched.block;
    let launch = match (&launched.name, launched.is_assumed) {
        (_, true) => format!("launch assumed: block {x} x {y} x {z}"),
        (Some(name), _) => format!("launch {name}"),
        (None, _) => format!("block {x} x {y} x {z}"),
    };
    let _ = write!(text, "- `{kernel}` ({launch}): {space} {verb}");
    if used.requests <= 0.0 {
        let _ = writeln!(text, "; what it takes depends on what memory holds: unknown.");
        return;
    }
    let _ = write!(
        text,
        ", {} bytes a lane: {} {what} a request where {} would do",
        used.bytes,
        counted(used.taken / used.requests),
        counted(used.ideal / used.requests)
    );
    let rest = if used.unknown > 0.0 { "; of some requests nothing is known" } else { "" };
    let _ = writeln!(text, "{rest}.");
}
