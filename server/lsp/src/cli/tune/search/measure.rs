//! Measures the best tilings on the GPU in this computer.

use super::super::printed_family::PrintedFamily;
use super::answer::Answer;
use super::cache;
use super::measurement_origin::MeasurementOrigin;
use crate::cli::date;
use crate::cli::failure::Failure;
use crate::cli::progress::Progress;
use crate::read::never;
use lab::tune::{Collector, Machine, RankedTiling};
use std::collections::HashMap;
use toolchain::Consent;

/// Measures all of an answer's tilings and sorts them by time. Tilings that do not run are removed.
pub(super) fn measure<P: PrintedFamily>(
    answer: &mut Answer<P>,
    again: bool,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let place = cache::place(answer);
    if let Some(place) = &place
        && !again
        && let Some((measured, times)) = cache::read(place, answer)
    {
        take(answer, measured, &times);
        return Ok(());
    }
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", P::COMMAND));
    progress.stage("building the benchmark", answer.best.len() as u64);
    let collector = Collector::begin(Consent::by_command_line()).map_err(|error| failed(&error))?;
    let found = &collector.device().name;
    if Machine::builtin().gpu(found).map_or(true, |gpu| gpu.part.id != answer.gpu.part.id) {
        return Err(failed(&format_args!(
            "this computer's GPU is {found}; expected {}",
            answer.gpu.part.name
        )));
    }
    progress.stage("measuring", answer.best.len() as u64);
    let tilings: Vec<P::Tiling> = answer.best.iter().map(|ranked| ranked.tiling).collect();
    let mut tell = |done: usize| progress.reach(done as u64);
    // Ctrl+C ends the process, and the programs that it runs.
    let times = collector.time(&answer.problem, &tilings, &mut tell, &never);
    let times = times.map_err(|error| failed(&error))?;
    let times: HashMap<P::Tiling, f64> =
        tilings.iter().zip(times).filter_map(|(tiling, time)| Some((*tiling, time?))).collect();
    if times.is_empty() {
        return Err(failed(&"no kernel could be assembled and run; see `warplens tune verify`"));
    }
    let measured = MeasurementOrigin {
        gpu: format!("{found}, driver {}", collector.driver()),
        date: date::today(),
        wanted: tilings.len(),
        ran: times.len(),
        is_cached: false,
    };
    if let Some(place) = &place {
        // Without a cache the next question takes as long as this one; the answer is the same.
        let _ = cache::write(place, answer, &measured, &times);
    }
    take(answer, measured, &times);
    Ok(())
}

/// Stores measured times in an answer and sorts its tilings by them.
fn take<P: PrintedFamily>(
    answer: &mut Answer<P>,
    measured: MeasurementOrigin,
    times: &HashMap<P::Tiling, f64>,
) {
    answer.best.retain_mut(|RankedTiling { tiling, microseconds, .. }| {
        times.get(tiling).map(|time| *microseconds = *time).is_some()
    });
    answer.best.sort_by(|one, other| one.microseconds.total_cmp(&other.microseconds));
    answer.measured = Some(measured);
}
