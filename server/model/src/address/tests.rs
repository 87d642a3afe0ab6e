//! Addresses, trip counts and requests of small listings.

pub(crate) mod random;

use super::{Addresses, Affine, Symbol, WarpThreads};
use crate::Program;
use machine::Machine;
use std::fmt::Write;
use syntax::sass::{Chunk, Listing};

struct Kernel {
    listing: Listing,
    program: Program,
}

impl Kernel {
    fn new(sm: u16, instructions: &[&str]) -> Self {
        let mut text = format!("\tcode for sm_{sm}\n\t\tFunction : kernel\n");
        for (index, instruction) in instructions.iter().enumerate() {
            writeln!(text, "        /*{:04x}*/                   {instruction} ;", index * 16).unwrap();
        }
        Self::of_text(sm, &text)
    }

    fn of_text(sm: u16, text: &str) -> Self {
        let listing = Listing::parse(text);
        let chunk = listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty());
        let program =
            Program::decode(chunk.expect("there is a kernel"), &Machine::builtin().gpu_for_sm(sm).arch);
        Self { listing, program }
    }

    fn chunk(&self) -> &Chunk {
        self.listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).unwrap()
    }

    fn addresses(&self) -> Addresses {
        Addresses::compute(self.chunk(), &self.program)
    }
}

