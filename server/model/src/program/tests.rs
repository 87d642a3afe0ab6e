//! Each case is a line of a listing with its reads, writes and memory access.

use super::{Access, Program, RegisterFile};
use crate::fixture::{decode, decode_text};
use machine::{Flow, Machine, MemorySpace};
use proptest::prelude::*;
use syntax::sass::Listing;

fn names(accesses: &[Access]) -> String {
    let name = |access: &Access| {
        let index = access.register.index;
        match access.register.file {
            RegisterFile::General => format!("R{index}"),
            RegisterFile::Uniform => format!("UR{index}"),
            RegisterFile::Predicate => format!("P{index}"),
            RegisterFile::UniformPredicate => format!("UP{index}"),
            RegisterFile::ConditionCode => "CC".into(),
            RegisterFile::Barrier => format!("B{index}"),
            RegisterFile::Named => format!("name{index}"),
        }
    };
    accesses.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// Prints the reads and writes of one instruction as `reads -> writes`.
fn accesses(sm: u16, text: &str) -> String {
    let program = decode(sm, &[text]);
    let inst = &program.instructions[0];
    assert!(inst.opcode.is_some(), "sm_{sm} knows {text}");
    format!("{} -> {}", names(program.reads(inst)), names(program.writes(inst)))
}

#[test]
fn registers_are_read_and_written_as_the_opcode_says() {
    let cases: &[(u16, &str, &str)] = &[
        (90, "FFMA R0, R1.reuse, -R2, |R3|", "R1 R2 R3 -> R0"),
        (90, "FFMA R0, RZ, c[0x0][0x160], RZ", " -> R0"),
        (90, "@!P2 IMAD.MOV.U32 R4, RZ, RZ, UR5", "P2 UR5 -> R4"),
        (90, "IMAD.WIDE R2, R4, 0x4, R6", "R4 R6 R7 -> R2 R3"),
        (90, "ISETP.GE.AND P0, PT, R0, R1, P3", "R0 R1 P3 -> P0"),
        (90, "IADD3 R0, P1, R2, R3, RZ", "R2 R3 -> R0 P1"),
        (90, "IADD3 R0, R2, R3, R4", "R2 R3 R4 -> R0"),
        (90, "IADD3.X R5, R6, R7, RZ, P1, !PT", "R6 R7 P1 -> R5"),
        (90, "LDG.E.128 R8, desc[UR6][R2.64+0x10]", "UR6 UR7 R2 R3 -> R8 R9 R10 R11"),
        (90, "LDG.E.U8 R8, desc[UR6][R2.64]", "UR6 UR7 R2 R3 -> R8"),
        (90, "STG.E.64 desc[UR4][R2.64], R6", "UR4 UR5 R2 R3 R6 R7 -> "),
        (90, "LDS.64 R6, [R4+UR5+0x8]", "R4 UR5 -> R6 R7"),
        (90, "STS.128 [R4], R8", "R4 R8 R9 R10 R11 -> "),
        (90, "LDC.64 R8, c[0x0][R4+0x210]", "R4 -> R8 R9"),
        (90, "ULDC.64 UR6, c[0x0][0x208]", " -> UR6 UR7"),
        (90, "HMMA.16816.F32 R4, R8, R12, R4", "R8 R9 R10 R11 R12 R13 R4 R5 R6 R7 -> R4 R5 R6 R7"),
        (90, "LDSM.16.M88.4 R4, [R20]", "R20 -> R4 R5 R6 R7"),
        (90, "HGMMA.64x8x16.F16 R24, gdesc[UR4], R24", "UR4 UR5 UR6 UR7 R24 R25 -> R24 R25"),
        (90, "HGMMA.64x8x16.F16 R24, gdesc[UR4], R24, UP0", "UR4 UR5 UR6 UR7 R24 R25 UP0 -> R24 R25"),
        (90, "HGMMA.64x8x16.F16 R24, gdesc[UR4], R24, !UPT, gsb0", "UR4 UR5 UR6 UR7 -> R24 R25"),
        (90, "HGMMA.64x8x16.F16 R24, gdesc[UR4], RZ, !UPT", "UR4 UR5 UR6 UR7 -> R24 R25"),
        (
            100,
            "LDG.E.NA.ELL2.LTC256B.256.CONSTANT R4, R8, desc[UR6][R2.64]",
            "UR6 UR7 R2 R3 -> R4 R5 R6 R7 R8 R9 R10 R11",
        ),
        (100, "LDG.E.ENL2.256 R6, R3, desc[UR4][R2.64], 0x32", "UR4 UR5 R2 R3 -> R6 R7 R3"),
        (100, "LDG.E.ENL2.256 RZ, R2, desc[UR4][R2.64], 0x3", "UR4 UR5 R2 R3 -> R2 R3"),
        (100, "STG.E.ENL2.256 desc[UR4][R2.64], R4, R8, 0xe3", "UR4 UR5 R2 R3 R4 R5 R8 R9 R10 -> "),
        (90, "SHFL.BFLY PT, R2, R3, 0x1, 0x1f", "R3 -> R2"),
        (90, "EXIT", " -> "),
        (70, "CALL.REL.NOINC R6 `(callee)", "R6 R7 -> "),
        (75, "LDG.E.SYS R5, [R18]", "R18 R19 -> R5"),
        (35, "IADD R198.CC, R198, c[0x0][0x160]", "R198 -> R198 CC"),
        (35, "IADD.X R199, R199, RZ", "CC R199 -> R199"),
        (35, "@P2 LDG.E.128 R192, [R198]", "P2 R198 R199 -> R192 R193 R194 R195"),
        (35, "@P0 STS.64 [R228+0x200], R194", "P0 R228 R194 R195 -> "),
        (35, "@!P0 BRA CC.NEU, 0x0", "P0 CC -> "),
        (35, "LDS.U.128 R0, [0x4000]", " -> R0 R1 R2 R3"),
        (61, "XMAD.MRG R5, R1, R2.H1, RZ", "R1 R2 -> R5"),
        (90, "BSSY B0, 0x40", " -> B0"),
        (90, "BSYNC B0", "B0 -> "),
        (90, "BREAK P0, B1", "P0 B1 -> B1"),
        (90, "BMOV.32 B2, R4", "R4 -> B2"),
        (90, "BMOV.32 R4, B2", "B2 -> R4"),
        (90, "BMOV.32.CLEAR RZ, B6", "B6 -> B6"),
        (90, "WARPSYNC R4", "R4 -> "),
        (90, "B2R.RESULT R4", " -> R4"),
        (90, "UR2UP UPR, UR4, 0x3", "UR4 -> UP0 UP1"),
        (90, "R2P PR, R4, 0x3", "R4 -> P0 P1"),
    ];
    for &(sm, text, expected) in cases {
        assert_eq!(accesses(sm, text), expected, "sm_{sm}: {text}");
    }
}

#[test]
fn an_unknown_opcode_is_a_value_and_reads_what_it_names() {
    let program = decode(90, &["FROB.X R1, R2, [R3+0x4], P0"]);
    let inst = &program.instructions[0];
    assert_eq!((inst.opcode, inst.class, inst.memory), (None, None, None));
    assert_eq!(names(program.reads(inst)), "R1 R2 R3 P0");
    assert_eq!(names(program.writes(inst)), "");
}

#[test]
fn an_assemblers_names_are_registers_of_their_own() {
    let program = decode_text(
        52,
        "--:-:1:-:1      S2R tid, SR_TID.X;\n01:-:-:-:1      ISETP.GE.AND P0, PT, tid, 32, PT;\n\
         --:-:-:-:1      FFMA cx00y00, j0Ax00, j0By00, cx00y00;\n",
    );
    let read = |at: usize| names(program.reads(&program.instructions[at]));
    let written = |at: usize| names(program.writes(&program.instructions[at]));
    assert_eq!((read(0), written(0)), (String::new(), "name0".into()));
    assert_eq!((read(1), written(1)), ("name0".into(), "P0".into()));
    assert_eq!((read(2), written(2)), ("name2 name3 name1".into(), "name1".into()));
    assert_eq!(
        program.names.iter().map(|name| &**name).collect::<Vec<_>>(),
        ["tid", "cx00y00", "j0Ax00", "j0By00"]
    );
}

#[test]
fn memory_instructions_say_what_they_move() {
    /// Memory space, bytes per lane, whether the instruction loads, whether it stores.
    type Moves = (MemorySpace, u8, bool, bool);
    let cases: &[(u16, &str, Moves)] = &[
        (90, "LDS.64 R6, [R4]", (MemorySpace::Shared, 8, true, false)),
        (90, "STG.E.U8 desc[UR4][R2.64], R6", (MemorySpace::Global, 1, false, true)),
        (90, "LDSM.16.M88.4 R4, [R20]", (MemorySpace::Shared, 16, true, false)),
        (90, "LDGSTS.E.BYPASS.128 [R7], desc[UR6][R4.64]", (MemorySpace::Global, 16, true, true)),
        (90, "RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R5", (MemorySpace::Generic, 4, false, true)),
        (35, "LDG.E.128 R192, [R198]", (MemorySpace::Global, 16, true, false)),
    ];
    for &(sm, text, (space, bytes, loads, stores)) in cases {
        let memory =
            decode(sm, &[text]).instructions[0].memory.unwrap_or_else(|| panic!("{text} is an access"));
        assert_eq!((memory.bytes_per_lane, memory.loads, memory.stores), (bytes, loads, stores), "{text}");
        assert_eq!(memory.space, space, "{text}");
    }
    assert_eq!(decode(90, &["FADD R0, R1, R2"]).instructions[0].memory, None);
}

fn blocks(program: &Program) -> Vec<(u32, u32, Vec<u32>)> {
    let of = |(block, index): (&super::Block, u32)| {
        (block.instructions.start, block.instructions.end, program.flow.successors(index).to_vec())
    };
    program.blocks.iter().zip(0..).map(of).collect()
}

#[test]
fn branches_by_address_cut_the_kernel_into_blocks() {
    let program = decode(
        90,
        &[
            "ISETP.GE.AND P0, PT, R0, 0x1, PT",
            "@!P0 BRA 0x50",
            "FADD R1, R1, R2",
            "@P0 BRA 0x20",
            "BRA 0x60",
            "FADD R1, R1, R3",
            "EXIT",
            "BRA 0x70",
        ],
    );
    assert_eq!(
        blocks(&program),
        [
            (0, 2, vec![1, 3]),
            (2, 4, vec![1, 2]),
            (4, 5, vec![4]),
            (5, 6, vec![4]),
            (6, 7, vec![]),
            (7, 8, vec![5]),
        ]
    );
    assert_eq!(program.instructions[1].target, Some(5));
    assert_eq!(program.instructions[1].flow, Flow::Branch);
    assert!(
        program
            .instructions
            .iter()
            .enumerate()
            .all(|(at, inst)| { program.blocks[inst.block as usize].instructions.contains(&(at as u32)) })
    );
}

#[test]
fn branches_by_label_lead_to_the_next_instruction() {
    let text = "\t.section\t.text.k,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=9\"\n.text.k:\n\
        \x20       /*0000*/              @!P0 BRA `(.L_x_0) ;\n\
        .L_x_1:\n\
        \x20       /*0010*/                   FADD R1, R1, R2 ;\n\
        \x20       /*0020*/              @P0  BRA `(.L_x_1) ;\n\
        .L_x_0:\n\
        \x20       /*0030*/                   BRX R2 -0x40                 (*\"BRANCH_TARGETS .L_x_1,.text.k,.L_x_0\"*);\n";
    let program = decode_text(70, text);
    assert_eq!(blocks(&program), [(0, 1, vec![1, 2]), (1, 3, vec![1, 2]), (3, 4, vec![1, 2])]);
    assert_eq!(program.instructions[3].target, None);
}

#[test]
fn a_divergence_branch_falls_through() {
    let program = decode(90, &["BRA.DIV UR4, 0x20", "FADD R1, R1, R2", "EXIT"]);
    assert_eq!(blocks(&program)[0], (0, 1, vec![1, 2]));
}

#[test]
fn pairs_do_not_overlap() {
    let kepler = "-:-:-:-:05 FFMA R0, R1, R2, R0;\n-:-:D:-:04 FFMA R3, R1, R2, R3;\n-:-:D:-:04 FFMA R4, R1, R2, R4;\n\
        -:-:D:-:04 FFMA R5, R1, R2, R5;\n";
    let dual: Vec<bool> = decode_text(35, kepler).instructions.iter().map(|inst| inst.dual).collect();
    assert_eq!(dual, [false, true, false, false]);
}

#[test]
fn braces_pair_where_no_code_is_printed() {
    let text = "\tcode for sm_61\n\t\tFunction : k\n\
        \x20       /*0008*/         {         MOV R12, c[0x0][0x160] ;\n\
        \x20       /*0010*/                   S2R R0, SR_CTAID.Y         }\n\
        \x20       /*0018*/                   MOV R15, RZ ;\n";
    let dual: Vec<bool> = decode_text(61, text).instructions.iter().map(|inst| inst.dual).collect();
    assert_eq!(dual, [true, false, false]);
}

proptest! {
    #[test]
    fn no_bytes_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        sm in prop::sample::select(vec![35_u16, 52, 90, 120]),
    ) {
        all(&String::from_utf8_lossy(&bytes), sm);
    }

    /// Decodes text that resembles a listing, which reaches more of the decoder than arbitrary text.
    #[test]
    fn no_listing_panics(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "        /*0010*/              @!P0 BRA 0x10 ;", "        /*0020*/    BRA `(.L_x_0) ;", ".L_x_0:",
                "        /*0000*/    LDG.E.128 R250, desc[UR255][R2.64+0x10] ;", "  BRA 0xffffffff ;", "@P9 EXIT ;",
                "        /*ffffffff*/    FFMA R99999, R1, R2, R4294967295 ;", "{ MOV R0, RZ ;", "S2R R0, SR_TID.X }",
                "  BRX R2 -0x6e0 (*\"BRANCH_TARGETS .L_x_0,nowhere\"*);", "CAL 0x20;", "RET ;", "\tFunction : k",
                "  desc[[[ ;", "  FADD ;", "  , , ,;", "-:-:D:-:04 FFMA a, b, c, d;", "  LDS.x4294967295 R0, [ ;",
            ]),
            0..60,
        ),
        cut in 0_usize..2000,
        sm in prop::sample::select(vec![35_u16, 52, 75, 90, 100]),
    ) {
        let text = lines.join("\n");
        let cut = (0..=cut.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        all(&text[..cut], sm);
        all(&text, sm);
    }
}

/// Decodes and times every chunk of a text.
fn all(text: &str, sm: u16) {
    let gpu = Machine::builtin().gpu_for_sm(sm);
    let listing = Listing::parse(text);
    for chunk in listing.chunks() {
        let program = Program::decode(chunk, &gpu.arch);
        assert_eq!(program.instructions.len(), chunk.instructions().len());
        let covered: u32 = program.blocks.iter().map(|block| block.instructions.len() as u32).sum();
        assert_eq!(covered as usize, program.instructions.len());
        let launch = crate::Launch::assumed(&program, &gpu, crate::launch::DeclaredResources::default());
        let timing = crate::paper::time(&program, &gpu, &launch, crate::paper::MissRatio::default());
        for (at, inst) in timing.instructions().iter().enumerate() {
            let longest = timing.depends_on(at).iter().map(|dependence| dependence.cycles).max();
            assert!(inst.issue_cycle >= longest.unwrap_or(0));
        }
    }
}
