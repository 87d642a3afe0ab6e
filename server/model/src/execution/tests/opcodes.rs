//! Each opcode, on operands that differ between lanes.

use super::registers;
use proptest::prelude::*;

/// Operands of a case: `a`, `b`, `c` of each lane are `lane * times + from`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands {
    pub(super) times: [u32; 4],
    pub(super) from: [u32; 4],
}

/// Offset in constant bank 0 of the operands' constants, after the parameters of these kernels.
const BANK: u32 = 0x300;

impl Operands {
    pub(super) fn of(&self, lane: u32) -> [u32; 4] {
        std::array::from_fn(|at| lane.wrapping_mul(self.times[at]).wrapping_add(self.from[at]))
    }

    pub(super) fn constants(&self) -> Vec<(u32, u32)> {
        let words = self.times.iter().chain(&self.from);
        words.zip(0_u32..).map(|(&word, at)| (BANK + 4 * at, word)).collect()
    }

    /// Returns instructions that put the operands into `R10` to `R13`.
    pub(super) fn set_up(sm: u16) -> Vec<String> {
        let mut lines = vec!["S2R R0, SR_TID.X".to_owned()];
        for at in 0..4 {
            let (times, from) = (BANK + 4 * at, BANK + 16 + 4 * at);
            lines.push(format!("MOV R1, c[0x0][{times:#x}]"));
            if (50..70).contains(&sm) {
                lines.extend([
                    "XMAD R2, R0, R1, RZ".to_owned(),
                    "XMAD.MRG R3, R0, R1.H1, RZ".to_owned(),
                    "XMAD.PSL.CBCC R2, R0.H1, R3.H1, R2".to_owned(),
                    format!("IADD R{}, R2, c[0x0][{from:#x}]", 10 + at),
                ]);
            } else {
                lines.push(format!("MOV R2, c[0x0][{from:#x}]"));
                lines.push(format!("IMAD R{}, R0, R1, R2", 10 + at));
            }
        }
        lines
    }
}

/// Returns a strategy for words: values near powers of two, small and negative values, and arbitrary ones.
fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        0..70_u32,
        (0..32_u32, -2..3_i32).prop_map(|(bit, near)| (1_u32 << bit).wrapping_add_signed(near)),
        (0..40_u32).prop_map(u32::wrapping_neg),
        any::<u32>(),
    ]
}

pub(super) fn operands() -> impl Strategy<Value = Operands> {
    ([word(), word(), word(), word()], [word(), word(), word(), word()])
        .prop_map(|(times, from)| Operands { times, from })
}

/// Function that computes the expected result of a case from the operands of a lane.
pub(super) type Reference = fn([u32; 4]) -> u64;

/// The architecture, the instructions, whether the result is a register pair, and its value.
pub(super) type Case = (u16, &'static [&'static str], bool, Reference);

pub(super) fn check(cases: &[Case], operands: &Operands) -> Result<(), TestCaseError> {
    for &(sm, lines, is_pair, reference) in cases {
        let mut all = Operands::set_up(sm);
        all.extend(lines.iter().map(|line| (*line).to_owned()));
        let asked: &[u8] = if is_pair { &[20, 21] } else { &[20] };
        let found = registers(sm, &operands.constants(), &all, asked);
        for lane in 0..32_u32 {
            let words = found.iter().map(|words| words.map(|words| u64::from(words[lane as usize])));
            let value = words.rev().try_fold(0, |value, word| Some(value << 32 | word?));
            let expected = reference(operands.of(lane));
            let expected = if is_pair { expected } else { expected & u64::from(u32::MAX) };
            prop_assert_eq!(
                value,
                Some(expected),
                "{:?} of {:x?} in lane {}",
                lines,
                operands.of(lane),
                lane
            );
        }
    }
    Ok(())
}

pub(super) fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

pub(super) fn signed(value: u32) -> i32 {
    value.cast_signed()
}

