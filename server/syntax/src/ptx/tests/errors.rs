//! Tests of the errors reported for broken texts. A broken statement must not affect the statements around it.

use super::{body, errors, statements};
use crate::ptx::{ItemKind, Module};

/// Asserts that parsing `text` reports exactly the errors `expected`.
fn says(text: &str, expected: &[&str]) {
    let module = Module::parse(text);
    assert_eq!(errors(&module), expected, "{text}");
    assert_eq!(module.text(), text);
}

/// Asserts that a function body has exactly the errors `expected` and the statements `read`, and that the item after
/// it is parsed.
fn body_says(text: &str, expected: &[&str], read: &[&str]) {
    let text = format!(".entry k() {{\n{text}\n}}\n.global .u32 behind;\n");
    says(&text, expected);
    let module = Module::parse(&text);
    assert_eq!(module.items().len(), 2, "{text}");
    assert_eq!(module.items()[1].name(), Some("behind"));
    let mut all = statements(&module.items()[0]);
    assert_eq!(all.pop().as_deref(), Some("close: }"), "{text}");
    assert_eq!(all.split_off(2), read);
}

#[test]
fn an_error_ends_at_the_semicolon() {
    body_says(
        "add.s32 a, , b; ret;",
        &["`,`: expected an operand"],
        &["instruction: add .s32 a , , b ;", "instruction: ret ;"],
    );
    body_says(
        "add.s32 a b; ret;",
        &["`b`: expected `,` or `;`"],
        &["instruction: add .s32 a b ;", "instruction: ret ;"],
    );
    body_says(
        "ld.u32 a, [b; ret;",
        &["`;`: expected `,` or `]`"],
        &["instruction: ld .u32 a , [ b ;", "instruction: ret ;"],
    );
    body_says(
        "mov {a b}, c; ret;",
        &["`b`: expected `,` or `}`"],
        &["instruction: mov { a b } , c ;", "instruction: ret ;"],
    );
    body_says("@p; ret;", &["`;`: expected an opcode"], &["instruction: @ p ;", "instruction: ret ;"]);
    body_says("@; ret;", &["`;`: expected a predicate"], &["instruction: @ ;", "instruction: ret ;"]);
    body_says(
        "ld.u32 a, (b]; ret;",
        &["`]`: expected `,` or `)`"],
        &["instruction: ld .u32 a , ( b ] ;", "instruction: ret ;"],
    );
    body_says(
        "x a : b; ret;",
        &["`:`: expected `,` or `;`"],
        &["instruction: x a : b ;", "instruction: ret ;"],
    );
    body_says("; ret;", &["`;`: expected a statement"], &["error: ;", "instruction: ret ;"]);
    body_says("5 5; ret;", &["`5`: expected a statement"], &["error: 5 5 ;", "instruction: ret ;"]);
    body_says(
        "mov.u32 a, {}; ret;",
        &["`{`: expected an operand"],
        &["instruction: mov .u32 a , { } ;", "instruction: ret ;"],
    );
}

#[test]
fn c_in_a_body_is_one_error_a_statement() {
    let branch = "PTX does not have this statement: use `setp` and a guarded `bra`";
    let declaration =
        "this is C: PTX declares registers, as in `.reg .b32 %r1;`, and computes with instructions";
    body_says(
        "for (x = 0; x < n; x++) {\nadd.s32 a, b, c;\n}\nint t = blockIdx.x * (n + 4);\nret;",
        &[&format!("`for`: {branch}"), &format!("`int`: {declaration}")],
        &[
            "error: for ( x = 0 ; x < n ; x + + )",
            "open: {",
            "instruction: add .s32 a , b , c ;",
            "close: }",
            "error: int t = blockIdx .x * ( n + 4 ) ;",
            "instruction: ret ;",
        ],
    );
    body_says("if: ret;", &[], &["label: if :", "instruction: ret ;"]);
}

