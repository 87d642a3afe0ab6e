//! Selects the variants to compile if there are too many variants.

use super::error::NoNetwork;
use super::network::NetworkRanking;
use super::plan::PlannedVariant;
use crate::Shape;
use crate::cuda::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::engine::launch_file::StatedTuning;
use crate::words::numbers::thousands;
use model::cuda::{AccessKind, Configuration, Run, Site, TemplateValue};
use model::paper::occupancy::{BlockNeeds, occupancy};
use model::{Gpu, MemorySpace};
use std::sync::Arc;
use syntax::cuda::Function;

/// A model that predicts the times of a kernel's variants without compilation.
pub(super) trait Ranking {
    /// Returns the estimated seconds per variant. Estimates for the same shape are comparable. `None` if there is no
    /// estimate, infinity if no block of the variant fits on an SM.
    fn times(&self, variants: &[PlannedVariant]) -> Cancellable<Vec<Option<f64>>>;

    /// Identifies the model in messages.
    fn who(&self) -> RankedBy;
}

/// The model that ranked the variants before compilation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RankedBy {
    /// The neural network, trained on this number of measured launches of generated kernels on the GPU.
    Network { samples: usize },
    /// The static model, with a short reason why no network was used.
    Static { because: String },
}

impl RankedBy {
    /// Returns the name of the model: `network` or `static`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Network { .. } => "network",
            Self::Static { .. } => "static",
        }
    }

    /// Returns a phrase about the model that can follow "estimated by".
    pub(super) fn in_words(&self, gpu: &str) -> String {
        match self {
            Self::Network { samples } => format!(
                "the network for {gpu} (trained on {} launches of generated kernels, so the times of this kernel are estimates)",
                thousands(*samples as f64)
            ),
            Self::Static { because } => format!("the static model alone: {because}"),
        }
    }
}

/// The kernel and the problem shape whose variants are ranked.
#[derive(Clone, Copy)]
pub(super) struct RankingSubject<'v> {
    pub(super) view: &'v CudaView<'v>,
    pub(super) item: u32,
    pub(super) kernel: &'v Function,
    pub(super) gpu: &'v Gpu,
    pub(super) tuning: &'v StatedTuning,
    pub(super) shape: &'v Shape,
}

/// The variants to compile, with their estimates, and the model that selected them.
pub(super) struct RankedVariants {
    pub(super) chosen: Vec<PlannedVariant>,
    pub(super) by: RankedBy,
}

/// Largest number of variants that the static model ranks. Each variant requires an abstract interpretation
/// of the kernel.
const MAX_INTERPRETED: usize = 512; // limit: bounds the time of a ranking

/// Selects at most `most` variants: the current variant and the variants with the lowest estimates, in their
/// given order. The network ranks the variants if it knows at least half of them. Otherwise, the static model
/// ranks them.
pub(super) fn ranked(
    subject: &RankingSubject<'_>,
    variants: Vec<PlannedVariant>,
    most: usize,
) -> Cancellable<RankedVariants> {
    let because = match NetworkRanking::new(subject, &variants) {
        Ok(network) => {
            let times = network.times(&variants)?;
            let known = times.iter().flatten().count();
            if known * 2 >= times.len() {
                return Ok(RankedVariants { chosen: best(variants, &times, most), by: network.who() });
            }
            NoNetwork::FewVariants { known, of: times.len() }
        }
        Err(why) => why,
    };
    let variants = spread(variants, MAX_INTERPRETED.max(most));
    let model = StaticRanking { subject, because: because.to_string() };
    let times = model.times(&variants)?;
    let is_known = times.iter().flatten().count() * 2 >= times.len();
    if variants.len() <= most || is_known {
        return Ok(RankedVariants { chosen: best(variants, &times, most), by: model.who() });
    }
    let because = format!(
        "{}; the source does not determine the times of the variants, so the compiled variants are spread \
                 evenly",
        model.because
    );
    Ok(RankedVariants {
        chosen: spread(with_times(variants, &times), most),
        by: RankedBy::Static { because },
    })
}

/// Returns the current variant and the variants with the lowest times, in their given order. If there are
/// more than `most` variants, skips variants whose blocks do not fit on an SM.
fn best(variants: Vec<PlannedVariant>, times: &[Option<f64>], most: usize) -> Vec<PlannedVariant> {
    let variants = with_times(variants, times);
    if variants.len() <= most {
        return variants;
    }
    let fits = |at: &usize| variants[*at].is_now || times[*at].is_none_or(f64::is_finite);
    let mut order: Vec<usize> = (0..variants.len()).filter(fits).collect();
    let time = |at: usize| times[at].unwrap_or(f64::MAX);
    let is_other = |at: usize| !variants[at].is_now;
    order.sort_by(|one, other| {
        is_other(*one).cmp(&is_other(*other)).then(time(*one).total_cmp(&time(*other)))
    });
    order.truncate(most);
    order.sort_unstable();
    let mut slots: Vec<Option<PlannedVariant>> = variants.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| slots[at].take()).collect()
}

