//! Small listings and what is known of them; random programs against an interpreter; the measured programs.

use super::{Addresses, Affine, Lanes, Symbol};
use crate::Program;
use machine::Machine;
use proptest::prelude::*;
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
        Addresses::of(self.chunk(), &self.program)
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

/// The address of the last access in a kernel of sm_90; `-` where it is not known.
fn address(instructions: &[&str]) -> String {
    let kernel = Kernel::new(90, instructions);
    let last =
        kernel.program.instructions.iter().rposition(|inst| inst.memory.is_some()).expect("it accesses");
    kernel.addresses().access(last).map_or("-".into(), print)
}

const TID: &str = "S2R R0, SR_TID.X";

#[test]
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

/// The trips of each branch with a target before it, and the address of the last access.
fn loops(instructions: &[&str]) -> (Vec<Option<u32>>, String) {
    let kernel = Kernel::new(90, instructions);
    let addresses = kernel.addresses();
    let back = kernel.program.instructions.iter().enumerate();
    let back = back.filter(|(at, inst)| inst.target.is_some_and(|target| (target as usize) < *at));
    (back.map(|(at, _)| addresses.trips(at)).collect(), address(instructions))
}

#[test]
fn loops_with_constant_bounds_are_counted() {
    let cases: &[(&[&str], &[Option<u32>], &str)] = &[
        // Compared behind the step.
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
        // Compared before it; the counter by another register.
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
        // Down, unsigned, in uniform registers.
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
        // The exit stands at the head, so the branch back runs once less than the test.
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
        // What is left behind a loop.
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
        // A step that is the same in all lanes, but only the launch says which.
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
        // Another bound in each lane.
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
        // A second way out, a step that is guarded, a step that is none.
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

/// Wavefronts and lines of the last access, for the first warp of a block of that shape.
fn requests(instructions: &[&str], block: [u32; 3]) -> (Option<u32>, Option<u32>) {
    let kernel = Kernel::new(90, instructions);
    let last = kernel.program.instructions.iter().rposition(|inst| inst.memory.is_some()).unwrap();
    let (addresses, lanes) = (kernel.addresses(), Lanes::first(block));
    (addresses.wavefronts(last, &lanes), addresses.lines(last, &lanes))
}

#[test]
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
    type Case<'a> = (&'a [&'a str], [u32; 3], Option<u32>, Option<u32>);
    let cases: &[Case] = &[
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
            Some(3),
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

/// An operand of a random program: a register of 32 bits, or a number.
#[derive(Debug, Clone, Copy)]
enum Value {
    Register(u8),
    Number(u32),
}

impl Value {
    fn text(self) -> String {
        match self {
            Self::Register(register) => format!("R{register}"),
            Self::Number(number) => format!("{number:#x}"),
        }
    }

    fn of(self, registers: &[u32]) -> u32 {
        match self {
            Self::Register(register) => registers[usize::from(register)],
            Self::Number(number) => number,
        }
    }
}

/// An opcode with its operands; what it does is written once more in `run`, on numbers.
#[derive(Debug, Clone)]
struct Operation {
    opcode: u8,
    to: u8,
    a: u8,
    b: Value,
    c: u8,
    number: u8,
}

const REGISTERS: u8 = 8;

impl Operation {
    /// The text, and the result from what the registers hold.
    fn run(&self, registers: &[u32], predicate: bool) -> (String, u32, bool) {
        let Self { opcode, to, a, b, c, number } = *self;
        let (x, y, z) = (registers[usize::from(a)], b.of(registers), registers[usize::from(c)]);
        let shift = u32::from(number % 32);
        let text = b.text();
        let old = registers[usize::from(to)];
        let (text, result) = match opcode {
            0 => (format!("IADD3 R{to}, R{a}, {text}, R{c}"), x.wrapping_add(y).wrapping_add(z)),
            1 => (format!("IADD3 R{to}, -R{a}, {text}, RZ"), y.wrapping_sub(x)),
            2 => (format!("IMAD R{to}, R{a}, {text}, R{c}"), x.wrapping_mul(y).wrapping_add(z)),
            3 => (format!("IMAD.MOV.U32 R{to}, RZ, RZ, R{c}"), z),
            4 => (format!("IMAD.SHL.U32 R{to}, R{a}, {:#x}, RZ", 1_u64 << shift), x << shift),
            5 => (format!("LEA R{to}, R{a}, {text}, {shift:#x}"), (x << shift).wrapping_add(y)),
            6 => (format!("SHF.L.U32 R{to}, R{a}, {shift:#x}, RZ"), x << shift),
            7 => (format!("SHF.R.U32.HI R{to}, RZ, {shift:#x}, R{a}"), x >> shift),
            8 => (format!("SHF.R.S32.HI R{to}, RZ, {shift:#x}, R{a}"), ((x as i32) >> shift) as u32),
            9 => {
                let bits = |row: u8| if number >> row & 1 == 1 { u32::MAX } else { 0 };
                let pick = |value: u32, set: bool| if set { value } else { !value };
                let rows = (0..8).map(|row| {
                    bits(row) & pick(x, row & 4 != 0) & pick(y, row & 2 != 0) & pick(z, row & 1 != 0)
                });
                (
                    format!("LOP3.LUT R{to}, R{a}, {text}, R{c}, {number:#x}, !PT"),
                    rows.fold(0, |all, row| all | row),
                )
            }
            10 => (format!("LOP3.LUT R{to}, R{a}, {text}, RZ, 0xc0, !PT"), x & y),
            11 => (format!("LOP3.LUT R{to}, R{a}, {text}, RZ, 0xfc, !PT"), x | y),
            12 => (format!("LOP3.LUT R{to}, R{a}, {text}, RZ, 0x3c, !PT"), x ^ y),
            13 => (format!("VIMNMX R{to}, R{a}, {text}, PT"), (x as i32).min(y as i32) as u32),
            14 => (format!("VIMNMX.U32 R{to}, R{a}, {text}, !PT"), x.max(y)),
            15 => (format!("SEL R{to}, R{a}, {text}, P0"), if predicate { x } else { y }),
            16 => (format!("SEL R{to}, R{a}, {text}, !P0"), if predicate { y } else { x }),
            17 => (format!("@P0 MOV R{to}, {text}"), if predicate { y } else { old }),
            18 => {
                (format!("IMAD.HI.U32 R{to}, R{a}, {text}, RZ"), (u64::from(x) * u64::from(y) >> 32) as u32)
            }
            19 => (format!("ISETP.LT.AND P0, PT, R{a}, {text}, PT"), old),
            20 => (format!("ISETP.GE.U32.OR P0, PT, R{a}, {text}, P0"), old),
            21 => (format!("LOP3.LUT P0, RZ, R{a}, {text}, RZ, 0xc0, !PT"), old),
            22 => ("PLOP3.LUT P0, PT, P0, PT, PT, 0x8, 0x0".to_owned(), old),
            23 => (format!("VIADD R{to}, R{a}, {text}"), x.wrapping_add(y)),
            24 => (
                format!("LEA.HI R{to}, R{a}, {text}, RZ, {:#x}", shift.max(1)),
                (x >> (32 - shift.max(1))).wrapping_add(y),
            ),
            _ => (format!("MOV R{to}, {text}"), y),
        };
        let predicate = match opcode {
            19 => (x as i32) < (y as i32),
            20 => x >= y || predicate,
            21 => x & y != 0,
            22 => (0x8_u8 >> (u8::from(predicate) << 2 | 0b11)) & 1 == 1,
            _ => predicate,
        };
        (text, result, predicate)
    }
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let small = prop_oneof![
        0..40_u32,
        (0..32_u32).prop_map(|bit| 1 << bit),
        (1..33_u32).prop_map(|bits| (!0_u32) >> (32 - bits)),
        any::<u32>()
    ];
    let value = prop_oneof![small.prop_map(Value::Number), (0..REGISTERS).prop_map(Value::Register)];
    let operation = (0..26_u8, 0..REGISTERS, 0..REGISTERS, value, 0..REGISTERS, any::<u8>())
        .prop_map(|(opcode, to, a, b, c, number)| Operation { opcode, to, a, b, c, number });
    prop::collection::vec(operation, 0..24)
}

const BLOCK: [u32; 3] = [24, 8, 2];
const POINTER: u64 = 0x7f12_3456_7800;
const PARAM: u32 = 0x9abc_def1;

proptest! {
    /// What the analysis says of a straight program is what each lane computes.
    #[test]
    fn addresses_are_what_the_lanes_compute(operations in operations(), warp in 0..12_u32, wide in any::<bool>()) {
        let ctaid = [5, 3, 1];
        let threads: Vec<[u32; 3]> =
            (0..32).map(|lane| Lanes { block: BLOCK, warp, ctaid }.tid(lane, 32).unwrap()).collect();
        // Sums with parameters in them are taken not to overflow, so programs that widen have none.
        let third = if wide { "MOV R3, 0x11" } else { "LDC R3, c[0x0][0x228]" };
        let fourth = if wide { "MOV R4, 0x12" } else { "S2R R4, SR_CTAID.X" };
        let mut text: Vec<String> = [
            "S2R R0, SR_TID.X", "S2R R1, SR_TID.Y", "S2R R2, SR_TID.Z", third, fourth, "S2R R5, SR_LANEID",
            "IMAD.MOV.U32 R6, RZ, RZ, 0x20", "MOV R7, RZ", "ISETP.EQ.AND P0, PT, R0, R1, PT",
        ].map(str::to_owned).to_vec();
        let mut lanes: Vec<(Vec<u32>, bool)> = threads.iter().zip(0..).map(|(&[x, y, z], lane)| {
            let (third, fourth) = if wide { (0x11, 0x12) } else { (PARAM, ctaid[0]) };
            (vec![x, y, z, third, fourth, lane, 0x20, 0], x == y)
        }).collect();
        for operation in &operations {
            for (at, (registers, predicate)) in lanes.iter_mut().enumerate() {
                let (line, result, holds) = operation.run(registers, *predicate);
                registers[usize::from(operation.to)] = result;
                *predicate = holds;
                if at == 0 {
                    text.push(line);
                }
            }
        }
        let first = text.len();
        for register in 0..REGISTERS {
            text.push(format!("LDS R16, [R{register}]"));
        }
        for register in 0..REGISTERS {
            for signed in [".U32", ""] {
                text.push(format!("IMAD.WIDE{signed} R12, R{register}, 0xc, c[0x0][0x210]"));
                text.push("LDG.E R16, desc[UR4][R12.64+0x4]".to_owned());
            }
        }
        let kernel = Kernel::new(90, &text.iter().map(String::as_str).collect::<Vec<_>>());
        prop_assert!(kernel.program.instructions.iter().all(|inst| inst.opcode.is_some()));
        let addresses = kernel.addresses();
        for (lane, (registers, _)) in lanes.iter().enumerate() {
            let value = |symbol| {
                Some(match symbol {
                    Symbol::TidX => threads[lane][0].into(),
                    Symbol::TidY => threads[lane][1].into(),
                    Symbol::TidZ => threads[lane][2].into(),
                    Symbol::Lane => lane as i64,
                    Symbol::CtaidX => ctaid[0].into(),
                    Symbol::Param(0x228) => PARAM.into(),
                    Symbol::Pointer(0x210) => POINTER as i64,
                    _ => return None,
                })
            };
            for (register, &expected) in registers.iter().enumerate() {
                if let Some(affine) = addresses.access(first + register) {
                    let found = addresses.evaluate(affine, value).map(|found| found as u32);
                    prop_assert_eq!(found, Some(expected), "R{} of lane {} in {:#?}", register, lane, text);
                } else {
                    // Only what has grown too long is given up.
                    prop_assert!(operations.len() > 3, "R{} in {:#?}", register, text);
                }
                let at = first + usize::from(REGISTERS) + 4 * register;
                let products = [u64::from(expected) * 12, (i64::from(expected as i32) * 12) as u64];
                for (access, product) in [at + 1, at + 3].into_iter().zip(products) {
                    if let Some(affine) = addresses.access(access).filter(|_| wide) {
                        let found = addresses.evaluate(affine, value).map(|found| found as u64);
                        let expected = product.wrapping_add(POINTER + 4);
                        prop_assert_eq!(found, Some(expected), "R{} of lane {} in {:#?}", register, lane, text);
                    }
                }
            }
        }
    }

    /// Whatever the text, there is an answer.
    #[test]
    fn no_text_panics(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "S2R R0, SR_TID.X", "@!P0 BRA 0x10", "BRA 0x40", "@P1 BRA 0x80", "VIADD R2, R2, 0x4", "EXIT", "RET",
                "ISETP.GE.AND P0, PT, R2, 0x40, PT", "LDS R4, [R2+UR4]", "IMAD R99999, R255, R1, R4294967295", "BRX R2 -0x6e0",
                "UIADD3 UR4, UR4, -0x8, URZ", "CALL.REL.NOINC 0x20", "LEA", "SHF.L R0", "IMAD.WIDE R254, R255, 0x4, R254",
                "LDG.E R250, desc[UR255][R255.64+0x10]", "LOP3.LUT R0, R0", "@P0 EXIT", "FROB R2, R2", "IADD3.X R3, R5, ~R4, -R3, P0",
                "LDC.64 R2, c[0x0][0xfffffffc]", "IADD3 R2, P0, R2, R2, R2", "SHF.L.U64.HI R3, R2, 0x1f, R3", "SYNC",
                "HFMA2.MMA R2, -RZ, RZ, 1e999, 3", "IMAD R2, R2, R2, R2", "LDS R4, [ ", "BRA 0x0", "LEA.HI R1, R2, R3, R4, 0x99",
            ]),
            0..60,
        ),
        sm in prop::sample::select(vec![35_u16, 52, 75, 90, 100]),
    ) {
        let mut text = format!("\tcode for sm_{sm}\n\t\tFunction : kernel\n");
        for (index, line) in lines.iter().enumerate() {
            writeln!(text, "        /*{:04x}*/                   {line} ;", index * 16).unwrap();
        }
        let gpu = Machine::builtin().gpu_for_sm(sm);
        for chunk in Listing::parse(&text).chunks() {
            let program = Program::decode(chunk, &gpu.arch);
            let addresses = Addresses::of(chunk, &program);
            for at in 0..program.instructions.len() {
                let lanes = Lanes { block: [7, 3, 2], warp: 1, ctaid: [1; 3] };
                let known = (addresses.wavefronts(at, &lanes), addresses.lines(at, &lanes), addresses.trips(at));
                prop_assert!(addresses.access(at).is_some() || known.1.is_none());
            }
        }
    }
}

/// A long kernel with many loops takes no longer than reading it.
#[test]
fn long_kernels_take_little_time() {
    let mut text = "\tcode for sm_90\n\t\tFunction : kernel\n".to_owned();
    let pass =
        ["IMAD R2, R2, R3, R4", "VIADD R5, R5, 0x4", "LDS R6, [R2]", "ISETP.GE.AND P0, PT, R5, 0x40, PT"];
    for index in 0..100_000 {
        let inner = index / 5 * 5 * 16;
        let line =
            pass.get(index % 5).map_or_else(|| format!("@!P0 BRA {inner:#x}"), |line| (*line).to_owned());
        writeln!(text, "        /*{:04x}*/                   {line} ;", index * 16).unwrap();
    }
    let kernel = Kernel::of_text(90, &text);
    let start = std::time::Instant::now();
    let addresses = kernel.addresses();
    let took = start.elapsed();
    println!("100,000 instructions, 20,000 loops: {took:?}");
    assert!(addresses.trips(4).is_none(), "nothing is known of R5 before");
    assert!(took.as_secs() < 5, "{took:?}");
}
