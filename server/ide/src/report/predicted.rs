//! What the simulation of a launch says, in a kernel's report.

use super::KernelReport;
use crate::analysis::Analysis;
use crate::kernel::{Answer, KernelModel};
use crate::predict::{EDITOR_EFFORT, stalls};
use crate::target::Target;
use model::pipeline::Prediction;
use model::{Launch, ModelName};
use std::collections::BTreeSet;
use syntax::sass::Chunk;

/// How much is simulated of each launch of a report: for a file of few kernels enough to be near the whole launch, for one
/// of thousands as much as a reader waits for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Warp instructions of one launch.
    instructions: u64,
    /// Launches that nobody stated are not simulated: they are a guess, and in a file of many kernels all of them together
    /// would take longer than the rest.
    is_for_stated: bool,
}

impl Effort {
    /// Warp instructions of one launch at least and at most, and of all together.
    const LEAST: u64 = 2_000;
    const MOST: u64 = 150_000;
    const OF_ALL: u64 = 6_000_000;

    /// Kernels from which on they are many.
    const MANY: u64 = 101;

    pub(super) fn of_all(analysis: &Analysis) -> Self {
        let kernels = analysis.kernels().count() as u64;
        Self {
            instructions: (Self::OF_ALL / kernels.max(1)).clamp(Self::LEAST, Self::MOST),
            is_for_stated: kernels >= Self::MANY,
        }
    }

    /// For one kernel that somebody looks at.
    pub(super) const fn of_one() -> Self {
        Self { instructions: EDITOR_EFFORT, is_for_stated: false }
    }

    pub(super) const fn leaves_out(self, launch: &Launch) -> bool {
        self.is_for_stated && launch.assumed
    }
}

/// Puts the simulation's cycles, rate and stalls into a report by `paper`, where there are any.
pub(super) fn tell(
    analysis: &Analysis,
    chunk: &Chunk,
    model: &KernelModel,
    target: &Target,
    launch: &Launch,
    effort: Effort,
    report: &mut KernelReport,
) -> Answer<()> {
    if effort.leaves_out(launch) {
        return Ok(());
    }
    let Some(prediction) = analysis.prediction(chunk, model, target, launch, effort.instructions)? else {
        return Ok(());
    };
    let sm_cycles = prediction.cycles * f64::from(target.gpu.part.sm_count.value.max(1));
    report.cycles = Some(prediction.cycles);
    report.cycles_model = ModelName::Pipeline.name();
    report.ipc = (sm_cycles > 0.0).then(|| prediction.instructions / sm_cycles);
    let shares = stalls(&prediction).into_iter().map(|(reason, share)| (reason.to_owned(), share));
    report.stalls = Some(shares.collect());
    for note in &mut report.notes {
        note.insert_str(0, "By `paper`: ");
    }
    report.notes.splice(0..0, notes(analysis, chunk, model, &prediction));
    Ok(())
}

fn notes(analysis: &Analysis, chunk: &Chunk, model: &KernelModel, prediction: &Prediction) -> Vec<String> {
    let mut notes = vec![
        "Cycles, IPC and stalls are estimated by the `pipeline` model, bottlenecks and SP efficiency by `paper`.".to_owned(),
    ];
    let mut guessed = |insts: &BTreeSet<u32>, what: &str, means: &str| {
        const NAMED: usize = 4;
        let insts: Vec<u32> = insts.iter().copied().collect();
        if !insts.is_empty() {
            let places = analysis.all_located(chunk, &model.program, &insts, NAMED);
            notes.push(format!("{what} {places} {means}."));
        }
    };
    guessed(
        &prediction.guessed_trips,
        "Trips of the loops that end",
        "are a guess: state them in the launch's `trips`",
    );
    guessed(
        &prediction.unknown_addresses,
        "Addresses of the accesses",
        "are not known and taken to be scattered",
    );
    notes
}
