//! Reports of Nsight Compute, `.ncu-rep`: the profiler's installation describes them in `extras/FileFormat`.
//!
//! Behind four letters and a header stand blocks. A block has a header of its own, which says how many sources and results follow, and
//! names that metrics of this block and of later ones are numbered by. Each message stands behind its length in four bytes.

mod frames;
mod schema;
#[cfg(test)]
mod tests;

use self::frames::Frames;
use self::schema::{BlockHeader, Element, MetricValue, Result as KernelResult, Size, Source};
use crate::instructions::Instructions;
use crate::launch::{Instances, Kernel, Launch, Metric, Profile, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

const MAGIC: &[u8] = b"NVR\0";

/// Whether bytes are such a report.
pub(super) fn is_report(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads the launches of a report, up to where it breaks off.
pub(super) fn read(bytes: &[u8]) -> Profile {
    let mut profile = Profile::default();
    let mut frames = Frames::new(bytes.get(MAGIC.len()..).unwrap_or_default());
    if let Err(why) = read_blocks(&mut frames, &mut profile.launches) {
        profile.cut = Some(format!("{why} at byte {}", MAGIC.len() + frames.at()));
    }
    profile
}

fn read_blocks(frames: &mut Frames<'_>, launches: &mut Vec<Launch>) -> Result<(), frames::Broken> {
    // The header says the version, on which nothing here depends.
    frames.skip()?;
    let mut names: Vec<Arc<str>> = Vec::new();
    // Addresses of functions, by their code and their names.
    let mut starts: FxHashMap<(u64, String), u64> = FxHashMap::default();
    while !frames.is_at_end() {
        let mut header: BlockHeader = frames.message()?;
        let own = header.names.take().unwrap_or_default();
        names.extend(own.names.into_iter().map(Arc::from));
        for _ in 0..header.sources {
            let source: Source = frames.message()?;
            let functions = source.relocations.unwrap_or_default().functions.into_iter();
            starts.extend(functions.map(|function| ((source.number, function.name), function.address)));
        }
        for _ in 0..header.results {
            let result: KernelResult = frames.message()?;
            if result.mangled.is_empty() && result.demangled.is_empty() {
                return Err(frames::Broken::Nameless);
            }
            let code = result.source.as_ref().map(|source| source.number).unwrap_or_default();
            let start = starts.get(&(code, result.mangled.clone())).copied();
            launches.push(launch(result, &names, start));
        }
        for _ in 0..header.others() {
            frames.skip()?;
        }
    }
    Ok(())
}

fn launch(result: KernelResult, names: &[Arc<str>], start: Option<u64>) -> Launch {
    let mut metrics: BTreeMap<Arc<str>, Metric> = BTreeMap::new();
    for metric in result.metrics {
        let Some(name) = names.get(metric.name as usize) else { continue };
        let value = metric.value.and_then(value);
        let metric = Metric { value, unit: None, instances: instances(&metric.parts) };
        metrics.insert(Arc::clone(name), metric);
    }
    let instructions = instructions(&mut metrics, start);
    let number = |name: &str| metrics.get(name)?.value.as_ref()?.number();
    let major = number("device__attribute_compute_capability_major");
    let minor = number("device__attribute_compute_capability_minor");
    Launch {
        kernel: Kernel { mangled: Some(result.mangled), demangled: result.demangled },
        grid: result.grid.map(size),
        block: result.block.map(size),
        device: metrics.get("launch__device_id").and_then(|metric| metric.value.as_ref()?.count()),
        capability: major.zip(minor).map(|(major, minor)| (major as u32, minor as u32)),
        metrics,
        instructions,
        ..Launch::default()
    }
}

/// Metrics of whose parts each stands for an instruction, by its address. Other metrics that name some of the same addresses do so too.
const OF_INSTRUCTIONS: [&str; 2] = ["inst_executed", "smsp__pcsamp_sample_count"];

/// Counts by bytes from the start of a kernel.
type Counts = Vec<(u64, f64)>;

/// Takes the instructions out of the metrics; `start` is the kernel's address, where the report says it.
fn instructions(metrics: &mut BTreeMap<Arc<str>, Metric>, start: Option<u64>) -> Instructions {
    let addresses = |metric: &Metric| match &metric.instances {
        Instances::ByNumber(parts) => parts.iter().map(|(address, _)| *address).collect(),
        _ => Vec::new(),
    };
    let anchors = OF_INSTRUCTIONS.iter().filter_map(|name| metrics.get(*name));
    let known: FxHashSet<u64> = anchors.flat_map(addresses).collect();
    let Some(start) = start.or_else(|| known.iter().min().copied()) else { return Instructions::default() };
    let mut found: Vec<(Arc<str>, Counts)> = Vec::new();
    for (name, metric) in metrics {
        let Instances::ByNumber(parts) = &metric.instances else { continue };
        if parts.iter().any(|(address, _)| known.contains(address)) {
            let counts = parts.iter();
            let counts =
                counts.filter_map(|(address, count)| Some((address.checked_sub(start)?, count.number()?)));
            found.push((Arc::clone(name), counts.collect()));
            metric.instances = Instances::None;
        }
    }
    let offsets = found.iter().flat_map(|(_, counts)| counts).map(|(offset, _)| *offset);
    let mut instructions = Instructions::at(offsets.collect());
    for (name, counts) in found {
        instructions.add(name, counts);
    }
    instructions
}

fn size(size: Size) -> [u64; 3] {
    [size.x, size.y, size.z]
}

fn value(value: MetricValue) -> Option<Value> {
    let MetricValue { text, single, double, short, long } = value;
    let count = long.or(short.map(u64::from)).map(Value::Count);
    let number = double.or(single.map(f64::from)).map(Value::Number);
    text.map(Value::Text).or(count).or(number)
}

fn instances(parts: &[Element]) -> Instances {
    let pair = |part: &Element| Some((value(part.key.clone()?)?, value(part.value.clone()?)?));
    let mut by_number = Vec::new();
    let mut by_name = Vec::new();
    for (key, value) in parts.iter().filter_map(pair) {
        match key {
            Value::Count(key) => by_number.push((key, value)),
            Value::Text(key) => by_name.push((key, value)),
            Value::Number(_) => {}
        }
    }
    match (by_number.is_empty(), by_name.is_empty()) {
        (true, true) => Instances::None,
        (false, _) => Instances::ByNumber(by_number),
        (true, false) => Instances::ByName(by_name),
    }
}
