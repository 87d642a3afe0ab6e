//! Lowering of small functions.

mod allocation;
mod asynchronous;
mod matrices;
mod operations;
mod passes;

use super::*;
use machine::Machine;
use std::fmt::Write;
use syntax::ptx::Module;

/// Lowers the first function in a text.
fn lower_first(sm: u16, text: &str) -> Lowered {
    let module = Module::parse(text);
    let facts = Facts::collect(&module);
    let item = module.items().iter().find(|item| item.function().is_some()).expect("there is a function");
    let arch = Machine::builtin().gpu_for_sm(sm).arch;
    Lowered::lower(item, &Names::resolve(item), &facts, &arch).expect("it has a body")
}

/// Returns the instructions of the first function in a text, without their addresses.
fn lines(sm: u16, text: &str) -> Vec<String> {
    let lowered = lower_first(sm, text);
    assert!(lowered.chunk.errors().is_empty(), "{:?} in {}", lowered.chunk.errors(), lowered.chunk.text());
    let chunk = &lowered.chunk;
    chunk
        .instructions()
        .iter()
        .map(|instruction| {
            let line = chunk.line_text(instruction.line as usize);
            line.split_once("*/").map_or(line, |(_, rest)| rest).trim().trim_end_matches(" ;").to_owned()
        })
        .collect()
}

fn opcodes(sm: u16, body: &str) -> Vec<String> {
    let text = format!(
        ".version 8.0\n.target sm_{sm}\n.visible .entry k(.param .u64 p, .param .u32 n)\n{{\n.reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %l<20>; .reg .pred %p<5>;\n{body}\nret;\n}}\n"
    );
    let own = lines(sm, &text);
    own.iter()
        .map(|line| line.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or("").to_owned())
        .collect()
}

#[test]
fn a_product_and_a_sum_of_addresses_are_one() {
    let own = opcodes(
        80,
        "ld.param.u64 %l0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %l1, %r0, 4; add.s64 %l2, %l0, %l1;
         ld.global.f32 %f0, [%l2+16]; add.f32 %f1, %f0, %f0; st.global.f32 [%l2], %f1;",
    );
    assert_eq!(own, ["S2R", "MOV", "MOV", "IMAD.WIDE.U32", "LDG.E", "FADD", "STG.E", "EXIT"]);
}

#[test]
fn unread_results_are_removed() {
    let own = opcodes(90, "mov.u32 %r0, %tid.x; add.s32 %r1, %r0, 5; mul.lo.s32 %r2, %r1, %r1;");
    assert_eq!(own, ["EXIT"]);
}

/// Lowers every beginning of a text with invalid instructions.
#[test]
fn no_text_makes_it_panic() {
    let whole = ".version 8.0\n.target sm_90\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %l<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p<4>;\n\
        ld.param.u64 %l0, [p]; @%p0 bra L; add.s32 %r1; add.s32; neg.f32 %f0; add.f32 %f1, %f0, %f0; shl.b32 %r2, %r1;\n\
        add.s32 %r3, %r2, %r1; lop3.b32 %r4, %r1, %r2; xor.b32 %r5, %r4, %r3; mov.b64 {%r1, %r2}, {}; mov.b64 %l1, {};\n\
        ld.global.v4.f32 {%f0, %f1, _, %f3}, [%l0+9223372036854775807]; st.global.f32 [%l0], %f3; setp.lt.s32 %p1|%p2, %r1, %r1;\n\
        selp.b32 %r6, %r1; and.pred %p0, %p1; mad.lo.s32 %r7, %r1, 3; .reg .b99999x99999 q; .shared .v4294967295 .b64 s[4294967295];\n\
        L: mul.wide.s32 %l2, %r7, 4; add.s64 %l3, %l0, %l2; bra L; ret;\n}\n";
    let arch = Machine::builtin().gpu_for_sm(90).arch;
    for end in (0..=whole.len()).filter(|&end| whole.is_char_boundary(end)) {
        let module = Module::parse(&whole[..end]);
        let facts = Facts::collect(&module);
        for item in module.items() {
            let _ = Lowered::lower(item, &Names::resolve(item), &facts, &arch);
        }
    }
}

#[test]
fn only_what_is_read_of_a_vector_is_loaded() {
    let load = |used: &str| {
        let own = opcodes(
            90,
            &format!(
                "ld.param.u64 %l0, [p]; ld.global.v4.f32 {{%f0, %f1, %f2, %f3}}, [%l0+32]; add.f32 %f4, {used}; st.global.f32 [%l0], %f4;"
            ),
        );
        own.into_iter().filter(|opcode| opcode.starts_with("LDG")).collect::<Vec<_>>()
    };
    assert_eq!(load("%f2, %f2"), ["LDG.E"]);
    assert_eq!(load("%f2, %f3"), ["LDG.E.64"]);
    assert_eq!(load("%f1, %f2"), ["LDG.E", "LDG.E"]);
}

