//! Tests with statements that ptxas 13.5 accepts or rejects for sm_90a. Each rejected statement names the rule that
//! must report it.

use super::{Context, check};
use crate::finding::Severity;
use crate::ptx::Heading;
use machine::ptx::Ptx;
use model::ptx::{Globals, Names};
use syntax::ptx::Module;

const REGISTERS: &str = ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .u32 %u<9>; .reg .f32 %f<9>; \
                         .reg .f16x2 %hh<9>; .reg .b64 %rd<9>; .reg .f64 %fd<9>; .reg .b128 %q; .reg .b8 %rb;";

/// Codes of the errors in a statement, without repetitions.
fn errors(statement: &str) -> Vec<&'static str> {
    let text = format!(
        ".version 9.3\n.target sm_90a\n.address_size 64\n.global .b32 gvar[64];\n\
         .visible .entry k(.param .b64 pk)\n{{\n{REGISTERS}\n{statement}\nret;\n}}\n"
    );
    let module = Module::parse(&text);
    let tables = Ptx::builtin();
    let globals = Globals::collect(&module);
    let mut codes = Vec::new();
    for (index, item) in module.items().iter().enumerate() {
        let heading = Heading::read(&module);
        let context = Context { tables: &tables, globals: &globals, item: index, module: heading };
        let problems = check(item, &Names::resolve(item), &context);
        codes.extend(
            problems
                .iter()
                .filter(|problem| problem.severity == Some(Severity::Error))
                .map(|problem| problem.code),
        );
    }
    codes.dedup();
    codes
}

#[track_caller]
fn takes(statement: &str) {
    assert_eq!(errors(statement), [""; 0], "{statement}");
}

#[track_caller]
fn rejects(code: &str, statement: &str) {
    assert_eq!(errors(statement), [code], "{statement}");
}

#[test]
fn elements_of_a_vector_are_equally_wide() {
    takes("st.global.v2.b8 [%rd1], {%r1, %r2};");
    takes("st.global.v2.b8 [%rd1], {%rs1, 5};");
    takes("ld.global.v2.u16 {%r1, _}, [%rd1];");
    rejects("operand-type", "st.global.v2.b8 [%rd1], {%rs1, %r2};");
    rejects("operand-type", "ld.global.v2.u16 {%r1, %rd2}, [%rd1];");
    rejects("operand-kind", "ld.global.v2.u16 {_, _}, [%rd1];");
}

#[test]
fn elements_of_a_vector_are_of_one_kind() {
    takes("st.global.v2.b32 [%rd1], {%r1, %f2};");
    takes("ld.global.v2.b64 {%rd1, %fd2}, [%rd1];");
    takes("st.global.v2.f32 [%rd1], {%f1, 0f00000000};");
    rejects("operand-type", "ld.global.v2.b32 {%u1, %f2}, [%rd1];");
    rejects("operand-type", "st.global.v2.f32 [%rd1], {%f1, 2};");
    rejects("operand-type", "st.global.v2.b32 [%rd1], {%f1, %hh1};");
    rejects("operand-type", "mov.b64 %rd1, {%f1, %u1};");
}

#[test]
fn special_registers_stand_in_vectors_as_bits() {
    takes("st.global.v2.u32 [%rd1], {%laneid, %r1};");
    takes("st.global.v2.f32 [%rd1], {%tid.x, %f1};");
    takes("st.global.v2.b16 [%rd1], {%tid.x, %r1};");
    takes("mov.b64 %rd1, {%clock, %laneid};");
    takes("mov.b128 %q, {%clock64, %rd1};");
    rejects("operand-type", "st.global.v2.u64 [%rd1], {%tid.x, %rd1};");
    rejects("operand-type", "mov.b32 %r1, {%laneid, %rs1};");
    rejects("operand-kind", "st.global.u32 [%rd1], %laneid;");
}

#[test]
fn parts_of_a_move_are_whole_registers() {
    takes("mov.b64 %rd1, {%r1, 5};");
    rejects("operand-kind", "mov.b64 {-%r1, %r2}, %rd1;");
    rejects("operand-kind", "mov.b64 %rd1, {%r1.x, %r2};");
}

