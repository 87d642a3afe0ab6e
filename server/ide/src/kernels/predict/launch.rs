//! Prediction of one launch by simulation, otherwise by the paper's equations.

use super::convolution::convolution;
use super::error::PredictError;
use super::inputs::PredictionInputs;
use super::rates::rates;
use super::{LaunchPrediction, LimitKind, LimitedBy, Waves, by_paper};
use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::engine::names;
use crate::kernels::report::{occupancy_report, resources_report};
use crate::words::assumed::assumed_in_words;
use machine::Gpu;
use model::pipeline::{Budget, Limiter, Prediction};
use model::{Bottlenecks, Launch, Occupancy};

impl PredictionInputs<'_> {
    /// Predicts the launch. `budget` bounds the simulation; the result of a simulation with a larger budget is reused.
    /// `Err` if no block of the launch fits on an SM.
    pub(crate) fn predict(&self, budget: Budget) -> Cancellable<Result<LaunchPrediction, PredictError>> {
        let Self { kernel, launch, times, .. } = *self;
        let KernelView { sass, chunk, target, model, .. } = kernel;
        if times.occupancy.active_blocks == 0 {
            return Ok(Err(self.does_not_fit()));
        }
        let survey = model.survey(chunk, launch);
        sass.cancel.check()?;
        let reported = self.cycles(budget)?;
        let prediction = reported.prediction.as_deref();
        let mut notes = Vec::new();
        let limiter = match (reported.unknown_limit(), prediction) {
            (Some(limit), _) => limit,
            (None, Some(prediction)) => limited(prediction),
            (None, None) => {
                notes.push(by_paper::NOTE.to_owned());
                if let Some(floor) = reported.dram {
                    notes.push(floor.note());
                    LimitedBy { kind: LimitKind::Busy, name: "DRAM".to_owned(), share: Some(1.0) }
                } else {
                    worst(reported.by_paper.bottlenecks)
                }
            }
        };
        notes.extend(reported.note());
        let clock_mhz = target.gpu.part.boost_mhz.value.max(1);
        let cycles = reported.number();
        let microseconds = cycles.map(|cycles| cycles / f64::from(clock_mhz));
        let executed =
            survey.counts.iter().map(|counts| counts.executed).sum::<f64>() * survey.all_warps as f64;
        let counted = launch.measured.as_ref().and_then(|measured| measured.executed());
        let instructions =
            counted.unwrap_or_else(|| prediction.map_or(executed, |prediction| prediction.instructions));
        // A warp that the survey cut off is assumed to continue with the same instruction mix.
        let missed = if survey.is_cut && executed > 0.0 { (instructions / executed).max(1.0) } else { 1.0 };
        let assumed = self.assumed(&survey, prediction);
        Ok(Ok(LaunchPrediction {
            launch: launch.name.clone(),
            function: names::kernel_name(chunk).to_owned(),
            demangled: names::demangle(names::kernel_name(chunk)),
            gpu: target.gpu.part.name.clone(),
            model: reported.model.name(),
            cycles,
            microseconds,
            clock_mhz,
            limiter,
            resources: resources_report(kernel, launch),
            occupancy: occupancy_report(&times.occupancy),
            waves: waves(launch, &times.occupancy, &target.gpu),
            instructions,
            rates: rates(self, &survey, missed, prediction, microseconds),
            l1_hit: prediction.and_then(|prediction| prediction.l1_hit),
            l2_hit: prediction.and_then(|prediction| prediction.l2_hit),
            stalls: reported.shown().map(stalls).unwrap_or_default(),
            busy: reported.shown().map(busy).unwrap_or_default(),
            convolution: convolution(self, &survey),
            assumed_in_words: assumed_in_words(&assumed),
            assumed,
            simulated: prediction.map(|prediction| prediction.simulated),
            notes,
            cycles_in_words: reported.in_words(),
            quick: reported.is_quick,
            to_state: reported.to_state.clone(),
            low: reported.low(),
            high: reported.high(),
            profile: self.taken().map(|(taken, _)| taken),
        }))
    }

    fn does_not_fit(&self) -> PredictError {
        let Self { kernel, launch, .. } = self;
        PredictError::DoesNotFit {
            launch: launch.name.clone(),
            function: names::kernel_name(kernel.chunk).to_owned(),
            threads: launch.threads_per_block(),
            registers: launch.registers.value,
            shared: launch.shared.value,
            gpu: kernel.target.gpu.part.name.clone(),
        }
    }
}

fn limited(prediction: &Prediction) -> LimitedBy {
    match prediction.limiter() {
        Limiter::Busy(resource) => {
            let share = prediction.busy.first().map_or(0.0, |busy| busy.1);
            LimitedBy { kind: LimitKind::Busy, name: resource.name().to_owned(), share: Some(share.min(1.0)) }
        }
        Limiter::Latency(reason) => {
            let share = prediction.stalls.first().map_or(0.0, |stall| stall.1);
            let name = reason.map_or("selected", |reason| reason.name());
            LimitedBy { kind: LimitKind::Latency, name: name.to_owned(), share: Some(share) }
        }
    }
}

/// The bottleneck with the largest finite value. If several are equal: the first of `ilp`, `comp`, `mem` and `pipe`.
fn worst(all: Bottlenecks) -> LimitedBy {
    let known = [("ilp", all.ilp), ("comp", all.comp), ("mem", all.mem), ("pipe", all.pipe)];
    let known =
        known.into_iter().filter_map(|(name, value)| Some((name, value.filter(|value| value.is_finite())?)));
    let (name, share) =
        known.reduce(|worst, other| if other.1 > worst.1 { other } else { worst }).unwrap_or(("pipe", 0.0));
    LimitedBy { kind: LimitKind::Bottleneck, name: name.to_owned(), share: Some(share) }
}

fn waves(launch: &Launch, occupancy: &Occupancy, gpu: &Gpu) -> Waves {
    let blocks = launch.blocks();
    let cluster = launch.cluster.iter().product();
    let blocks_at_once = gpu.part.blocks_at_once(occupancy.active_blocks, cluster).max(1);
    let count = blocks.div_ceil(blocks_at_once).max(1);
    let last = blocks.saturating_sub((count - 1) * blocks_at_once) as f64 / blocks_at_once as f64;
    Waves { blocks_at_once, exact: blocks as f64 / blocks_at_once as f64, count, last }
}

pub(crate) fn stalls(prediction: &Prediction) -> Vec<(&'static str, f64)> {
    prediction.stalls.iter().map(|(reason, share)| (reason.name(), *share)).collect()
}

fn busy(prediction: &Prediction) -> Vec<(&'static str, f64)> {
    prediction.busy.iter().map(|(resource, share)| (resource.name(), share.min(1.0))).collect()
}
