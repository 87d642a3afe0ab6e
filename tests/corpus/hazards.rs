//! Compilers' code has no hazards, and few hints about its control codes.
//!
//! `cargo test -p tests --test corpus hazards -- --nocapture` prints the number of checked dependences, and
//! the hints.

use crate::files::{Sample, all};
use ide::{Cancel, Host, Severity};
use model::{Program, hazards};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use syntax::sass::Listing;

/// Largest number of hints of one rule per hundred instructions.
const MAX_HINTS: f64 = 1.0;

/// Returns the code of NVIDIA's compilers, without code that people or assemblers wrote.
fn compiled() -> impl Iterator<Item = Sample> {
    all().into_iter().filter(|sample| !sample.name.contains("third-party"))
}

#[test]
fn compilers_code_has_no_hazards() {
    let machine = machine::Machine::builtin();
    let mut host = Host::default();
    let (mut kernels, mut instructions, mut dependences) = (0_usize, 0_usize, 0_u64);
    let mut leaning: BTreeMap<u16, usize> = BTreeMap::new();
    let mut hazards = Vec::new();
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in compiled() {
        let listing = Listing::parse(&sample.text);
        for chunk in listing.chunks().iter().filter(|chunk| !chunk.instructions().is_empty()) {
            let Some(sm) = chunk.sm() else { continue };
            let program = Program::decode(chunk, &machine.gpu_for_sm(sm.number).arch);
            kernels += 1;
            instructions += program.instructions.len();
            dependences += hazards::check(&program).dependences;
            let by_stalls = hazards::check_in(&program, hazards::Time::Stalls).hazards.len();
            // `ERRBAR` and similar instructions wait for all pending work: results are available after them.
            let drains = program
                .instructions
                .iter()
                .any(|inst| inst.control.is_some_and(|code| code.stall == Some(0)));
            if by_stalls > 0 && !drains {
                *leaning.entry(sm.number).or_default() += by_stalls;
            }
        }
        host.open("listing", 1, &sample.text);
        let analysis = host.snapshot("listing", Cancel::default()).expect("the document is open");
        for finding in analysis.code_diagnostics().expect("nothing cancels it") {
            if finding.group == "hazard" {
                hazards.push(format!("{}: {:?}: {}", sample.name, finding.address, finding.message));
            } else {
                *others.entry(finding.code).or_default() += 1;
            }
        }
    }
    println!("{kernels} kernels, {instructions} instructions, {dependences} dependences; {others:?}");
    assert_eq!(hazards, Vec::<String>::new());
    // No pair depends on a wait without a guaranteed time: such a pair would be a hazard. Since Volta, no
    // pair depends on other waits either.
    println!("pairs that need a later load's latency, by architecture: {leaning:?}");
    assert!(leaning.keys().all(|sm| *sm < 70), "{leaning:?}");
    assert!(dependences > 5_000, "{dependences}");
    for (code, count) in others {
        let share = 100.0 * count as f64 / instructions as f64;
        assert!(share <= MAX_HINTS, "{code}: {share:.2} a hundred instructions");
    }
}

#[test]
fn measured_kernels_have_no_errors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("measured/h200");
    let mut host = Host::default();
    let (mut errors, mut kernels) = (Vec::new(), 0);
    let read = |path: &Path| {
        fs::read_dir(path).expect("the folder exists").map(|entry| entry.expect("it can be read").path())
    };
    for set in read(&folder) {
        for path in read(&set)
            .chain(read(&set.join("triton")))
            .filter(|path| path.extension().is_some_and(|ext| ext == "sass"))
        {
            let text = fs::read_to_string(&path).expect("the file exists");
            kernels += text.matches("Function :").count();
            host.open("listing", 1, &text);
            let analysis = host.snapshot("listing", Cancel::default()).expect("the document is open");
            let found = analysis.code_diagnostics().expect("nothing cancels it");
            let found = found.iter().filter(|finding| finding.severity == Severity::Error);
            errors.extend(found.map(|finding| format!("{}: {}", path.display(), finding.message)));
        }
    }
    println!("{kernels} kernels");
    assert!(kernels >= 150, "{kernels}");
    assert_eq!(errors, Vec::<String>::new());
}
