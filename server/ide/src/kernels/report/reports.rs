//! Reports of a document's kernels at each of their launches. They are computed one by one, in any
//! order, on any thread.

use super::advice::advice_report;
use super::fill::{at_launch, instruction, is_constant, is_followed, state};
use super::line_cost;
use super::predicted::{NotSimulated, SimulationSelection};
use super::statements::by_statement;
use super::{InstructionReport, KernelReport, MetricsReport};
use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::SassView;
use crate::kernels::launch::{self, launches};
use crate::kernels::predict::PredictionInputs;
use model::execution::Survey;
use model::{KernelTiming, Launch};
use std::sync::{Arc, Mutex, PoisonError};
use syntax::sass::Chunk;

/// Requested sections of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportSections {
    pub instructions: bool,
    /// Cycles, IPC, stalls, warp executions, memory requests and advice.
    pub predictions: bool,
    /// Costs per source line.
    pub lines: bool,
}

/// Reports to compute, in text order: one per kernel and launch.
#[derive(Debug)]
pub struct Reports<'a> {
    sass: &'a SassView,
    wanted: ReportSections,
    effort: SimulationSelection,
    keeps_models: bool,
    kernels: Vec<Kernel<'a>>,
    /// For each report: the index of its kernel, and the index of the launch among the kernel's
    /// launches.
    launches: Vec<(usize, usize)>,
}

#[derive(Debug)]
struct Kernel<'a> {
    /// Index among the document's chunks.
    index: usize,
    shared: Mutex<Shared<'a>>,
}

/// Data that all reports of a kernel share.
#[derive(Debug)]
struct Shared<'a> {
    /// Set when the kernel's first report is computed, cleared when the last report is computed.
    prepared: Option<Arc<PreparedKernel<'a>>>,
    /// Number of reports that are not computed yet.
    left: usize,
}

#[derive(Debug)]
struct PreparedKernel<'a> {
    kernel: KernelView<'a>,
    launches: Vec<(Launch, KernelTiming)>,
    instructions: Vec<InstructionReport>,
}

impl<'a> Reports<'a> {
    /// Creates reports that drop a kernel's model after the kernel's last report. If instructions are
    /// not requested, models are kept, because a query for the instructions often follows.
    pub(crate) fn new(sass: &'a SassView, function: Option<&str>, wanted: ReportSections) -> Self {
        let mut launches = Vec::new();
        let mut kernels = Vec::new();
        let mut assumed = 0;
        for (index, chunk) in sass.kernels_named(function) {
            let left = launch::count(sass, chunk);
            assumed += u64::from(!launch::is_stated(sass, chunk));
            launches.extend((0..left).map(|launch| (kernels.len(), launch)));
            let shared = Mutex::new(Shared { prepared: None, left });
            kernels.push(Kernel { index, shared });
        }
        let effort = SimulationSelection::for_all(assumed, wanted.predictions);
        Self { sass, wanted, effort, keeps_models: !wanted.instructions, kernels, launches }
    }

    /// Creates reports of all kernels with everything except line costs. Models stay memoized.
    pub(super) fn keeping(sass: &'a SassView) -> Self {
        let wanted = ReportSections { instructions: true, predictions: true, lines: false };
        Self { keeps_models: true, ..Self::new(sass, None, wanted) }
    }

    /// Number of reports.
    pub fn len(&self) -> usize {
        self.launches.len()
    }

    /// True if no kernel was found.
    pub fn is_empty(&self) -> bool {
        self.launches.is_empty()
    }

    /// Computes the report with index `number`.
    ///
    /// # Panics
    ///
    /// If `number` is not less than `len()`.
    pub fn report(&self, number: usize) -> Cancellable<KernelReport> {
        let (kernel, number) = self.launches[number];
        self.sass.cancel.check()?;
        let prepared = self.prepare(&self.kernels[kernel]);
        let PreparedKernel { kernel, launches, .. } = &*prepared;
        let (launch, times) = &launches[number];
        let mut report = at_launch(&PredictionInputs { kernel, launch, number, times }, self.effort)?;
        report.notes.insert(0, format!("GPU: {}", kernel.target.describe()));
        if self.wanted.instructions {
            self.add_instructions(&prepared, launch, &mut report)?;
        }
        if self.wanted.lines {
            report.lines = Some(line_cost::of_kernel(kernel, launch, self.effort.budget(launch).ok())?);
        }
        Ok(report)
    }

