//! Measurements of the launches by Nsight Compute, from its tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A measured launch.
pub(super) struct Measured {
    /// Name of the launch in `launches.toml`.
    pub launch: String,
    /// Value of `sm__cycles_elapsed.max`.
    pub cycles: f64,
    /// Instructions in address order, from the kernel's first one on.
    pub rows: Vec<Row>,
}

/// One instruction of a launch.
pub(super) struct Row {
    /// Text as ncu prints it: guard, opcode, operands.
    pub text: String,
    /// Number of warp executions of the instruction.
    pub executed: f64,
    /// Wavefronts of shared memory per request, rounded by ncu.
    pub wavefronts: f64,
    /// Sectors of global memory of all requests.
    pub sectors: f64,
    /// Samples of warps by stall reason, with the names of ncu's metrics.
    pub stalls: BTreeMap<String, f64>,
}

impl Row {
    /// The opcode without modifiers.
    pub(super) fn mnemonic(&self) -> &str {
        let opcode = self.text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
        opcode.split('.').next().unwrap_or_default()
    }
}

impl Measured {
    /// Fraction of each stall reason, the largest first.
    pub(super) fn stalls(&self) -> Vec<(String, f64)> {
        let mut samples: BTreeMap<&str, f64> = BTreeMap::new();
        for (reason, count) in self.rows.iter().flat_map(|row| &row.stalls) {
            *samples.entry(reason).or_default() += count;
        }
        let all = samples.values().sum::<f64>().max(1.0);
        let mut shares: Vec<(String, f64)> =
            samples.into_iter().map(|(reason, count)| (reason.to_owned(), count / all)).collect();
        shares.sort_by(|one, other| other.1.total_cmp(&one.1));
        shares
    }
}

/// The launches of a folder, in execution order.
pub(super) fn read(folder: &Path) -> Vec<Measured> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let cycles = cycles(&read("measured.csv"));
    let tables = tables(&read("ncu-source.csv"));
    assert_eq!(tables.len(), cycles.len(), "each launch has a table");
    let launches = cycles.into_iter().zip(tables);
    launches.map(|((launch, cycles), rows)| Measured { launch, cycles, rows }).collect()
}

/// The name and the cycles of each launch.
fn cycles(text: &str) -> Vec<(String, f64)> {
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let head = table.headers().expect("the table has a head").clone();
    let [name, cycles] = ["launch", "cycles"].map(|wanted| column(&head, wanted));
    let rows = table.records().map(|row| row.expect("a row can be read"));
    rows.map(|row| (row[name].to_owned(), number(&row[cycles]))).collect()
}

/// The rows of each table. The rows follow a line with the kernel's name and a header.
fn tables(text: &str) -> Vec<Vec<Row>> {
    let mut lines = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut tables: Vec<Vec<Row>> = Vec::new();
    let mut columns = None;
    for line in lines.records().map(|line| line.expect("a row can be read")) {
        match line.get(0) {
            Some("Kernel Name") => tables.push(Vec::new()),
            Some("Address") => columns = Some(Columns::of(&line)),
            Some(address) if address.starts_with("0x") => {
                let columns = columns.as_ref().expect("rows follow a header");
                tables.last_mut().expect("rows are in a table").push(columns.row(&line));
            }
            _ => {}
        }
    }
    tables
}

/// Indices of the required columns in a table.
struct Columns {
    text: usize,
    executed: usize,
    wavefronts: usize,
    sectors: usize,
    /// Columns of stall reasons, by the reason's name in ncu's metrics.
    stalls: Vec<(String, usize)>,
}

impl Columns {
    fn of(head: &csv::StringRecord) -> Self {
        let stalls = head.iter().enumerate().filter(|(_, name)| !name.contains(' '));
        let stalls = stalls.filter_map(|(at, name)| Some((metric(name.strip_prefix("stall_")?)?, at)));
        Self {
            text: column(head, "Source"),
            executed: column(head, "Instructions Executed"),
            wavefronts: column(head, "L1 Conflicts Shared N-Way"),
            sectors: column(head, "L2 Theoretical Sectors Global"),
            stalls: stalls.collect(),
        }
    }

    fn row(&self, line: &csv::StringRecord) -> Row {
        Row {
            text: line[self.text].trim().to_owned(),
            executed: number(&line[self.executed]),
            wavefronts: number(&line[self.wavefronts]),
            sectors: number(&line[self.sectors]),
            stalls: self.stalls.iter().map(|(name, at)| (name.clone(), number(&line[*at]))).collect(),
        }
    }
}

/// Converts a stall reason's name in ncu's source table to the name of its metric; `None` if the warp was not
/// stalled.
fn metric(column: &str) -> Option<String> {
    let name = match column {
        "selected" | "not_selected" => return None,
        "dispatch" => "dispatch_stall",
        "imc" => "imc_miss",
        "lg" => "lg_throttle",
        "long_sb" => "long_scoreboard",
        "math" => "math_pipe_throttle",
        "mio" => "mio_throttle",
        "no_inst" => "no_instruction",
        "short_sb" => "short_scoreboard",
        "sleep" => "sleeping",
        "tex" => "tex_throttle",
        other => other,
    };
    Some(name.to_owned())
}

fn column(head: &csv::StringRecord, wanted: &str) -> usize {
    head.iter().position(|name| name == wanted).unwrap_or_else(|| panic!("no column `{wanted}`"))
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("`{cell}` is no number"))
}
