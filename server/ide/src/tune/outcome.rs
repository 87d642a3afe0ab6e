//! Ranked predictions for the variants of a kernel, and explanations of their differences.

use super::plan::{PlannedVariant, TuningPlan};
use crate::cuda::kernels::instance_of;
use crate::engine::cancel::{Cancel, Cancellable};
use crate::engine::code::Compiled;
use crate::engine::context::Context;
use crate::engine::names;
use crate::engine::sass_view::SassView;
use crate::kernels::launch::uncounted;
use crate::kernels::predict::effort::full;
use crate::kernels::predict::{LaunchPrediction, PredictError, PredictionInputs};
use crate::words::numbers::{counted, in_four_digits, thousands};
use crate::{LaunchFile, TextEdit};
use model::cuda::TemplateValue;
use serde::Serialize;
use std::sync::Arc;

/// The variants of a kernel for a problem shape, fastest first.
#[derive(Debug, Clone, Serialize)]
pub struct TuningOutcome {
    pub kernel: String,
    /// The problem shape as text: `M=2560 N=16 K=2560`.
    pub shape: String,
    /// Name of the GPU: `H100 SXM5 80 GB`.
    pub gpu: String,
    /// Variants with a known [`TuningRow::time`], fastest first, followed by all other variants.
    pub rows: Vec<TuningRow>,
    /// Number of compiled variants.
    pub compiled: usize,
    /// Number of all variants with a known launch.
    pub of: usize,
    /// The model that selected the variants, as a phrase: `chosen by the network for ...`.
    pub ranked_by: String,
    /// The model that estimated the times of the rows: `network` or `static`.
    pub estimated_by: &'static str,
    /// True if the rows are configurations of a Triton kernel. None of them is current, because Triton
    /// selects a configuration per launch.
    pub is_of_triton: bool,
}

/// Figures of a variant.
#[derive(Debug, Clone, Serialize)]
pub struct TuningRow {
    /// Values of the parameters: `TILE_M = 128, TILE_N = 16`.
    pub variant: String,
    /// True for the variant in the current source.
    pub is_now: bool,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Predicted cycles of the launch. Null if unknown.
    pub cycles: Option<f64>,
    /// [`Self::cycles`] as microseconds at the GPU's boost clock. Null if unknown.
    pub microseconds: Option<f64>,
    /// Microseconds that the ranking model estimated without compilation. Null if there is no estimate.
    pub estimated_microseconds: Option<f64>,
    /// Speed-up over the current variant as a factor. Uses estimates if no variant was compiled. Null if
    /// unknown.
    pub times_as_fast: Option<f64>,
    /// Registers per thread.
    pub registers: Option<u32>,
    /// Bytes of shared memory per block.
    pub shared: Option<u32>,
    /// Resident warps divided by the maximum number of warps that an SM can hold, 0 to 1.
    pub occupancy: Option<f64>,
    /// The resource that limits the occupancy.
    pub occupancy_limit: Option<String>,
    /// Blocks of the grid divided by the blocks that are resident on the GPU at the same time.
    pub waves: Option<f64>,
    /// Traffic between DRAM and the L2 cache, in bytes.
    pub dram_bytes: Option<f64>,
    /// Traffic between the L2 cache and the SMs, in bytes.
    pub l2_bytes: Option<f64>,
    /// The bottleneck of the launch: `DRAM 93 %`.
    pub limiter: Option<String>,
    /// Explanation of the time: the main differences from the current variant. For Triton, the main figures.
    /// Empty if unknown.
    pub why: String,
    /// One-line reason why the time is unknown. Null if the time is known, or if there is no reason to give.
    pub problem: Option<String>,
    /// Edits that change the current source to the variant, in text order.
    #[serde(skip)]
    pub edits: Vec<TextEdit>,
    /// Values of parameters that correspond to parameters of the tuner's kernels, by the tuner's parameter
    /// names.
    #[serde(skip)]
    pub(super) known_as: Vec<(String, i64)>,
    /// Number of SMs of the GPU.
    #[serde(skip)]
    pub(super) sms: f64,
    /// Number of blocks that are resident on an SM at the same time.
    #[serde(skip)]
    pub(super) active_blocks: f64,
}