    /// Returns the shared data of a kernel's reports. The first call computes the data. The last call
    /// drops it.
    fn prepare(&self, kernel: &Kernel<'a>) -> Arc<PreparedKernel<'a>> {
        let mut shared = kernel.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let prepared = shared.prepared.take().unwrap_or_else(|| Arc::new(self.prepared(kernel.index)));
        shared.left = shared.left.saturating_sub(1);
        if shared.left > 0 {
            shared.prepared = Some(Arc::clone(&prepared));
        }
        prepared
    }

    fn prepared(&self, index: usize) -> PreparedKernel<'a> {
        let kernel = if self.keeps_models { self.sass.kernel(index) } else { self.sass.take_kernel(index) };
        let count = if self.wanted.instructions { kernel.chunk.instructions().len() } else { 0 };
        let issues = if count > 0 { kernel.issues() } else { None };
        let instructions = (0..count).map(|inst| instruction(&kernel, issues, inst)).collect();
        let launches = launches(&kernel);
        PreparedKernel { kernel, launches, instructions }
    }

    /// Adds the instructions and the advice for a launch.
    fn add_instructions(
        &self,
        prepared: &PreparedKernel<'_>,
        launch: &Launch,
        report: &mut KernelReport,
    ) -> Cancellable<()> {
        let PreparedKernel { kernel, instructions, .. } = prepared;
        let KernelView { chunk, model, .. } = kernel;
        report.instructions.clone_from(instructions);
        self.sass.cancel.check()?;
        let effort = self.effort.budget(launch);
        if effort.is_ok() {
            report.advice = Some(advice_report(kernel, launch));
        }
        let survey = match effort {
            Ok(_) if launch.assumed => Some(model.guessed_survey(chunk, launch)),
            Ok(_) => Some(model.full_survey(chunk, launch)),
            Err(NotSimulated::TooMany(_)) => Some(model.survey(chunk, launch)),
            Err(NotSimulated::Unasked) => None,
        };
        match survey {
            Some(survey) => {
                surveyed(chunk, &mut report.instructions, &survey);
                report.metrics = MetricsReport::of_launch(kernel, launch, &survey);
            }
            None => unsurveyed(&mut report.instructions),
        }
        if let Some(source) = kernel.source() {
            report.instructions = by_statement(source, &model.program, &report.instructions);
        }
        Ok(())
    }
}

/// Adds the executions, active lanes and memory requests of the simulated warps.
fn surveyed(chunk: &Chunk, instructions: &mut [InstructionReport], survey: &Survey) {
    for (index, instruction) in instructions.iter_mut().enumerate() {
        // The counts are incomplete if a warp was cut off before its end.
        if let Some(counts) = survey.counts.get(index).filter(|_| !survey.is_cut) {
            (instruction.executed, instruction.lanes) = (Some(counts.executed), Some(counts.lanes));
        }
        let executed = instruction.executed;
        let Some(memory) = &mut instruction.memory else { continue };
        if let Some(found) = survey.uses.get(&(index as u32)) {
            state(memory, found, executed);
        } else {
            // If no warp reaches an access to a simulated memory space, the access has no unknown
            // costs.
            let is_known = is_followed(memory.space) || executed == Some(0.0) || is_constant(chunk, index);
            (memory.known, memory.executed) = (Some(is_known), executed);
        }
    }
}

/// Clears the fields that require simulated warps.
fn unsurveyed(instructions: &mut [InstructionReport]) {
    for memory in instructions.iter_mut().filter_map(|instruction| instruction.memory.as_mut()) {
        memory.known = None;
    }
}
