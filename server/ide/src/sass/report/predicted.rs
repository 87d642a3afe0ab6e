//! Results of a launch's simulation, in a kernel's report.

use super::KernelReport;
use super::advice::all_four;
use crate::engine::cancel::Answer;
use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::SassView;
use crate::sass::predict::{EDITOR_EFFORT, Question, stalls};
use model::Launch;
use model::pipeline::{Budget, Prediction};
use std::collections::BTreeSet;

/// Amount that is simulated of each launch of a report. It is counted in instructions, not in time, so that the same
/// file has the same report on every machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// For a launch that somebody stated.
    stated: Budget,
    /// The same of one that nobody stated; `Err`: these are left out.
    assumed: Result<Budget, LeftOut>,
    /// Launches are not predicted at all.
    is_unasked: bool,
}

/// Why a launch is not simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// Nobody asked for predictions.
    Unasked,
    /// So many kernels have a launch that nobody stated: more than their budget is for.
    Budget(u64),
}

impl Effort {
    /// Warp instructions of one stated launch at least and at most, and of all together.
    const LEAST: u64 = 2_000;
    const MOST: u64 = 100_000;
    const OF_ALL: u64 = 6_000_000;

    /// Warp instructions of all launches together that nobody stated: they are guesses, and a reader does not wait long for
    /// them. Where less would be left for one than an editor takes, all of them are left out.
    const OF_ASSUMED: u64 = 300_000;

    /// The share of that budget from which on the worst case of a launch is simulated: with less, most of it would be cut off.
    const OF_WORST: u64 = 50_000;

    /// `assumed`: kernels of the report whose launch nobody states.
    pub(super) fn for_all(sass: &SassView, assumed: u64, is_asked: bool) -> Self {
        let kernels = sass.kernels().count() as u64;
        let each = (Self::OF_ASSUMED / assumed.max(1)).min(Self::MOST);
        Self {
            stated: Budget::new((Self::OF_ALL / kernels.max(1)).clamp(Self::LEAST, Self::MOST)),
            assumed: if each < EDITOR_EFFORT {
                Err(LeftOut::Budget(assumed))
            } else {
                Ok(Budget { instructions: each, has_worst: each >= Self::OF_WORST })
            },
            is_unasked: !is_asked,
        }
    }

    /// For one kernel that somebody looks at.
    pub(super) const fn for_one() -> Self {
        let budget = Budget::new(EDITOR_EFFORT);
        Self { stated: budget, assumed: Ok(budget), is_unasked: false }
    }

    /// The budget of a launch.
    pub(super) fn budget(self, launch: &Launch) -> Result<Budget, LeftOut> {
        match self {
            Self { is_unasked: true, .. } => Err(LeftOut::Unasked),
            Self { assumed, .. } if launch.assumed => assumed,
            Self { stated, .. } => Ok(stated),
        }
    }
}

impl LeftOut {
    fn note(self) -> String {
        match self {
            Self::Unasked => {
                "Not predicted, as asked: cycles, IPC, stalls, advice, and what a launch's warps execute and \
                              ask of memory."
                    .to_owned()
            }
            Self::Budget(kernels) => format!(
                "Not predicted: cycles, IPC, stalls and advice. Nobody states this launch, and {kernels} kernels without \
                 one are more than the budget of {} simulated warp instructions is for. Name one kernel, or state its \
                 launch.",
                Effort::OF_ASSUMED
            ),
        }
    }
}

/// Puts the launch's cycles into a report by `paper` and, where they are simulated, the rate and stalls with them.
pub(super) fn tell(question: &Question<'_>, effort: Effort, report: &mut KernelReport) -> Answer<()> {
    let Question { kernel, launch, .. } = *question;
    let budget = match effort.budget(launch) {
        Ok(budget) => budget,
        Err(left_out) => {
            (report.cycles, report.ipc, report.is_left_out) = (None, None, true);
            "cycles not predicted".clone_into(&mut report.cycles_in_words);
            report.notes.insert(0, left_out.note());
            return Ok(());
        }
    };
    let told = question.cycles(budget)?;
    (report.cycles, report.low, report.high) = (told.number(), told.low(), told.high());
    report.not_timed = told.not_timed().map(str::to_owned);
    report.cycles_in_words = told.in_words();
    report.quick = told.is_quick;
    report.cycles_model = told.model.name();
    let Some(prediction) = &told.prediction else {
        report.ipc = told.by_paper.ipc;
        report.sp_efficiency = told.by_paper.sp_efficiency;
        report.bottlenecks = all_four(told.by_paper.bottlenecks);
        report.notes.clone_from(&told.by_paper.notes);
        report.notes.extend(told.note());
        report.notes.extend(told.dram.map(|floor| floor.note()));
        return Ok(());
    };
    report.ipc = told.ipc(&kernel.target);
    let shares =
        |prediction| stalls(prediction).into_iter().map(|(reason, share)| (reason.to_owned(), share));
    report.stalls = told.shown().map(|prediction| shares(prediction).collect());
    for note in &mut report.notes {
        note.insert_str(0, "ICS'17 model: ");
    }
    let quick = told.is_quick.then(|| {
        "The cycles are a quick estimate: only a part of the launch was simulated. `warplens predict` simulates more."
            .to_owned()
    });
    let own = notes(kernel, prediction).into_iter().chain(told.note()).chain(quick);
    report.notes.splice(0..0, own);
    Ok(())
}

fn notes(kernel: &KernelView<'_>, prediction: &Prediction) -> Vec<String> {
    let mut notes = vec![
        "Cycles, IPC and stalls are estimated by the `pipeline` model, bottlenecks and SP efficiency by the ICS'17 model (`paper`)."
            .to_owned(),
    ];
    let mut guessed = |insts: &BTreeSet<u32>, what: &str, means: &str| {
        const NAMED: usize = 4;
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