fn with_times(mut variants: Vec<PlannedVariant>, times: &[Option<f64>]) -> Vec<PlannedVariant> {
    for (variant, time) in variants.iter_mut().zip(times) {
        variant.estimated_seconds = *time;
    }
    variants
}

/// Returns at most `most` variants: the current variant, which must be first, and evenly spaced others.
fn spread(variants: Vec<PlannedVariant>, most: usize) -> Vec<PlannedVariant> {
    let kept = variants.iter().filter(|variant| variant.is_now).count();
    let (count, most) = (variants.len() - kept, most.saturating_sub(kept));
    if count <= most {
        return variants;
    }
    let is_chosen = |at: usize| at < kept || (at - kept) * most / count != (at - kept + 1) * most / count;
    variants.into_iter().enumerate().filter(|(at, _)| is_chosen(*at)).map(|(_, variant)| variant).collect()
}

/// The static model. Uses the time of the memory requests in the source, and the imbalance of blocks across
/// SMs.
struct StaticRanking<'v> {
    subject: &'v RankingSubject<'v>,
    /// A short reason why no network was used.
    because: String,
}

impl Ranking for StaticRanking<'_> {
    fn times(&self, variants: &[PlannedVariant]) -> Cancellable<Vec<Option<f64>>> {
        let mut times = Vec::with_capacity(variants.len());
        for variant in variants {
            self.subject.view.cancel.check()?;
            times.push(self.time(variant));
        }
        Ok(times)
    }

    fn who(&self) -> RankedBy {
        RankedBy::Static { because: self.because.clone() }
    }
}

impl StaticRanking<'_> {
    fn time(&self, variant: &PlannedVariant) -> Option<f64> {
        let run = self.run(variant)?;
        let gpu = self.subject.gpu;
        let [x, y, z] = variant.launch.grid.map(f64::from);
        let blocks = x * y * z;
        let threads = variant.launch.block.iter().product();
        let shared = run.shared_bytes.saturating_add(variant.launch.dynamic_shared.into());
        let needs = BlockNeeds { threads, registers: 0, shared: u32::try_from(shared).unwrap_or(u32::MAX) };
        let active_blocks = f64::from(occupancy(&gpu.arch.resources, needs).active_blocks);
        if active_blocks == 0.0 {
            return Some(f64::INFINITY);
        }
        if !run.is_whole || run.warps == 0 {
            return None;
        }
        let scale = run.all_warps as f64 / run.warps as f64;
        let taken = |space: MemorySpace| {
            run.uses.iter().filter(|(_, used)| used.space == space).map(|(_, used)| used.taken).sum::<f64>()
        };
        let sms = f64::from(gpu.part.sm_count.value.max(1));
        let clock = f64::from(gpu.part.boost_mhz.value.max(1)) * 1e6;
        // The shared memory of an SM serves one wavefront per cycle.
        let shared_seconds = taken(MemorySpace::Shared) * scale / (sms * clock);
        let bytes = f64::from(gpu.arch.requests.sector_bytes.value) * taken(MemorySpace::Global) * scale;
        let global_seconds = bytes / gpu.part.dram_bytes_per_second.value.max(1.0);
        // The launch ends when the SM with the most blocks ends.
        let imbalance = (blocks / sms).ceil() * sms / blocks.max(1.0);
        // In each wave, warps wait for their loads one after another. The source does not show how many loads
        // overlap.
        let is_load = |site: &Site| site.kind == AccessKind::Load;
        let loads = run.uses.iter().filter(|(site, used)| used.space == MemorySpace::Global && is_load(site));
        let loads = loads.map(|(_, used)| used.requests + used.unknown).sum::<f64>() / run.warps as f64;
        let latency = gpu.arch.pipeline.as_ref().map_or(0.0, |figures| f64::from(figures.l2.latency.value));
        let waves = (blocks / (active_blocks * sms)).ceil();
        let latency_seconds = loads * latency * waves / clock;
        Some(((shared_seconds + global_seconds) * imbalance).max(latency_seconds))
    }

    /// Interprets a sample of the variant's warps, given the source of the variant. `None` if the kernel
    /// cannot be interpreted.
    fn run(&self, variant: &PlannedVariant) -> Option<Arc<Run>> {
        let RankingSubject { view, item, kernel, gpu, .. } = self.subject;
        // Apply the last edit first, so that the ranges of earlier edits stay valid.
        let edits = variant.edits.iter().rev();
        let text = edits.fold(view.text.clone(), |text, edit| text.edit(edit.range.clone(), &edit.text));
        let found = view.text.launches_of_kernel(kernel, &gpu.arch).next();
        let mut templates = found.map(|found| found.templates.clone()).unwrap_or_default();
        for (at, value) in &variant.templates {
            if templates.len() <= *at {
                templates.resize(at + 1, TemplateValue::Unknown);
            }
            templates[*at] = TemplateValue::Number(*value);
        }
        let arguments = variant
            .launch
            .params
            .iter()
            .flatten()
            .map(super::super::engine::parameters::types::ParamValue::argument);
        let (grid, block) = (variant.launch.grid, variant.launch.block);
        let launch = Configuration { grid, block, arguments: arguments.collect(), templates };
        text.run(*item, &gpu.arch, &launch)
    }
}
