//! Opcodes that came with sm_75 to sm_120: pairs, three inputs, packed halves, reductions, floats that decide branches.

use super::opcodes::{Case, Operands, TO_NUMBER, check, operands, pair, signed};
use super::registers;
use proptest::prelude::*;

const PAIRS: &[Case] = &[
    (120, &["MOV.64 R20, R10"], true, |[a, b, ..]| pair(a, b)),
    (120, &["MOV.64 R20, 0x123456789abcdef0"], true, |_| 0x1234_5678_9abc_def0),
    (120, &["MOV.64 R20, -0x8"], true, |_| 8_u64.wrapping_neg()),
    (120, &["UMOV.64 UR4, 0x8000000000000001", "MOV R20, UR4", "MOV R21, UR5"], true, |_| (1 << 63) + 1),
    (120, &["IADD.64 R20, R10, 0x123456789abcdef0"], true, |[a, b, ..]| {
        pair(a, b).wrapping_add(0x1234_5678_9abc_def0)
    }),
    (120, &["IADD3.64 R20, R10, -R12, -0x10"], true, |[a, b, c, d]| {
        pair(a, b).wrapping_sub(pair(c, d)).wrapping_sub(16)
    }),
    (120, &["ISETP.GE.U64.AND P0, PT, R10, R12, PT", TO_NUMBER], false, |[a, b, c, d]| {
        u64::from(pair(a, b) >= pair(c, d))
    }),
    (120, &["ISETP.LT.S64.AND P0, PT, R10, R12, PT", TO_NUMBER], false, |[a, b, c, d]| {
        u64::from(pair(a, b).cast_signed() < pair(c, d).cast_signed())
    }),
    (120, &["ISETP.LT.S64.AND P1, P0, R10, R12, PT", TO_NUMBER], false, |[a, b, c, d]| {
        u64::from(pair(a, b).cast_signed() >= pair(c, d).cast_signed())
    }),
    // As ptxas writes 0xffffffff80000001.
    (120, &["ISETP.GE.U64.AND P0, PT, R10, -0x7fffffff, PT", TO_NUMBER], false, |[a, b, ..]| {
        u64::from(pair(a, b) >= 0xffff_ffff_8000_0001)
    }),
    (
        120,
        &["ISETP.GT.AND P1, PT, R10, R11, PT", "ISETP.NE.S64.OR P0, PT, R10, R12, !P1", TO_NUMBER],
        false,
        |[a, b, c, d]| u64::from((a, b) != (c, d) || signed(a) <= signed(b)),
    ),
    (120, &["IMNMX.U64 PT, PT, R20, R10, R12, PT, !PT"], true, |[a, b, c, d]| pair(a, b).min(pair(c, d))),
    (120, &["IMNMX.S64 PT, PT, R20, R10, R12, !PT, !PT"], true, |[a, b, c, d]| {
        pair(a, b).cast_signed().max(pair(c, d).cast_signed()).cast_unsigned()
    }),
    (120, &["ISETP.LT.AND P0, PT, R10, R11, PT", "SEL.64 R20, R12, -0x10, P0"], true, |[a, b, c, d]| {
        if signed(a) < signed(b) { pair(c, d) } else { 16_u64.wrapping_neg() }
    }),
];

fn halves(a: u32, b: u32, pick: fn(i32, i32) -> i32) -> u64 {
    let half = |at: u32| {
        let part = |word: u32| i32::from((word >> (16 * at)) as i16);
        (pick(part(a), part(b)).cast_unsigned() & 0xffff) << (16 * at)
    };
    (half(0) | half(1)).into()
}

