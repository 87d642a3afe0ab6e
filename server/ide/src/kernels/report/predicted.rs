//! Simulation results for the report of a kernel.

use super::KernelReport;
use super::advice::all_four;
use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::kernels::predict::effort::{full, quick};
use crate::kernels::predict::{LimitKind, PredictionInputs, stalls};
use model::Launch;
use model::pipeline::{Budget, Prediction};
use std::collections::BTreeSet;

/// Selects which launches of a report are simulated, and the simulation budget per launch. The budget counts
/// instructions, not time, so a file has the same report on every machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct SimulationSelection {
    budget: fn(&Launch) -> Budget,
    /// Reason why assumed launches are not simulated; `None` if they are simulated.
    left_out: Option<NotSimulated>,
    /// True if no launch is predicted.
    is_unasked: bool,
}

/// Reason why a launch is not simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotSimulated {
    /// Predictions were not requested.
    Unasked,
    /// More than `MAX_ASSUMED` kernels have an assumed launch. Holds the number of such kernels.
    TooMany(u64),
}

impl SimulationSelection {
    /// Maximum number of kernels with an assumed launch. If a report has more, none of their launches is simulated:
    /// their figures would be guesses, and a reader should not wait for them.
    const MAX_ASSUMED: u64 = 37; // limit: bounds the time of a report

    /// Returns the selection for the report of a document: full simulations, but none of an assumed launch if too
    /// many kernels have one. `assumed` is the number of kernels with an assumed launch. If `is_asked` is false, no
    /// launch is simulated.
    pub(super) fn for_all(assumed: u64, is_asked: bool) -> Self {
        let left_out = (assumed > Self::MAX_ASSUMED).then_some(NotSimulated::TooMany(assumed));
        Self { budget: full, left_out, is_unasked: !is_asked }
    }

    /// Returns the selection for one kernel that the user views in an editor: quick simulations. A
    /// memoized result with a larger budget is used instead.
    pub(super) fn for_one() -> Self {
        Self { budget: |_| quick(), left_out: None, is_unasked: false }
    }

    /// Returns the simulation budget of a launch. `Err` is the reason why the launch is not simulated.
    pub(super) fn budget(self, launch: &Launch) -> Result<Budget, NotSimulated> {
        match self {
            Self { is_unasked: true, .. } => Err(NotSimulated::Unasked),
            Self { left_out: Some(why), .. } if launch.assumed => Err(why),
            Self { budget, .. } => Ok(budget(launch)),
        }
    }
}

impl NotSimulated {
    fn note(self) -> String {
        match self {
            Self::Unasked => {
                "Not predicted, as requested: cycles, IPC, stalls, advice, and the executions and memory requests of a \
                 launch's warps."
                    .to_owned()
            }
            Self::TooMany(kernels) => format!(
                "Not predicted: cycles, IPC, stalls and advice. No launch is stated for {kernels} kernels of this file, and at \
                 most {} such kernels are simulated. Name one kernel, or state its launch.",
                SimulationSelection::MAX_ASSUMED
            ),
        }
    }
}

/// Writes the launch's cycles into a report: cycles of the `paper` model, or simulated cycles with IPC
/// and stalls.
pub(super) fn tell(
    question: &PredictionInputs<'_>,
    effort: SimulationSelection,
    report: &mut KernelReport,
) -> Cancellable<()> {
    let PredictionInputs { kernel, launch, .. } = *question;
    let budget = match effort.budget(launch) {
        Ok(budget) => budget,
        Err(left_out) => {
            (report.cycles, report.ipc, report.is_left_out) = (None, None, true);
            "cycles not predicted".clone_into(&mut report.cycles_in_words);
            report.notes.insert(0, left_out.note());
            return Ok(());
        }
    };
    let reported = question.cycles(budget)?;
    (report.cycles, report.low, report.high) = (reported.number(), reported.low(), reported.high());
    let reason = reported.unknown_limit();
    let named = |kind| reason.as_ref().filter(|limit| limit.kind == kind).map(|limit| limit.name.clone());
    report.not_timed = named(LimitKind::NotTimed);
    report.endless_wait = named(LimitKind::EndlessWait);
    report.cycles_in_words = reported.in_words();
    report.to_state.clone_from(&reported.to_state);
    report.quick = reported.is_quick;
    report.cycles_model = reported.model.name();
    let Some(prediction) = &reported.prediction else {
        report.ipc = reported.by_paper.ipc;
        report.sp_efficiency = reported.by_paper.sp_efficiency;
        report.bottlenecks = all_four(reported.by_paper.bottlenecks);
        report.notes.clone_from(&reported.by_paper.notes);
        report.notes.extend(reported.note());
        report.notes.extend(reported.dram.map(|floor| floor.note()));
        return Ok(());
    };
    report.ipc = reported.ipc(&kernel.target);
    let shares =
        |prediction| stalls(prediction).into_iter().map(|(reason, share)| (reason.to_owned(), share));
    report.stalls = reported.shown().map(|prediction| shares(prediction).collect());
    for note in &mut report.notes {
        note.insert_str(0, "ICS'17 model: ");
    }
    let quick = reported.is_quick.then(|| {
        "The cycles are a quick estimate: only a small part of the launch was simulated. The full simulation follows."
            .to_owned()
    });
    let own = notes(kernel, prediction).into_iter().chain(reported.note()).chain(quick);
    report.notes.splice(0..0, own);
    Ok(())
}

fn notes(kernel: &KernelView<'_>, prediction: &Prediction) -> Vec<String> {
    let mut notes = vec![
        "Cycles, IPC and stalls are estimated by the `pipeline` model, bottlenecks and SP efficiency by the ICS'17 model (`paper`)."
            .to_owned(),
    ];
    let mut guessed = |insts: &BTreeSet<u32>, what: &str, means: &str| {
        const NAMED: usize = 4; // limit: one line of text
        let insts: Vec<u32> = insts.iter().copied().collect();
        if !insts.is_empty() {
            let places = kernel.all_located(&insts, NAMED);
            notes.push(format!("{what} {places} {means}."));
        }
    };
    guessed(
        &prediction.guessed_trips,
        "Iterations of the loops that end",
        "are unknown and guessed. Set `trips` in warplens.toml",
    );
    guessed(&prediction.unknown_addresses, "Addresses of the accesses", "are unknown; assumed scattered");
    notes
}
