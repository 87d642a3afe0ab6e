//! What profilers measured of launches, and the top-down tree of each.

pub use advisor::top_down::{
    Advice, Basis, Fact, Guide, Node, Place, Threshold, Thresholds, Tree, UnknownThreshold, guides,
};
pub use machine::UnknownGpu;
pub use profile::{Error, Instructions, Kernel, Launch, Line, Metric, Profile, Value, merged};

use advisor::top_down;
use machine::{Gpu, Machine};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use syntax::cubin::Lines;

/// Reads a profile of any kind. Where it has the code that ran, its launches know the lines of source that it was compiled of.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    let mut profile = profile::read(bytes)?;
    let mut tables: FxHashMap<*const u8, Option<Lines>> = FxHashMap::default();
    for launch in &mut profile.launches {
        let Some(code) = launch.code.clone().filter(|_| launch.lines.is_empty()) else { continue };
        let table = tables.entry(code.as_ptr()).or_insert_with(|| Lines::parse(&code).ok());
        if let Some(table) = table {
            launch.lines = lines(launch, table);
        }
    }
    Ok(profile)
}

/// The lines of a launch's kernel by the line table of its code, those of files in the order of their names.
fn lines(launch: &Launch, table: &Lines) -> Vec<Line> {
    let Some(kernel) = &launch.kernel.mangled else { return Vec::new() };
    let mut lines: BTreeMap<(&str, u32), Vec<u64>> = BTreeMap::new();
    for offset in launch.instructions.offsets() {
        let place = u32::try_from(*offset).ok().and_then(|offset| table.source_of(kernel, offset));
        if let Some(place) = place {
            lines.entry(place).or_default().push(*offset);
        }
    }
    let mut files: FxHashMap<&str, Arc<str>> = FxHashMap::default();
    let mut line = |((file, number), offsets)| {
        let file = Arc::clone(files.entry(file).or_insert_with(|| Arc::from(file)));
        Line { file, number, offsets }
    };
    lines.into_iter().map(&mut line).collect()
}

/// The GPU that a launch ran on: by the driver's name for it, else by its compute capability. `None` where the profile says neither.
pub fn gpu_of(launch: &Launch, machine: &Machine) -> Option<Gpu> {
    let named = launch.device_name.as_ref().and_then(|name| machine.gpu(name).ok());
    let (major, minor) = launch.capability.unwrap_or_default();
    let sm = u16::try_from(major * 10 + minor).ok().filter(|sm| *sm > 0);
    named.or_else(|| sm.map(|sm| machine.gpu_for_sm(sm)))
}

/// The tree of a launch on the GPU that it ran on; where the profile names none, on that with the given name, or the usual one.
/// `None` where the profile has no stall reasons. Fails for a name of no GPU.
pub fn tree(launch: &Launch, gpu: Option<&str>, thresholds: &Thresholds) -> Result<Option<Tree>, UnknownGpu> {
    let machine = &*Machine::builtin();
    let given = gpu.map(|name| machine.gpu(name)).transpose()?;
    let gpu = gpu_of(launch, machine).or(given).unwrap_or_else(|| machine.gpu_for_sm(USUAL_SM));
    Ok(top_down::tree(top_down::Measured { launch, gpu: &gpu, thresholds }))
}

/// The architecture of a launch whose profile names none.
pub(crate) const USUAL_SM: u16 = 90;

/// Samples of each stall reason, by the profiler's names: of an instruction, or of all where `at` is none.
pub fn samples(launch: &Launch, at: Option<usize>) -> Vec<(&str, f64)> {
    const START: &str = "smsp__pcsamp_warps_issue_stalled_";
    let own = &launch.instructions;
    let is_reason = |metric: &&str| {
        let reason = metric.strip_prefix(START);
        reason.is_some_and(|reason| !reason.ends_with("_not_issued") && !reason.ends_with("selected"))
    };
    let count = |metric: &str, at: usize| own.count(metric, at).unwrap_or(0.0);
    let reasons = own.metrics().filter(is_reason).map(|metric| {
        let samples = match at {
            Some(at) => count(metric, at),
            None => (0..own.len()).map(|at| count(metric, at)).sum(),
        };
        (&metric[START.len()..], samples)
    });
    reasons.collect()
}
