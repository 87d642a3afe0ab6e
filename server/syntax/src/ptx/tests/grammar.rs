//! Tests of the parser on valid texts: the kind and the tokens of each statement.

use super::{body, only, statements};
use crate::ptx::{ItemKind, Module, Token};

/// Asserts that a function body parses to these statements, each written as its kind and its tokens.
fn reads(text: &str, expected: &[&str]) {
    assert_eq!(body(text).1, expected, "{text}");
}

#[test]
fn items_end_with_the_line_that_they_end_on() {
    let text = "// head\n.version 9.3 // v\n.target sm_90a,\n debug .address_size 64\r\n.global .u32 x;.func f();\n\n";
    let module = Module::parse(text);
    let items: Vec<_> = module.items().iter().map(|item| item.text()).collect();
    assert_eq!(
        items,
        [
            "// head\n.version 9.3 // v\n",
            ".target sm_90a,\n debug",
            " .address_size 64\r\n",
            ".global .u32 x;",
            ".func f();\n",
            "\n",
        ]
    );
    assert_eq!(module.items()[5].kind(), ItemKind::Blank);
    assert_eq!(module.version(), Some("9.3"));
    assert_eq!(module.target().collect::<Vec<_>>(), ["sm_90a", "debug"]);
}

#[test]
fn instructions_have_guards_opcodes_modifiers_and_operands() {
    let (item, _) = body("@!%p1 ld.global.L2::cache_hint.v2.u32 {x, _}, [%rd1+4], %rd5;");
    let statement = item.instructions().next().unwrap();
    assert_eq!(item.guard(statement), Some((true, "%p1")));
    assert_eq!(item.opcode(statement), Some("ld"));
    assert_eq!(item.modifiers(statement).collect::<Vec<_>>(), ["global", "L2::cache_hint", "v2", "u32"]);
    let operands: Vec<_> = item.operands(statement).map(|operand| operand.text()).collect();
    assert_eq!(operands, ["{x, _}", "[%rd1+4]", "%rd5"]);
}

#[test]
fn labels_scopes_and_variables_stand_as_statements() {
    reads(
        "a: b: { .reg .pred p; {} } ret;",
        &[
            "label: a :",
            "label: b :",
            "open: {",
            "variable: .reg .pred p ;",
            "open: {",
            "close: }",
            "close: }",
            "instruction: ret ;",
        ],
    );
    reads(
        ".reg .b32 %r<10>, x; .local .align 4 .b8 d[28];",
        &["variable: .reg .b32 %r < 10 > , x ;", "variable: .local .align 4 .b8 d [ 28 ] ;"],
    );
}

#[test]
fn a_declaration_may_name_nothing() {
    reads(".param .b32 ; ret;", &["variable: .param .b32 ;", "instruction: ret ;"]);
    assert_eq!(only(".global .b128 ;").name(), None);
}

#[test]
fn places_end_without_a_mark() {
    reads(
        ".loc 1 5 0 mov.b32 a, 1; .loc 2 3 1, function_name $L+6, inlined_at 1 7 5 @p ret;\n.loc_intermediate 1 1 1\nx:",
        &[
            "directive: .loc 1 5 0",
            "instruction: mov .b32 a , 1 ;",
            "directive: .loc 2 3 1 , function_name $L + 6 , inlined_at 1 7 5",
            "instruction: @ p ret ;",
            "directive: .loc_intermediate 1 1 1",
            "label: x :",
        ],
    );
}

#[test]
fn targets_and_prototypes_follow_their_labels() {
    reads(
        "t: .branchtargets A, B; c: .calltargets f; p: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16]) .noreturn;",
        &[
            "label: t :",
            "directive: .branchtargets A , B ;",
            "label: c :",
            "directive: .calltargets f ;",
            "label: p :",
            "directive: .callprototype ( .param .b32 _ ) _ ( .param .align 8 .b8 _ [ 16 ] ) .noreturn ;",
        ],
    );
}

#[test]
fn calls_take_lists_with_and_without_results() {
    for text in [
        "call f;",
        "call.uni f, ();",
        "call (), f, ();",
        "call (a, _), f, (b, 5 + 2);",
        "call (a),\nf,\n(\nb\n)\n;",
        "@p call %rd1, (a), proto;",
    ] {
        let (item, all) = body(text);
        assert_eq!(all.len(), 1, "{text}");
        assert_eq!(item.opcode(&item.statements()[2]), Some("call"));
    }
}

