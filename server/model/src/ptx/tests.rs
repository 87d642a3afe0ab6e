//! Names and forms of PTX.

use super::{Globals, Meaning, Names, SymbolKind, UseKind};
use syntax::ptx::{Item, Module};

fn body(text: &str) -> Module {
    Module::parse(&format!(".visible .entry k(.param .u64 p) {{\n{text}\n}}\n"))
}

/// Prints each use as `NAME MEANING KIND`. The meaning is the line of the declaration, followed by `#NUMBER` for a
/// register of a range, or `special`, `outer` or `word`.
fn uses(item: &Item) -> Vec<String> {
    let names = Names::resolve(item);
    let one = |used: &super::Use| {
        let token = &item.tokens()[used.token as usize];
        let what = match used.what {
            Meaning::Symbol(symbol, number) => {
                let token = &item.tokens()[names.symbols()[symbol as usize].token as usize];
                let line = item.text()[..token.start as usize].matches('\n').count();
                number.map_or(format!("{line}"), |number| format!("{line}#{number}"))
            }
            Meaning::SpecialRegister => "special".into(),
            Meaning::Outer => "outer".into(),
            Meaning::Word => "word".into(),
        };
        format!("{} {what} {:?}", item.token_text(token), used.kind)
    };
    names.uses().iter().map(one).collect()
}

#[test]
fn names_after_an_edited_instruction_are_those_of_the_new_text() {
    let module = body(
        ".reg .u32 %r<4>, x, x;\n{\n.reg .u32 %r<2>;\nadd.u32 %r1, %r3, x;\n}\nmov.u32 %r1, %tid.x;\n@!q bra L;\n\
         .shared .b32 s;\nst.shared.u32 [s], x;\nL: ret;",
    );
    let text = module.text();
    let mut seen = 0;
    for (at, _) in text.match_indices([' ', ',', ';']) {
        for new in ["%r0", "{x, %r3}", " s", ", L"] {
            let edited = module.edit(at..at, new);
            let Some(respelled) = edited.respelled() else { continue };
            let item = &edited.items()[respelled.item];
            let before = Names::resolve(&module.items()[respelled.item]);
            assert_eq!(before.respelled(item, &respelled), Names::resolve(item), "{new} at {at} of {text}");
            seen += 1;
        }
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn names_mean_the_innermost_declaration() {
    let module = body(
        ".reg .u32 %r<4>, x;\n{\n.reg .u32 %r<2>;\nadd.u32 %r1, %r3, x;\n}\nmov.u32 %r1, %tid.x;\n@!q bra L;\nL: ret;",
    );
    assert_eq!(
        uses(&module.items()[0]),
        [
            "%r1 3#1 Write",
            "%r3 1#3 Read",
            "x 1 Read",
            "%r1 1#1 Write",
            "%tid special Read",
            "q outer Address",
            "L 8 Jump",
        ]
    );
}

#[test]
fn labels_are_known_in_their_whole_scope_alone() {
    let module = body("bra L;\n{\nbra L;\nbra M;\nL: ret;\n}\nL: ret;");
    assert_eq!(uses(&module.items()[0]), ["L 7 Jump", "L 5 Jump", "M outer Jump",]);
}

#[test]
fn registers_are_known_after_their_declaration() {
    let module = body("mov.u32 x, 1;\n.reg .u32 x;\nmov.u32 x, 1;");
    assert_eq!(uses(&module.items()[0]), ["x outer Write", "x 2 Write"]);
}

#[test]
fn operands_say_what_is_done_to_their_names() {
    let module = body(
        ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>; .shared .b32 tile[4];\n\
         ld.param.u64 %rd1, [p+4];\nst.shared.v2.b32 [tile], {%r1, %r2};\nsetp.eq.b32 %p0|%p1, %r3, WARP_SZ;\n\
         call (%r4), f, (%r5);\nmov.u64 %rd2, tile;\natom.add.u32 %r1, [%rd1], %r2;",
    );
    assert_eq!(
        uses(&module.items()[0]),
        [
            "%rd1 1#1 Write",
            "p 0 Address",
            "tile 1 Address",
            "%r1 1#1 Read",
            "%r2 1#2 Read",
            "%p0 1#0 Write",
            "%p1 1#1 Write",
            "%r3 1#3 Read",
            "WARP_SZ word Mention",
            "%r4 1#4 Write",
            "f outer Call",
            "%r5 1#5 Read",
            "%rd2 1#2 Write",
            "tile 1 Address",
            "%r1 1#1 Write",
            "%rd1 1#1 Read",
            "%r2 1#2 Read",
        ]
    );
}

#[test]
fn a_name_of_its_scope_is_declared_once() {
    let again = |text: &str| {
        let module = body(text);
        let item = &module.items()[0];
        let names = Names::resolve(item);
        names
            .redeclared()
            .iter()
            .map(|one| names.symbols()[one.symbol as usize].name(item).to_owned())
            .collect()
    };
    let none: [&str; 0] = [];
    let ask = |text: &str| -> Vec<String> { again(text) };
    assert_eq!(ask(".reg .u32 x, x;"), ["x"]);
    assert_eq!(ask(".reg .u32 p;"), ["p"]);
    assert_eq!(ask("{ .reg .u32 p; }"), none);
    assert_eq!(ask(".reg .u32 k;"), none);
    assert_eq!(ask(".reg .u32 %r<4>; .reg .u32 %r3;"), ["%r3"]);
    assert_eq!(ask(".reg .u32 %r<4>; .reg .u32 %r4;"), none);
    assert_eq!(ask(".reg .u32 %r<4>; .reg .f32 %r<2>;"), ["%r"]);
    assert_eq!(ask("L: L: ret;"), ["L"]);
    assert_eq!(ask("L: ret; { L: ret; }"), none);
    assert_eq!(ask(".reg .u32 L; L: ret;"), ["L"]);
}

#[test]
fn globals_keep_every_declaration() {
    let module = Module::parse(
        ".extern .func (.param .b32 r) f(.param .b64 a);\n.global .u32 g[4], h = 1;\n.func (.param .b32 r) f(.param .b64 b) { ret; }\n",
    );
    let globals = Globals::collect(&module);
    assert_eq!(globals.all_of("f").count(), 2);
    let first = globals.find("f").unwrap();
    assert!(!first.is_definition && first.kind == SymbolKind::Function && first.item == 0);
    let signature = first.function.as_ref().unwrap();
    assert_eq!((signature.results.len(), &*signature.parameters[0].ty), (1, "b64"));
    assert_eq!(globals.find("g").unwrap().variable.as_ref().unwrap().elements(), Some(4));
    assert_eq!(globals.find("h").unwrap().ty.as_deref(), Some("u32"));
    assert!(globals.find("x").is_none());
}

#[test]
fn uses_and_declarations_are_found_by_token() {
    let module = body(".reg .u32 %r<4>;\nmov.u32 %r1, 5;");
    let item = &module.items()[0];
    let names = Names::resolve(item);
    let token = names.uses()[0].token;
    assert_eq!(names.use_at(token).unwrap().kind, UseKind::Write);
    assert_eq!(names.symbol_at(token), Some((2, Some(1))));
    assert_eq!(names.symbol_at(names.symbols()[2].token), Some((2, None)));
    assert_eq!(names.use_at(0), None);
}
