//! Minimum DRAM traffic, compared with launches of known size.

use super::Kernel;
use crate::execution::MinTraffic;

const POINTER: u32 = 0x210;

/// The traffic of a launch of 4096 blocks of 256 threads, whose parameter is a pointer.
fn traffic(lines: &[&str]) -> MinTraffic {
    let kernel = Kernel::new(90, lines);
    let mut launch = kernel.launch([4096, 1, 1], [256, 1, 1]);
    launch.point(POINTER, "arg0".into(), None);
    MinTraffic::estimate(&kernel.code(&launch), &kernel.gpu.arch, &launch)
}

const INDEX: [&str; 3] = ["S2R R0, SR_CTAID.X", "S2R R1, SR_TID.X", "IMAD R0, R0, 0x100, R1"];

fn with_index<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    INDEX.into_iter().chain(lines.iter().copied()).chain(["EXIT"]).collect()
}

#[test]
fn each_byte_of_a_stream_moves_once() {
    let bytes = 4096.0 * 256.0 * 4.0;
    let copy = with_index(&[
        "IMAD.WIDE.U32 R4, R0, 0x4, c[0x0][0x210]",
        "LDG.E R6, desc[UR4][R4.64]",
        "STG.E desc[UR4][R4.64], R6",
    ]);
    assert_eq!(traffic(&copy), MinTraffic { read: bytes, written: bytes });
    // Neighbours that are read again hit a cache.
    let stencil = with_index(&[
        "IMAD.WIDE.U32 R4, R0, 0x4, c[0x0][0x210]",
        "LDG.E R6, desc[UR4][R4.64]",
        "LDG.E R7, desc[UR4][R4.64+0x4]",
        "LDG.E R8, desc[UR4][R4.64+0x80]",
    ]);
    let read = traffic(&stencil).read;
    assert!((bytes..bytes * 1.01).contains(&read), "{read} of {bytes}");
    // One sector in four.
    let strided = with_index(&["IMAD.WIDE.U32 R4, R0, 0x80, c[0x0][0x210]", "LDG.E R6, desc[UR4][R4.64]"]);
    assert_eq!(traffic(&strided), MinTraffic { read: 4096.0 * 256.0 * 32.0, written: 0.0 });
}

#[test]
fn what_all_warps_read_moves_once_and_unknown_addresses_count_nothing() {
    let table = with_index(&["IMAD.WIDE.U32 R4, R1, 0x4, c[0x0][0x210]", "LDG.E R6, desc[UR4][R4.64]"]);
    assert_eq!(traffic(&table), MinTraffic { read: 1024.0, written: 0.0 });
    let gather = with_index(&[
        "IMAD.WIDE.U32 R4, R0, 0x4, c[0x0][0x210]",
        "LDG.E R6, desc[UR4][R4.64]",
        "IMAD.WIDE.U32 R8, R6, 0x4, c[0x0][0x210]",
        "LDG.E R6, desc[UR4][R8.64]",
    ]);
    assert_eq!(traffic(&gather), MinTraffic { read: 4096.0 * 256.0 * 4.0, written: 0.0 });
}