const SUMS: &[Case] = &[
    (90, &["IADD3 R20, R10, R11, R12"], false, |[a, b, c, _]| u64::from(a) + u64::from(b) + u64::from(c)),
    (90, &["IADD3 R20, -R10, R11, -R12"], false, |[a, b, c, _]| b.wrapping_sub(a).wrapping_sub(c).into()),
    (90, &["IADD3 R20, R10, -0x7, RZ"], false, |[a, ..]| a.wrapping_sub(7).into()),
    (90, &["VIADD R20, R10, 0xfffffff0"], false, |[a, ..]| a.wrapping_sub(16).into()),
    (90, &["IADD3 R20, P0, R10, R12, RZ", "IADD3.X R21, R11, R13, RZ, P0, !PT"], true, |[a, b, c, d]| {
        pair(a, b).wrapping_add(pair(c, d))
    }),
    (90, &["IADD3 R20, P0, -R10, R12, RZ", "IADD3.X R21, ~R11, R13, RZ, P0, !PT"], true, |[a, b, c, d]| {
        pair(c, d).wrapping_sub(pair(a, b))
    }),
    (90, &["IADD3 R20, P0, P1, R10, R12, R13", "IADD3.X R21, R11, RZ, RZ, P0, P1"], true, |[a, b, c, d]| {
        pair(a, b).wrapping_add(c.into()).wrapping_add(d.into())
    }),
    (90, &["IADD3 R20, P0, R10, -0x1, RZ", "IADD3.X R21, R11, -0x1, RZ, P0, !PT"], true, |[a, b, ..]| {
        pair(a, b).wrapping_sub(1)
    }),
    (90, &["IADD3 R20, P0, R10, R12, RZ", "IMAD.X R21, R11, 0x1, R13, P0"], true, |[a, b, c, d]| {
        pair(a, b).wrapping_add(pair(c, d))
    }),
    (120, &["IADD.64 R20, R10, R12"], true, |[a, b, c, d]| pair(a, b).wrapping_add(pair(c, d))),
    (120, &["IADD.64 R20, R10, -R12"], true, |[a, b, c, d]| pair(a, b).wrapping_sub(pair(c, d))),
    (120, &["IADD.64 R20, R10, -0x8"], true, |[a, b, ..]| pair(a, b).wrapping_sub(8)),
    (52, &["IADD R20.CC, R10, R12", "IADD.X R21, R11, R13"], true, |[a, b, c, d]| {
        pair(a, b).wrapping_add(pair(c, d))
    }),
    (52, &["IADD R20.CC, R10, -R12", "IADD.X R21, R11, ~R13"], true, |[a, b, c, d]| {
        pair(a, b).wrapping_sub(pair(c, d))
    }),
    // As cuobjdump prints it.
    (52, &["IADD R20.CC, -R10, R12", "IADD.X R21, -R11, R13"], true, |[a, b, c, d]| {
        pair(c, d).wrapping_sub(pair(a, b))
    }),
    (
        52,
        &[
            "XMAD R1, R10, R11, RZ",
            "XMAD R2, R10, R11.H1, RZ",
            "XMAD.CHI R1, R10.H1, R11, R1",
            "XMAD R3, R10.H1, R11.H1, RZ",
            "IADD3.RS R20, R1, R2, R3",
        ],
        false,
        |[a, b, ..]| (u64::from(a) * u64::from(b)) >> 32,
    ),
    (52, &["IADD3 R20, R10, 0xffffe, R11"], false, |[a, b, ..]| a.wrapping_add(b).wrapping_sub(2).into()),
    (52, &["IADD32I R20, R10, -0x400"], false, |[a, ..]| a.wrapping_sub(0x400).into()),
    (52, &["IADD3 R20, R10, R11, R12"], false, |[a, b, c, _]| a.wrapping_add(b).wrapping_add(c).into()),
    (90, &["IABS R20, R10"], false, |[a, ..]| signed(a).unsigned_abs().into()),
];