const EXTREMES: &[Case] = &[
    (90, &["VIMNMX.RELU R20, R10, R11, PT"], false, |[a, b, ..]| {
        signed(a).min(signed(b)).max(0).cast_unsigned().into()
    }),
    (120, &["VIMNMX.S32.RELU R20, R10, R11, !PT"], false, |[a, b, ..]| {
        signed(a).max(signed(b)).max(0).cast_unsigned().into()
    }),
    (100, &["VIMNMX R20, PT, PT, R10, R11, PT"], false, |[a, b, ..]| {
        signed(a).min(signed(b)).cast_unsigned().into()
    }),
    (90, &["VIMNMX3 R20, R10, R11, R12, PT"], false, |[a, b, c, _]| {
        signed(a).min(signed(b)).min(signed(c)).cast_unsigned().into()
    }),
    (100, &["VIMNMX3.U32 R20, R10, R11, R12, !PT"], false, |[a, b, c, _]| a.max(b).max(c).into()),
    (90, &["VIMNMX.S16x2 R20, R10, R11, !PT"], false, |[a, b, ..]| halves(a, b, i32::max)),
    (90, &["VIMNMX.S16x2.RELU R20, R10, R11, PT"], false, |[a, b, ..]| halves(a, b, |a, b| a.min(b).max(0))),
    (90, &["VIMNMX.U16x2 R20, R10, R11, PT"], false, |[a, b, ..]| {
        ((a >> 16).min(b >> 16) << 16 | (a & 0xffff).min(b & 0xffff)).into()
    }),
    (90, &["VIADDMNMX R20, R10, -R11, R12, !PT"], false, |[a, b, c, _]| {
        signed(a.wrapping_sub(b)).max(signed(c)).cast_unsigned().into()
    }),
    (90, &["VIADDMNMX.U32 R20, R10, 0x40, R12, PT"], false, |[a, _, c, _]| a.wrapping_add(64).min(c).into()),
    (100, &["VIADDMNMX.RELU R20, R10, R11, R12, PT"], false, |[a, b, c, _]| {
        signed(a.wrapping_add(b)).min(signed(c)).max(0).cast_unsigned().into()
    }),
    (90, &["VIADD.16x2 R20, R10, R11"], false, |[a, b, ..]| halves(a, b, |a, b| a + b)),
    (120, &["R2UR UR4, R10", "UVIMNMX.S32 UR5, UR4, -0x64, !UPT", "MOV R20, UR5"], false, |[a, ..]| {
        signed(a).max(-100).cast_unsigned().into()
    }),
    (90, &["VABSDIFF.U32 R20, R10, R11, R12"], false, |[a, b, c, _]| a.abs_diff(b).wrapping_add(c).into()),
    (90, &["VABSDIFF R20, R10, R11, RZ"], false, |[a, b, ..]| signed(a).abs_diff(signed(b)).into()),
    (52, &["VABSDIFF.U32.U32.ACC R20, R10, R11, R12"], false, |[a, b, c, _]| {
        a.abs_diff(b).wrapping_add(c).into()
    }),
    (52, &["I2I.S32.S32 R20, |R10|"], false, |[a, ..]| signed(a).unsigned_abs().into()),
    (52, &["I2I.S32.S32 R20, -|R10|"], false, |[a, ..]| signed(a).unsigned_abs().wrapping_neg().into()),
    (52, &["I2F.F32.S32.RZ R20, |R10|"], false, |[a, ..]| {
        // The magnitude is a register: that of the smallest number is the number itself.
        let (exact, nearest) = (signed(a).wrapping_abs(), signed(a).wrapping_abs() as f32);
        if nearest as i64 > i64::from(exact) { nearest.next_down() } else { nearest }.to_bits().into()
    }),
    (75, &["IDP.4A.S8.U8 R20, R10, R11, R12"], false, |[a, b, c, _]| {
        let sum: i32 =
            (0..4).map(|at| i32::from((a >> (8 * at)) as i8) * i32::from((b >> (8 * at)) as u8)).sum();
        c.wrapping_add_signed(sum).into()
    }),
    (75, &["IDP.2A.HI.S16.S8 R20, R10, R11, R12"], false, |[a, b, c, _]| {
        let part = |at: u32| i32::from((a >> (16 * at)) as i16) * i32::from((b >> (16 + 8 * at)) as i8);
        c.wrapping_add_signed(part(0) + part(1)).into()
    }),
    (75, &["IDP.2A.LO.U16.U8 R20, R10, R11, RZ"], false, |[a, b, ..]| {
        ((a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff)).into()
    }),
];