fn name(symbol: Symbol) -> String {
    match symbol {
        Symbol::Param(offset) => format!("c{offset:x}"),
        Symbol::Pointer(offset) => format!("p{offset:x}"),
        Symbol::Loop(branch) => format!("loop{branch}"),
        Symbol::Opaque(_) => "?".into(),
        Symbol::Term(_) => "f".into(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn print(affine: &Affine) -> String {
    let terms = affine.terms().iter().map(|&(symbol, factor)| format!("{factor}*{}", name(symbol)));
    terms.chain([affine.constant().to_string()]).collect::<Vec<_>>().join(" + ")
}

/// The address of the last access in a kernel for sm_90; `-` if it is unknown.
fn address(instructions: &[&str]) -> String {
    address_on(90, instructions)
}

fn address_on(sm: u16, instructions: &[&str]) -> String {
    let kernel = Kernel::new(sm, instructions);
    let last =
        kernel.program.instructions.iter().rposition(|inst| inst.memory.is_some()).expect("it accesses");
    kernel.addresses().access(last).map_or("-".into(), print)
}

const TID: &str = "S2R R0, SR_TID.X";

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn addresses_are_sums() {
    let cases: &[(&[&str], &str)] = &[
        (
            &[
                "IMAD.WIDE.U32 R8, R0, 0x4, R8",
                "LDC.64 R8, c[0x0][0x220]",
                TID,
                "IMAD.WIDE.U32 R8, R0, 0x4, R8",
                "LDG.E R4, desc[UR6][R8.64+0x2400]",
            ],
            "4*tidx + 1*p220 + 9216",
        ),
        (
            &[TID, "IMAD.WIDE R2, R0, 0x4, c[0x0][0x210]", "STG.E desc[UR6][R2.64+-0x10], R4"],
            "4*tidx + 1*p210 + -16",
        ),
        (
            &[
                TID,
                "LEA R2, P0, R0, c[0x0][0x210], 0x3",
                "LEA.HI.X R3, R0, c[0x0][0x214], RZ, 0x3, P0",
                "LDG.E R4, desc[UR6][R2.64]",
            ],
            "8*tidx + 1*p210 + 0",
        ),
        (
            &[
                TID,
                "SHF.R.S32.HI R5, RZ, 0x1f, R0",
                "LEA R2, P0, R0, c[0x0][0x210], 0x3",
                "LEA.HI.X R3, R0, c[0x0][0x214], R5, 0x3, P0",
                "LDG.E R4, desc[UR6][R2.64]",
            ],
            "8*tidx + 1*p210 + 0",
        ),
        (
            &[
                TID,
                "LEA R2, P0, R0, c[0x0][0x210], 0x3",
                "LEA.HI.X.SX32 R3, R0, c[0x0][0x214], 0x3, P0",
                "LDG.E R4, desc[UR6][R2.64]",
            ],
            "8*tidx + 1*p210 + 0",
        ),
        (
            &[
                TID,
                "IMAD.SHL.U32 R0, R0, 0x4, RZ",
                "ULDC.64 UR4, c[0x0][0x210]",
                "IADD3 R2, P1, R0, UR4, RZ",
                "IADD3.X R3, RZ, UR5, RZ, P1, !PT",
                "LDG.E R4, desc[UR6][R2.64]",
            ],
            "4*tidx + 1*p210 + 0",
        ),
        (
            &[
                TID,
                "LDC.64 R6, c[0x0][0x210]",
                "IADD3 R2, P0, R6, 0x20, RZ",
                "IMAD.X R3, RZ, RZ, R7, P0",
                "LDG.E R4, desc[UR6][R2.64]",
            ],
            "1*p210 + 32",
        ),
        (
            &[
                "LDC.64 R6, c[0x0][0x210]",
                "IADD3 R2, P0, R6, -0x20, RZ",
                "IADD3.X R3, R7, -0x1, RZ, P0, !PT",
                "LDG.E R4, desc[UR6][R2.64]",
            ],
            "1*p210 + -32",
        ),
        (
            &[
                "LDC.64 R6, c[0x0][0x210]",
                "LDC.64 R8, c[0x0][0x218]",
                "IADD3 R2, P0, R6, -R8, RZ",
                "IADD3.X R3, R7, ~R9, RZ, P0, !PT",
                "LDG.E R4, desc[UR6][R2.64]",
            ],
            "1*p210 + -1*p218 + 0",
        ),
        (
            &[
                TID,
                "S2UR UR4, SR_CTAID.X",
                "IMAD R0, R0, 0x8, R0",
                "LEA R2, R0, UR4, 0x2",
                "LDS R4, [R2+0x8]",
            ],
            "36*tidx + 1*ctaidx + 8",
        ),
        (
            &[
                "S2UR UR5, SR_CgaCtaId",
                "UMOV UR4, 0x400",
                TID,
                "ULEA UR4, UR5, UR4, 0x18",
                "LEA R2, R0, UR4, 0x4",
                "LDS.128 R4, [R2+0x10]",
            ],
            "16*tidx + 16777216*? + 1040",
        ),
        (&[TID, "LDS R4, [R0.X4+0x8]"], "4*tidx + 8"),
        (&["HFMA2.MMA R6, -RZ, RZ, 0, 5.9604644775390625e-08", "LDS R4, [R6]"], "1"),
        (&["HFMA2.MMA R6, -RZ, RZ, 0, 1", "LDS R4, [R6+UR4]", "UMOV UR4, 0x4", "LDS R4, [R6+UR4]"], "15364"),
        (&[TID, "LOP3.LUT R1, R0, 0x1f, RZ, 0xc0, !PT", "LDS R4, [R1]"], "1*f + 0"),
        (
            &[TID, "SHF.L.U32 R0, R0, 0x2, RZ", "LOP3.LUT R1, R0, 0xffc, RZ, 0xc0, !PT", "LDS R4, [R1]"],
            "4*tidx + 0",
        ),
        (
            &[TID, "SHF.L.U32 R0, R0, 0x5, RZ", "LOP3.LUT R1, R0, 0x7, RZ, 0xfc, !PT", "LDS R4, [R1]"],
            "32*tidx + 7",
        ),
        (
            &[TID, "VIADD R0, R0, 0xffffffff", "IMAD.WIDE R2, R0, 0x4, RZ", "LDG.E R4, desc[UR6][R2.64]"],
            "4*tidx + -4",
        ),
        (
            &[TID, "VIADD R0, R0, 0xffffffff", "IMAD.WIDE.U32 R2, R0, 0x4, RZ", "LDG.E R4, desc[UR6][R2.64]"],
            "4*f + 0",
        ),
        (
            &["STL [R1+0x4], R2", "LDC R1, c[0x0][0x28]", "VIADD R1, R1, 0xfffffff8", "STL [R1+0x4], R2"],
            "1*c28 + -4",
        ),
        (&[TID, "LDG.E R0, desc[UR4][R2.64]", "LDS R1, [R0]"], "-"),
        (&["LDC.64 R2, c[0x0][0x210]", "LDG.E R0, desc[UR4][R2.64]", "LDS R1, [R0]"], "1*? + 0"),
        (
            &["LDC.64 R2, c[0x0][0x210]", "LDG.E.64 R4, desc[UR4][R2.64]", "LDG.E R1, desc[UR4][R4.64+0x4]"],
            "1*? + 4",
        ),
        (&[TID, "FROB R0, R1", "LDS R1, [R0]"], "-"),
        (&[TID, "I2F R0, R0", "LDS R1, [R0]"], "-"),
    ];
    for (instructions, expected) in cases {
        assert_eq!(address(instructions), *expected, "{instructions:?}");
    }
}

#[test]
fn pairs_and_extremes_are_followed() {
    let cases: &[(u16, &[&str], &str)] = &[
        (
            120,
            &[
                TID,
                "LDCU.128 UR4, c[0x0][0x380]",
                "MOV.64 R2, UR6",
                "IMAD.WIDE.U32 R4, R0, 0x4, RZ",
                "IADD.64 R2, R2, R4",
                "LDG.E R6, desc[UR8][R2.64+0x8]",
            ],
            "4*tidx + 1*p388 + 8",
        ),
        (120, &["UMOV.64 UR4, 0x500000010", "MOV R2, UR4", "LDS R4, [R2]"], "16"),
        (120, &["MOV.64 R2, -0x8", "IADD3 R2, R2, 0x18, RZ", "LDS R4, [R2]"], "16"),
        // A carry makes it a different sum, and a mask selects bytes.
        (120, &[TID, "MOV R1, RZ", "IADD.64 R2, R0, 0x8, P0", "LDS R4, [R2]"], "-"),
        (90, &[TID, "MOV R2, R0, 0x1", "LDS R4, [R2]"], "-"),
        (90, &[TID, "VIADDMNMX R2, R0, 0x4, RZ, !PT", "LDS R4, [R2]"], "1*f + 0"),
        (90, &["MOV R0, 0x3", "MOV R1, 0x20", "VIADDMNMX R2, R0, 0x4, R1, PT", "LDS R4, [R2]"], "7"),
        (90, &["MOV R0, 0x30", "MOV R1, 0x20", "VIMNMX3 R2, R0, 0x40, R1, PT", "LDS R4, [R2]"], "32"),
        (90, &["MOV R0, -0x5", "VIMNMX.RELU R2, R0, -0x9, !PT", "LDS R4, [R2+0x8]"], "8"),
        (120, &["MOV R0, 0x30", "VIMNMX.S32 R2, R0, 0x40, !PT", "LDS R4, [R2]"], "64"),
        (90, &[TID, "VIMNMX.S16x2 R2, R0, 0x4, !PT", "LDS R4, [R2]"], "-"),
        (90, &[TID, "IMAD.MOV.FROB R2, RZ, RZ, R0", "LDS R4, [R2]"], "-"),
        (52, &[TID, "IADD3 R2, R0, 0xffffe, RZ", "LDS R4, [R2]"], "1*tidx + -2"),
    ];
    for (sm, instructions, expected) in cases {
        assert_eq!(address_on(*sm, instructions), *expected, "{instructions:?}");
    }
}

#[test]
fn guards_and_joins_keep_what_is_equal() {
    let cases: &[(&[&str], &str)] = &[
        (&["MOV R2, 0x4", "@P0 MOV R2, 0x4", "LDS R1, [R2]"], "4"),
        (&["MOV R2, 0x4", "@P0 MOV R2, 0x8", "LDS R1, [R2]"], "-"),
        (
            &[TID, "ISETP.GE.AND P0, PT, R0, 0x8, PT", "MOV R2, 0x4", "@P0 MOV R2, 0x8", "LDS R1, [R2]"],
            "1*f + 0",
        ),
        (&["MOV R2, 0x4", "@P0 BRA 0x30", "MOV R2, 0x4", "LDS R1, [R2]"], "4"),
        (&["MOV R2, 0x4", "@P0 BRA 0x30", "MOV R2, 0x8", "LDS R1, [R2]"], "-"),
        (&["UMOV UR4, 0x4", "@P0 BRA 0x30", "UMOV UR4, 0x8", "LDS R1, [UR4]"], "1*? + 0"),
        (
            &[
                "MOV R2, 0x4",
                "CALL.REL.NOINC 0x40",
                "LDS R1, [R2]",
                "EXIT",
                "MOV R3, 0x8",
                "RET.REL.NODEC R20 0x0",
            ],
            "4",
        ),
        (
            &[
                "MOV R2, 0x4",
                "CALL.REL.NOINC 0x40",
                "LDS R1, [R2]",
                "EXIT",
                "MOV R2, 0x8",
                "RET.REL.NODEC R20 0x0",
            ],
            "-",
        ),
    ];
    for (instructions, expected) in cases {
        assert_eq!(address(instructions), *expected, "{instructions:?}");
    }
}

/// Code, the trip count of each loop, and the address of the last access.
type LoopCase<'a> = (&'a [&'a str], &'a [Option<u32>], &'a str);

/// The trip count of each backward branch, and the address of the last access.
fn loops(instructions: &[&str]) -> (Vec<Option<u32>>, String) {
    let kernel = Kernel::new(90, instructions);
    let addresses = kernel.addresses();
    let back = kernel.program.instructions.iter().enumerate();
    let back = back.filter(|(at, inst)| inst.target.is_some_and(|target| (target as usize) < *at));
    (back.map(|(at, _)| addresses.trips(at)).collect(), address(instructions))
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn loops_with_constant_bounds_are_counted() {
    let cases: &[LoopCase] = &[
        // Compared after the step.
        (
            &[
                "IMAD.MOV.U32 R2, RZ, RZ, RZ",
                "VIADD R2, R2, 0x4",
                "ISETP.GE.AND P0, PT, R2, 0x40, PT",
                "LDS R4, [R2]",
                "@!P0 BRA 0x10",
                "EXIT",
            ],
            &[Some(16)],
            "4*loop4 + 4",
        ),
        // Compared before the step, with the counter copied through another register.
        (
            &[
                "HFMA2.MMA R2, -RZ, RZ, 0, 0",
                "ISETP.NE.AND P0, PT, R2, 0x9, PT",
                "IADD3 R3, R2, 0x1, RZ",
                "MOV R2, R3",
                "LDS R4, [R2]",
                "@P0 BRA 0x10",
                "EXIT",
            ],
            &[Some(10)],
            "1*loop5 + 1",
        ),
        // Counting down, unsigned, in uniform registers.
        (
            &[
                "UMOV UR4, 0x20",
                "UIADD3 UR4, UR4, -0x8, URZ",
                "UISETP.GT.U32.AND UP0, UPT, UR4, 0x7, UPT",
                "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0",
                "LDS R4, [UR4]",
                "@P0 BRA 0x10",
                "EXIT",
            ],
            &[Some(4)],
            "-8*loop5 + 24",
        ),
        // The exit is at the head, so the back edge is taken once less than the test runs.
        (
            &[
                "MOV R2, RZ",
                "ISETP.GE.AND P0, PT, R2, 0x5, PT",
                "@P0 BRA 0x60",
                "IADD3 R2, R2, 0x1, RZ",
                "LDS R4, [R2]",
                "BRA 0x10",
                "EXIT",
            ],
            &[Some(5)],
            "1*loop5 + 1",
        ),
        // The value after a loop.
        (
            &[
                "MOV R2, RZ",
                "VIADD R2, R2, 0x1",
                "ISETP.LT.AND P0, PT, R2, 0x6, PT",
                "@P0 BRA 0x10",
                "LDS R4, [R2]",
            ],
            &[Some(6)],
            "6",
        ),
        // The inner of two loops.
        (
            &[
                "MOV R2, RZ",
                "MOV R3, RZ",
                "VIADD R3, R3, 0x4",
                "LEA R5, R2, R3, 0x8",
                "LDS R4, [R5]",
                "ISETP.GE.AND P0, PT, R3, 0x40, PT",
                "@!P0 BRA 0x20",
                "VIADD R2, R2, 0x1",
                "ISETP.GE.AND P0, PT, R2, 0x3, PT",
                "@!P0 BRA 0x10",
                "EXIT",
            ],
            &[Some(16), Some(3)],
            "4*loop6 + 256*loop9 + 4",
        ),
        // A pointer that moves.
        (
            &[
                "LDC.64 R2, c[0x0][0x210]",
                "MOV R5, RZ",
                "VIADD R5, R5, 0x1",
                "LDG.E R4, desc[UR4][R2.64]",
                "IADD3 R2, P1, R2, 0x80, RZ",
                "ISETP.GE.AND P0, PT, R5, 0x3, PT",
                "IMAD.X R3, RZ, RZ, R3, P1",
                "@!P0 BRA 0x20",
                "EXIT",
            ],
            &[Some(3)],
            "128*loop7 + 1*p210 + 0",
        ),
        // A step that is the same in all lanes, but known only from the launch.
        (
            &[
                "LDC.64 R2, c[0x0][0x210]",
                "MOV R5, RZ",
                "VIADD R5, R5, 0x1",
                "LDC R6, c[0x0][0x218]",
                "LDG.E R4, desc[UR4][R2.64]",
                "IMAD.WIDE R2, R5, 0x0, R2",
                "IMAD.WIDE R2, R6, 0x4, R2",
                "ISETP.GE.AND P0, PT, R5, R6, PT",
                "@!P0 BRA 0x20",
                "EXIT",
            ],
            &[None],
            "1*p210 + 1*? + 0",
        ),
        // A different bound in each lane.
        (
            &[
                TID,
                "MOV R2, RZ",
                "VIADD R2, R2, 0x4",
                "ISETP.GE.AND P0, PT, R2, R0, PT",
                "@!P0 BRA 0x20",
                "LDS R4, [R2]",
            ],
            &[None],
            "-",
        ),
        // A second exit, a guarded step, a step of 0.
        (
            &[
                "MOV R2, RZ",
                "VIADD R2, R2, 0x4",
                "@P1 BRA 0x50",
                "ISETP.GE.AND P0, PT, R2, 0x40, PT",
                "@!P0 BRA 0x10",
                "LDS R4, [R2]",
            ],
            &[None],
            "-",
        ),
        (
            &[
                "MOV R2, RZ",
                "@P1 VIADD R2, R2, 0x4",
                "ISETP.GE.AND P0, PT, R2, 0x40, PT",
                "LDS R4, [R2]",
                "@!P0 BRA 0x10",
                "EXIT",
            ],
            &[None],
            "-",
        ),
        (
            &[
                "MOV R2, RZ",
                "VIADD R2, R2, 0x0",
                "ISETP.GE.AND P0, PT, R2, 0x40, PT",
                "LDS R4, [R2]",
                "@!P0 BRA 0x10",
                "EXIT",
            ],
            &[None],
            "0",
        ),
        // Entered in the middle.
        (
            &[
                "MOV R2, RZ",
                "@P1 BRA 0x30",
                "VIADD R2, R2, 0x4",
                "ISETP.GE.AND P0, PT, R2, 0x40, PT",
                "LDS R4, [R2]",
                "@!P0 BRA 0x20",
                "EXIT",
            ],
            &[None],
            "-",
        ),
    ];
    for (instructions, trips, address) in cases {
        assert_eq!(loops(instructions), (trips.to_vec(), (*address).to_owned()), "{instructions:?}");
    }
}

/// Code, the shape of a block, and the expected wavefronts and lines.
type RequestCase<'a> = (&'a [&'a str], [u32; 3], Option<u32>, Option<u32>);

/// Wavefronts and lines of the last access, for the first warp of a block of that shape.
fn requests(instructions: &[&str], block: [u32; 3]) -> (Option<u32>, Option<u32>) {
    let kernel = Kernel::new(90, instructions);
    let last = kernel.program.instructions.iter().rposition(|inst| inst.memory.is_some()).unwrap();
    let (addresses, lanes) = (kernel.addresses(), WarpThreads::first(block));
    (addresses.wavefronts(last, &lanes), addresses.lines(last, &lanes))
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn requests_follow_from_the_blocks_shape() {
    let line = [32, 1, 1];
    let swizzle = [
        "S2R R0, SR_TID.X",
        "SHF.R.U32.HI R1, RZ, 0x3, R0",
        "LOP3.LUT R1, R1, R0, RZ, 0x3c, !PT",
        "LOP3.LUT R1, R1, 0x7, RZ, 0xc0, !PT",
        "SHF.L.U32 R2, R0, 0x4, RZ",
        "LOP3.LUT R2, R2, 0xf80, RZ, 0xc0, !PT",
        "LEA R2, R1, R2, 0x4",
        "LDS.128 R4, [R2]",
    ];
    let cases: &[RequestCase] = &[
        (
            &[
                TID,
                "LEA R2, R0, UR4, 0x4",
                "LDS R4, [R2]",
                "UMOV UR4, 0x400",
                "LEA R2, R0, UR4, 0x4",
                "LDS R4, [R2]",
            ],
            line,
            Some(4),
            None,
        ),
        (&[TID, "LEA R2, R0, 0x400, 0x7", "LDS R4, [R2]"], line, Some(32), None),
        (&[TID, "LEA R2, R0, 0x400, 0x7", "LDS R4, [R2]"], [16, 2, 1], Some(16), None),
        (&[TID, "LEA R2, R0, 0x400, 0x7", "LDS R4, [R2]"], [4, 1, 1], Some(4), None),
        (&["S2UR UR4, SR_CgaCtaId", TID, "LEA R2, R0, UR4, 0x2", "LDS R4, [R2]"], line, Some(1), None),
        (&["S2UR UR4, SR_CgaCtaId", TID, "LEA R2, R0, UR4, 0x0", "LDS.U8 R4, [R2]"], line, None, None),
        (
            &[
                "S2UR UR4, SR_CgaCtaId",
                TID,
                "ULEA UR4, UR4, 0x400, 0x18",
                "LEA R2, R0, UR4, 0x0",
                "LDS.U8 R4, [R2]",
            ],
            line,
            Some(1),
            None,
        ),
        (&swizzle, line, Some(4), None),
        (
            &[
                TID,
                "LOP3.LUT R0, R0, 0x1f, RZ, 0xc0, !PT",
                "LEA R2, R0, 0x400, 0x4",
                "LDSM.16.M88.4 R4, [R2]",
            ],
            line,
            Some(4),
            None,
        ),
        (&[TID, "LEA R2, R0, 0x400, 0x7", "LDSM.16.M88.2 R4, [R2]"], line, Some(16), None),
        (&[TID, "IMAD.WIDE R2, R0, 0x4, c[0x0][0x210]", "LDG.E R4, desc[UR4][R2.64]"], line, None, Some(1)),
        (
            &[TID, "IMAD.WIDE R2, R0, 0x4, c[0x0][0x210]", "LDG.E R4, desc[UR4][R2.64+0x4]"],
            line,
            None,
            Some(2),
        ),
        (
            &[TID, "IMAD.WIDE R2, R0, 0x100, c[0x0][0x210]", "LDG.E R4, desc[UR4][R2.64]"],
            [8, 4, 1],
            None,
            Some(8),
        ),
        (
            &[
                TID,
                "LDC R5, c[0x0][0x218]",
                "IMAD R0, R0, R5, RZ",
                "IMAD.WIDE R2, R0, 0x4, c[0x0][0x210]",
                "LDG.E R4, desc[UR4][R2.64]",
            ],
            line,
            None,
            None,
        ),
        (
            &[
                TID,
                "LEA R7, R0, 0x400, 0x3",
                "IMAD.WIDE R2, R0, 0x8, c[0x0][0x210]",
                "LDGSTS.E.BYPASS.128 [R7], desc[UR4][R2.64]",
            ],
            line,
            None,
            None,
        ),
        (
            &[
                TID,
                "LEA R7, R0, 0x400, 0x4",
                "IMAD.WIDE R2, R0, 0x10, c[0x0][0x210]",
                "LDGSTS.E.BYPASS.128 [R7], desc[UR4][R2.64]",
            ],
            line,
            Some(4),
            Some(4),
        ),
    ];
    for (instructions, block, wavefronts, lines) in cases {
        assert_eq!(requests(instructions, *block), (*wavefronts, *lines), "{instructions:?} {block:?}");
    }
}
