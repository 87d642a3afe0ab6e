//! Register allocation for values that are live at different times.

use super::{lines, lower_first};
use std::fmt::Write;

fn function(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.visible .entry k(.param .u64 p, .param .u32 n)\n{{\n.reg .b32 %r<20>; .reg .f32 %f<40>; \
         .reg .b64 %l<20>; .reg .pred %p<5>;\n{body}\nret;\n}}\n"
    )
}

/// In an unrolled loop, the register that carries an accumulator from one iteration to the next is free between the first
/// and the last addition of an iteration, and may hold another value.
#[test]
fn a_register_is_shared_while_its_value_is_dead() {
    const COUNT: usize = 12;
    let mut body = String::from("ld.param.u64 %l0, [p]; ld.param.u32 %r0, [n];\n");
    for at in 0..COUNT {
        let _ = write!(body, "mov.f32 %f{at}, 0f00000000; ");
    }
    body += "L: ld.global.f32 %f30, [%l0]; ld.global.f32 %f31, [%l0+4];\n";
    for _ in 0..4 {
        for at in 0..COUNT {
            let _ = write!(body, "fma.rn.f32 %f{at}, %f30, %f31, %f{at}; ");
        }
    }
    body += "add.s32 %r0, %r0, -1; setp.ne.s32 %p0, %r0, 0; @%p0 bra L;\n";
    for at in 0..COUNT {
        let _ = write!(body, "st.global.f32 [%l0+{}], %f{at}; ", 64 + 4 * at);
    }
    let lowered = lower_first(90, &function(&body));
    let most = COUNT as u32 + 8;
    assert!(lowered.registers <= most, "{} registers in {}", lowered.registers, lowered.chunk.text());
}

/// The upper word of the register pair is written before the loop, and the lower word in each iteration.
#[test]
fn a_word_of_a_vector_stays_while_another_is_replaced() {
    let own = lines(
        90,
        &function(
            "ld.param.u64 %l0, [p]; ld.param.u32 %r0, [n]; ld.global.u32 %r2, [%l0];
             L: ld.global.u32 %r3, [%l0+4]; ld.global.u32 %r4, [%l0+8]; ld.global.u32 %r5, [%l0+12];
             mul.lo.s32 %r6, %r3, %r4; mul.lo.s32 %r7, %r4, %r5; mul.lo.s32 %r8, %r6, %r7; st.global.u32 [%l0+32], %r8;
             add.s32 %r1, %r8, %r0; mov.b64 %l1, {%r1, %r2}; st.global.u64 [%l0+16], %l1;
             add.s32 %r0, %r0, -1; setp.ne.s32 %p0, %r0, 0; @%p0 bra L;",
        ),
    );
    let start = own.iter().position(|line| line.contains("+0x4]")).expect("a load of the loop");
    let store = own.iter().find(|line| line.contains("STG.E.64")).expect("the store of the pair");
    let low: u32 = store.rsplit('R').next().and_then(|number| number.parse().ok()).expect("a register");
    let upper = format!("R{}", low + 1);
    let writes = |line: &&String| {
        line.split_once(' ').is_some_and(|(_, operands)| operands.split(',').next() == Some(&upper))
    };
    let is_copied = own[start..].iter().any(|line| writes(&line) && line.contains("MOV"));
    let count = own[start..].iter().filter(writes).count();
    assert!(is_copied || count == 0, "{upper} is replaced in {own:#?}");
}

/// Without a limit, all loads issue first, and their registers would let half as many warps run.
#[test]
fn loads_wait_for_registers_if_more_warps_run_then() {
    const COUNT: usize = 24;
    let mut body = String::from("ld.param.u64 %l0, [p]; mov.f32 %f0, 0f00000000;\n");
    for at in 0..COUNT {
        let _ = write!(body, "ld.shared.v4.f32 {{%f1, %f2, %f3, %f4}}, [{}]; ", 32 * at);
        for own in 1..5 {
            let _ = write!(body, "fma.rn.f32 %f0, %f{own}, %f{own}, %f0; ");
        }
    }
    body += "st.global.f32 [%l0], %f0;";
    let lowered = lower_first(90, &function(&body));
    assert!(lowered.registers <= 32, "{} registers in {}", lowered.registers, lowered.chunk.text());
}