const PRODUCTS: &[Case] = &[
    (90, &["IMAD R20, R10, R11, R12"], false, |[a, b, c, _]| a.wrapping_mul(b).wrapping_add(c).into()),
    (90, &["IMAD R20, R10, -R11, R12"], false, |[a, b, c, _]| c.wrapping_sub(a.wrapping_mul(b)).into()),
    (90, &["IMAD R20, R10, 0x18, -R12"], false, |[a, _, c, _]| a.wrapping_mul(24).wrapping_sub(c).into()),
    (90, &["IMAD.IADD R20, R10, 0x1, -R12"], false, |[a, _, c, _]| a.wrapping_sub(c).into()),
    (90, &["IMAD.MOV R20, RZ, RZ, -R12"], false, |[_, _, c, _]| c.wrapping_neg().into()),
    (90, &["IMAD.SHL.U32 R20, R10, 0x80, RZ"], false, |[a, ..]| (a << 7).into()),
    (90, &["IMAD.WIDE.U32 R20, R10, R11, R12"], true, |[a, b, c, d]| {
        (u64::from(a) * u64::from(b)).wrapping_add(pair(c, d))
    }),
    (90, &["IMAD.WIDE R20, R10, R11, R12"], true, |[a, b, c, d]| {
        (i64::from(signed(a)) * i64::from(signed(b))).cast_unsigned().wrapping_add(pair(c, d))
    }),
    (90, &["IMAD.WIDE R20, R10, -0x4, RZ"], true, |[a, ..]| (i64::from(signed(a)) * -4).cast_unsigned()),
    (90, &["IMAD.WIDE.U32 R20, R10, 0x8, R12"], true, |[a, _, c, d]| {
        (u64::from(a) * 8).wrapping_add(pair(c, d))
    }),
    (90, &["IMAD.HI.U32 R20, R10, R11, R12"], false, |[a, b, c, d]| {
        (u64::from(a) * u64::from(b)).wrapping_add(pair(c, d)) >> 32
    }),
    (
        90,
        &["IMAD.HI.U32 R22, P0, R10, R11, R12", "IADD3.X R20, RZ, RZ, RZ, P0, !PT"],
        false,
        |[a, b, c, d]| (u64::from(a) * u64::from(b)).overflowing_add(pair(c, d)).1.into(),
    ),
    (90, &["IMAD.HI R20, R10, R11, RZ"], false, |[a, b, ..]| {
        ((i64::from(signed(a)) * i64::from(signed(b))) >> 32).cast_unsigned()
    }),
    (
        90,
        &["IMAD.WIDE.U32 R22, P0, R10, R13, R12", "IMAD.WIDE.U32.X R20, R11, R13, RZ, P0"],
        true,
        |[a, b, c, d]| {
            let (_, carry) = (u64::from(a) * u64::from(d)).overflowing_add(pair(c, d));
            (u64::from(b) * u64::from(d)).wrapping_add(carry.into())
        },
    ),
    (
        52,
        &[
            "XMAD R22, R10, R11, R12",
            "XMAD.MRG R23, R10, R11.H1, RZ",
            "XMAD.PSL.CBCC R20, R10.H1, R23.H1, R22",
        ],
        false,
        |[a, b, c, _]| a.wrapping_mul(b).wrapping_add(c).into(),
    ),
    (52, &["XMAD.PSL R20, R10.H1, R11, RZ"], false, |[a, b, ..]| {
        ((a >> 16).wrapping_mul(b & 0xffff) << 16).into()
    }),
    (52, &["XMAD.CHI R20, R10, R11, R12"], false, |[a, b, c, _]| {
        (a & 0xffff).wrapping_mul(b & 0xffff).wrapping_add(c >> 16).into()
    }),
    (52, &["XMAD.CLO R20, R10.H1, R11.H1, R12"], false, |[a, b, c, _]| {
        (a >> 16).wrapping_mul(b >> 16).wrapping_add(c & 0xffff).into()
    }),
    (
        35,
        &["IMAD.U32.U32 R20.CC, R10, R11, R12", "IMAD.U32.U32.HI.X R21, R10, R11, R13"],
        true,
        |[a, b, c, d]| (u64::from(a) * u64::from(b)).wrapping_add(pair(c, d)),
    ),
];

const SHIFTED_SUMS: &[Case] = &[
    (90, &["LEA R20, R10, R11, 0x5"], false, |[a, b, ..]| (a << 5).wrapping_add(b).into()),
    (90, &["LEA R20, -R10, R11, 0x2"], false, |[a, b, ..]| b.wrapping_sub(a << 2).into()),
    (90, &["LEA R20, P0, R10, R12, 0x3", "LEA.HI.X R21, R10, R13, R11, 0x3, P0"], true, |[a, b, c, d]| {
        (pair(a, b) << 3).wrapping_add(pair(c, d))
    }),
    (90, &["LEA R20, P0, R10, R12, 0x2", "LEA.HI.X.SX32 R21, R10, R13, 0x2, P0"], true, |[a, _, c, d]| {
        (i64::from(signed(a)) << 2).cast_unsigned().wrapping_add(pair(c, d))
    }),
    (90, &["LEA.HI R20, R10, R11, R12, 0x9"], false, |[a, b, c, _]| (pair(a, c) << 9 >> 32) + u64::from(b)),
    (90, &["LEA.HI.SX32 R20, R10, R11, 0x1b"], false, |[a, b, ..]| {
        (signed(a) >> 5).cast_unsigned().wrapping_add(b).into()
    }),
    (52, &["ISCADD R20, R10, R11, 0x4"], false, |[a, b, ..]| (a << 4).wrapping_add(b).into()),
    (52, &["ISCADD R20, -R10, R11, 0x4"], false, |[a, b, ..]| b.wrapping_sub(a << 4).into()),
    (52, &["LEA R20.CC, R10, R12, 0x2", "LEA.HI.X R21, R10, R13, R11, 0x2"], true, |[a, b, c, d]| {
        (pair(a, b) << 2).wrapping_add(pair(c, d))
    }),
];

fn left(pair: u64, by: u32) -> u64 {
    pair.checked_shl(by).unwrap_or(0)
}

