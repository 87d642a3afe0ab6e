//! Runs all passes on a fixture for each pass: a file with PTX, followed by the expected SASS.

#![expect(clippy::disallowed_methods, reason = "fixtures are files")]

use super::super::passes::{PASSES, Pass};
use super::super::{Facts, Lowered};
use crate::ptx::Names;
use machine::Machine;
use std::path::{Path, PathBuf};
use syntax::ptx::Module;

/// Separates the PTX from the SASS of a fixture.
const EXPECTED: &str = "\n// SASS:\n";

/// Steps of the lowering that are not in [`PASSES`] but have fixtures.
const OTHERS: [&str; 8] = [
    "value numbering",
    "constant folding",
    "strength reduction",
    "coalescing",
    "selection",
    "scheduling",
    "memory order",
    "allocation",
];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/ptx/lower/fixtures/{name}.ptx"))
}

/// Returns the PTX of a fixture, and its expected SASS lines.
fn fixture(name: &str) -> (String, String) {
    let text = std::fs::read_to_string(path(name)).unwrap_or_else(|problem| panic!("{name}: {problem}"));
    let (ptx, sass) = text.split_once(EXPECTED).unwrap_or((text.trim_end(), ""));
    (ptx.to_owned(), sass.to_owned())
}

fn sass(ptx: &str, passes: &[Pass]) -> String {
    let module = Module::parse(ptx);
    let item = module.items().iter().find(|item| item.function().is_some()).expect("there is a kernel");
    let arch = Machine::builtin().gpu_for_sm(90).arch;
    let lowered = Lowered::by(passes, (item, &Names::resolve(item)), &Facts::collect(&module), &arch)
        .expect("it has a body");
    assert_eq!(lowered.unknown, [], "every instruction has an expansion");
    let chunk = &lowered.chunk;
    let line = |line: u32| {
        let line = chunk.line_text(line as usize);
        let (address, text) = line.split_once("*/").expect("an address precedes it");
        format!(
            "// {}  {}\n",
            address.trim_start_matches(['/', '*', ' ']),
            text.trim().trim_end_matches(" ;")
        )
    };
    chunk.instructions().iter().map(|instruction| line(instruction.line)).collect()
}

#[test]
fn each_pass_makes_what_its_fixture_expects() {
    let mut wrong = Vec::new();
    for name in PASSES.iter().map(|pass| pass.name).chain(OTHERS) {
        let (ptx, expected) = fixture(name);
        let found = sass(&ptx, &PASSES);
        if std::env::var_os("WARPLENS_BLESS").is_some() {
            std::fs::write(path(name), format!("{ptx}{EXPECTED}{found}")).expect("it is writable");
        } else if found != expected {
            wrong.push(format!("{name}: expected\n{expected}found\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn without_a_pass_its_fixture_becomes_something_else() {
    for name in PASSES.iter().map(|pass| pass.name) {
        let (ptx, _) = fixture(name);
        let others = PASSES.into_iter().filter(|pass| pass.name != name);
        assert_ne!(sass(&ptx, &others.collect::<Vec<_>>()), sass(&ptx, &PASSES), "{name} does nothing");
    }
}

#[test]
fn every_fixture_is_of_a_pass() {
    let known: Vec<&str> = PASSES.iter().map(|pass| pass.name).chain(OTHERS).collect();
    for entry in path("").parent().expect("a folder").read_dir().expect("it exists") {
        let file = entry.expect("the entry can be read").path();
        let name = file.file_stem().and_then(|name| name.to_str()).expect("the file has a name");
        assert!(known.contains(&name), "{name} is no pass");
    }
}
