//! The source page, by instruction or by line and instruction: for each launch its kernel's name, a row of titles, then the rows.

use super::table::{cut, rows, value};
use super::titles::metric;
use crate::instructions::{Instructions, is_count};
use crate::launch::{Instances, Kernel, Launch, Line, Metric, Profile, Value};
use csv::StringRecord;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A launch's table, or the part of it that is of one file.
struct Table {
    kernel: String,
    file: Arc<str>,
    titles: StringRecord,
    rows: Vec<StringRecord>,
}

impl Table {
    /// Whether the profiler printed a table again, as it does with tables by instruction; the last one may be cut.
    fn is_again(&self, earlier: &Self, is_last: bool) -> bool {
        let is_same = if is_last { earlier.rows.starts_with(&self.rows) } else { earlier.rows == self.rows };
        self.kernel == earlier.kernel && self.file == earlier.file && is_same
    }
}

pub(super) fn read(text: &str) -> Profile {
    let mut tables: Vec<Table> = Vec::new();
    let mut file: Arc<str> = "".into();
    for row in rows(text) {
        match (row.get(0), tables.last_mut()) {
            (Some("File Path"), _) => file = row.get(1).unwrap_or_default().into(),
            (Some("Kernel Name" | "Function Name"), _) => {
                forget_again(&mut tables, false);
                let kernel = row.get(1).unwrap_or_default().to_owned();
                let (titles, rows) = (StringRecord::new(), Vec::new());
                tables.push(Table { kernel, file: Arc::clone(&file), titles, rows });
            }
            (_, Some(table)) if table.titles.is_empty() => table.titles = row,
            // A row that is not whole is one that the file ends in.
            (_, Some(table)) if row.len() == table.titles.len() => table.rows.push(row),
            _ => {}
        }
    }
    forget_again(&mut tables, true);
    let is_of_one = |one: &Table, other: &Table| one.kernel == other.kernel && one.file != other.file;
    let launches = tables.chunk_by(is_of_one).filter_map(launch).collect();
    Profile { launches, cut: cut(text) }
}

fn forget_again(tables: &mut Vec<Table>, is_last: bool) {
    if let [.., one, other] = tables.as_slice()
        && other.is_again(one, is_last)
    {
        tables.pop();
    }
}

/// The launch of its tables; `None` where they have no addresses.
fn launch(tables: &[Table]) -> Option<Launch> {
    let mut rows: BTreeMap<u64, &StringRecord> = BTreeMap::new();
    let mut lines: Vec<(Arc<str>, u32, Vec<u64>)> = Vec::new();
    let titles = &tables.first()?.titles;
    let column = |title: &str| titles.iter().position(|own| own == title);
    let address = column("Address")?;
    let line = column("Line No");
    for table in tables {
        for row in &table.rows {
            if let Some(number) = line.and_then(|line| row.get(line)).and_then(|number| number.parse().ok()) {
                lines.push((Arc::clone(&table.file), number, Vec::new()));
            }
            // What stands at several lines was counted once.
            if let Some(address) = row.get(address).and_then(number) {
                rows.insert(address, row);
                lines.last_mut().into_iter().for_each(|(_, _, own)| own.push(address));
            }
        }
    }
    let first = *rows.keys().next()?;
    let mut instructions = Instructions::at(rows.keys().map(|address| address - first).collect());
    let text = |row: &StringRecord| row.get(address + 1).unwrap_or_default().trim().into();
    instructions.set_texts(rows.values().map(|row| text(row)).collect());
    let mut launch =
        Launch { kernel: Kernel { mangled: None, demangled: tables[0].kernel.clone() }, ..Launch::default() };
    for (title, at) in titles.iter().zip(0..) {
        let Some(metric) = metric(title) else { continue };
        let metric: Arc<str> = metric.into();
        let count = |row: &StringRecord| value(row.get(at)?)?.number();
        let counts = rows.iter().filter_map(|(address, row)| Some((address - first, count(row)?)));
        let counts: Vec<(u64, f64)> = counts.collect();
        if is_count(&metric) {
            let sum = counts.iter().map(|(_, count)| count).sum();
            let total = Metric { value: Some(Value::Number(sum)), unit: None, instances: Instances::None };
            launch.metrics.insert(Arc::clone(&metric), total);
        }
        instructions.add(metric, counts);
    }
    launch.instructions = instructions;
    launch.lines =
        lines.into_iter().map(|(file, number, addresses)| line_of(file, number, addresses, first)).collect();
    Some(launch)
}

fn line_of(file: Arc<str>, number: u32, mut addresses: Vec<u64>, first: u64) -> Line {
    addresses.sort_unstable();
    addresses.dedup();
    Line { file, number, offsets: addresses.into_iter().map(|address| address - first).collect() }
}

/// An address: `0x7ff8437ae300`, or in decimal digits.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