/// The prediction for a variant, or the reason why it is missing.
pub type VariantPrediction = Result<LaunchPrediction, PredictError>;

/// Predicts a variant's launch from its compiled code. `Err` if the code lacks the kernel, or if no block
/// fits on an SM.
pub(crate) fn predicted(
    compiled: &Compiled,
    context: &Context,
    cancel: &Cancel,
    kernel: &str,
    variant: &PlannedVariant,
) -> Cancellable<VariantPrediction> {
    let listing = compiled.0.text.listing();
    let chunks = listing.chunks().iter().filter(|chunk| !chunk.instructions().is_empty());
    let mut own = chunks.map(|chunk| names::kernel_name(chunk)).filter(|name| is_of(name, kernel, variant));
    let Some(name) = own.next() else {
        return Ok(Err(PredictError::NoInstance { kernel: kernel.to_owned() }));
    };
    let entry = crate::LaunchEntry { function: name.to_owned(), ..variant.launch.clone() };
    let file = LaunchFile { launches: vec![entry], ..LaunchFile::default() };
    let context = Context { launches: Some(file), ..context.clone() };
    let sass = SassView {
        text: Arc::clone(&compiled.0.text),
        context: Arc::new(context),
        cancel: cancel.clone(),
        origin: None,
        lineage: Arc::default(),
    };
    let Some((index, _)) = sass.kernels_named(Some(name)).next() else {
        return Ok(Err(PredictError::NoKernel { kernel: kernel.to_owned() }));
    };
    let view = sass.kernel(index);
    let launches = uncounted(&view);
    let Some((launch, times)) = launches.first() else {
        return Ok(Err(PredictError::NoLaunch { kernel: kernel.to_owned() }));
    };
    PredictionInputs { kernel: &view, launch, number: 0, times }.predict(full(launch))
}

/// True if the compiled kernel `code` is the variant's instance of `kernel`.
fn is_of(code: &str, kernel: &str, variant: &PlannedVariant) -> bool {
    let Some(templates) = instance_of(code, kernel) else { return code == kernel };
    let is_value = |(at, value): &(usize, i64)| match templates.get(*at) {
        Some(TemplateValue::Number(number)) => number == value,
        // A type or an unknown value matches any number.
        Some(_) => true,
        None => false,
    };
    variant.templates.iter().all(is_value)
}

impl TuningOutcome {
    /// Ranks a plan's variants by their predictions. `predictions` holds the predictions made so far, for the
    /// first variants.
    pub fn new(plan: &TuningPlan, predictions: &[VariantPrediction]) -> Self {
        let pairs = plan.variants.iter().zip(predictions);
        let rows = pairs.map(|(planned, made)| TuningRow::new(planned, Some(made))).collect();
        let verb = if plan.variants.len() < plan.of { "chosen" } else { "estimated before compilation" };
        Self::in_order(plan, rows, predictions.len(), verb)
    }

    /// Ranks a plan's variants by their estimated times, without compilation.
    pub fn estimated(plan: &TuningPlan) -> Self {
        let rows = plan.variants.iter().map(|planned| TuningRow::new(planned, None)).collect();
        Self::in_order(plan, rows, 0, "estimated")
    }

    fn in_order(plan: &TuningPlan, mut rows: Vec<TuningRow>, compiled: usize, verb: &str) -> Self {
        let now = rows.iter().find(|row| row.is_now).cloned();
        for row in &mut rows {
            let Some(now) = &now else { continue };
            row.times_as_fast = now.time().zip(row.time()).map(|(now, own)| now / own.max(f64::MIN_POSITIVE));
            row.why = row.against(now);
        }
        // Among equally fast variants, the current variant is first.
        rows.sort_by(|one, other| {
            let time = |row: &TuningRow| row.time().unwrap_or(f64::INFINITY);
            time(one).total_cmp(&time(other)).then(other.is_now.cmp(&one.is_now))
        });
        Self {
            kernel: plan.kernel.clone(),
            shape: plan.shape.to_string(),
            gpu: plan.gpu.clone(),
            compiled,
            rows,
            of: plan.of,
            ranked_by: format!("{verb} by {}", plan.ranked_by.in_words(&plan.gpu)),
            estimated_by: plan.ranked_by.name(),
            is_of_triton: false,
        }
    }

