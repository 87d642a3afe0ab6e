//! Profiles as JSON, schema 1: a stable format that programs parse.

use super::analysed_launch::AnalysedLaunch;
use ide::profiles::{Launch, Metric, Tree, Value, samples};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    launches: Vec<LaunchReport<'a>>,
}

#[derive(Serialize)]
struct LaunchReport<'a> {
    kernel: &'a str,
    mangled: Option<&'a str>,
    grid: Option<[u64; 3]>,
    block: Option<[u64; 3]>,
    device: Option<&'a str>,
    /// Number of launches that the figures are averaged over, if more than one.
    averaged: Option<u64>,
    metrics: Metrics<'a>,
    stalls: BTreeMap<&'a str, f64>,
    instructions: Vec<InstructionReport<'a>>,
    tree: Option<&'a Tree>,
}

#[derive(Serialize)]
struct InstructionReport<'a> {
    address: u64,
    text: Option<&'a str>,
    executed: Option<f64>,
    samples: Option<f64>,
    stalls: BTreeMap<&'a str, f64>,
}

/// Metrics with their values as numbers or texts; `null` for a metric that could not be collected.
struct Metrics<'a>(&'a BTreeMap<Arc<str>, Metric>);

impl Serialize for Metrics<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = |metric: &Metric| match &metric.value {
            Some(Value::Count(count)) => serde_json::Value::from(*count),
            // JSON has no infinities and no NaN.
            Some(Value::Number(number)) => serde_json::Value::from(*number),
            Some(Value::Text(text)) => serde_json::Value::from(text.as_str()),
            None => serde_json::Value::Null,
        };
        serializer.collect_map(self.0.iter().map(|(name, metric)| (&**name, value(metric))))
    }
}

pub(super) fn write(out: &mut dyn Write, all: &[AnalysedLaunch]) -> io::Result<()> {
    let report = Report { schema: 1, launches: all.iter().map(launch).collect() };
    serde_json::to_writer_pretty(&mut *out, &report).map_err(io::Error::from)?;
    writeln!(out)
}

fn launch(own: &AnalysedLaunch) -> LaunchReport<'_> {
    let AnalysedLaunch { launch, tree } = own;
    LaunchReport {
        kernel: &launch.kernel.demangled,
        mangled: launch.kernel.mangled.as_deref(),
        grid: launch.grid,
        block: launch.block,
        device: launch.device_name.as_deref(),
        averaged: launch.averaged,
        metrics: Metrics(&launch.metrics),
        stalls: samples(launch, None).into_iter().collect(),
        instructions: (0..launch.instructions.len()).map(|at| instruction(launch, at)).collect(),
        tree: tree.as_ref(),
    }
}

fn instruction(launch: &Launch, at: usize) -> InstructionReport<'_> {
    let own = &launch.instructions;
    let count = |metric: &str| own.has(metric).then(|| own.count(metric, at).unwrap_or_default());
    InstructionReport {
        address: own.offsets()[at],
        text: own.text(at),
        executed: count("inst_executed"),
        samples: count("smsp__pcsamp_sample_count"),
        stalls: samples(launch, Some(at)).into_iter().collect(),
    }
}
