//! Tuning plans: the variants of a kernel to compile for a problem shape, with their edits and launches.

use super::error::TuningError;
use super::places::{ParameterPlace, place};
use super::ranking::{RankedBy, RankedVariants, RankingSubject, ranked};
use crate::cuda::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::engine::launch_file::{StatedTuning, Variant};
use crate::{LaunchEntry, Shape, TextEdit};
use std::ops::Range;
use syntax::cuda::{Function, PlacedItem};

/// The variants to compile to tune a kernel for a problem shape.
#[derive(Debug, Clone)]
pub struct TuningPlan {
    pub kernel: String,
    pub shape: Shape,
    /// Name of the GPU.
    pub gpu: String,
    /// Variants to compile. The current variant comes first if its launch is known.
    pub variants: Vec<PlannedVariant>,
    /// Number of variants with a known launch, including the current variant and variants that are not
    /// compiled.
    pub of: usize,
    /// The model that estimated the times. It also selected the variants if there were too many.
    pub ranked_by: RankedBy,
}

/// A variant of a kernel.
#[derive(Debug, Clone)]
pub struct PlannedVariant {
    pub variant: Variant,
    /// Parameter values as text: `TILE_M = 128, TILE_N = 16`.
    pub words: String,
    /// Values of parameters that correspond to parameters of the tuner's kernels, by the tuner's parameter
    /// names.
    pub known_as: Vec<(String, i64)>,
    /// Seconds that the ranking model estimated without compilation. `None` if there is no estimate, infinity if no
    /// block fits on an SM.
    pub estimated_seconds: Option<f64>,
    /// Edits that write the variant, in text order. Empty for the current variant.
    pub edits: Vec<TextEdit>,
    pub launch: LaunchEntry,
    /// Indices and values of the kernel's template arguments.
    pub(crate) templates: Vec<(usize, i64)>,
    /// True for the variant in the current source.
    pub is_now: bool,
}

impl PlannedVariant {
    /// Returns the value of a parameter by its name in the tuner's kernels. `None` if unknown.
    pub(super) fn parameter(&self, name: &str) -> Option<i64> {
        self.known_as.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

/// A kernel with a `[tune]` table in the launches file.
pub(crate) struct TuningSubject<'v> {
    pub tuning: &'v StatedTuning,
    pub item: u32,
    pub placed: &'v PlacedItem,
    pub kernel: &'v Function,
}

/// Returns the document's kernels that have a `[tune]` table in the launches file, in text order.
pub(crate) fn tuned<'v>(view: &'v CudaView<'v>) -> Vec<TuningSubject<'v>> {
    let Some(file) = &view.context.launches else { return Vec::new() };
    let tunings = &file.tunings;
    let kernels = view.kernels();
    kernels
        .filter_map(|(item, placed, kernel)| {
            let tuning = tunings.iter().find(|tuning| tuning.kernel == kernel.name)?;
            Some(TuningSubject { tuning, item, placed, kernel })
        })
        .collect()
}

impl TuningSubject<'_> {
    /// Returns the positions of all parameters, in their order. `Err` if a parameter cannot be changed.
    pub(crate) fn places(&self, view: &CudaView<'_>) -> Result<Vec<ParameterPlace>, TuningError> {
        if self.tuning.is_of_triton() {
            return Err(TuningError::NoLaunch { kernel: self.kernel.name.clone() });
        }
        let names = self.tuning.parameters.iter().map(|parameter| &parameter.name);
        names.map(|name| place(view, self.item, name)).collect()
    }

    /// Returns the byte range of the kernel's name.
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

/// Plans the tuning of a kernel for a problem shape, with at most `most` variants to compile. `Err` if
/// there is nothing to compile.
pub(crate) fn plan(
    view: &CudaView<'_>,
    tuned: &TuningSubject<'_>,
    shape: &Shape,
    most: usize,
) -> Cancellable<Result<TuningPlan, TuningError>> {
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
        let parameters = tuned.tuning.parameters.iter().map(|own| own.name.clone()).collect();
        return Ok(Err(TuningError::NoVariants { parameters, shape: shape.clone() }));
    }
    let of = others.len() + usize::from(now.is_some());
    let gpu = view.target_gpu().gpu;
    let TuningSubject { tuning, item, kernel, .. } = *tuned;
    let subject = RankingSubject { view, item, kernel, gpu: &gpu, tuning, shape };
    // Compile at least one variant in addition to the current variant.
    let most = most.max(1 + usize::from(now.is_some()));
    let variants = now.into_iter().chain(others).collect();
    let RankedVariants { chosen, by } = ranked(&subject, variants, most)?;
    Ok(Ok(TuningPlan {
        kernel: tuned.kernel.name.clone(),
        shape: shape.clone(),
        gpu: gpu.part.name.clone(),
        variants: chosen,
        of,
        ranked_by: by,
    }))
}
