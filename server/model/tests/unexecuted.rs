//! Counts instructions that the execution of launches does not model, although an address or a branch depends on them.
//!
//! `cargo test -p model --test unexecuted -- --nocapture` prints them by opcode, modifiers and architecture with an
//! example, the most frequent first; `LISTINGS=folder` adds the listings of a folder.

#![expect(clippy::disallowed_methods, reason = "not part of the crate: it reads the files that it is given")]

use machine::Machine;
use model::execution::Code;
use model::{MemorySpace, Program, Trips};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syntax::sass::Listing;

/// At most one in this many instructions of sm_70 and later may be unmodelled.
const ONE_OF: usize = 1_000;

/// Opcodes that are modelled with all modifiers that compilers for sm_70 and later print.
const FOLLOWED: &[&str] = &[
    "MOV",
    "UMOV",
    "IADD3",
    "UIADD3",
    "IADD",
    "IMAD",
    "UIMAD",
    "LEA",
    "ULEA",
    "SHF",
    "USHF",
    "LOP3",
    "ULOP3",
    "ISETP",
    "UISETP",
    "SEL",
    "USEL",
    "IMNMX",
    "UIMNMX",
    "VIMNMX",
    "UVIMNMX",
    "VIMNMX3",
    "VIADD",
    "VIADDMNMX",
    "FMNMX",
    "FMNMX3",
    "FADD",
    "FMUL",
    "FFMA",
    "REDUX",
    "CREDUX",
    "UI2F",
    "UF2I",
    "IDP",
    "MATCH",
    "VOTE",
    "VOTEU",
];

/// Returns the listings in this repository, in the shared folder next to it, and in the folder that `LISTINGS` names.
fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = ["../../tests/corpus", "tests/expressions"].map(|folder| root.join(folder)).to_vec();
    let shared = root.join("../../../shared");
    if shared.is_dir() {
        open.extend(["corpus/samples", "hardware"].map(|folder| shared.join(folder)));
    } else {
        testkit::left_out("../shared is missing, so only the repository's own listings are followed");
    }
    open.extend(std::env::var_os("LISTINGS").map(PathBuf::from));
    let mut texts = Vec::new();
    while let Some(folder) = open.pop() {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map(|entry| entry.expect("the folder can be read").path()) {
            let kind = path.extension().unwrap_or_default();
            if path.is_dir() {
                open.push(path);
            } else if kind == "sass" || kind == "txt" {
                texts.extend(std::fs::read_to_string(&path));
            }
        }
    }
    texts
}

/// True if the instruction reads constant bank 2 or 3, whose contents are not part of the listing.
fn reads_data(line: &str) -> bool {
    ["c[0x2]", "c[0x3]"].iter().any(|bank| line.contains(bank))
}

#[test]
fn little_that_addresses_depend_on_is_left_out() {
    let machine = Machine::builtin();
    let (mut instructions, mut left_out) = (0_usize, 0_usize);
    let mut rows = BTreeMap::<(String, String, u16), (usize, String)>::new();
    for text in texts() {
        let listing = Listing::parse(&text);
        for chunk in listing.chunks().iter().filter(|chunk| !chunk.instructions().is_empty()) {
            let Some(sm) = chunk.sm().or(listing.sm()) else { continue };
            let program = Program::decode(chunk, &machine.gpu_for_sm(sm.number).arch);
            let code = Code::new(chunk, &program, &Trips::default());
            let is_new = sm.number >= 70;
            instructions += if is_new { program.instructions.len() } else { 0 };
            for at in code.unknown() {
                // Contents of memory are data.
                let space = program.instructions[at].memory.map(|memory| memory.space);
                if space.is_some_and(|space| space != MemorySpace::Constant) {
                    continue;
                }
                let instruction = &chunk.instructions()[at];
                let modifiers: Vec<&str> = chunk.modifiers(instruction).collect();
                let mnemonic = chunk.mnemonic(instruction).to_owned();
                let (count, example) = rows.entry((mnemonic, modifiers.join("."), sm.number)).or_default();
                let line = chunk.line_text(instruction.line as usize);
                // What the driver or the host puts into constant memory is data, too; another example shows more.
                if *count == 0 || reads_data(example) {
                    line.split("*/").nth(1).unwrap_or(line).trim().clone_into(example);
                }
                *count += 1;
                left_out += usize::from(is_new);
            }
        }
    }
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by(|(a, more), (b, less)| less.cmp(more).then(a.cmp(b)));
    println!("opcode,modifiers,architecture,count,example");
    for ((opcode, modifiers, sm), (count, example)) in &rows {
        println!("{opcode},{modifiers},sm_{sm},{count},\"{example}\"");
    }
    assert!(instructions > ONE_OF, "{instructions} instructions");
    let share = 100.0 * left_out as f64 / instructions as f64;
    println!("{left_out} of {instructions} instructions of sm_70 and later, {share:.3} %");
    let overlooked: Vec<_> = rows
        .iter()
        .filter(|((opcode, _, sm), (_, example))| {
            *sm >= 70 && FOLLOWED.contains(&opcode.as_str()) && !reads_data(example)
        })
        .collect();
    assert!(overlooked.is_empty(), "{overlooked:?}");
    assert!(left_out <= instructions.div_ceil(ONE_OF), "{share:.3} % of {instructions}");
}
