//! PTX's instruction forms, compared with ptxas 13.5: `accepted_*.ptx` has instructions spelled from the
//! forms, which ptxas accepts; `rejected_*.ptx` has instructions with a wrong modifier, which ptxas rejects.

use crate::files::ptx_under;
use machine::ptx::{Mismatch, Ptx};
use std::fs;
use std::path::Path;

/// Opcode with modifiers of each instruction statement, as written.
fn instructions(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    let text = lines.collect::<Vec<_>>().join("\n");
    let statements = text.split([';', '\n', '{', '}']);
    statements.filter_map(|statement| spelled(statement.trim())).map(str::to_owned).collect()
}

/// Returns `add.s32` for `@%p1 add.s32 %r1, %r2`; `None` for statements other than instructions.
fn spelled(statement: &str) -> Option<&str> {
    let behind_label = match statement.split_once(": ") {
        Some((label, rest)) if !label.contains(' ') => rest.trim(),
        _ => statement,
    };
    let mut words = behind_label.split_whitespace();
    let mut first = words.next()?;
    if first.starts_with('@') {
        first = words.next()?;
    }
    // The statement of a call spans several lines, so some lines begin with names and numbers.
    let opcode = first.split('.').next()?;
    Ptx::builtin().instruction(opcode).first()?;
    first.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:".contains(&byte)).then_some(first)
}

fn mismatch<'p>(ptx: &'p Ptx, spelled: &str) -> Option<Mismatch<'p>> {
    let mut words = spelled.split('.');
    let opcode = words.next().expect("a split has a part");
    let modifiers: Vec<&str> = words.collect();
    ptx.find(opcode, &modifiers).expect("callers pass only known opcodes").err()
}

fn fixtures(beginning: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/ptx_forms");
    let files = ptx_under(&folder)
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(beginning)));
    files.flat_map(|path| instructions(&fs::read_to_string(path).expect("the file can be read"))).collect()
}

#[test]
fn ptx_forms_hold_all_that_ptxas_takes() {
    let ptx = Ptx::builtin();
    let accepted = fixtures("accepted_");
    assert!(accepted.len() > 2000, "{}", accepted.len());
    let unknown: Vec<String> = accepted
        .iter()
        .filter_map(|spelled| Some(format!("{spelled}: {:?}", mismatch(&ptx, spelled)?)))
        .collect();
    assert!(unknown.is_empty(), "{} of {}: {unknown:#?}", unknown.len(), accepted.len());
    // Every opcode that may be used alone is among the accepted instructions.
    for opcode in ptx.opcodes().filter(|opcode| !["call", "brx"].contains(opcode)) {
        let is_there = accepted.iter().any(|spelled| spelled.split('.').next() == Some(opcode));
        assert!(is_there, "no {opcode} in the fixtures");
    }
}

#[test]
fn ptx_forms_leave_out_what_ptxas_rejects() {
    let ptx = Ptx::builtin();
    let rejected = fixtures("rejected_");
    let taken: Vec<&String> = rejected.iter().filter(|spelled| mismatch(&ptx, spelled).is_none()).collect();
    println!("{} of {} that ptxas rejects match a form", taken.len(), rejected.len());
    assert!(rejected.len() > 1500 && taken.len() * 50 < rejected.len(), "{taken:#?}");
}

#[test]
fn ptx_forms_hold_all_that_compilers_write() {
    let ptx = Ptx::builtin();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    if !folder.is_dir() {
        testkit::left_out("../shared is not here, so only the repository's own PTX is tested");
        return;
    }
    let mut count = 0;
    // Files in `repro` demonstrate errors.
    for path in ptx_under(&folder).into_iter().filter(|path| !path.starts_with(folder.join("repro"))) {
        for spelled in instructions(&fs::read_to_string(&path).expect("it can be read")) {
            count += 1;
            let mismatch = mismatch(&ptx, &spelled);
            assert!(mismatch.is_none(), "{}: {spelled}: {mismatch:?}", path.display());
        }
    }
    println!("{count} instructions");
}
