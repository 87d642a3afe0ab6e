//! The paper's equations for a launch, with the trips that its warps were found to make where nobody states any.

use super::Question;
use crate::engine::kernel_view::KernelView;
use crate::sass::launch_cycles::Cycles;
use machine::Flow;
use model::execution::{MOST_UNSTATED_TRIPS, Survey};
use model::{KernelTiming, Launch, Program};

/// Why a launch's cycles are not those of the simulation.
pub(super) const NOTE: &str = "The `pipeline` model does not apply here: it needs control codes and a GPU that is calibrated. The \
                               cycles are those of the `paper` model, an upper bound.";

/// The cycles of a launch of which some loops have no stated trips, and the times that go with them.
pub(super) fn cycles(question: &Question<'_>) -> (Cycles, KernelTiming) {
    let Question { kernel, launch, times, .. } = *question;
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
    let between = of(1).cycles.zip(of(MOST_UNSTATED_TRIPS).cycles);
    (between.map_or(Cycles::Unknown, |(low, high)| Cycles::Between { low, high: Some(high) }), times.clone())
}

/// The launch with trips for each loop: those that somebody stated, else how often the branch back executed for each time
/// that the branch of the loop around it did; once where it never did. `guessed`: those of loops that memory ends.
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