#[test]
fn fragments_of_halves_lie_in_bits_or_packed_halves() {
    let mma = |a: &str, b: &str| {
        format!(
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{%f1,%f2,%f3,%f4}}, {a}, {b}, {{%f1,%f2,%f3,%f4}};"
        )
    };
    takes(&mma("{%r1,%r2}", "{%hh1}"));
    takes(&mma("{%r1,0}", "{%r1}"));
    takes(&mma("{%r1,%laneid}", "{%r1}"));
    rejects("operand-type", &mma("{%f1,%f2}", "{%r1}"));
    rejects("operand-type", &mma("{%r1,%r2}", "{%u1}"));
    rejects("operand-type", &mma("{%r1,%clock64}", "{%r1}"));
}

#[test]
fn fragments_are_as_long_as_their_matrix_wants() {
    let eight = "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}";
    let four = "{%r1,%r2,%r3,%r4}";
    takes(&format!("wmma.mma.sync.aligned.row.row.m8n32k16.f16.f16 {four}, {eight}, {eight}, {four};"));
    takes("wmma.load.a.sync.aligned.row.m8n32k16.u8 {%r1}, [%rd1];");
    takes(&format!("wmma.load.b.sync.aligned.row.m8n32k16.u8 {four}, [%rd1];"));
    rejects("operand-kind", &format!("wmma.load.a.sync.aligned.row.m8n32k16.u8 {four}, [%rd1];"));
    rejects("operand-kind", &format!("wmma.load.a.sync.aligned.row.m16n16k16.f16 {four}, [%rd1];"));
}

#[test]
fn addresses_begin_with_a_register_or_a_variable() {
    takes("ld.global.u32 %r1, [gvar+(4*2)];");
    takes("ld.global.u32 %r1, [%rd1+4*2];");
    takes("ld.global.u32 %r1, [%clock64+8];");
    takes("ld.local.u32 %r1, [WARP_SZ];");
    rejects("operand-kind", "ld.global.u32 %r1, [gvar*2];");
    rejects("operand-kind", "ld.global.u32 %r1, [-gvar];");
    rejects("operand-kind", "ld.global.u32 %r1, [4+%rd1];");
    rejects("operand-kind", "ld.shared.u32 %r1, [%tid.x];");
    rejects("operand-kind", "ld.shared.u32 %r1, [WARP_SZ];");
    rejects("operand-kind", "multimem.red.relaxed.sys.global.add.u64 [16], %rd1;");
    rejects("operand-type", "ld.global.u32 %r1, [%laneid];");
}

#[test]
fn parameters_of_calls_have_names_alone_in_a_kernel() {
    takes("ld.param::entry.b64 %rd1, [pk];");
    takes("{ .param .b32 a; st.param::func.b32 [a], %r1; }");
    rejects("wrong-space", "ld.param::func.b64 %rd1, [pk];");
    rejects("wrong-space", "ld.param::func.b32 %r1, [%rd1];");
    rejects("wrong-space", "{ .param .b32 a; ld.param::entry.b32 %r1, [a]; }");
}

#[test]
fn modifiers_of_a_name_follow_the_opcode() {
    takes("cvta.to.global.u64 %rd1, %rd2;");
    takes("mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;");
    rejects("misplaced-modifier", "cvta.global.to.u64 %rd1, %rd2;");
    rejects("misplaced-modifier", "mbarrier.try_wait.shared.parity.b64 %p1, [%r1], %r2;");
    rejects("misplaced-modifier", "setmaxnreg.sync.inc.aligned.u32 128;");
}

#[test]
fn a_copy_names_first_where_it_goes() {
    takes("cp.async.ca.shared.global [%r1], [%rd1], 16;");
    takes("cp.async.shared.ca.global [%r1], [%rd1], 16;");
    rejects("misplaced-modifier", "cp.async.ca.global.shared [%r1], [%rd1], 16;");
}

#[test]
fn a_waiting_thread_may_ask_for_the_report() {
    takes("mbarrier.try_wait.phase_type::primary.b64 %p1|%p2, %rb, [%rd1], %rd2, %r3;");
    takes("mbarrier.test_wait.parity.phase_type::primary.b64 %p1|_, [%rd1], %r2;");
    rejects("operand-kind", "mbarrier.test_wait.b64 %p1|%p2, [%rd1], %rd2;");
}

#[test]
fn constants_keep_to_what_their_place_takes() {
    takes("fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;");
    rejects("operand-value", "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 64;");
    rejects("operand-value", "bfi.b64 %rd1, %rd2, %rd3, 32, 256;");
    takes("mov.u32 %r1, 18446744073709551616;");
    rejects("operand-value", "mov.u32 %r1, 99999999999999999999;");
    rejects("operand-value", "mov.f64 %fd1, 1e309;");
}

