//! Any bytes as a cubin, a fat binary or a host program: read, or refused in one line, at a cost proportional to their
//! length.

#![no_main]

use cap::Cap;
use ide::binary::{self, Content, Cubin, CubinError, Lines};
use libfuzzer_sys::fuzz_target;
use machine::Machine;
use std::alloc::System;

// An input of some ten thousand bytes needs a hundredth of this memory: more means that a stated length was trusted.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, 256 << 20);

fuzz_target!(|bytes: &[u8]| {
    let content = binary::content(bytes);
    let cubin = accepted(Cubin::parse(bytes));
    assert!(cubin.is_none() || content == Content::Cubin);
    if let Some(cubin) = cubin {
        check(&cubin, bytes.len());
    }
    if let Some(lines) = accepted(Lines::parse(bytes)) {
        check_lines(&lines, bytes.len());
    }
    binary::has_source_lines(bytes);
    if let Some(members) = accepted(binary::members(bytes)) {
        assert!(!binary::describe_members(&members).contains('\n'));
        let mut before = 0;
        for member in members {
            assert!(member.range.start <= member.range.end && member.range.end <= bytes.len());
            // Sections may share bytes; the members of one fat binary do not.
            if content == Content::FatBinary {
                assert!(before <= member.range.start);
                before = member.range.end;
            }
            if let Some(code) = member.cubin(bytes).and_then(accepted)
                && let Some(cubin) = accepted(Cubin::parse(&code))
            {
                check(&cubin, code.len());
            }
        }
    }
});

fn accepted<T>(result: Result<T, CubinError>) -> Option<T> {
    if let Err(error) = &result {
        let line = error.to_string();
        assert!(!line.contains('\n') && line.len() < 1000, "{line}");
    }
    result.ok()
}

/// Everything that was read is in proportion to the file.
fn check(cubin: &Cubin, length: usize) {
    let names: usize = cubin.functions.iter().map(|function| function.name.len()).sum();
    let lists: usize =
        cubin.functions.iter().map(|function| function.params.len() + function.constants.len() + 1).sum();
    assert!(names <= 4 * length && lists <= length, "{names} bytes of names, {lists} of {length}");
    let kernels = binary::resources(cubin, &Machine::builtin());
    assert_eq!(kernels.len(), cubin.kernels().count());
}

fn check_lines(lines: &Lines, length: usize) {
    let tables = || lines.source.iter().chain(&lines.ptx);
    let rows: usize = tables().map(|table| table.rows.len()).sum();
    assert!(rows <= 8 * length, "{rows} rows of {length} bytes");
    for table in tables() {
        assert!(table.rows.is_sorted_by(|a, b| a.address < b.address), "rows of {} in order", table.function);
        for row in &table.rows {
            assert!(row.file.is_none_or(|file| (file as usize) < lines.files.len()));
            lines.source_of(&table.function, row.address);
        }
    }
}