const SHIFTS: &[Case] = &[
    (90, &["SHF.L.U32 R20, R10, 0xb, RZ"], false, |[a, ..]| (a << 11).into()),
    (90, &["SHF.L.U32 R20, R10, R11, RZ"], false, |[a, b, ..]| left(a.into(), b.min(32))),
    (90, &["SHF.L.W.U32 R20, R10, R11, RZ"], false, |[a, b, ..]| a.wrapping_shl(b).into()),
    (90, &["SHF.L.U64.HI R20, R10, R12, R11"], false, |[a, b, c, _]| left(pair(a, b), c) >> 32),
    (90, &["SHF.L.W.U32.HI R20, R10, R12, R11"], false, |[a, b, c, _]| pair(a, b) << (c & 31) >> 32),
    (90, &["SHF.L.W.U32.HI R20, R10, 0x7, R10"], false, |[a, ..]| a.rotate_left(7).into()),
    (90, &["SHF.R.U32.HI R20, RZ, R12, R11"], false, |[_, b, c, _]| b.checked_shr(c).unwrap_or(0).into()),
    (90, &["SHF.R.S32.HI R20, RZ, R12, R11"], false, |[_, b, c, _]| {
        (signed(b) >> c.min(31)).cast_unsigned().into()
    }),
    (90, &["SHF.R.S32.HI R20, RZ, 0x1f, R11"], false, |[_, b, ..]| if signed(b) < 0 { u64::MAX } else { 0 }),
    (90, &["SHF.R.W.U32 R20, R10, R12, R11"], false, |[a, b, c, _]| pair(a, b) >> (c & 31)),
    (90, &["SHF.R.U32 R20, R10, R12, R11"], false, |[a, b, c, _]| pair(a, b) >> c.min(32)),
    (90, &["SHF.R.U64 R20, R10, R12, R11"], false, |[a, b, c, _]| pair(a, b).checked_shr(c).unwrap_or(0)),
    (90, &["SHF.R.S64 R20, R10, R12, R11"], false, |[a, b, c, _]| {
        (pair(a, b).cast_signed() >> c.min(63)).cast_unsigned()
    }),
    (52, &["SHF.L R20, R10, R12, R11"], false, |[a, b, c, _]| left(pair(a, b), c.min(32)) >> 32),
    (52, &["SHF.L.W R20, R10, R12, R11"], false, |[a, b, c, _]| pair(a, b) << (c & 31) >> 32),
    (52, &["SHF.L.U64 R20, R10, R12, R11"], false, |[a, b, c, _]| left(pair(a, b), c) >> 32),
    (52, &["SHF.R R20, R10, R12, R11"], false, |[a, b, c, _]| pair(a, b) >> c.min(32)),
    (52, &["SHL R20, R10, R11"], false, |[a, b, ..]| a.checked_shl(b).unwrap_or(0).into()),
    (52, &["SHL.W R20, R10, R11"], false, |[a, b, ..]| a.wrapping_shl(b).into()),
    (52, &["SHR.U32 R20, R10, R11"], false, |[a, b, ..]| a.checked_shr(b).unwrap_or(0).into()),
    (52, &["SHR R20, R10, R11"], false, |[a, b, ..]| (signed(a) >> b.min(31)).cast_unsigned().into()),
];

