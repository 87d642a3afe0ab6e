//! Profiles: measured launches, and the top-down tree of a launch.

mod compare;

pub use crate::engine::profile_launch::{name_of, samples};
pub use crate::measured::fixes::plain as function_name;
pub use advisor::top_down::{
    Advice, Basis, Fact, Gain, Hotspot, Node, RankedAdvice, Threshold, Thresholds, Tree, UnknownThreshold,
};
pub use compare::{ComparedFigure, ComparedLaunch, ComparedProfiles, ComparedStall, LaunchName, compare};
pub use machine::UnknownGpu;
pub use profile::{Error, Instances, Instructions, Kernel, Launch, Line, Metric, Profile, Value, merged};

use crate::engine::profile_launch::{USUAL_SM, gpu_of};
use advisor::top_down;
use machine::Machine;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use syntax::cubin::Lines;

/// Reads a profile in any supported format. If the profile contains the code, the launches get the source
/// lines of the code's line table.
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

/// Returns the source lines of a launch's kernel from the line table of the code, sorted by file and line.
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

/// Returns the top-down tree of a launch on the GPU that the profile names. If the profile does not name a GPU, uses
/// `gpu`, or the default GPU if `gpu` is `None`. `None` if the profile has no stall reasons. `Err` if `gpu` is unknown.
pub fn tree(launch: &Launch, gpu: Option<&str>, thresholds: &Thresholds) -> Result<Option<Tree>, UnknownGpu> {
    let machine = &*Machine::builtin();
    let given = gpu.map(|name| machine.gpu(name)).transpose()?;
    let gpu = gpu_of(launch, machine).or(given).unwrap_or_else(|| machine.gpu_for_sm(USUAL_SM));
    Ok(top_down::tree(top_down::ProfiledLaunch { launch, gpu: &gpu, thresholds }))
}