#[test]
fn selectors_of_sparse_products_go_by_shape_and_type() {
    let quad = |letter: char| format!("{{%{letter}1,%{letter}2,%{letter}3,%{letter}4}}");
    let (f, r) = (quad('f'), quad('r'));
    let of = |shape: &str, ty: &str, selector: u32| {
        format!("mma.sp.sync.aligned.{shape}.row.col.f32.{ty}.{ty}.f32 {f}, {r}, {r}, {f}, %r1, {selector};")
    };
    takes(&of("m16n8k32", "f16", 3));
    rejects("operand-value", &of("m16n8k32", "bf16", 2));
    rejects("operand-value", &of("m16n8k32", "f16", 4));
    takes(&of("m16n8k16", "tf32", 1));
    rejects("operand-value", &of("m16n8k16", "tf32", 2));
}

#[test]
fn a_vector_is_one_value_of_a_move_of_as_many_bits() {
    let vectors = ".reg .v2 .u32 t; .reg .v2 .f32 g; .reg .v4 .b8 c; .reg .v2 .u16 s; .reg .v2 .b64 d; .reg .v4 .u32 o;";
    let taken = [
        "mov.b64 %rd1, t;",
        "mov.b64 t, %rd1;",
        "mov.b64 %fd1, t;",
        "mov.b64 %rd1, g;",
        "mov.b64 g, 5;",
        "mov.b32 %r1, c;",
        "mov.b32 %r1, s;",
        "mov.b128 %q, d;",
        "mov.b128 %q, o;",
        "@%p1 mov.b64 %rd1, t;",
        "mov.v2.u32 t, t;",
    ];
    for statement in taken {
        takes(&format!("{vectors} {statement}"));
    }
    let refused = [
        "mov.u64 %rd1, t;",
        "mov.b32 %r1, t;",
        "mov.b64 %rd1, s;",
        "mov.b64 %rd1, o;",
        "mov.b64 t, t;",
        "mov.b64 {%r1, %r2}, t;",
        "mov.b64 t, {%r1, %r2};",
        "and.b64 %rd1, t, %rd1;",
        "st.b64 [%rd1], t;",
        "selp.b64 %rd1, t, %rd1, %p1;",
        "mov.b64 %rd1, -t;",
    ];
    for statement in refused {
        rejects("operand-kind", &format!("{vectors} {statement}"));
    }
}

#[test]
fn what_no_call_above_gives_cannot_be_loaded() {
    let head =
        ".param .b32 i; .param .b32 o; .param .b32 n; P: .callprototype (.param .b32 _) _ (.param .b32 _);";
    let call = "st.param.b32 [i], %r1; call (o), %rd1, (i), P;";
    let takes = |statements: &str| takes(&format!("{head} {statements}"));
    let rejects = |statements: &str| rejects("call-mismatch", &format!("{head} {statements}"));
    takes(&format!("{call} ld.param.b32 %r1, [o];"));
    takes(&format!("{call} ld.param.b32 %r1, [o]; {call} ld.param.b16 %rs1, [o+2];"));
    takes(&format!("@%p1 bra L; {call} L: ld.param.b32 %r1, [o];"));
    takes("st.param.b32 [n], %r1;");
    rejects("ld.param.b32 %r1, [n];");
    rejects("st.param.b32 [n], %r1; ld.param.b32 %r1, [n];");
    rejects("ld.param::func.b32 %r1, [n];");
    // A call does not change its arguments.
    rejects(&format!("{call} ld.param.b32 %r1, [i];"));
    // The order of the text counts, not that of the control flow.
    rejects(&format!("bra C; L: ld.param.b32 %r1, [o]; bra E; C: {call} bra L; E:"));
    rejects(&format!("{call} {{ .param .b32 o; ld.param.b32 %r1, [o]; }}"));
    rejects(&format!("{call} @%p1 ld.param.b32 %r1, [o];"));
    rejects("@%p1 st.param.b32 [i], %r1;");
    // A parameter of the kernel is defined from the start.
    takes("@%p1 ld.param.b64 %rd2, [pk];");
}

#[test]
fn what_a_call_is_given_has_no_address() {
    rejects("operand-kind", ".param .b32 i; mov.b64 %rd1, i;");
    rejects("operand-kind", ".param .b32 i; cvta.param.u64 %rd1, i;");
    takes("cvta.param.u64 %rd1, pk;");
}
