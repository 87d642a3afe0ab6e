//! RR, register reuse: fewer registers per thread, so that an SM holds more warps to hide latencies.
//!
//! The paper raises its convolution from one active block to two with this step (section 4.2.2). This raises
//! Interleave and lowers B_pipe (Equation 21). A kernel needs at least as many registers as are live at any
//! instruction.

use super::{Bottleneck, Change, Step, StepContext, StepName};
use model::dataflow::Liveness;
use model::launch::Stated;
use model::{Launch, OccupancyLimiter};

pub(super) fn step(scene: &StepContext<'_>) -> Option<Step> {
    let subject = scene.subject;
    // The limiter of an assumed launch is unknown.
    if !scene.is_significant(Bottleneck::Pipe) || subject.launch.assumed {
        return None;
    }
    let before = subject.run(subject.program, subject.launch).occupancy;
    if before.limiter != OccupancyLimiter::Registers {
        return None;
    }
    let kept = subject.gpu.arch.resources.registers_kept_per_thread.value;
    let live = u32::from(Liveness::compute(subject.program, &subject.program.arch.isa).max().general);
    let now = subject.launch.registers;
    let with = |registers: u32| {
        let launch = Launch { registers: Stated { value: registers, by: now.by }, ..subject.launch.clone() };
        (registers, subject.run(subject.program, &launch))
    };
    let mut fewer = (live + kept..now.value).rev().map(with);
    let (registers, times) = fewer.find(|(_, times)| times.occupancy.active_warps > before.active_warps)?;
    let lowers = scene.lowered(&[Bottleneck::Pipe], &times.bottlenecks);
    if lowers.is_empty() {
        return None;
    }
    Some(Step {
        name: StepName::RegisterReuse,
        lowers,
        instructions: Vec::new(),
        message: format!(
            "at most {live} of {} registers are live at any instruction; with {registers}, an SM would hold {} \
             warps instead of {}",
            now.value, times.occupancy.active_warps, before.active_warps
        ),
        after: Some(times.bottlenecks),
        change: Change::Reader,
    })
}
