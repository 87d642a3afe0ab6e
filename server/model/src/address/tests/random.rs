//! Random programs, checked against an interpreter of the integer opcodes, and text that is not a program.

use super::super::{Addresses, Symbol, WarpThreads};
use super::Kernel;
use crate::Program;
use machine::Machine;
use proptest::prelude::*;
use std::fmt::Write;
use syntax::sass::Listing;

/// An operand of a random program: a 32-bit register or a number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RandomOperand {
    Register(u8),
    Number(u32),
}

impl RandomOperand {
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

/// An opcode with its operands. `run` computes its result separately from the analysis.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    opcode: u8,
    pub(crate) to: u8,
    a: u8,
    b: RandomOperand,
    c: u8,
    number: u8,
}

pub(crate) const REGISTERS: u8 = 8;

impl Operation {
    /// Returns the text of the instruction, and the values of its destination register and predicate for given
    /// register values.
    pub(crate) fn run(&self, registers: &[u32], predicate: bool) -> (String, u32, bool) {
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
                (format!("IMAD.HI.U32 R{to}, R{a}, {text}, RZ"), ((u64::from(x) * u64::from(y)) >> 32) as u32)
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

pub(crate) fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let small = prop_oneof![
        0..40_u32,
        (0..32_u32).prop_map(|bit| 1 << bit),
        (1..33_u32).prop_map(|bits| (!0_u32) >> (32 - bits)),
        any::<u32>()
    ];
    let value =
        prop_oneof![small.prop_map(RandomOperand::Number), (0..REGISTERS).prop_map(RandomOperand::Register)];
    let operation = (0..26_u8, 0..REGISTERS, 0..REGISTERS, value, 0..REGISTERS, any::<u8>())
        .prop_map(|(opcode, to, a, b, c, number)| Operation { opcode, to, a, b, c, number });
    prop::collection::vec(operation, 0..24)
}

const BLOCK: [u32; 3] = [24, 8, 2];
const POINTER: u64 = 0x7f12_3456_7800;
const PARAM: u32 = 0x9abc_def1;

proptest! {
    /// The analysis of a straight-line program agrees with the values that each lane computes.
    #[test]
    fn addresses_are_what_the_lanes_compute(operations in operations(), warp in 0..12_u32, wide in any::<bool>()) {
        let ctaid = [5, 3, 1];
        let threads: Vec<[u32; 3]> =
            (0..32).map(|lane| WarpThreads { block: BLOCK, warp, ctaid }.tid(lane, 32).unwrap()).collect();
        // Sums with parameters are assumed not to overflow, so programs that widen have no parameters.
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
                    // Only forms that are too long are unknown.
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

    /// The analysis accepts any text.
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
            let addresses = Addresses::compute(chunk, &program);
            for at in 0..program.instructions.len() {
                let lanes = WarpThreads { block: [7, 3, 2], warp: 1, ctaid: [1; 3] };
                let known = (addresses.wavefronts(at, &lanes), addresses.lines(at, &lanes), addresses.trips(at));
                prop_assert!(addresses.access(at).is_some() || known.1.is_none());
            }
        }
    }
}