/// Numbers of 14 bits, so that only the tested operation rounds.
const FLOATS: &[Case] = &[
    (90, &["I2FP.F32.S32 R1, R10", "FADD R1, R1, 0.5", "F2I.FLOOR.NTZ R20, R1"], false, |[a, ..]| a.into()),
    (90, &["I2FP.F32.S32 R1, R10", "FADD R1, R1, 0.25", "F2I.CEIL.NTZ R20, R1"], false, |[a, ..]| {
        u64::from(a) + 1
    }),
    (90, &["I2FP.F32.S32 R1, R10", "FADD.SAT R20, R1, -0.5"], false, |[a, ..]| {
        (a as f32 - 0.5).clamp(0.0, 1.0).to_bits().into()
    }),
    (90, &["I2FP.F32.S32 R1, R10", "FFMA.SAT R20, R1, 0.0001220703125, 0.25"], false, |[a, ..]| {
        (a as f32 / 8192.0 + 0.25).min(1.0).to_bits().into()
    }),
    (90, &["I2FP.F32.S32 R1, R10", "FFMA.RM R20, R1, 16777215, R1"], false, |[a, ..]| {
        ((u64::from(a) << 24) as f32).to_bits().into()
    }),
    (90, &["I2F.RP R20, R13"], false, |[.., d]| {
        let nearest = signed(d) as f32;
        if (nearest as i64) < i64::from(signed(d)) { nearest.next_up() } else { nearest }.to_bits().into()
    }),
    (90, &["I2FP.F32.U32.RZ R20, R13"], false, |[.., d]| {
        let nearest = d as f32;
        if (nearest as u64) > u64::from(d) { nearest.next_down() } else { nearest }.to_bits().into()
    }),
    (90, &["I2F.S16 R20, R13"], false, |[.., d]| f32::from(d as i16).to_bits().into()),
    (90, &["I2F.F64.U32 R20, R13"], true, |[.., d]| f64::from(d).to_bits()),
    (90, &["I2F.F64.S64 R20, R12"], true, |[_, _, c, d]| (pair(c, d).cast_signed() as f64).to_bits()),
    (90, &["I2F.F64 R2, R13", "F2I.F64.TRUNC R20, R2"], false, |[.., d]| d.into()),
    (90, &["I2F.F64 R2, R13", "DMUL R2, R2, 0.5", "F2I.F64.FLOOR R20, R2"], false, |[.., d]| {
        (signed(d) >> 1).cast_unsigned().into()
    }),
    (90, &["I2F.F64 R2, R13", "DFMA R2, -R2, 4, R2", "F2I.S64.F64 R20, R2"], true, |[.., d]| {
        (i64::from(signed(d)) * -3).cast_unsigned()
    }),
    (
        90,
        &["I2F.F64 R2, R13", "I2F.F64 R4, R12", "DSETP.GT.AND P0, PT, R2, |R4|, PT", TO_NUMBER],
        false,
        |v| u64::from(i64::from(signed(v[3])) > i64::from(signed(v[2])).abs()),
    ),
    (
        90,
        &["I2F.F64 R2, R13", "I2F.F64 R4, R12", "DSETP.MIN.AND P0, P1, R2, R4, PT", "SEL R20, R13, R12, P0"],
        false,
        |[_, _, c, d]| signed(c).min(signed(d)).cast_unsigned().into(),
    ),
    (90, &["I2FP.F32.S32 R2, R10", "F2F.F64.F32 R20, R2"], true, |[a, ..]| f64::from(a).to_bits()),
    (90, &["I2F.F64 R2, R13", "F2F.F32.F64 R20, R2"], false, |[.., d]| (signed(d) as f32).to_bits().into()),
    (90, &["I2FP.F32.S32 R1, R10", "FADD R1, R1, 0.5", "FRND R20, R1"], false, |[a, ..]| {
        (a as f32 + 0.5).round_ties_even().to_bits().into()
    }),
    (
        100,
        &[
            "I2FP.F32.S32 R1, R10",
            "I2FP.F32.S32 R2, R11",
            "I2FP.F32.S32 R3, R12",
            "FMNMX3 R20, R1, R2, R3, !PT",
        ],
        false,
        |[a, b, c, _]| (a as f32).max(b as f32).max(signed(c) as f32).to_bits().into(),
    ),
    // An integer this small is a subnormal float.
    (100, &["FMNMX3.FTZ R20, R10, R10, R11, PT"], false, |_| 0),
    (90, &["FADD.FTZ R20, R10, -R11"], false, |_| 0),
    (90, &["FADD R20, R10, R11"], false, |[a, b, ..]| {
        (f32::from_bits(a) + f32::from_bits(b)).to_bits().into()
    }),
    (
        120,
        &[
            "R2UR UR4, R10",
            "UI2F.U32.RP UR5, UR4",
            "UFMUL UR5, UR5, 2",
            "UF2I.TRUNC.NTZ UR6, UR5",
            "MOV R20, UR6",
        ],
        false,
        |[a, ..]| u64::from(a) * 2,
    ),
    (
        120,
        &[
            "R2UR UR4, R10",
            "UI2FP.F32.U32 UR5, UR4",
            "UFSETP.GT.AND UP0, UPT, UR5, 100, UPT",
            "UFSEL UR6, UR5, 1, UP0",
            "MOV R20, UR6",
        ],
        false,
        |[a, ..]| (if a > 100 { a as f32 } else { 1.0 }).to_bits().into(),
    ),
];