    /// Returns the fastest variant. `None` if no time is known.
    pub fn best(&self) -> Option<&TuningRow> {
        self.rows.first().filter(|row| row.time().is_some())
    }

    /// Returns the basis of the ranking: `12 of 96 variants compiled, in the order of their predicted cycles;
    /// chosen by ...`.
    pub fn basis(&self) -> String {
        let Self { compiled, of, ranked_by, rows, .. } = self;
        if self.is_of_triton {
            return format!("{} {ranked_by}; not compiled, not run", counted(*of, "configuration"));
        }
        let variants = counted(*of, "variant");
        if *compiled == 0 {
            return format!("{variants}, none compiled; {ranked_by}");
        }
        let has_cycles = rows.iter().any(|row| row.cycles.is_some());
        let order = if has_cycles { ", in the order of their predicted cycles" } else { "" };
        format!("{compiled} of {variants} compiled{order}; {ranked_by}")
    }
}

impl TuningRow {
    /// Creates the row of a variant. `made` is `None` if the variant was not compiled.
    fn new(planned: &PlannedVariant, made: Option<&VariantPrediction>) -> Self {
        let known = made.and_then(|made| made.as_ref().ok());
        let rates = known.map(|own| &own.rates);
        let estimated = planned.estimated_seconds;
        let no_block = made.is_none() && estimated == Some(f64::INFINITY);
        let no_cycles = known.filter(|own| own.cycles.is_none()).map(|own| own.cycles_in_words.clone());
        Self {
            variant: planned.words.clone(),
            is_now: planned.is_now,
            grid: planned.launch.grid,
            block: planned.launch.block,
            cycles: known.and_then(|own| own.cycles),
            microseconds: known.and_then(|own| own.microseconds),
            estimated_microseconds: estimated.filter(|own| own.is_finite()).map(|own| own * 1e6),
            times_as_fast: None,
            registers: known.map(|own| own.resources.registers),
            shared: known.map(|own| own.resources.shared),
            occupancy: known.map(|own| own.occupancy.fraction),
            occupancy_limit: known.map(|own| own.occupancy.limiter.clone()),
            waves: known.map(|own| own.waves.exact),
            dram_bytes: rates.and_then(|rates| rates.dram.as_ref()).map(|dram| dram.count),
            l2_bytes: rates.and_then(|rates| rates.l2.as_ref()).map(|l2| l2.count),
            limiter: known.map(|own| own.limiter.in_words()),
            why: String::new(),
            problem: made
                .and_then(|made| made.as_ref().err().map(PredictError::to_string))
                .or(no_cycles)
                .or_else(|| no_block.then(|| "no block fits on an SM".to_owned())),
            edits: planned.edits.clone(),
            known_as: planned.known_as.clone(),
            active_blocks: known.map_or(0.0, |own| f64::from(own.occupancy.active_blocks)),
            sms: known.map_or(0.0, |own| {
                own.waves.blocks_at_once as f64 / f64::from(own.occupancy.active_blocks.max(1))
            }),
        }
    }

    /// Returns the time that the rows of an outcome are ranked by: cycles, or estimated microseconds if the variant was
    /// not compiled. `None` if both are unknown.
    pub fn time(&self) -> Option<f64> {
        self.cycles.or_else(|| self.estimated_microseconds.filter(|_| self.problem.is_none()))
    }