#[test]
fn expressions_of_every_operator_are_read() {
    for text in [
        "mov.u32 a, 5 % 3 + (2 << 4 >> 1) * ~1 / 3 ^ 7 & 0xff | 1 - - 4;",
        "mov.u32 a, 1 == 2 || 3 != 4 && 5 <= 6 && 7 >= 8 && !1;",
        "mov.u32 a, 1 ? 2 > 1 ? 3 : 4 : 5;",
        "mov.u64 a, (.s64)(1 + 2) - (.u64) 7;",
        "mov.f32 a, -.5; mov.f32 a, 1.; mov.f32 a, 0f3F800000;",
        "mov.u64 a, generic(x)+4;",
        "ld.u32 a, [b + -4]; ld.u32 a, b[2]; ld.u32 a, b[-4]; ld.u32 a, b [ WARP_SZ ]; st.b32 b[+0], a; ld.u32 a, [b+(4+4)].unified; ld.u32 a, [b+%r1];",
        "setp.eq.u32 p|q, a, b, !c; setp.eq.u32 _ | q, a, b;",
        "tex.2d.v4.f32.f32 {a, b, c, d}|p, [t, s, {{x, y}, z}];",
        "vadd.u32.u32.u32 a.b0, -b.h1, %tid .x;",
        "mov\n.u32\na\n,\n1\n;",
        "mov.u32 a, # 2 \"x.cu\"\n 1; /* c */ // d",
    ] {
        body(text);
    }
}

#[test]
fn variables_have_initialisers_of_any_nesting() {
    for text in [
        ".global .b32 x[2][2] = {{1, 2}, {3, 1 + 2 * 3}}, y = 5, z[] = {};",
        ".global .u8 x[4] = {0xff(y), 0xff00 (y), 0, mask(0xff)};",
        ".global .u64 x = generic (y) + 4*2;",
        ".global .samplerref s = { addr_mode_0 = clamp_to_border, filter_mode = nearest };",
        ".const[2] .align 8 .b32 x;",
        ".visible .global .attribute(.managed, .unified(19, 95)) .align 8 .b128 x;",
    ] {
        assert_eq!(only(text).kind(), ItemKind::Variable, "{text}");
    }
}

#[test]
fn a_declaration_may_end_where_another_item_begins() {
    let module = Module::parse(".extern .func f(.param .b32 a)\n.func g() .noreturn .visible .entry k() { }");
    let names: Vec<_> = module.items().iter().map(|item| (item.name(), item.errors().len())).collect();
    assert_eq!(names, [(Some("f"), 0), (Some("g"), 0), (Some("k"), 0)]);
}

#[test]
fn sections_have_rows_and_labels() {
    let item = only(".section .debug_info\n{\nL: .b8 1, 2\n.b32 .debug_str+4 .b32 L-M\n.b64\nL\n}\n");
    assert_eq!(item.kind(), ItemKind::Section);
    assert_eq!(
        statements(&item),
        [
            "directive: .section .debug_info",
            "open: {",
            "label: L :",
            "data: .b8 1 , 2",
            "data: .b32 .debug_str + 4",
            "data: .b32 L - M",
            "data: .b64 L",
            "close: }",
        ]
    );
}

#[test]
fn comments_and_markers_are_separate_from_tokens() {
    let item = only("# 1 \"a.cu\"\n@@DWARF .byte 1\n/* a\n */ .version /* b */ 9.3 // c\r\n");
    let comments: Vec<_> = item.comments().iter().map(|comment| item.token_text(comment)).collect();
    assert_eq!(comments, ["# 1 \"a.cu\"", "@@DWARF .byte 1", "/* a\n */", "/* b */", "// c"]);
    assert!(item.comments().iter().all(Token::is_comment));
    assert_eq!(statements(&item), ["directive: .version 9.3"]);
    assert_eq!(item.lines(), 4);
}

#[test]
fn a_statement_is_found_by_its_byte() {
    let item = only(".entry k() { a: ret; }");
    let at = |text: &str| item.statement_at(item.text().find(text).unwrap() as u32);
    assert_eq!((at("k"), at("{"), at(":"), at("et"), at("}")), (Some(0), Some(1), Some(2), Some(3), Some(4)));
}