#[test]
fn a_forgotten_semicolon_costs_no_other_line() {
    body_says(
        "add.s32 a, b, c\nret\n.reg .b32 x\n@p ret\nL: ret\nadd.s32 a, b, c\n.loc 1 2 3",
        &[
            "`c`: expected `;`",
            "`ret`: expected operands or `;`",
            "`x`: expected `;`",
            "`ret`: expected operands or `;`",
            "`ret`: expected operands or `;`",
            "`c`: expected `;`",
        ],
        &[
            "instruction: add .s32 a , b , c",
            "instruction: ret",
            "variable: .reg .b32 x",
            "instruction: @ p ret",
            "label: L :",
            "instruction: ret",
            "instruction: add .s32 a , b , c",
            "directive: .loc 1 2 3",
        ],
    );
    body_says(
        "add.s32 a,\n@p ret;\nadd.s32 a b\nL: ret;",
        &["`,`: expected an operand", "`b`: expected `,` or `;`"],
        &[
            "instruction: add .s32 a ,",
            "instruction: @ p ret ;",
            "instruction: add .s32 a b",
            "label: L :",
            "instruction: ret ;",
        ],
    );
    body_says("ret", &["`ret`: expected operands or `;`"], &["instruction: ret"]);
    body_says(
        "{ add.s32 a, b }",
        &["`b`: expected `;`"],
        &["open: {", "instruction: add .s32 a , b", "close: }"],
    );
    body_says(
        "mov\n.reg .b32 x;",
        &["`mov`: expected operands or `;`"],
        &["instruction: mov", "variable: .reg .b32 x ;"],
    );
    body_says(
        ".reg .b32\n.reg .pred p;",
        &["`.b32`: expected a name"],
        &["variable: .reg .b32", "variable: .reg .pred p ;"],
    );
}

#[test]
fn numbers_strings_and_bytes_that_are_none_are_named() {
    body_says("mov.u32 a, 089;", &["`089`: expected a number"], &["instruction: mov .u32 a , 089 ;"]);
    body_says("mov.f32 a, 0f3F8;", &["`0f3F8`: expected a number"], &["instruction: mov .f32 a , 0f3F8 ;"]);
    body_says(
        ".pragma \"x;\nret;",
        &["`\"x;`: expected `\"` at the end of the string"],
        &["directive: .pragma \"x; ret ;"],
    );
    body_says("mov.u32 é, 1;", &["`é`: expected PTX"], &["instruction: mov .u32 é , 1 ;"]);
    body_says("ld. a;", &["`.`: expected a word after the dot"], &["instruction: ld . a ;"]);
    says(".version 9.3\n/* x", &["`/*`: expected `*/` after the comment"]);
}

#[test]
fn a_missing_brace_ends_at_the_next_function() {
    for next in [".entry n() { }", ".visible .entry n() { }", ".weak .func n() { }", ".func n;"] {
        let text = format!(".entry k()\n{{\nret;\n{next}\n");
        let module = Module::parse(&text);
        assert_eq!(errors(&module), ["`;`: expected `}`"]);
        let names: Vec<_> = module.items().iter().map(|item| item.name()).collect();
        assert_eq!(names, [Some("k"), Some("n")], "{text}");
    }
}

#[test]
fn declarations_say_what_is_missing() {
    body_says(".reg .b32 x, ;", &["`;`: expected a name"], &["variable: .reg .b32 x , ;"]);
    body_says(
        ".reg .b32 %r<x>;",
        &["`x`: expected a number of registers"],
        &["variable: .reg .b32 %r < x > ;"],
    );
    body_says(
        ".shared .align .b8 x;",
        &["`.b8`: expected a number of bytes"],
        &["variable: .shared .align .b8 x ;"],
    );
    body_says(".local .b8 x[3;", &["`;`: expected a number or `]`"], &["variable: .local .b8 x [ 3 ;"]);
    says(".version;", &["`;`: expected a version such as `9.0`"]);
    says(".version 9.3\n.target\n.address_size 64", &["`.target`: expected an architecture or an option"]);
    says(".file 1\n.global .u32 x;", &["`1`: expected the path of the file"]);
    says(".section\n.global .u32 x;", &["`.section`: expected the section's name"]);
    says(".section .debug_info { .b8 1\n x 3 }", &["`3`: expected `:`"]);
    body_says(".loc 1 5\nret;", &["`5`: expected a column"], &["directive: .loc 1 5 ret ;"]);
}