    /// Returns up to three differences from the current variant: split sums, busy SMs, waves, traffic, warps per SM and
    /// grid size. Empty if the cycles of either variant are unknown.
    fn against(&self, now: &Self) -> String {
        /// Ratio up to which two figures count as equal.
        const NEGLIGIBLE: f64 = 1.1; // limit: a smaller difference explains nothing
        if self.is_now || self.cycles.is_none() || now.cycles.is_none() {
            return String::new();
        }
        let mut reasons = Vec::new();
        let differs = |one: f64, other: f64| one.max(other) > NEGLIGIBLE * one.min(other);
        let is_split = |name: &str| ["grid_k", "grid_c"].contains(&name);
        let split =
            |row: &Self| row.known_as.iter().find(|(name, _)| is_split(name)).map(|(_, value)| *value);
        if let (Some(own), Some(before)) = (split(self), split(now))
            && own != before
        {
            reasons.push(format!("sums split over {own} blocks, not {before}"));
        }
        let (own, before) = (self.busy_sms(), now.busy_sms());
        if differs(own, before) {
            reasons.push(format!("{own:.0} of {:.0} SMs busy, not {before:.0}", self.sms));
        }
        if let (Some(own), Some(before)) = (self.waves, now.waves)
            && own.max(before) > 1.0
            && differs(last_wave(own), last_wave(before))
        {
            reasons.push(format!("{own:.2} waves of blocks, not {before:.2}"));
        }
        for (name, own, before) in
            [("L2", self.l2_bytes, now.l2_bytes), ("DRAM", self.dram_bytes, now.dram_bytes)]
        {
            let Some((own, before)) = own.zip(before).filter(|(own, before)| differs(*own, *before)) else {
                continue;
            };
            let share = if own < before { before / own.max(1.0) } else { own / before.max(1.0) };
            let word = if own < before { "fewer" } else { "more" };
            reasons.push(format!("{share:.1} times {word} bytes from {name}"));
        }
        let (own, before) = (self.warps_at_once(), now.warps_at_once());
        if differs(own, before) {
            reasons.push(format!("{own:.0} warps per SM at a time, not {before:.0}"));
        }
        let (own, before) = (self.blocks(), now.blocks());
        if reasons.is_empty() && differs(own, before) {
            reasons.push(format!("a grid of {} blocks, not {}", thousands(own), thousands(before)));
        }
        reasons.truncate(3);
        reasons.join("; ")
    }

    /// Returns the number of SMs that execute a block.
    fn busy_sms(&self) -> f64 {
        self.blocks().min(self.sms)
    }

    fn blocks(&self) -> f64 {
        self.grid.iter().map(|size| f64::from(*size)).product()
    }

    /// Returns the largest number of resident warps per SM, limited by occupancy or by the number of blocks
    /// per SM.
    fn warps_at_once(&self) -> f64 {
        let warps = (self.block.iter().map(|size| f64::from(*size)).product::<f64>() / 32.0).ceil();
        (self.blocks() / self.sms.max(1.0)).ceil().min(self.active_blocks) * warps
    }

    /// Returns the time as text: `~137,800 cycles, 74.2 µs`. If the variant was not compiled, an estimate such as
    /// `~74.2 µs`. If the time is unknown, the reason.
    pub fn time_in_words(&self) -> String {
        let Some(cycles) = self.cycles else {
            let estimated = self.time().map(|microseconds| format!("~{} µs", in_three_digits(microseconds)));
            return self.problem.clone().or(estimated).unwrap_or_else(|| "time unknown".to_owned());
        };
        let cycles = format!("~{} cycles", thousands(in_four_digits(cycles)));
        match self.microseconds {
            Some(microseconds) => format!("{cycles}, {} µs", in_three_digits(microseconds)),
            None => cycles,
        }
    }
}

/// Returns the wave count divided by the wave count rounded up. The result is 1 if the last wave is full.
fn last_wave(waves: f64) -> f64 {
    waves / waves.ceil().max(1.0)
}

/// Formats a time with three significant digits.
pub(crate) fn in_three_digits(number: f64) -> String {
    match number {
        100.0.. => thousands(number.round()),
        10.0.. => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}
