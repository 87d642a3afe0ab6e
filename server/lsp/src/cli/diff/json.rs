//! A comparison as JSON, schema 1: a stable format that programs parse.

use super::figures::{ComparedKernel, Diff, change};
use ide::names::demangle;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    base: &'a str,
    new: &'a str,
    kernels: Vec<Record<'a>>,
    only_base: &'a [String],
    only_new: &'a [String],
}

#[derive(Serialize)]
struct Record<'a> {
    name: &'a str,
    demangled: Option<String>,
    launch: Option<&'a str>,
    grid: [u32; 3],
    block: [u32; 3],
    launch_assumed: bool,
    registers: Pair<u32>,
    spill_bytes: Pair<u32>,
    occupancy: Pair<f64>,
    instructions: Pair<usize>,
    cycles: Pair<f64>,
    worse: bool,
}

#[derive(Serialize)]
struct Pair<T> {
    base: Option<T>,
    new: Option<T>,
    /// Change in percent of the base figure; null if either figure is unknown, or if only the base's figure is 0.
    change: Option<f64>,
}

pub(super) fn write(out: &mut dyn Write, diff: &Diff) -> io::Result<()> {
    let Diff { base, new, kernels, only_base, only_new } = diff;
    let kernels = kernels.iter().map(record).collect();
    serde_json::to_writer_pretty(
        &mut *out,
        &Document { schema: 1, base, new, kernels, only_base, only_new },
    )?;
    writeln!(out)
}

fn record(own: &ComparedKernel) -> Record<'_> {
    let (base, new) = (&own.base, &own.new);
    Record {
        name: &own.name,
        demangled: demangle(&own.name),
        launch: own.launch.as_deref(),
        grid: own.grid,
        block: own.block,
        launch_assumed: own.launch_assumed,
        registers: pair(Some(base.registers), Some(new.registers), f64::from),
        spill_bytes: pair(Some(base.spills), Some(new.spills), f64::from),
        occupancy: pair(Some(base.occupancy), Some(new.occupancy), |share| share),
        instructions: pair(Some(base.instructions), Some(new.instructions), |count| count as f64),
        cycles: pair(base.cycles, new.cycles, |cycles| cycles),
        worse: own.is_worse,
    }
}

fn pair<T: Copy>(base: Option<T>, new: Option<T>, number: impl Fn(T) -> f64) -> Pair<T> {
    let change = base.zip(new).and_then(|(base, new)| change(number(base), number(new)));
    Pair { base, new, change }
}