#[test]
fn fields_at_known_places_take_shifts_and_bytes() {
    let own = opcodes(
        90,
        "ld.param.u64 %l0, [p]; ld.global.u32 %r0, [%l0]; bfe.u32 %r1, %r0, 8, 8; bfe.s32 %r2, %r1, 5, 7;
         bfi.b32 %r3, %r2, %r0, 5, 7; st.global.u32 [%l0], %r3;",
    );
    let wanted = ["PRMT", "SHF.R.S32.HI", "SGXT.W", "IMAD.SHL.U32", "LOP3.LUT"];
    let kept: Vec<&str> = own.iter().map(String::as_str).filter(|opcode| wanted.contains(opcode)).collect();
    assert_eq!(kept.len(), wanted.len(), "{own:?}");
}

#[test]
fn a_guarded_move_chooses() {
    let own = opcodes(
        90,
        "ld.param.u64 %l0, [p]; ld.global.f32 %f0, [%l0]; ld.global.f32 %f1, [%l0+4]; setp.lt.f32 %p0, %f0, %f1;
         add.f32 %f2, %f0, %f1; @%p0 mov.f32 %f2, %f1; st.global.f32 [%l0], %f2;",
    );
    assert!(own.contains(&"FSEL".to_owned()), "{own:?}");
}

/// Lowers guarded moves and bit fields whose operands have the wrong width.
#[test]
fn operands_of_other_widths_are_lowered_all_the_same() {
    let own = opcodes(
        90,
        "setp.lt.s32 %p0, %r1, %r2; @%p0 mov.b64 %l1, %r1; @!%p0 mov.u32 %r2, %l1; @%p0 mov.b32 %r3, %p0; @%p0 mov.pred %p1, %p0;
         bfe.u32 %r4, %r2, 40, 3; bfi.b32 %r5, %r4, %r2, 31, 9; bfe.s32 %r6, %l1, 0, 32; mad.wide.u32 %l2, %r6, 2147483648, %l1;
         ld.global.v4.f32 {%f0, %f1, %f2, %l3}, [%l2]; @%p1 ld.shared.v2.u64 {%l4, %l5}, [%r5]; st.global.u64 [%l2], %l4;",
    );
    assert!(own.last().is_some_and(|last| last == "EXIT"), "{own:?}");
}

/// Lowers the first function in a text three times, and returns the shortest time.
#[expect(clippy::disallowed_methods, reason = "the test measures time")]
fn time(text: &str) -> std::time::Duration {
    let module = Module::parse(text);
    let facts = Facts::collect(&module);
    let item = module.items().iter().find(|item| item.function().is_some()).expect("there is a function");
    let arch = Machine::builtin().gpu_for_sm(90).arch;
    let times = (0..3).map(|_| {
        let start = std::time::Instant::now();
        let _ = Lowered::lower(item, &Names::resolve(item), &facts, &arch);
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

/// Eight times the branches take eight times as long if the time is linear, and 64 times as long if it is quadratic.
#[test]
fn time_is_near_linear_in_the_number_of_branches() {
    let function = |blocks: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<9>; .reg .pred %p<3>;\n\
             mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 5;\n{blocks}ret;\n}}\n"
        )
    };
    let anywhere = |count: usize| {
        let block = |at: usize| format!("L{at}: add.s32 %r1, %r1, {at}; @%p1 bra L{};\n", at * 7_919 % count);
        function(&(0..count).map(block).collect::<String>())
    };
    let to_itself = |count: usize| {
        let block = |at: usize| {
            format!("L{at}: add.s32 %r1, %r1, {at}; setp.eq.u32 %p1, %r1, {at}; @%p1 bra L{at};\n")
        };
        function(&(0..count).map(block).collect::<String>())
    };
    for make in [&anywhere as &dyn Fn(usize) -> String, &to_itself] {
        let (few, many) = (time(&make(500)), time(&make(4_000)));
        assert!(many < few * 32, "{few:?} for 500 branches, {many:?} for 4,000");
    }
}

#[test]
fn blocks_that_lead_to_each_other_alone_are_lowered() {
    let own = opcodes(
        90,
        "bra E; A: bra B; C: add.s32 %r1, %r2, 1; bra D; B: bra A; D: st.global.u32 [%l1], %r3; bra C; E:",
    );
    assert!(own.iter().any(|opcode| opcode == "EXIT"), "{own:?}");
}

/// Predicates have a separate register file: too many of them do not raise the count of general registers.
#[test]
fn a_lack_of_predicates_is_no_lack_of_registers() {
    let mut body = String::from("ld.param.u64 %l0, [p]; ld.param.u32 %r0, [n];\n");
    for at in 1..=12 {
        let _ = writeln!(body, "setp.gt.u32 %p{at}, %r0, {at};");
    }
    for at in 1..=12 {
        let _ = writeln!(body, "@%p{at} st.global.u32 [%l0+{}], %r0;", 4 * at);
    }
    // The predicates are read twice, and nothing may move across the store between.
    body += "bar.sync 0;\n";
    for at in 1..=12 {
        let _ = writeln!(body, "@%p{at} st.global.u32 [%l0+{}], %r0;", 64 + 4 * at);
    }
    let text = format!(
        ".version 8.0\n.target sm_90\n.visible .entry k(.param .u64 p, .param .u32 n)\n{{\n.reg .b32 %r<20>; .reg .b64 %l<20>; \
         .reg .pred %p<20>;\n{body}\nret;\n}}\n"
    );
    let lowered = lower_first(90, &text);
    assert!(lowered.registers < 16, "{}", lowered.registers);
    assert_eq!((lowered.spills, lowered.lacks_predicates), (false, true));
}
