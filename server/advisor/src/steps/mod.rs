//! The bottlenecks of a kernel, the instructions that cause them, and the steps that lower them.
//!
//! Source: Zhou et al., "A Performance Analysis Framework for Exploiting GPU Microarchitectural Capability"
//! (ICS'17): bottlenecks in section 3.3, steps in section 4. Each step has its own file. A step is offered if
//! the model predicts a lower bottleneck for the changed program. A step without an equation in the paper is
//! marked in its file.

mod bank_width;
mod dual_issue;
mod instruction_scheduling;
mod read_only_cache;
mod register_blocking;
mod register_reuse;
mod step;
mod subject;
#[cfg(test)]
mod tests;

pub use bank_width::{Merge, merges};
pub use step::{Advice, Bottleneck, Change, SignificantBottleneck, Step, StepName};
pub use subject::KernelAtLaunch;

use subject::StepContext;

use model::paper::{self, code_times, kernel_times};

/// Smallest value at which a bottleneck is reported. The paper calls code highly optimized if its metrics are
/// "close to 0" (section 3.3), and states no number.
pub const SIGNIFICANT: f64 = 0.1; // limit: less is not worth a reader's time

/// Returns the significant bottlenecks of a kernel at a launch, and the steps that lower them.
pub fn advise(subject: &KernelAtLaunch<'_>) -> Advice {
    let timed = subject.timed(subject.program);
    let code = code_times(&timed, subject.miss_ratio);
    let before = kernel_times(&timed, &code, subject.gpu, subject.launch).bottlenecks;
    let mut found = Vec::new();
    for bottleneck in Bottleneck::ALL {
        if let Some(value) = bottleneck.value_in(&before).filter(|&value| value >= SIGNIFICANT) {
            found.push(SignificantBottleneck { bottleneck, value, causes: Vec::new() });
        }
    }
    if found.is_empty() {
        return Advice { before, found, steps: Vec::new() };
    }
    let causes = paper::causes(&timed, &code, subject.launch);
    for one in &mut found {
        one.causes.clone_from(match one.bottleneck {
            Bottleneck::Ilp => &causes.ilp,
            Bottleneck::Comp => &causes.comp,
            Bottleneck::Mem => &causes.mem,
            Bottleneck::Pipe => &causes.pipe,
        });
    }
    found.sort_by(|a, b| b.value.total_cmp(&a.value));
    let scene = StepContext { subject, before: &before, found: &found };
    let steps = [
        register_reuse::step(&scene),
        register_blocking::step(&scene),
        bank_width::step(&scene),
        dual_issue::step(&scene),
        instruction_scheduling::step(&scene),
        read_only_cache::step(&scene),
    ];
    let steps = steps.into_iter().flatten().collect();
    Advice { before, found, steps }
}
