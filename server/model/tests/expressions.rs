//! Compiled kernels whose addresses are known functions of the thread and the parameters. The requests of a warp are
//! compared with the values of these functions. `expressions/generate.py` wrote the kernels and the values.

#![expect(clippy::disallowed_methods, reason = "not part of the crate: it reads the files that it is given")]

use machine::{Flow, Machine, MemorySpace};
use model::address::WarpThreads;
use model::execution::{AccessState, Code, Warp};
use model::launch::DeclaredResources;
use model::{Launch, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syntax::sass::{Chunk, Listing};

/// Block dimensions of the launch. The values in the files are for warp 1 of block 5.
const BLOCK: [u32; 3] = [64, 1, 1];
const GRID: [u32; 3] = [9, 1, 1];
const PLACE: WarpThreads = WarpThreads { block: BLOCK, warp: 1, ctaid: [5, 0, 0] };

/// Arguments of one kernel, and the addresses that each lane stores to, in order.
#[derive(Default)]
struct Truth {
    parameters: Vec<u32>,
    lanes: BTreeMap<usize, Vec<u32>>,
}

fn truths(text: &str) -> BTreeMap<&str, Truth> {
    let mut truths: BTreeMap<&str, Truth> = BTreeMap::new();
    for line in text.lines() {
        let mut fields = line.split(',');
        let (Some(name), Some(of)) = (fields.next(), fields.next()) else { continue };
        let numbers = fields.filter(|field| !field.is_empty());
        let numbers: Vec<u32> =
            numbers.map(|field| u32::from_str_radix(field, 16).expect("the field is a number")).collect();
        let truth = truths.entry(name).or_default();
        match of.parse() {
            Ok(lane) => _ = truth.lanes.insert(lane, numbers),
            Err(_) => truth.parameters = numbers,
        }
    }
    truths
}

/// Returns the addresses in shared memory that each lane stores to, in order; `None` for an unknown address.
fn stores(chunk: &Chunk, program: &Program, launch: &Launch) -> Vec<Vec<Option<u32>>> {
    let code = Code::new(chunk, program, &launch.trips);
    let mut warp = Warp::new(&code, launch, &PLACE);
    let mut stores = vec![Vec::new(); 32];
    let mut count = 0;
    while let Some(ran) = warp.step(&code) {
        count += 1;
        assert!(count < 200_000, "it does not end");
        let memory = program.instructions[ran.inst as usize].memory;
        if ran.access == AccessState::Off || memory.is_none_or(|memory| memory.space != MemorySpace::Shared) {
            continue;
        }
        let request = warp.request();
        for (lane, of_lane) in stores.iter_mut().enumerate().filter(|(lane, _)| ran.active >> lane & 1 == 1) {
            of_lane.push((ran.access == AccessState::Known).then_some(request.addresses[lane] as u32));
        }
    }
    stores
}

/// Returns the instructions whose results the execution does not know. None of these kernels loads data, so the set should
/// be empty.
fn unknown(chunk: &Chunk, program: &Program, launch: &Launch) -> BTreeSet<String> {
    let code = Code::new(chunk, program, &launch.trips);
    let text = |at: usize| chunk.line_text(program.instructions[at].line as usize).trim().to_owned();
    let unknown = code.unknown().filter(|&at| program.instructions[at].flow == Flow::Next);
    unknown.map(text).collect()
}

/// Returns the number of stores, the number of stores with known addresses, and a message for each error.
fn compare(sm: u16, text: &str, truth: &str) -> (usize, usize, Vec<String>) {
    let listing = Listing::parse(text);
    let truths = truths(truth);
    let gpu = Machine::builtin().gpu_for_sm(sm);
    let (mut all, mut known, mut wrong) = (0, 0, Vec::new());
    for chunk in listing.chunks().iter().filter(|chunk| !chunk.instructions().is_empty()) {
        let Some(name) = chunk.name().and_then(|name| truths.get_key_value(name)) else { continue };
        let (name, truth) = name;
        let program = Program::decode(chunk, &gpu.arch);
        let mut launch = Launch {
            grid: GRID,
            block: BLOCK,
            ..Launch::assumed(&program, &gpu, DeclaredResources::default())
        };
        let first = gpu.arch.constant_bank.parameters.value;
        launch.constants.extend((0..).map(|at| first + 4 * at).zip(truth.parameters.iter().copied()));
        // After an unknown branch, anything may follow.
        let unknown = unknown(chunk, &program, &launch);
        wrong.extend(unknown.iter().map(|line| format!("sm_{sm} {name}: not known: {line}")));
        for (lane, found) in stores(chunk, &program, &launch).iter().enumerate() {
            let expected = &truth.lanes[&lane];
            all += expected.len();
            if !unknown.is_empty() {
                continue;
            }
            known += expected.len();
            let Some(mut found) = found.iter().copied().collect::<Option<Vec<u32>>>() else {
                wrong.push(format!("sm_{sm} {name} lane {lane}: an address is not known"));
                continue;
            };
            // Of two stores to one address, the compiler keeps one.
            found.dedup();
            let mut expected = expected.clone();
            expected.dedup();
            if found != expected {
                wrong.push(format!("sm_{sm} {name} lane {lane}: {found:x?} is to be {expected:x?}"));
            }
        }
    }
    (all, known, wrong)
}

/// Returns the listings of a folder: the architecture, the path of the listing, and the path of its expected addresses.
fn files(folder: &Path) -> Vec<(u16, PathBuf, PathBuf)> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let sm = path.file_name()?.to_str()?.strip_prefix("sm_")?.strip_suffix(".sass")?.parse().ok()?;
            let own = path.with_extension("csv");
            Some((sm, path, if own.exists() { own } else { folder.join("truth.csv") }))
        })
        .collect();
    files.sort();
    files
}

/// `EXPRESSIONS=folder cargo test -p model --test expressions` tests the kernels of another folder that `generate.py`
/// wrote.
#[test]
fn warps_ask_for_what_the_expressions_say() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expressions");
    let folder = std::env::var_os("EXPRESSIONS").map_or(own, PathBuf::from);
    let files = files(&folder);
    assert!(!files.is_empty(), "{} has no listings", folder.display());
    let mut failures = Vec::new();
    for (sm, listing, truth) in files {
        let (text, truth) =
            (std::fs::read_to_string(listing).unwrap(), std::fs::read_to_string(truth).unwrap());
        let (all, known, wrong) = compare(sm, &text, &truth);
        println!("sm_{sm}: {known} of {all} addresses known, {} complaints", wrong.len());
        assert!(all > 0, "sm_{sm} has no stores");
        failures.extend(wrong);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
