//! Tuning plans: the variants of a kernel to compile for a shape, each with its edits and its launch.

use super::places::{ParameterPlace, place};
use super::ranking::{Ranked, RankedBy, RankingSubject, ranked};
use crate::cuda::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::engine::launch_file::{StatedTuning, Variant};
use crate::{LaunchEntry, Shape, TextEdit};
use std::ops::Range;
use syntax::cuda::{Function, Placed};

/// The variants to compile in order to tune a kernel for a shape.
#[derive(Debug, Clone)]
pub struct TuningPlan {
    pub kernel: String,
    pub shape: Shape,
    /// Name of the part.
    pub gpu: String,
    /// Variants to compile. The current one comes first if its launch is known.
    pub variants: Vec<PlannedVariant>,
    /// Number of variants with a known launch, whether they are to be compiled or not, including the current one.
    pub of: usize,
    /// The model that estimated the times and, if there were too many variants, chose among them.
    pub ranked_by: RankedBy,
}

/// One variant of a kernel.
#[derive(Debug, Clone)]
pub struct PlannedVariant {
    pub variant: Variant,
    /// The values in words: `TILE_M = 128, TILE_N = 16`.
    pub words: String,
    /// Values of the parameters that correspond to one of the tuner's kernels, by the tuner's names.
    pub known_as: Vec<(String, i64)>,
    /// Seconds that the ranking model estimated without compiling. `None` if it has no estimate, infinity if no block
    /// fits on an SM.
    pub estimated_seconds: Option<f64>,
    /// Edits that write the variant, in text order; empty for the current one.
    pub edits: Vec<TextEdit>,
    pub launch: LaunchEntry,
    /// Values of the kernel's template arguments, with their indices.
    pub(crate) templates: Vec<(usize, i64)>,
    /// True for the variant in the current text.
    pub is_now: bool,
}

impl PlannedVariant {
    /// Value of a parameter by its name in the tuner's kernels; `None` if unknown.
    pub(super) fn parameter(&self, name: &str) -> Option<i64> {
        self.known_as.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

/// A kernel with a `[tune]` table in the launch file.
pub(crate) struct Tuned<'v> {
    pub tuning: &'v StatedTuning,
    pub item: u32,
    pub placed: &'v Placed,
    pub kernel: &'v Function,
}

/// Kernels of a document that have a `[tune]` table in the launch file, in text order.
pub(crate) fn tuned<'v>(view: &'v CudaView<'v>) -> Vec<Tuned<'v>> {
    let Some(file) = &view.context.launches else { return Vec::new() };
    let tunings = &file.tunings;
    let kernels = view.kernels();
    kernels
        .filter_map(|(item, placed, kernel)| {
            let tuning = tunings.iter().find(|tuning| tuning.kernel == kernel.name)?;
            Some(Tuned { tuning, item, placed, kernel })
        })
        .collect()
}

impl Tuned<'_> {
    /// Positions of all parameters, in their order. `Err` states in a few words why one of them cannot be changed.
    pub(crate) fn places(&self, view: &CudaView<'_>) -> Result<Vec<ParameterPlace>, String> {
        if self.tuning.is_of_triton() {
            return Err(format!("`[tune.{}]` needs `grid` and `block` for CUDA", self.kernel.name));
        }
        let names = self.tuning.parameters.iter().map(|parameter| &parameter.name);
        names.map(|name| place(view, self.item, name)).collect()
    }

    /// Byte range of the kernel's name.
    pub(crate) fn name_range(&self) -> Range<usize> {
        self.placed.range(&self.kernel.name_range)
    }

    pub(crate) fn planned(
        &self,
        shape: &Shape,
        places: &[ParameterPlace],
        variant: Variant,
    ) -> Option<PlannedVariant> {
        let launch = self.tuning.launch(shape, &variant)?;
        let pairs = || places.iter().zip(&variant.0);
        let mut edits: Vec<TextEdit> = pairs().flat_map(|(place, value)| place.edits(*value)).collect();
        edits.sort_by_key(|edit| edit.range.start);
        let templates = pairs().filter_map(|(place, value)| Some((place.template?, *value))).collect();
        Some(PlannedVariant {
            words: self.tuning.in_words(&variant),
            known_as: self.tuning.tiling(shape, &variant),
            estimated_seconds: None,
            is_now: edits.is_empty(),
            edits,
            launch,
            templates,
            variant,
        })
    }
}

/// Plans the tuning of a kernel for a shape, with at most `most` variants to compile. `Err` is one line on why there is
/// nothing to compile.
pub(crate) fn plan(
    view: &CudaView<'_>,
    tuned: &Tuned<'_>,
    shape: &Shape,
    most: usize,
) -> Cancellable<Result<TuningPlan, String>> {
    let places = match tuned.places(view) {
        Ok(places) => places,
        Err(why) => return Ok(Err(why)),
    };
    let now = Variant(places.iter().map(|place| place.now).collect());
    let now = tuned.planned(shape, &places, now);
    let others =
        tuned.tuning.variants(shape).filter(|variant| now.as_ref().is_none_or(|now| now.variant != *variant));
    let others: Vec<PlannedVariant> =
        others.filter_map(|variant| tuned.planned(shape, &places, variant)).collect();
    if others.is_empty() {
        return Ok(Err(format!(
            "no other values of {} give a launch for {shape}",
            tuned.tuning.parameters.iter().map(|own| own.name.as_str()).collect::<Vec<_>>().join(", ")
        )));
    }
    let of = others.len() + usize::from(now.is_some());
    let gpu = view.target_gpu().gpu;
    let Tuned { tuning, item, kernel, .. } = *tuned;
    let subject = RankingSubject { view, item, kernel, gpu: &gpu, tuning, shape };
    // Compile at least one variant besides the current one.
    let most = most.max(1 + usize::from(now.is_some()));
    let variants = now.into_iter().chain(others).collect();
    let Ranked { chosen, by } = ranked(&subject, variants, most)?;
    Ok(Ok(TuningPlan {
        kernel: tuned.kernel.name.clone(),
        shape: shape.clone(),
        gpu: gpu.part.name.clone(),
        variants: chosen,
        of,
        ranked_by: by,
    }))
}
