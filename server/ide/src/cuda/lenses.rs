//! Lenses with facts about each launch of a kernel.

use super::kernels::{candidates, refused, subject};
use super::occupancy::occupancy_bound;
use super::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::words::numbers::counted;
use crate::{Lens, LensLocation, LensSubject};
use advisor::cuda::{Origin, SimulatedLaunch};
use advisor::memory::counted as figure;
use std::fmt::Write;

/// Fraction of active lanes below which the lens shows the fraction. Partial last warps alone rarely reduce
/// the fraction this far.
const MIN_EFFICIENCY: f64 = 0.9; // limit: partial last warps are not worth showing

/// Maximum number of lenses above a kernel. A kernel with more launches has a single lens.
const MAX_LENSES: usize = 4; // limit: lines that are still read

/// Returns the positions of the lenses: one per launch of a kernel, or a single one if it has many launches.
pub(crate) fn places(view: &CudaView<'_>) -> Cancellable<Vec<LensLocation>> {
    if !view.context.config.code_lens {
        return Ok(Vec::new());
    }
    let gpu = view.target_gpu().gpu;
    let work = || -> Cancellable<Vec<LensLocation>> {
        let mut all = Vec::new();
        for (item, placed, kernel) in view.kernels() {
            view.cancel.check()?;
            let range = placed.range(&kernel.name_range);
            let launches = candidates(view, item, kernel, &gpu).len();
            let lenses = if launches > MAX_LENSES { 1 } else { launches };
            all.extend((0..lenses).map(|launch| LensLocation {
                range: range.clone(),
                kernel: item as usize,
                of: LensSubject::Launch(launch),
            }));
        }
        Ok(all)
    };
    view.cancel.ending(work)
}

/// Returns the lens of a launch at a position from [`places`].
pub(crate) fn lens(view: &CudaView<'_>, item: usize, of: LensSubject) -> Cancellable<Option<Lens>> {
    let work = || -> Cancellable<Option<Lens>> {
        let LensSubject::Launch(number) = of else { return Ok(None) };
        let Some((item, placed, kernel)) = view.kernels().find(|(at, ..)| *at as usize == item) else {
            return Ok(None);
        };
        let target = view.target_gpu();
        let subject = subject(view, item, kernel, &target.gpu)?;
        let Some(launched) = subject.launches.get(number) else { return Ok(None) };
        let SimulatedLaunch { launch, run, .. } = launched;
        let origin = match launch.origin {
            Origin::Stated => "stated",
            Origin::Found => "from host code",
            Origin::Assumed if launch.knows_block => "grid assumed",
            Origin::Assumed => "assumed",
        };
        let mut origin = origin.to_owned();
        for of in &launch.assumed_types {
            let _ = write!(origin, ", {of} assumed");
        }
        let refused = refused(view, kernel).filter(|_| launch.origin != Origin::Stated);
        let origin = match refused {
            Some(refused) => format!("{origin}, the launch at warplens.toml:{} was rejected", refused.line),
            None => origin,
        };
        let why = refused.map_or_else(String::new, |refused| format!("Stated: {}.\n\n", refused.in_words()));
        let sizes = |[x, y, z]: [u32; 3]| match (y, z) {
            (1, 1) => x.to_string(),
            (_, 1) => format!("{x} x {y}"),
            _ => format!("{x} x {y} x {z}"),
        };
        let name = launch.name.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
        let (grid, block) = (sizes(launch.configuration.grid), sizes(launch.block()));
        let threads = launch.threads();
        let mut facts = vec![counted(threads.div_ceil(32) as usize, "warp") + " per block"];
        if run.shared_bytes > 0 {
            facts.push(format!("{} B shared", run.shared_bytes));
        }
        if let Some(barriers) = run.whole_barriers().filter(|barriers| *barriers > 0.0) {
            let s = if figure(barriers) == "1" { "" } else { "s" };
            facts.push(format!("{} barrier{s}", figure(barriers)));
        }
        let most = occupancy_bound(launched, &target.gpu);
        // If a single SM can execute the whole grid at once, the occupancy limit does not matter.
        if !launch.is_assumed() && most.warps < most.max_warps && launch.blocks() > most.blocks.into() {
            facts.push(most.in_words());
        }
        if let Some(efficiency) = run.warp_efficiency.filter(|efficiency| *efficiency < MIN_EFFICIENCY) {
            facts.push(format!("about {:.0} % of lanes active", 100.0 * efficiency));
        }
        let mut title = format!("{name}grid {grid}, block {block} ({origin}) · {}", facts.join(" · "));
        let mut others = String::new();
        if subject.launches.len() > MAX_LENSES {
            title = format!("{} launches, the first: {title}", subject.launches.len());
            others.push_str("\n\nLaunches:\n\n");
            for SimulatedLaunch { launch, .. } in &subject.launches {
                let name = launch.name.as_ref().map(|name| format!("`{name}`: ")).unwrap_or_default();
                let (grid, block) = (sizes(launch.configuration.grid), sizes(launch.block()));
                let _ = writeln!(others, "- {name}grid {grid}, block {block}");
            }
        }
        let detail = format!(
            "{title}\n\n{why}GPU: {}. Registers and cycles are known once the code is compiled; registers may lower the occupancy. Computed from \
             the text: {} of {} warps simulated.{others}",
            target.describe(),
            run.warps,
            run.all_warps
        );
        Ok(Some(Lens {
            range: placed.range(&kernel.name_range),
            title,
            detail,
            is_of_loop: false,
            is_quick: false,
            to_state: None,
        }))
    };
    view.cancel.ending(work)
}