/// Comparisons of pairs, lower halves first.
const COMPARISONS: &[Case] = &[
    (
        90,
        &["ISETP.LT.U32.AND P0, PT, R10, R12, PT", "ISETP.LT.AND.EX P0, PT, R11, R13, PT, P0", TO_NUMBER],
        false,
        |v| holds(v, |a, b| a < b),
    ),
    (
        90,
        &["ISETP.GE.U32.AND P0, PT, R10, R12, PT", "ISETP.GE.AND.EX P0, PT, R11, R13, PT, P0", TO_NUMBER],
        false,
        |v| holds(v, |a, b| a >= b),
    ),
    (
        90,
        &["ISETP.GT.U32.AND P0, PT, R10, R12, PT", "ISETP.GT.AND.EX P0, PT, R11, R13, PT, P0", TO_NUMBER],
        false,
        |v| holds(v, |a, b| a > b),
    ),
    (
        90,
        &["ISETP.LE.U32.AND P0, PT, R10, R12, PT", "ISETP.LE.AND.EX P0, PT, R11, R13, PT, P0", TO_NUMBER],
        false,
        |v| holds(v, |a, b| a <= b),
    ),
    (
        90,
        &["ISETP.EQ.U32.AND P0, PT, R10, R12, PT", "ISETP.EQ.AND.EX P0, PT, R11, R13, PT, P0", TO_NUMBER],
        false,
        |v| holds(v, |a, b| a == b),
    ),
    (
        90,
        &["ISETP.NE.U32.AND P0, PT, R10, R12, PT", "ISETP.NE.AND.EX P0, PT, R11, R13, PT, P0", TO_NUMBER],
        false,
        |v| holds(v, |a, b| a != b),
    ),
    (
        90,
        &["ISETP.GE.U32.AND P0, PT, R10, R12, PT", "ISETP.GE.U32.AND.EX P0, PT, R11, R13, PT, P0", TO_NUMBER],
        false,
        |[a, b, c, d]| u64::from(pair(a, b) >= pair(c, d)),
    ),
    (
        90,
        &["ISETP.GT.AND P1, PT, R12, R13, PT", "ISETP.LT.OR P0, PT, R10, R11, P1", TO_NUMBER],
        false,
        |[a, b, c, d]| u64::from(signed(a) < signed(b) || signed(c) > signed(d)),
    ),
    (
        90,
        &["ISETP.GT.AND P1, PT, R12, R13, PT", "ISETP.NE.XOR P0, PT, R10, R11, !P1", TO_NUMBER],
        false,
        |[a, b, c, d]| u64::from((a != b) != (signed(c) <= signed(d))),
    ),
    (90, &["ISETP.GT.AND P1, P0, R12, R13, PT", TO_NUMBER], false, |[_, _, c, d]| {
        u64::from(signed(c) <= signed(d))
    }),
    (52, &["ISETP.LT.U32.AND P0, PT, R10, 0x64, PT", TO_NUMBER], false, |[a, ..]| u64::from(a < 100)),
    (
        52,
        &[
            "ISETP.GT.AND P1, PT, R10, R11, PT",
            "ISETP.GT.AND P2, PT, R12, R13, PT",
            "PSETP.AND.OR P0, PT, P1, !P2, !PT",
            TO_NUMBER,
        ],
        false,
        |[a, b, c, d]| u64::from(signed(a) > signed(b) && signed(c) <= signed(d)),
    ),
    (
        52,
        &[
            "ISETP.GT.AND P1, PT, R10, R11, PT",
            "ISETP.GT.AND P2, PT, R12, R13, PT",
            "PSETP.XOR.AND P0, PT, P1, P2, PT",
            TO_NUMBER,
        ],
        false,
        |[a, b, c, d]| u64::from((signed(a) > signed(b)) ^ (signed(c) > signed(d))),
    ),
    (
        90,
        &[
            "ISETP.GT.AND P1, PT, R10, R11, PT",
            "ISETP.GT.AND P2, PT, R12, R13, PT",
            "PLOP3.LUT P0, PT, P1, P2, PT, 0x28, 0x0",
            TO_NUMBER,
        ],
        false,
        |[a, b, c, d]| u64::from((signed(a) > signed(b)) ^ (signed(c) > signed(d))),
    ),
    (
        90,
        &[
            "ISETP.GT.AND P1, PT, R10, R11, PT",
            "ISETP.GT.AND P2, PT, R12, R13, PT",
            "PLOP3.LUT PT, P0, P1, P2, PT, 0x80, 0x8f",
            TO_NUMBER,
        ],
        false,
        |[a, b, c, d]| {
            let row = u8::from(signed(a) > signed(b)) << 2 | u8::from(signed(c) > signed(d)) << 1 | 1;
            0x8f >> row & 1
        },
    ),
    (90, &["ISETP.LT.AND P0, PT, R10, R11, PT", "SEL R20, R12, R13, !P0"], false, |[a, b, c, d]| {
        if signed(a) < signed(b) { d.into() } else { c.into() }
    }),
    (80, &["IMNMX R20, R10, R11, PT"], false, |[a, b, ..]| signed(a).min(signed(b)).cast_unsigned().into()),
    (80, &["IMNMX.U32 R20, R10, R11, !PT"], false, |[a, b, ..]| a.max(b).into()),
    (90, &["VIMNMX R20, R10, R11, !PT"], false, |[a, b, ..]| signed(a).max(signed(b)).cast_unsigned().into()),
    (52, &["IMNMX.U32 R20, R10, R11, PT"], false, |[a, b, ..]| a.min(b).into()),
    (90, &["LOP3.LUT P0, RZ, R10, R11, RZ, 0xc0, !PT", TO_NUMBER], false, |[a, b, ..]| u64::from(a & b != 0)),
];

pub(super) const TO_NUMBER: &str = "SEL R20, 0x1, RZ, P0";

fn holds([a, b, c, d]: [u32; 4], relation: fn(i64, i64) -> bool) -> u64 {
    relation(pair(a, b).cast_signed(), pair(c, d).cast_signed()).into()
}

fn bit(value: u32, place: u32) -> u32 {
    value >> place & 1
}

fn extracted(value: u32, field: u32, is_signed: bool) -> u64 {
    let (place, width) = (field & 0xff, field >> 8 & 0xff);
    let sign = if is_signed && width > 0 { bit(value, (place + width - 1).min(31)) } else { 0 };
    let bits = (0..32).map(|at| {
        let from = if at < width && at + place < 32 { bit(value, at + place) } else { sign };
        from << at
    });
    bits.sum::<u32>().into()
}

