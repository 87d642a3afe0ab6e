//! Equations of the ICS'17 paper for a launch. Loops without a stated trip count use the trip counts of
//! the simulated warps.

use super::PredictionInputs;
use crate::engine::kernel_view::KernelView;
use crate::kernels::launch::uncounted;
use crate::kernels::launch_cycles::Cycles;
use crate::words::numbers::scaled;
use machine::Flow;
use model::execution::{MAX_UNSTATED_TRIPS, Survey};
use model::{KernelTiming, Launch, Program};
use std::collections::BTreeMap;

/// Note for a launch whose cycles are not simulated.
pub(super) const NOTE: &str = "The `pipeline` model does not apply here: it needs control codes and a GPU that is calibrated. The \
                               cycles are those of the `paper` model, an upper bound.";

/// Lower bound on a launch's cycles that follows from its DRAM traffic. The paper's equations ignore bandwidth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DramFloor {
    pub cycles: f64,
    /// Number of distinct bytes that the launch reads from or writes to DRAM.
    pub bytes: f64,
    pub bytes_per_second: f64,
}

impl DramFloor {
    /// Computes the bound for a launch. `None` if no DRAM traffic of the launch is known, or if the DRAM bandwidth of
    /// the part is unknown.
    fn compute(question: &PredictionInputs<'_>) -> Option<Self> {
        let PredictionInputs { kernel, launch, .. } = *question;
        let part = &kernel.target.gpu.part;
        let bytes = kernel.model.min_traffic(kernel.chunk, launch).bytes();
        let bytes_per_second = part.dram_bytes_per_second.value;
        let clock = f64::from(part.boost_mhz.value) * 1e6;
        let cycles = bytes / bytes_per_second * clock;
        (bytes > 0.0 && cycles.is_finite()).then_some(Self { cycles, bytes, bytes_per_second })
    }

    /// Explains in a sentence that DRAM determines the cycles.
    pub(crate) fn note(&self) -> String {
        format!(
            "The equations ignore DRAM bandwidth and predict fewer cycles; the cycles shown are the time for {}.",
            self.in_words()
        )
    }

    /// Formats the traffic: `805 MB of DRAM traffic at 1.01 TB/s`.
    pub(crate) fn in_words(&self) -> String {
        format!("{}B of DRAM traffic at {}B/s", scaled(self.bytes), scaled(self.bytes_per_second))
    }
}

/// Raises the paper's cycles to the DRAM bound, if they are lower. Also returns the bound if the raised cycles equal
/// it.
pub(super) fn raise(
    question: &PredictionInputs<'_>,
    cycles: Cycles,
    times: &mut KernelTiming,
) -> (Cycles, Option<DramFloor>) {
    let below = |floor: &DramFloor| match cycles {
        Cycles::Known(cycles) => cycles < floor.cycles,
        Cycles::Between { low, .. } => low < floor.cycles,
        Cycles::NotTimed(_) | Cycles::EndlessWait(_) | Cycles::Unknown => false,
    };
    let Some(floor) = DramFloor::compute(question).filter(below) else { return (cycles, None) };
    match cycles {
        Cycles::Known(cycles) => {
            let longer = floor.cycles / cycles.max(1.0);
            times.ipc = times.ipc.map(|ipc| ipc / longer);
            times.sp_efficiency = times.sp_efficiency.map(|share| share / longer);
            (Cycles::Known(floor.cycles), Some(floor))
        }
        Cycles::Between { high, .. } if high > floor.cycles => {
            (Cycles::Between { low: floor.cycles, high }, None)
        }
        _ => (Cycles::Known(floor.cycles), Some(floor)),
    }
}

/// Returns the cycles of a launch with unstated trip counts, and the corresponding times.
pub(super) fn cycles(question: &PredictionInputs<'_>) -> (Cycles, KernelTiming) {
    let PredictionInputs { kernel, launch, times, .. } = *question;
    let KernelView { chunk, target, model, .. } = kernel;
    let survey = model.survey(chunk, launch);
    let of = |guessed: u64| {
        let launch = with_trips(launch, &model.program, &survey, guessed);
        model::paper::kernel_times(&model.program, &model.times, &target.gpu, &launch)
    };
    if survey.guessed_trips.is_empty() {
        let found = of(1);
        return (found.cycles.map_or(Cycles::Unknown, Cycles::Known), found);
    }
    let between = of(1).cycles.zip(of(MAX_UNSTATED_TRIPS).cycles);
    (between.map_or(Cycles::Unknown, |(low, high)| Cycles::Between { low, high }), times.clone())
}

/// Returns the launch with a trip count for each loop. An unstated trip count is the execution count of the loop's back
/// branch, divided by the execution count of the enclosing loop's back branch, and at least 1. `guessed` is the trip
/// count of loops whose end depends on a value in memory.
fn with_trips(launch: &Launch, program: &Program, survey: &Survey, guessed: u64) -> Launch {
    let executed = |branch: usize| survey.counts.get(branch).map_or(0.0, |counts| counts.executed);
    let loops: Vec<(usize, usize)> = program
        .instructions
        .iter()
        .enumerate()
        .filter(|(_, inst)| inst.flow == Flow::Branch)
        .filter_map(|(back, inst)| Some((inst.target? as usize, back)))
        .filter(|(head, back)| head <= back)
        .collect();
    let mut launch = launch.clone();
    for &(head, back) in &loops {
        let around = loops.iter().filter(|&&(first, last)| first <= head && last > back);
        let times = around.min_by_key(|(first, last)| last - first).map_or(1.0, |&(_, last)| executed(last));
        let is_guessed = survey.guessed_trips.iter().any(|&branch| {
            let branch = branch as usize;
            let inner = loops.iter().filter(|(first, last)| (*first..=*last).contains(&branch));
            inner.min_by_key(|(first, last)| last - first) == Some(&(head, back))
        });
        let trips = executed(back) / times.max(f64::MIN_POSITIVE);
        let trips = if is_guessed {
            guessed
        } else if trips.is_finite() && trips >= 1.0 {
            trips.round() as u64
        } else {
            1
        };
        launch.trips.entry(program.instructions[back].address).or_insert(trips);
    }
    launch
}

/// Returns each loop's trip count in the simulated warps of the kernel's first stated launch, keyed by the address of
/// the loop's branch. Empty if no launch is stated, if a warp is cut off, or if the end of a loop depends on memory
/// contents.
pub(crate) fn simulated_trips(kernel: &KernelView<'_>) -> BTreeMap<u32, u64> {
    let launches = uncounted(kernel);
    let Some((launch, _)) = launches.first().filter(|(launch, _)| !launch.assumed) else {
        return BTreeMap::new();
    };
    let survey = kernel.model.survey(kernel.chunk, launch);
    if survey.is_cut || !survey.guessed_trips.is_empty() {
        return BTreeMap::new();
    }
    let reached = |address: &u32| {
        let mut all = kernel.program().instructions.iter().zip(&survey.counts);
        all.any(|(inst, counts)| inst.address == *address && counts.executed > 0.0)
    };
    let mut trips = with_trips(launch, kernel.program(), &survey, 1).trips;
    trips.retain(|address, _| reached(address));
    trips
}
