//! The paper's equations for a launch, with the trips that its warps were found to make where nobody states any.

use crate::kernel::KernelModel;
use crate::target::Target;
use machine::Flow;
use model::execution::Survey;
use model::{KernelTiming, Launch, Program};

/// Why a launch's cycles are not those of the simulation.
pub(super) const NOTE: &str = "The `pipeline` model does not apply here: it needs control codes and a GPU that is calibrated. The \
                               cycles are those of the `paper` model, an upper bound.";

pub(super) fn times(model: &KernelModel, target: &Target, launch: &Launch, survey: &Survey) -> KernelTiming {
    let launch = with_trips(launch, &model.program, survey);
    model::paper::kernel_times(&model.program, &model.times, &target.gpu, &launch)
}

/// The launch with trips for each loop: those that somebody stated, else how often the branch back executed for each time
/// that the branch of the loop around it did; once where it never did.
fn with_trips(launch: &Launch, program: &Program, survey: &Survey) -> Launch {
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
        let trips = executed(back) / times.max(f64::MIN_POSITIVE);
        let trips = if trips.is_finite() && trips >= 1.0 { trips.round() as u64 } else { 1 };
        launch.trips.entry(program.instructions[back].address).or_insert(trips);
    }
    launch
}