const BITS: &[Case] = &[
    (90, &["PRMT R20, R10, R12, R11"], false, |[a, b, c, _]| {
        let bytes: Vec<u8> = a.to_le_bytes().into_iter().chain(b.to_le_bytes()).collect();
        let picked = |nibble: u32| {
            let byte = bytes[nibble as usize & 7];
            if nibble & 8 == 0 { byte } else { byte.cast_signed().is_negative().into() }
        };
        let byte = |at: u32| {
            let nibble = c >> (4 * at) & 15;
            if nibble & 8 != 0 && picked(nibble) == 1 { 0xff } else { picked(nibble) }
        };
        u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]).into()
    }),
    (90, &["PRMT R20, R10, 0x5410, R11"], false, |[a, b, ..]| (b << 16 | a & 0xffff).into()),
    (90, &["PRMT R20, R10, 0x7770, RZ"], false, |[a, ..]| (a & 0xff).into()),
    (90, &["PRMT R20, R10, 0x8880, RZ"], false, |[a, ..]| i64::from(a as i8).cast_unsigned()),
    (90, &["SGXT R20, R10, 0x8"], false, |[a, ..]| i64::from(a as i8).cast_unsigned()),
    (90, &["SGXT.U32 R20, R10, 0xc"], false, |[a, ..]| (a & 0xfff).into()),
    (
        90,
        &["SGXT.U32 R20, R10, R11"],
        false,
        |[a, b, ..]| if b < 32 { u64::from(a) & ((1 << b) - 1) } else { a.into() },
    ),
    (90, &["BMSK R20, R10, R11"], false, |[a, b, ..]| {
        (0..32_u64).filter(|&at| at >= a.into() && at < u64::from(a) + u64::from(b)).map(|at| 1 << at).sum()
    }),
    (90, &["BMSK.W R20, 0x3, R11"], false, |[_, b, ..]| ((1_u64 << (b & 31)) - 1) << 3),
    (52, &["BFE.U32 R20, R10, 0x905"], false, |[a, ..]| (a >> 5 & 0x1ff).into()),
    (52, &["BFE.U32 R20, R10, R11"], false, |[a, b, ..]| extracted(a, b, false)),
    (52, &["BFE R20, R10, R11"], false, |[a, b, ..]| extracted(a, b, true)),
    (52, &["BFI R20, R10, 0x804, R12"], false, |[a, _, c, _]| (c & !0xff0 | (a & 0xff) << 4).into()),
    (52, &["BFI R20, R10, R11, R12"], false, |[a, b, c, _]| {
        let (place, width) = (b & 0xff, b >> 8 & 0xff);
        let bits = (0..32)
            .map(|at| if at >= place && at - place < width { bit(a, at - place) << at } else { c & 1 << at });
        bits.sum::<u32>().into()
    }),
    (90, &["POPC R20, R10"], false, |[a, ..]| a.count_ones().into()),
    (90, &["FLO.U32 R20, R10"], false, |[a, ..]| a.checked_ilog2().unwrap_or(u32::MAX).into()),
    (90, &["FLO R20, R10"], false, |[a, ..]| {
        let a = if signed(a) < 0 { !a } else { a };
        a.checked_ilog2().unwrap_or(u32::MAX).into()
    }),
    (90, &["FLO.U32.SH R20, R10"], false, |[a, ..]| a.checked_ilog2().map_or(u32::MAX, |at| 31 - at).into()),
    (90, &["BREV R20, R10"], false, |[a, ..]| a.reverse_bits().into()),
    (52, &["LOP.AND R20, R10, ~R11"], false, |[a, b, ..]| (a & !b).into()),
    (52, &["LOP.PASS_B R20, RZ, ~R11"], false, |[_, b, ..]| (!b).into()),
    (52, &["LOP32I.XOR R20, R10, 0x5555aaaa"], false, |[a, ..]| (a ^ 0x5555_aaaa).into()),
    (52, &["LOP32I.OR R20, R10, 0xf0"], false, |[a, ..]| (a | 0xf0).into()),
];

const PREDICATES: &[Case] = &[
    (90, &["R2P PR, R10, 0x7f", "MOV R20, R11", "P2R R20, PR, R20, 0x35"], false, |[a, b, ..]| {
        (b & !0x35 | a & 0x35).into()
    }),
    (52, &["R2P PR, R10, 0x7f", "R2P PR, R11, 0x5", "P2R R20, PR, RZ, 0x7f"], false, |[a, b, ..]| {
        (a & 0x7a | b & 0x5).into()
    }),
];

