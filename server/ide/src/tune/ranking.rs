//! Choice of the variants that are worth compiling, where there are more than are compiled.

use super::plan::PlannedVariant;
use crate::cuda::view::CudaView;
use crate::engine::cancel::Answer;
use crate::engine::launch_file::ParamValue;
use model::cuda::{AccessKind, Argument, Configuration, Run, Site, TemplateValue};
use model::paper::occupancy::{BlockNeeds, occupancy};
use model::{Gpu, MemorySpace};
use std::sync::Arc;
use syntax::cuda::Function;

/// A model that foretells which variants of a kernel are fast, without their code.
pub(crate) trait Ranking {
    /// A time of a variant in a unit of the model's own, to be compared with that of other variants for the same shape.
    /// `None` where the model does not say, and infinity where no block of it fits an SM.
    fn time(&self, variant: &PlannedVariant) -> Option<f64>;

    /// Which model it is, for the reader.
    fn name(&self) -> String;
}

/// The kernel whose variants are ranked.
pub(crate) struct RankingSubject<'v> {
    pub view: &'v CudaView<'v>,
    pub item: u32,
    pub kernel: &'v Function,
    pub gpu: &'v Gpu,
}

/// The variants to compile, and which model chose them.
pub(crate) struct Ranked {
    pub chosen: Vec<PlannedVariant>,
    pub by: String,
}

/// The most variants that are ranked: each is a run of the text.
const MOST_RANKED: usize = 512;

/// Chooses so many of the variants, in their own order.
pub(crate) fn ranked(
    subject: &RankingSubject<'_>,
    variants: Vec<PlannedVariant>,
    most: usize,
) -> Answer<Ranked> {
    let ranking = StaticRanking(subject);
    let by = ranking.name();
    if variants.len() <= most {
        return Ok(Ranked { chosen: variants, by });
    }
    let variants = spread(variants, MOST_RANKED.max(most));
    let mut times = Vec::with_capacity(variants.len());
    for variant in &variants {
        subject.view.cancel.check()?;
        times.push(ranking.time(variant));
    }
    if times.iter().filter(|time| time.is_some()).count() * 2 < times.len() {
        let by = format!("{by}; the text does not tell their times, so they are spread evenly");
        return Ok(Ranked { chosen: spread(variants, most), by });
    }
    let mut order: Vec<usize> =
        (0..variants.len()).filter(|at| times[*at].is_none_or(f64::is_finite)).collect();
    let time = |at: usize| times[at].unwrap_or(f64::MAX);
    order.sort_by(|one, other| time(*one).total_cmp(&time(*other)));
    order.truncate(most);
    order.sort_unstable();
    let mut slots: Vec<Option<PlannedVariant>> = variants.into_iter().map(Some).collect();
    let chosen = order.into_iter().filter_map(|at| slots[at].take()).collect();
    Ok(Ranked { chosen, by })
}

/// So many of the variants, at even distances.
fn spread(variants: Vec<PlannedVariant>, most: usize) -> Vec<PlannedVariant> {
    let count = variants.len();
    if count <= most {
        return variants;
    }
    let is_chosen = |at: usize| at * most / count != (at + 1) * most / count;
    variants.into_iter().enumerate().filter(|(at, _)| is_chosen(*at)).map(|(_, variant)| variant).collect()
}

/// The static model: what warps ask of memory by the text alone, how long they wait for it, and how evenly the blocks fill the GPU.
struct StaticRanking<'v>(&'v RankingSubject<'v>);

impl Ranking for StaticRanking<'_> {
    fn time(&self, variant: &PlannedVariant) -> Option<f64> {
        let run = self.run(variant)?;
        let gpu = self.0.gpu;
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
        // A wavefront is a pass through the banks of one SM: one in a cycle.
        let shared_seconds = taken(MemorySpace::Shared) * scale / (sms * clock);
        let bytes = f64::from(gpu.arch.requests.sector_bytes.value) * taken(MemorySpace::Global) * scale;
        let global_seconds = bytes / gpu.part.dram_bytes_per_second.value.max(1.0);
        // The SM with the most blocks ends last.
        let imbalance = (blocks / sms).ceil() * sms / blocks.max(1.0);
        // Warps wait for their loads one after another, wave after wave; how many a compiler overlaps, the text does not tell.
        let is_load = |site: &Site| site.kind == AccessKind::Load;
        let loads = run.uses.iter().filter(|(site, used)| used.space == MemorySpace::Global && is_load(site));
        let loads = loads.map(|(_, used)| used.requests + used.unknown).sum::<f64>() / run.warps as f64;
        let latency = gpu.arch.pipeline.as_ref().map_or(0.0, |figures| f64::from(figures.l2.latency.value));
        let waves = (blocks / (active_blocks * sms)).ceil();
        let latency_seconds = loads * latency * waves / clock;
        Some(((shared_seconds + global_seconds) * imbalance).max(latency_seconds))
    }

    fn name(&self) -> String {
        format!("ranked by the static model alone: no trained model for {}", self.0.gpu.part.name)
    }
}

impl StaticRanking<'_> {
    /// What a sample of the variant's warps does, by its text.
    fn run(&self, variant: &PlannedVariant) -> Option<Arc<Run>> {
        let RankingSubject { view, item, kernel, gpu } = self.0;
        // From the last on, so that the places of the others hold.
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
        let arguments = variant.launch.params.iter().flatten().map(|param| match param {
            ParamValue::Pointer => Argument::Pointer,
            ParamValue::Boolean(is_true) => Argument::Number(i64::from(*is_true)),
            ParamValue::Integer(number) => i64::try_from(*number).map_or(Argument::Unknown, Argument::Number),
            ParamValue::Float(_) => Argument::Float,
            ParamValue::Unknown => Argument::Unknown,
        });
        let (grid, block) = (variant.launch.grid, variant.launch.block);
        let launch = Configuration { grid, block, arguments: arguments.collect(), templates };
        text.run(*item, &gpu.arch, &launch)
    }
}
