//! Cycles as CSV: a stable format that programs parse.

use crate::cli::output::{counted, distinct, printable};
use crate::printable::cell;
use csv::Writer;
use ide::cycles::FunctionCycles;
use std::io::{self, Write};

pub(super) fn write(out: &mut dyn Write, timed: &[FunctionCycles]) -> io::Result<()> {
    let mut rows = Writer::from_writer(out);
    rows.write_record(["function", "region", "warps", "cycles"])?;
    for function in timed {
        for region in &function.regions {
            for run in &region.runs {
                let (warps, cycles) = (run.warps.to_string(), run.cycles.to_string());
                rows.write_record([&*cell(&function.name), &cell(&region.name), &warps, &cycles])?;
            }
        }
    }
    rows.flush()
}

/// Returns the assumptions, one per line, each with the first location that it applies to.
pub(super) fn assumptions(timed: &[FunctionCycles]) -> Vec<String> {
    let assumed = timed.iter().filter(|function| function.is_gpu_assumed).map(|function| &*function.gpu);
    let gpus = distinct(assumed).into_iter().map(|gpu| format!("GPU: {}", printable(gpu)));
    let mut lines: Vec<String> = gpus.collect();
    // The assumption, its first location, the number of instructions, and the functions.
    let mut all: Vec<(&str, String, usize, Vec<&str>)> = Vec::new();
    for function in timed {
        for assumption in function.regions.iter().flat_map(|region| &region.assumptions) {
            let at = all.iter().position(|(what, ..)| *what == assumption.what).unwrap_or_else(|| {
                let place = assumption.places.first().map(|place| format!(", {place}")).unwrap_or_default();
                all.push((&assumption.what, format!("{}{place}", function.name), 0, Vec::new()));
                all.len() - 1
            });
            let (_, _, places, functions) = &mut all[at];
            *places += assumption.places.len();
            if functions.last() != Some(&&*function.name) {
                functions.push(&function.name);
            }
        }
    }
    for (what, first, places, functions) in all {
        let functions = counted(functions.len(), "function");
        let places = if places == 0 {
            functions
        } else {
            format!("{} in {functions}", counted(places, "instruction"))
        };
        lines.push(format!("assumed: {}: {places} (first: {})", printable(what), printable(&first)));
    }
    lines
}
