//! The source page, by instruction or by line and instruction. For each launch it lists the functions that
//! ran. Each function has its name, a title row, and its rows. By line, a function is listed once for each
//! file that contributes lines to it.

use super::functions::{Table, tables};
use super::groups::groups;
use super::table::{cut, value};
use super::titles::metric;
use crate::instructions::{Instructions, is_count};
use crate::launch::{Function, Instances, Kernel, Launch, Line, Metric, Profile, Value};
use csv::StringRecord;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn read(text: &str) -> Profile {
    let (tables, cut) = (tables(text), cut(text));
    Profile { launches: groups(&tables, cut.is_some()).into_iter().filter_map(launch).collect(), cut }
}

/// The launch of these tables; `None` if there are no tables.
fn launch(group: &[Table]) -> Option<Launch> {
    // If the file is truncated inside the kernel, the kernel's table is the last table.
    let kernel = &group.iter().find(|table| table.has_exit).or(group.last())?.function;
    let mut by_name: BTreeMap<&str, Vec<&Table>> = BTreeMap::new();
    for table in group {
        by_name.entry(&table.function).or_default().push(table);
    }
    let mut functions: Vec<(u64, Function)> =
        by_name.into_iter().map(|(name, own)| function(name, &own)).collect();
    functions.sort_by_key(|(first, _)| *first);
    let mut functions: Vec<Function> = functions.into_iter().map(|(_, function)| function).collect();
    let metrics = totals(&functions);
    let at = functions.iter().position(|function| function.name.as_deref() == Some(kernel))?;
    let own = functions.remove(at);
    Some(Launch {
        kernel: Kernel { mangled: None, demangled: kernel.clone() },
        metrics,
        instructions: own.instructions,
        lines: own.lines,
        functions,
        ..Launch::default()
    })
}

/// Merges the tables of a function, one per file. Also returns the function's first address.
fn function(name: &str, tables: &[&Table]) -> (u64, Function) {
    let first = tables.iter().map(|table| table.first).min().unwrap_or_default();
    let mut rows: BTreeMap<u64, (&Table, &StringRecord)> = BTreeMap::new();
    let mut lines: Vec<Line> = Vec::new();
    for table in tables {
        for row in &table.rows {
            if let Some(number) = table.line(row) {
                lines.push(Line { file: Arc::clone(&table.file), number, offsets: Vec::new() });
            }
            // An instruction that is listed at several lines is counted once.
            if let Some(address) = table.address(row) {
                rows.insert(address, (table, row));
                lines.last_mut().into_iter().for_each(|line| line.offsets.push(address - first));
            }
        }
    }
    for line in &mut lines {
        line.offsets.sort_unstable();
        line.offsets.dedup();
    }
    let mut instructions = Instructions::at(rows.keys().map(|address| address - first).collect());
    instructions.set_texts(rows.values().map(|(table, row)| table.text(row).into()).collect());
    let titles = tables.first().into_iter().flat_map(|table| &table.titles);
    for (title, at) in titles.zip(0..) {
        let Some(metric) = metric(title) else { continue };
        let count = |row: &StringRecord| value(row.get(at)?)?.number();
        let counts = rows.iter().filter_map(|(address, (_, row))| Some((address - first, count(row)?)));
        instructions.add(metric.into(), counts);
    }
    (first, Function { name: Some(name.into()), instructions, lines })
}

/// The sum of each count over all instructions.
fn totals(functions: &[Function]) -> BTreeMap<Arc<str>, Metric> {
    let mut metrics: BTreeMap<Arc<str>, Metric> = BTreeMap::new();
    let all = || functions.iter().map(|function| &function.instructions);
    for metric in all().flat_map(Instructions::metrics).filter(|metric| is_count(metric)) {
        if !metrics.contains_key(metric) {
            let sum = all().map(|own| own.total(metric)).sum();
            let total = Metric { value: Some(Value::Number(sum)), unit: None, instances: Instances::None };
            metrics.insert(metric.into(), total);
        }
    }
    metrics
}