/// A reduction returns the same value to every lane.
#[test]
fn reductions() {
    let operands = Operands { times: [0x0101_0101, 0, 0, 0], from: [0xffff_ff00, 3, 0, 0] };
    let all = || (0..32).map(|lane| operands.of(lane)[0]);
    let cases: [(u16, &str, u32); 9] = [
        (80, "REDUX UR4, R10", all().fold(u32::MAX, |x, y| x & y)),
        (80, "REDUX.OR UR4, R10", all().fold(0, |x, y| x | y)),
        (90, "REDUX.XOR UR4, R10", all().fold(0, |x, y| x ^ y)),
        (120, "REDUX.SUM UR4, R10", all().fold(0, u32::wrapping_add)),
        (90, "REDUX.SUM.S32 UR4, R10", all().fold(0, u32::wrapping_add)),
        (90, "REDUX.MIN UR4, R10", all().min().unwrap()),
        (90, "REDUX.MIN.S32 UR4, R10", all().map(signed).min().unwrap().cast_unsigned()),
        (100, "CREDUX.MAX UR4, R10", all().max().unwrap()),
        (100, "CREDUX.MAX.S32 UR4, R10", all().map(signed).max().unwrap().cast_unsigned()),
    ];
    for (sm, line, expected) in cases {
        let mut lines = Operands::set_up(sm);
        lines.extend([line.to_owned(), "MOV R20, UR4".to_owned()]);
        assert_eq!(registers(sm, &operands.constants(), &lines, &[20])[0], Some([expected; 32]), "{line}");
    }
}

#[test]
fn lanes_that_hold_the_same_find_each_other() {
    let of = |lines: &[&str]| registers(90, &[], lines, &[20])[0];
    let low = ["S2R R1, SR_TID.X", "LOP3.LUT R2, R1, 0x3, RZ, 0xc0, !PT", "MATCH.ANY R20, R2"];
    assert_eq!(of(&low), Some(std::array::from_fn(|lane| 0x1111_1111 << (lane & 3))));
    let pairs = ["S2R R3, SR_TID.X", "MOV R2, 0x5", "MATCH.ANY.U64 R20, R2"];
    assert_eq!(of(&pairs), Some(std::array::from_fn(|lane| 1 << lane)));
    assert_eq!(of(&["MOV R2, 0x5", "MATCH.ALL PT, R20, R2"]), Some([u32::MAX; 32]));
    assert_eq!(of(&["S2R R2, SR_TID.X", "MATCH.ALL P0, R20, R2"]), Some([0; 32]));
    let one = ["S2R R2, SR_TID.X", "MATCH.ALL P0, R3, R2", TO_NUMBER];
    assert_eq!(of(&one), Some([0; 32]));
}