/// All tables of cases in this file.
pub(super) const ALL: [&[Case]; 7] = [SUMS, PRODUCTS, SHIFTED_SUMS, SHIFTS, COMPARISONS, BITS, PREDICATES];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sums(operands in operands()) {
        check(SUMS, &operands)?;
    }

    #[test]
    fn products(operands in operands()) {
        check(PRODUCTS, &operands)?;
    }

    #[test]
    fn shifted_sums(operands in operands()) {
        check(SHIFTED_SUMS, &operands)?;
    }

    #[test]
    fn shifts(operands in operands()) {
        let mut operands = operands;
        operands.times[2] %= 2;
        operands.from[2] %= 70;
        check(SHIFTS, &operands)?;
    }

    #[test]
    fn comparisons(operands in operands(), is_near in any::<bool>()) {
        let mut operands = operands;
        if is_near {
            operands.times[3] = operands.times[1];
            operands.from[3] = operands.from[1];
        }
        check(COMPARISONS, &operands)?;
    }

    #[test]
    fn bits(operands in operands()) {
        check(BITS, &operands)?;
    }

    #[test]
    fn predicates_in_a_register(operands in operands()) {
        check(PREDICATES, &operands)?;
    }

    /// `LOP3` with truth tables, compared with an evaluation bit by bit.
    #[test]
    fn logic(operands in operands(), first in any::<u8>()) {
        let tables: Vec<u8> = (0..8).map(|n| first.wrapping_add(n * 32)).collect();
        let mut lines = Operands::set_up(90);
        lines.extend(tables.iter().zip(20..).map(|(table, to)| format!("LOP3.LUT R{to}, R10, R11, R12, {table:#x}, !PT")));
        let asked: Vec<u8> = (20..28).collect();
        let found = registers(90, &operands.constants(), &lines, &asked);
        for (table, found) in tables.iter().zip(found) {
            for lane in 0..32 {
                let [a, b, c, _] = operands.of(lane);
                let row = |at: u32| 4 * bit(a, at) + 2 * bit(b, at) + bit(c, at);
                let expected: u32 = (0..32).map(|at| (u32::from(*table) >> row(at) & 1) << at).sum();
                prop_assert_eq!(found.map(|found| found[lane as usize]), Some(expected), "table {:#x}", table);
            }
        }
    }
}

#[test]
fn uniform_registers_hold_the_same_in_all_lanes() {
    let operands = Operands { times: [0; 4], from: [0; 4] };
    let lines = [
        "UMOV UR4, 0x12345678",
        "USHF.R.U32.HI UR5, URZ, 0x4, UR4",
        "ULOP3.LUT UR5, UR5, 0xfff, URZ, 0xc0, !UPT",
        "MOV R20, UR5",
    ];
    assert_eq!(registers(90, &operands.constants(), &lines, &[20])[0], Some([0x567; 32]));
}

/// Instructions and the value of `R20` in each lane, if it is known.
type LaneCase = (u16, &'static [&'static str], fn(u32) -> Option<u32>);

