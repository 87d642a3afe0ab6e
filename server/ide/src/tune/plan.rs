//! A plan: the variants of a kernel that are to be compiled for a shape, each with its edits and its launch.

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
    /// The part's name.
    pub gpu: String,
    /// The variants to compile; the one that the text has now first, where a launch follows from it.
    pub variants: Vec<PlannedVariant>,
    /// All variants from which a launch follows, compiled or not; with the one that the text has now.
    pub of: usize,
    /// The model that has chosen them where there are more, and that has estimated their times.
    pub ranked_by: RankedBy,
}

/// One variant of a kernel.
#[derive(Debug, Clone)]
pub struct PlannedVariant {
    pub variant: Variant,
    /// `TILE_M = 128, TILE_N = 16`.
    pub words: String,
    /// The parameters of the tuner's own kernels that are known of it, with their values.
    pub known_as: Vec<(String, i64)>,
    /// Seconds by the model that has ranked the variants, without their code. `None` where it does not say, infinity where no block
    /// fits an SM.
    pub estimated_seconds: Option<f64>,
    /// Edits in the order of the text; none for the one that the text has now.
    pub edits: Vec<TextEdit>,
    pub launch: LaunchEntry,
    /// Values of the kernel's template, by their places.
    pub(crate) templates: Vec<(usize, i64)>,
    /// True for the variant that the text has now.
    pub is_now: bool,
}

impl PlannedVariant {
    /// The value of a parameter of the tuner's own kernels, where it is known.
    pub(super) fn parameter(&self, name: &str) -> Option<i64> {
        self.known_as.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

/// A kernel of a text that a launches file tunes.
pub(crate) struct Tuned<'v> {
    pub tuning: &'v StatedTuning,
    pub item: u32,
    pub placed: &'v Placed,
    pub kernel: &'v Function,
}

/// The kernels of a text that the launches file tunes, in the order of the text.
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
    /// The places of all parameters, in their order. `Err`, in a few words, where one of them cannot be written.
    pub(crate) fn places(&self, view: &CudaView<'_>) -> Result<Vec<ParameterPlace>, String> {
        if self.tuning.is_of_triton() {
            return Err(format!("`[tune.{}]` needs `grid` and `block` for CUDA", self.kernel.name));
        }
        let names = self.tuning.parameters.iter().map(|parameter| &parameter.name);
        names.map(|name| place(view, self.item, name)).collect()
    }

    /// The bytes of the kernel's name.
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

/// Plans the tuning of a kernel for a shape, with at most `most` variants to compile. `Err`, in one line, if there is
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
    // One other at least, to be compared with.
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
