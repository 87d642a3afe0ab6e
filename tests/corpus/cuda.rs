//! Findings in CUDA compared with measurements on an H100, line by line. The kernels are in
//! `tests/measured/h100/cuda`.

use ide::{Cancel, Config, Host, Language};
use machine::Machine;
use std::collections::BTreeSet;
use std::path::Path;

/// Least fraction of findings that must be right.
const PRECISION: f64 = 0.95;
/// Least fraction of measured lines that must be found. Lines whose cost depends on the contents of memory
/// cannot be found.
const RECALL: f64 = 0.85;

/// Lines of the measurement for which a column is set.
fn measured(text: &str, column: &str) -> BTreeSet<usize> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let at = reader
        .headers()
        .expect("the table has a head")
        .iter()
        .position(|name| name == column)
        .expect("it has the column");
    let rows = reader.records().map(|row| row.expect("each row is whole"));
    rows.filter(|row| &row[at] == "1").map(|row| row[0].parse().expect("a line is a number")).collect()
}

#[test]
fn findings_are_those_that_the_hardware_shows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("measured/h100/cuda");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let (text, table) = (read("lines.cu"), read("lines.csv"));
    let mut host = Host::new(Machine::builtin());
    host.configure(Config::from_json(&serde_json::json!({ "gpu": "h100-sxm" })).unwrap()).unwrap();
    host.open_as("lines.cu", 1, Language::Cuda, &text);
    let found = host.snapshot("lines.cu", Cancel::default()).unwrap().model_diagnostics().unwrap();
    let (mut right, mut reported, mut shown) = (0, 0, 0);
    for (code, column) in [("uncoalesced-access", "uncoalesced"), ("bank-conflict", "conflicted")] {
        let lines: BTreeSet<usize> = found
            .iter()
            .filter(|finding| finding.code == code)
            .map(|finding| text[..finding.range.start].matches('\n').count() + 1)
            .collect();
        let measured = measured(&table, column);
        println!("{code}: false {:?}", lines.difference(&measured).collect::<Vec<_>>());
        println!("{code}: missed {:?}", measured.difference(&lines).collect::<Vec<_>>());
        right += lines.intersection(&measured).count();
        reported += lines.len();
        shown += measured.len();
    }
    let (precision, recall) = (
        f64::from(right as u32) / f64::from(reported as u32),
        f64::from(right as u32) / f64::from(shown as u32),
    );
    println!("precision {precision:.3}, recall {recall:.3} of {shown} lines");
    assert!(precision >= PRECISION && recall >= RECALL, "{precision} {recall}");
}