#[test]
fn constants_are_loaded_in_all_widths() {
    let bank = [(0x300, 0x8765_4321), (0x304, 0xfedc_ba98), (0x308, 7), (0x30c, 9)];
    let of = |sm: u16, lines: &[&str]| registers(sm, &bank, lines, &[20])[0].map(|lanes| lanes[0]);
    let cases: [(u16, &[&str], Option<u32>); 13] = [
        (90, &["LDC.U8 R20, c[0x0][0x303]"], Some(0x87)),
        (90, &["LDC.S8 R20, c[0x0][0x303]"], Some(0xffff_ff87)),
        (90, &["LDC.U16 R20, c[0x0][0x302]"], Some(0x8765)),
        (90, &["LDC.S16 R20, c[0x0][0x300]"], Some(0x4321)),
        (90, &["ULDC.U8 UR4, c[0x0][0x301]", "MOV R20, UR4"], Some(0x43)),
        (120, &["LDCU.S8 UR4, c[0x0][0x304]", "MOV R20, UR4"], Some(0xffff_ff98)),
        (120, &["LDCU.U16 UR4, c[0x0][0x306]", "MOV R20, UR4"], Some(0xfedc)),
        (52, &["MOV R1, 0x3", "XMAD R20, R1, c[0x0][0x304].H1, RZ"], Some(3 * 0xfedc)),
        (120, &["LDCU.128 UR4, c[0x0][0x300]", "MOV R20, UR7"], Some(9)),
        (120, &["LDCU.128 UR4, c[0x0][0x300]", "MOV R20, UR6"], Some(7)),
        (90, &["ULDC.128 UR8, c[0x0][0x300]", "MOV R20, UR9"], Some(0xfedc_ba98)),
        // A half that crosses two words, and the user's own constants.
        (90, &["LDC.U16 R20, c[0x0][0x303]"], None),
        (90, &["LDC R20, c[0x3][0x300]"], None),
    ];
    for (sm, lines, expected) in cases {
        assert_eq!(of(sm, lines), expected, "{lines:?}");
    }
    // Arrays of the module: different ones, each at an aligned address of its own.
    let [one, other, again] = [0, 8, 8].map(|offset| {
        let lines = [format!("LDC.64 R2, c[0x4][{offset:#x}]"), "MOV R20, R3".to_owned()];
        assert_eq!(
            registers(90, &[], &[lines[0].clone(), "MOV R20, R2".to_owned()], &[20])[0],
            Some([0; 32])
        );
        registers(90, &[], &lines, &[20])[0].expect("the value is known")
    });
    assert!(one != other && other == again);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn pairs(operands in operands(), is_near in any::<bool>()) {
        let mut operands = operands;
        if is_near {
            operands.times[3] = operands.times[1];
            operands.from[3] = operands.from[1];
        }
        check(PAIRS, &operands)?;
    }

    #[test]
    fn extremes(operands in operands()) {
        check(EXTREMES, &operands)?;
    }

    #[test]
    fn floats(operands in operands()) {
        let mut operands = operands;
        for at in 0..2 {
            operands.times[at] %= 256;
            operands.from[at] %= 8192;
        }
        check(FLOATS, &operands)?;
    }
}

/// Modifiers that change what an instruction computes, and one that does not exist.
const MODIFIERS: &[&str] = &[
    "FROB", "RELU", "SAT", "X", "EX", "HI", "U16", "S16", "U8", "WRAP", "NAN", "XORSIGN", "16x2", "BF16_V2",
    "RM", "64", "U64", "CC", "SH", "FTZ", "SX32", "PSL", "MRG", "CLAMP", "F16", "POPC", "INV", "X4",
    "MINABS", "D2", "UNPACK8",
];