#[test]
fn a_declaration_has_one_space_and_one_type() {
    body_says(".reg x;", &["`x`: expected a type"], &["variable: .reg x ;"]);
    body_says(".reg .b32 .b32 x;", &["`.b32`: expected a name"], &["variable: .reg .b32 .b32 x ;"]);
    body_says(
        ".local .shared .b8 x;",
        &["`.shared`: expected a type"],
        &["variable: .local .shared .b8 x ;"],
    );
    body_says(".align 8 .b8 x;", &["`x`: expected a state space"], &["variable: .align 8 .b8 x ;"]);
    says(".global .b8 x[2] = {1, 2} .common;", &["`.common`: expected `,` or `;`"]);
}

#[test]
fn dotted_words_that_begin_nothing_are_named() {
    body_says(
        ".u32 a, 5; ret;",
        &["`.u32`: expected an opcode or a directive"],
        &["directive: .u32 a , 5 ;", "instruction: ret ;"],
    );
    body_says(".pragma; ret;", &["`;`: expected a string"], &["directive: .pragma ;", "instruction: ret ;"]);
    says(".verson 9.3\n.target sm_90\n", &["`.verson`: expected a directive"]);
    says(".section .a.b { }", &["`.b`: expected `{`"]);
    body_says("x f(a, b);", &["`(`: expected `,` or `;`"], &["instruction: x f ( a , b ) ;"]);
}

#[test]
fn a_broken_head_keeps_its_body() {
    for (head, expected) in [
        (".entry k(.param .u64 a .param .u64 b)", "`.param`: expected `,` or `)`"),
        (".entry k(.param .u64 a\n.param .u64 b)", "`a`: expected `,` or `)`"),
        (".entry k(.param .u64 , .param .u64 b)", "`,`: expected a name"),
        (".entry k(.param .u64 a,)", "`)`: expected a parameter"),
        (".entry k(.param .u64 a[)", "`)`: expected a number or `]`"),
        (".entry k(.param .u64 a, 5)", "`5`: expected a parameter"),
        (".entry k(.param .u64 a", "`{`: expected `,` or `)`"),
        (".entry (.param .u64 a)", "`{`: expected the function's name"),
        (".entry k() .maxntid 1, ", "`{`: expected a value"),
        (".entry k() .pragma \"x\"", "`{`: expected `;` after the pragma"),
        (".entry k() 5", "`5`: expected `{` or `;`"),
    ] {
        let text = format!("{head} {{ ret; }}\n");
        let module = Module::parse(&text);
        assert_eq!(errors(&module), [expected], "{text}");
        assert_eq!(module.items().len(), 1, "{text}");
        assert_eq!(module.items()[0].kind(), ItemKind::Function);
        assert_eq!(module.items()[0].instructions().count(), 1, "{text}");
        let function = *module.items()[0].function().unwrap();
        let read = module.items()[0].parameters(function.parameters).count();
        assert_eq!(read > 0, head.contains("k(.param"), "{text}");
    }
}

#[test]
fn module_scope_statements_begin_with_a_dot() {
    says("add.s32 a, b, c;\n.version 9.3\n", &["`add`: expected a directive"]);
    says("}\n.version 9.3\n", &["`}`: expected a directive"]);
    let module = Module::parse("garbage { more }\nstill\n.version 9.3\n");
    assert_eq!(errors(&module), ["`garbage`: expected a directive"]);
    assert_eq!(module.version(), Some("9.3"));
}

#[test]
fn bodies_without_an_error_have_none() {
    assert_eq!(body("").1, Vec::<String>::new());
}
