//! Advice of the ICS'17 paper for a kernel, for hovers, reports and code actions.

mod words;

pub(crate) use words::{bottleneck_in_words, changes, step_in_words};

use crate::engine::kernel_view::KernelView;
use advisor::steps::{self, Advice, KernelAtLaunch, StepName};
use model::paper::MissRatio;
use model::{Launch, Program};
use std::fmt::Write;

/// Maximum number of instructions in a kernel for which advice computes control codes. Computing them takes a few
/// hundred milliseconds.
const MAX_SCHEDULED: usize = 5_000; // limit: a few hundred milliseconds
/// Used instead of [`MAX_SCHEDULED`] for a hover or a menu, because the user waits.
const MAX_SCHEDULED_AT_ONCE: usize = 1_000; // limit: a hover must not wait

/// Returns the advice for a kernel at a launch. `at_once` limits the computation of control codes to
/// kernels of [`MAX_SCHEDULED_AT_ONCE`] instructions.
pub(crate) fn advise(kernel: &KernelView<'_>, launch: &Launch, at_once: bool) -> Advice {
    let KernelView { chunk, target, .. } = kernel;
    let most = if at_once { MAX_SCHEDULED_AT_ONCE } else { MAX_SCHEDULED };
    // The user cannot change the instruction order or the control codes of a hidden listing.
    let is_seen = kernel.source().is_none();
    let may_schedule = is_seen && target.isa_sm == target.gpu.arch.sm && chunk.instructions().len() <= most;
    advise_on(kernel, launch, may_schedule)
}

fn advise_on(kernel: &KernelView<'_>, launch: &Launch, may_schedule: bool) -> Advice {
    let KernelView { sass, chunk, target, model, .. } = kernel;
    let program = Program::decode(chunk, &model.isa_arch);
    let miss_ratio = MissRatio::new(sass.context.config.miss_ratio);
    steps::advise(&KernelAtLaunch::new(chunk, &program, &target.gpu, launch, miss_ratio, may_schedule))
}

/// Returns a sentence with the advice on register blocking, and the affected instructions. Register blocking is the
/// only step that requires a change of the kernel's source. `None` if the step does not apply.
pub(crate) fn for_source(kernel: &KernelView<'_>, launch: &Launch) -> Option<(String, Vec<u32>)> {
    let advice = advise_on(kernel, launch, false);
    let step = advice.steps.iter().find(|step| step.name == StepName::RegisterBlocking)?;
    Some((step_in_words(step, &advice.before), step.instructions.clone()))
}

/// Formats the advice as lines of Markdown for a kernel's hover. Empty if the kernel has no significant bottleneck and
/// no step applies.
pub(crate) fn markdown(kernel: &KernelView<'_>, launch: &Launch) -> String {
    let advice = advise(kernel, launch, true);
    let mut text = String::new();
    for found in &advice.found {
        let _ = writeln!(text, "- Bottleneck {}", bottleneck_in_words(kernel, found));
    }
    for step in &advice.steps {
        let name = &kernel.target.gpu.part.name;
        let _ = writeln!(text, "- {} (estimated for {name})", step_in_words(step, &advice.before));
    }
    text
}