/// True if a modifier is valid for the opcode and modelled; the cases above test its effect.
fn follows(mnemonic: &str, modifier: &str, others: &str) -> bool {
    let base = mnemonic.trim_start_matches('U');
    let is_extreme = matches!(base, "VIMNMX" | "VIMNMX3" | "VIADDMNMX");
    match modifier {
        "RELU" => is_extreme || base == "IMNMX",
        "X" => matches!(base, "IADD" | "IADD3" | "VIADD" | "IADD32I" | "IMAD" | "LEA"),
        "64" => matches!(base, "IADD" | "IADD3" | "MOV" | "SEL"),
        "EX" => base == "ISETP" && !others.contains("64"),
        "HI" => matches!(base, "IMAD" | "LEA" | "SHF"),
        "U64" => matches!(base, "ISETP" | "IMNMX" | "SHF" | "MATCH" | "F2I" | "I2F" | "I2FP"),
        "U16" if base == "XMAD" => true,
        "U16" | "S16" | "U8" => base == "I2F" || base == "I2FP",
        "RM" => matches!(base, "FADD" | "FFMA" | "FMUL" | "I2F" | "I2FP" | "DADD" | "DMUL" | "DFMA"),
        "SAT" => matches!(base, "FADD" | "FFMA" | "FMUL"),
        "FTZ" => matches!(base, "FADD" | "FFMA" | "FMUL" | "FMNMX" | "FMNMX3" | "F2I" | "FRND" | "FSETP"),
        "SX32" => base == "LEA",
        "SH" => base == "FLO",
        "PSL" | "MRG" => base == "XMAD",
        "16x2" => base == "VIADD",
        _ => false,
    }
}

/// The result of an instruction with a modifier that is not modelled is unknown.
#[test]
fn no_modifier_is_overlooked() {
    let operands = Operands { times: [3, 5, 7, 0], from: [1, 2, 3, 4] };
    let lists = [PAIRS, EXTREMES, FLOATS].into_iter().chain(super::opcodes::ALL).flatten();
    let mut tried = 0;
    for &(sm, lines, _, _) in lists {
        for (at, line) in lines.iter().enumerate() {
            let (opcode, rest) = line.split_once(' ').expect("the instruction has operands");
            let (mnemonic, others) = opcode.split_once('.').unwrap_or((opcode, ""));
            for modifier in MODIFIERS {
                let is_own = others.split('.').any(|other| other == *modifier);
                // `R2P` writes predicates that its text does not name.
                if is_own || mnemonic == "R2P" || follows(mnemonic, modifier, others) {
                    continue;
                }
                let mut all = Operands::set_up(sm);
                all.extend(lines[..at].iter().map(|line| (*line).to_owned()));
                all.push(format!("{opcode}.{modifier} {rest}"));
                // The first destination, a register or a predicate.
                let to =
                    rest.split([',', ' ']).find(|word| !matches!(*word, "PT" | "UPT" | "RZ" | "PR" | ""));
                let Some(to) = to.map(|to| to.trim_end_matches(".CC")) else { continue };
                match to.split_at(to.find(|c: char| c.is_ascii_digit()).unwrap_or(to.len())) {
                    ("R" | "UR", _) => all.push(format!("MOV R20, {to}")),
                    ("P", _) => all.push(format!("SEL R20, 0x1, RZ, {to}")),
                    ("UP", _) => {
                        all.extend([format!("USEL UR20, 0x1, URZ, {to}"), "MOV R20, UR20".to_owned()]);
                    }
                    _ => continue,
                }
                tried += 1;
                let found = registers(sm, &operands.constants(), &all, &[20])[0];
                assert_eq!(found, None, "{opcode}.{modifier} {rest} on sm_{sm}");
            }
        }
    }
    assert!(tried > 2000, "only {tried} were tried");
}
