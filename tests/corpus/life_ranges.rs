//! Live registers of every instruction equal the counts that `nvdisasm -plr` prints under `#`.

use crate::files;
use machine::Machine;
use model::Program;
use model::dataflow::{LiveCounts, Liveness};
use std::path::PathBuf;
use syntax::sass::{Chunk, Listing, TokenKind};

#[test]
fn live_registers_are_those_of_the_vendor() {
    let mut samples = files::all();
    // The variable adds the listings of another folder.
    if let Some(folder) = std::env::var_os("WARPLENS_LIFE_RANGES").map(PathBuf::from) {
        samples.extend(files::under(&folder, &folder));
    }
    let mut compared = 0;
    let mut wrong = Vec::new();
    for sample in samples.iter().filter(|sample| sample.text.contains("Number of occupied registers")) {
        let (lines, differences) = differences(&sample.text);
        println!("{}: {} of {lines} lines agree", sample.name, lines - differences.len());
        compared += lines;
        wrong.extend(differences.iter().map(|difference| format!("{}:{difference}", sample.name)));
    }
    println!("{} of {compared} lines agree", compared - wrong.len());
    assert!(compared > 1000, "only {compared} lines were compared");
    assert!(wrong.is_empty(), "{} of {compared} lines differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Number of lines with counts, and descriptions of the lines that differ.
fn differences(text: &str) -> (usize, Vec<String>) {
    let machine = Machine::builtin();
    let listing = Listing::parse(text);
    let mut lines = 0;
    let mut wrong = Vec::new();
    for (index, chunk) in listing.chunks().iter().enumerate() {
        let arch = machine.gpu_for_sm(chunk.sm().map_or(90, |sm| sm.number)).arch;
        let program = Program::decode(chunk, &arch);
        let liveness = Liveness::compute(&program, &arch.isa);
        for (line, expected) in printed(chunk) {
            let Some(inst) = chunk.instruction_on(line as u32) else { continue };
            lines += 1;
            let found = liveness.counts(inst);
            if found != expected {
                wrong.push(format!(
                    "{}: {} counts {found:?}, printed {expected:?}; live {:?}",
                    listing.start(index).line as usize + line + 1,
                    chunk.line_text(line).split(';').next().unwrap_or_default().trim(),
                    liveness
                        .live_in(&program, inst..inst + 1)
                        .iter()
                        .flatten()
                        .map(|register| format!("{:?}{}", register.file, register.index))
                        .collect::<Vec<_>>(),
                ));
            }
        }
    }
    (lines, wrong)
}

/// Each line with the counts of its life-range row. The table's header names the columns: `GPR`, `PRED`, `UGPR`,
/// `UPRED`.
fn printed(chunk: &Chunk) -> Vec<(usize, LiveCounts)> {
    let mut columns: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for line in 0..chunk.lines().len() {
        let token = chunk.line_tokens(line).iter().find(|token| token.kind == TokenKind::LifeRange);
        let Some(row) = token.map(|token| token.text(chunk.line_text(line))) else { continue };
        let cells: Vec<&str> = row.split('|').skip(1).map(str::trim).collect();
        if cells.contains(&"GPR") {
            columns = cells.iter().map(|&cell| cell.to_owned()).collect();
            continue;
        }
        let mut counts = LiveCounts::default();
        for (column, cell) in columns.iter().zip(&cells) {
            let count = cell.split(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0);
            match &**column {
                "GPR" => counts.general = count,
                "PRED" => counts.predicate = count,
                "UGPR" => counts.uniform = count,
                "UPRED" => counts.uniform_predicate = count,
                _ => {}
            }
        }
        rows.push((line, counts));
    }
    rows
}