const LANES: &[LaneCase] = &[
    (90, &["S2R R20, SR_TID.X"], Some),
    (90, &["S2R R20, SR_LANEID"], Some),
    (90, &["S2R R20, SR_LTMASK"], |lane| Some((1 << lane) - 1)),
    (90, &["S2R R20, SR_LEMASK"], |lane| Some(((1_u64 << (lane + 1)) - 1) as u32)),
    (90, &["S2R R20, SR_GEMASK"], |lane| Some(u32::MAX << lane)),
    (90, &["S2R R20, SR_GTMASK"], |lane| {
        Some(((u64::from(u32::MAX) << (lane + 1)) & u64::from(u32::MAX)) as u32)
    }),
    (90, &["S2R R20, SR_EQMASK"], |lane| Some(1 << lane)),
    (90, &["CS2R R20, SRZ"], |_| Some(0)),
    (90, &["S2R R20, SR_CLOCKLO"], |_| None),
    (90, &["S2R R20, SR_CTAID.X"], |_| Some(0)),
    (90, &["MOV R20, c[0x0][0x0]"], |_| Some(32)),
    (90, &["LDC R20, c[0x0][0x300]"], |_| Some(0xabcd)),
    (90, &["LDC R20, c[0x0][0x3f0]"], |_| None),
    (90, &["ULDC UR4, c[0x0][0x300]", "MOV R20, UR4"], |_| Some(0xabcd)),
    (90, &["LDC.64 R20, c[0x0][0x2fc]", "MOV R20, R21"], |_| Some(0xabcd)),
    (90, &["HFMA2.MMA R20, -RZ, RZ, 1, 2"], |_| Some(0x3c00_4000)),
    (120, &["HFMA2 R20, -RZ, RZ, 0, +QNAN"], |_| Some(0x7fff)),
    (120, &["HFMA2 R20, -RZ, RZ, 0, -QNAN"], |_| None),
    (90, &["S2R R1, SR_TID.X", "SHFL.IDX PT, R20, R1, 0x5, 0x1f"], |_| Some(5)),
    (90, &["S2R R1, SR_TID.X", "SHFL.BFLY PT, R20, R1, 0x10, 0x1f"], |lane| Some(lane ^ 16)),
    (90, &["S2R R1, SR_TID.X", "SHFL.UP PT, R20, R1, 0x2, RZ"], |lane| {
        Some(if lane < 2 { lane } else { lane - 2 })
    }),
    (90, &["S2R R1, SR_TID.X", "SHFL.DOWN PT, R20, R1, 0x3, 0x1f"], |lane| {
        Some(if lane > 28 { lane } else { lane + 3 })
    }),
    // Segments of 8: bits 8 to 12 of the last operand are 0x18.
    (90, &["S2R R1, SR_TID.X", "SHFL.DOWN PT, R20, R1, 0x1, 0x181f"], |lane| {
        Some(if lane % 8 == 7 { lane } else { lane + 1 })
    }),
    (90, &["S2R R1, SR_TID.X", "SHFL.IDX PT, R20, R1, 0x9, 0x181f"], |lane| Some(lane & 0x18 | 1)),
    (90, &["S2R R1, SR_TID.X", "SHFL.DOWN P0, R2, R1, 0x3, 0x1f", TO_NUMBER], |lane| {
        Some(u32::from(lane <= 28))
    }),
    (90, &["S2R R1, SR_TID.X", "ISETP.LT.AND P0, PT, R1, 0x5, PT", "VOTE.ANY R20, PT, P0"], |_| Some(0x1f)),
    (90, &["S2R R1, SR_TID.X", "ISETP.LT.AND P1, PT, R1, 0x5, PT", "VOTE.ALL P0, P1", TO_NUMBER], |_| {
        Some(0)
    }),
    (90, &["S2R R1, SR_TID.X", "ISETP.LT.AND P1, PT, R1, 0x5, PT", "VOTE.ANY P0, P1", TO_NUMBER], |_| {
        Some(1)
    }),
    // The vote comes with the mask, and inactive lanes do not vote.
    (90, &["S2R R1, SR_TID.X", "ISETP.LT.AND P1, PT, R1, 0x5, PT", "VOTE.ALL R2, P0, P1", TO_NUMBER], |_| {
        Some(0)
    }),
    (
        90,
        &[
            "S2R R1, SR_TID.X",
            "MOV R20, 0x7",
            "ISETP.LT.AND P1, PT, R1, 0x5, PT",
            "ISETP.LT.AND P2, PT, R1, 0x9, PT",
            "@P2 VOTE.ANY R20, PT, !P1",
        ],
        |lane| Some(if lane < 9 { 0x1e0 } else { 7 }),
    ),
    (52, &["S2R R1, SR_TID.X", "ISETP.LT.AND P1, PT, R1, 0x5, PT", "VOTE.ALL P0, P1", TO_NUMBER], |_| {
        Some(0)
    }),
    // Values from memory are unknown, and so are results of them unless the value does not matter.
    (90, &["LDG.E R20, desc[UR4][R2.64]"], |_| None),
    (90, &["LDG.E R1, desc[UR4][R2.64]", "LOP3.LUT R20, R1, 0x7, RZ, 0xc0, !PT"], |_| None),
    (90, &["LDG.E R1, desc[UR4][R2.64]", "IMAD R20, R1, RZ, RZ"], |_| Some(0)),
    (90, &["LDG.E R1, desc[UR4][R2.64]", "LOP3.LUT R20, R1, 0x7, RZ, 0xcc, !PT"], |_| Some(7)),
    // Local memory returns what was stored, at an address that all lanes share.
    (90, &["S2R R1, SR_TID.X", "MOV R3, 0x10", "STL [R3+0x8], R1", "LDL R20, [R3+0x8]"], Some),
    (90, &["S2R R1, SR_TID.X", "MOV R3, 0x10", "STL [R3+0x8], R1", "LDL R20, [R3+0xc]"], |_| None),
    (90, &["S2R R1, SR_TID.X", "MOV R3, 0x10", "STL [R3], R1", "STL [R1], R1", "LDL R20, [R3]"], |_| None),
];

#[test]
fn lanes_hold_what_the_special_registers_and_their_neighbours_say() {
    for (sm, lines, expected) in LANES {
        let found = registers(*sm, &[(0x2fc, 7), (0x300, 0xabcd)], lines, &[20])[0];
        let expected: Option<Vec<u32>> = (0..32).map(expected).collect();
        assert_eq!(found.map(Vec::from), expected, "{lines:?}");
    }
}
