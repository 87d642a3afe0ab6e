//! Compares the predicted costs of memory requests with counts on an H100. `measured/requests.csv` describes the counts.

#![expect(clippy::disallowed_methods, reason = "a test reads its fixtures")]

use machine::{Arch, Machine};
use model::requests::{Request, SharedKind, global, global_reduction, shared};
use std::path::Path;

/// Returns the predicted cost of a request, in the notation of the file.
fn predicted(arch: &Arch, instruction: &str, request: &Request) -> Option<String> {
    let (mnemonic, size) = instruction.split_once('.')?;
    let size: u32 = size.parse().ok()?;
    let kind = match mnemonic {
        "LDS" => SharedKind::Load,
        "STS" => SharedKind::Store,
        "LDSM" | "STSM" => {
            return Some(shared(arch, SharedKind::Matrix, size * 4, request)?.taken.to_string());
        }
        "ATOMS" => SharedKind::Atomic,
        "INC" => SharedKind::Increment,
        "CAS" => SharedKind::CompareAndSwap,
        "LDGSTS" => SharedKind::Copy,
        "LDG" | "STG" => {
            let found = global(arch, size / 8, request)?;
            return Some(format!("{}/{}", found.taken, found.tag_wavefronts));
        }
        "RED" | "ATOMG" => {
            let found = global_reduction(arch, size / 8, request)?;
            return Some(format!("{}/{}", found.taken, found.tag_wavefronts));
        }
        _ => return None,
    };
    Some(shared(arch, kind, size / 8, request)?.taken.to_string())
}

/// Returns the bytes per unit of an address, for patterns whose unit is the access size of the instruction.
fn own_size(instruction: &str) -> u64 {
    match instruction.split_once('.').expect("a column has a size") {
        ("LDSM" | "STSM", _) => 16,
        (_, bits) => bits.parse::<u64>().expect("a size is a number") / 8,
    }
}

#[test]
fn the_rules_say_what_an_h100_counted() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/measured/requests.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let mut rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').collect());
    let columns: Vec<&str> = rows.next().unwrap();
    let arch = Machine::builtin().gpu_for_sm(90).arch;
    let (mut requests, mut wrong) = (0, Vec::new());
    for row in rows {
        let [name, lanes, unit, at] = row[..4] else { panic!("{row:?}") };
        let units: Vec<u64> = at.split(' ').map(|at| at.parse().unwrap()).collect();
        let unit: u64 = unit.parse().unwrap();
        for (instruction, measured) in columns.iter().zip(&row).skip(4).filter(|(_, cell)| !cell.is_empty()) {
            let bytes = if unit == 0 { own_size(instruction) } else { unit };
            let request = Request {
                active: u32::from_str_radix(lanes, 16).unwrap(),
                addresses: std::array::from_fn(|lane| units[lane] * bytes),
            };
            let found = predicted(&arch, instruction, &request);
            requests += 1;
            if found.as_deref() != Some(measured) {
                wrong.push(format!("{name}, {instruction}: {found:?} for {measured}"));
            }
        }
    }
    println!("{} of {requests} requests as measured", requests - wrong.len());
    // Tag look-ups of one reduction of random words are off by one.
    assert_eq!(wrong, ["random sectors 1, RED.32: Some(\"32/9\") for 32/8"], "of {requests}");
    assert!(requests > 2200, "{requests}");
}
