//! `warplens predict` with data files: the addresses that a kernel accesses depend on the contents of memory.

use crate::run::{Folder, RunResult};

/// A kernel that copies rows of a table: 8 rows of 1 KiB per block. The third parameter points to the row numbers.
const GATHER: &str = include_str!("../../../../tests/measured/h200/held/triton/gather_rows.sass");

const ROWS: u32 = 16_384;

fn predict(holds: &str, files: &[(&str, &[u8])]) -> RunResult {
    let launch = format!(
        "[[launch]]\nfunction = \"gather_rows\"\ngrid = [{}]\nblock = [128]\n\
         params = [\"ptr\", \"ptr\", {{ holds = {holds} }}, 22.627]\n",
        ROWS / 8
    );
    let folder = Folder::new().file("a.sass", GATHER).file("w/launches.toml", launch);
    let folder = files.iter().fold(folder, |folder, (name, bytes)| folder.file(&format!("w/{name}"), bytes));
    folder.run("predict a.sass --gpu h100-sxm --launches w/launches.toml --format csv")
}

/// The cycles; `None` if they are unknown.
fn cycles(csv: &str) -> Option<u64> {
    csv.lines().nth(1).unwrap().split(',').nth(2).unwrap().parse().ok()
}

fn npy(numbers: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '<i4', 'fortran_order': False, 'shape': ({ROWS},), }}\n");
    let bytes = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", bytes.as_slice(), header.as_bytes(), numbers].concat()
}

#[test]
fn the_rows_that_a_file_names_are_read() {
    // Any order of 16,384 different rows, as a permutation has.
    let apart: Vec<u8> = (0..ROWS).flat_map(|row| (row * 7919 % ROWS).to_le_bytes()).collect();
    let same = vec![0; apart.len()];
    let of = |holds: &str, files: &[(&str, &[u8])]| cycles(&predict(holds, files).ok()).unwrap();
    let generated = of(&format!("{{ permutation = {ROWS} }}"), &[]);
    let raw = of("{ file = \"rows.bin\" }", &[("rows.bin", &apart)]);
    assert_eq!(raw, of("{ file = \"rows.npy\" }", &[("rows.npy", &npy(&apart))]));
    assert!(raw.abs_diff(generated) < generated / 20, "{raw} {generated}");
    let one_row = of("{ file = \"rows.npy\" }", &[("rows.npy", &npy(&same))]);
    assert!(one_row * 10 < generated * 9, "{one_row} {generated}");
}

#[test]
fn a_file_that_cannot_be_used_is_one_line_and_the_contents_are_unknown() {
    let unknown = predict("{ file = \"none.npy\" }", &[]);
    let expected = "warplens: w/launches.toml:5: `file`: none.npy: no such file; expected a path relative to \
                    the folder of this file; the contents count as unknown\n";
    assert_eq!((unknown.code, unknown.stderr.as_str()), (Some(0), expected));
    let malformed = predict("{ file = \"a.npy\" }", &[("a.npy", b"not an array")]);
    assert_eq!(
        (malformed.code, malformed.stderr.matches('\n').count()),
        (Some(0), 1),
        "{}",
        malformed.stderr
    );
    assert_eq!(malformed.stdout, unknown.stdout);
    // Rows after the end of the file are unknown, too.
    let short = predict("{ file = \"rows.bin\" }", &[("rows.bin", &[0; 64])]).ok();
    assert_eq!(cycles(&short), None, "{short}");
}
