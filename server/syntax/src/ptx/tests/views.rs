//! Tests of the typed views of declarations and operands.

use super::{body, only};
use crate::ptx::{FunctionKind, Item, Location, Operand, OperandKind, SourceFile, SourceLocation, Token};

fn text<'a>(item: &'a Item, token: Option<&Token>) -> &'a str {
    token.map_or("", |token| item.token_text(token))
}

#[test]
fn a_function_has_linkage_results_parameters_and_directives() {
    let item = only(
        ".visible .func .attribute(.unified(1, 2)) (.param .b32 r) f(.param .u64 .ptr .global .align 16 a,\n\
         .param .align 64 .b8 map[128]) .noreturn .maxntid 256, 2 .pragma \"a\", \"b\"; { ret; }",
    );
    let function = *item.function().unwrap();
    assert_eq!(function.kind, FunctionKind::Func);
    assert_eq!(text(&item, function.linkage.map(|at| &item.tokens()[at as usize])), ".visible");
    assert_eq!(item.name(), Some("f"));
    assert_eq!(item.parameters(function.returns).count(), 1);
    let parameters: Vec<_> = item.parameters(function.parameters).collect();
    let pointer = parameters[0].pointer().unwrap();
    assert_eq!((text(&item, pointer.space), text(&item, pointer.align)), (".global", "16"));
    assert_eq!((text(&item, parameters[0].ty()), text(&item, parameters[0].align())), (".u64", ""));
    assert_eq!((text(&item, parameters[1].ty()), text(&item, parameters[1].align())), (".b8", "64"));
    assert!(parameters[1].pointer().is_none());
    let name = parameters[1].declarators().next().unwrap();
    assert_eq!(text(&item, Some(name.name)), "map");
    assert_eq!(name.dimensions().map(|size| text(&item, size)).collect::<Vec<_>>(), ["128"]);
    let directives: Vec<_> = item
        .performance(&function)
        .map(|one| {
            (text(&item, Some(one.word)), one.arguments().map(|value| value.text()).collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(
        directives,
        [(".noreturn", vec![]), (".maxntid", vec!["256", "2"]), (".pragma", vec!["\"a\"", "\"b\""])]
    );
    assert_eq!(function.body, Some(1));
}

#[test]
fn a_declaration_has_no_body_and_may_lack_parameters() {
    let function = *only(".extern .func f;").function().unwrap();
    assert_eq!((function.body, function.parameters.start), (None, function.parameters.end));
    assert_eq!(only(".entry k ( ) { }").function().unwrap().kind, FunctionKind::Entry);
}

#[test]
fn a_variable_has_space_type_and_names() {
    let item = only(".weak .global .attribute(.managed) .align 8 .v2 .f32 a[2][] = {1.0}, b;");
    let variable = item.variable(&item.statements()[0]).unwrap();
    let all = [variable.linkage(), variable.space(), variable.align(), variable.vector(), variable.ty()];
    assert_eq!(all.map(|token| text(&item, token)), [".weak", ".global", "8", ".v2", ".f32"]);
    assert_eq!(variable.attributes().map(|one| one.text()).collect::<Vec<_>>(), [".managed"]);
    let names: Vec<_> = variable.declarators().collect();
    assert_eq!(names.iter().map(|one| text(&item, Some(one.name))).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(names[0].dimensions().map(|size| text(&item, size)).collect::<Vec<_>>(), ["2", ""]);
    assert_eq!(names[0].initialiser().unwrap().kind(), OperandKind::Vector);
    assert!(names[1].initialiser().is_none());
    assert_eq!(item.name(), Some("a"));

    let (item, _) = body(".reg .b32 %r<10>, x;");
    let variable = item.variable(&item.statements()[2]).unwrap();
    let names: Vec<_> =
        variable.declarators().map(|one| (text(&item, Some(one.name)), text(&item, one.count))).collect();
    assert_eq!(names, [("%r", "10"), ("x", "")]);
}

/// Returns the result of `reported` for the only operand of an instruction.
fn operand<T>(text: &str, reported: impl FnOnce(Operand<'_>) -> T) -> T {
    let (item, _) = body(&format!("x {text};"));
    let mut operands = item.operands(&item.statements()[2]);
    let operand = operands.next().unwrap();
    assert!(operands.next().is_none(), "{text}");
    assert_eq!(operand.text(), text);
    reported(operand)
}

#[test]
fn operands_have_kinds() {
    for (text, kind) in [
        ("%r1", OperandKind::Name),
        ("!%p1", OperandKind::Name),
        ("-%r1.b0", OperandKind::Name),
        ("%tid.x", OperandKind::Name),
        ("_", OperandKind::Sink),
        ("-5", OperandKind::Integer),
        ("0f3F800000", OperandKind::Float),
        ("{a, _}", OperandKind::Vector),
        ("[a+4]", OperandKind::Address),
        ("[a].unified", OperandKind::Address),
        ("(a, b)", OperandKind::List),
        ("()", OperandKind::List),
        ("a[2]", OperandKind::Element),
        ("p|q", OperandKind::Pair),
        ("_|q", OperandKind::Pair),
        ("{a, b}|p", OperandKind::Pair),
        ("1|2", OperandKind::Expression),
        ("a+4", OperandKind::Expression),
        ("generic(a)", OperandKind::Expression),
        ("(.s64)4", OperandKind::Expression),
        ("(1)+(2)", OperandKind::Expression),
    ] {
        assert_eq!(operand(text, |one| one.kind()), kind, "{text}");
    }
}

#[test]
fn operands_have_parts() {
    let parts =
        |text| operand(text, |one| one.elements().map(|part| part.text().to_owned()).collect::<Vec<_>>());
    assert_eq!(parts("[map, {x, {y, z}}]"), ["map", "{x, {y, z}}"]);
    assert_eq!(parts("{a, _, 1.5}"), ["a", "_", "1.5"]);
    assert_eq!(parts("()"), Vec::<String>::new());
    assert_eq!(parts("a[2]"), ["2"]);
    assert_eq!(parts("a"), Vec::<String>::new());

    let selectors = |text| operand(text, |one| one.selectors().map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(selectors("%tid.x"), ["x"]);
    assert_eq!(selectors("[a].unified"), ["unified"]);
    assert_eq!(operand("-%r1.b0", |one| (one.sign(), one.name().unwrap().len)), (Some(b'-'), 3));

    let pair =
        |one: Operand<'_>| one.pair().map(|(left, right)| (left.text().to_owned(), right.text().to_owned()));
    assert_eq!(operand("{a, b} | p", pair), Some(("{a, b}".to_owned(), "p".to_owned())));
    assert_eq!(operand("1|p", pair), None);

    let address = |text| {
        operand(text, |one| {
            let (base, offset) = one.elements().next().unwrap().base_and_offset();
            (base.text().to_owned(), offset.map(|offset| offset.text().to_owned()))
        })
    };
    assert_eq!(address("[a]"), ("a".to_owned(), None));
    assert_eq!(address("[a + -4]"), ("a".to_owned(), Some("-4".to_owned())));
    assert_eq!(address("[a-4]"), ("a".to_owned(), Some("-4".to_owned())));
    assert_eq!(address("[a+4*2+1]"), ("a".to_owned(), Some("4*2+1".to_owned())));
    assert_eq!(address("[-4]"), ("-4".to_owned(), None));
}

#[test]
fn locations_and_files_are_reported() {
    let (item, _) = body(".loc 1 5 2 ret; .loc 2 3 1, function_name $L+6, inlined_at 1 7 5");
    let first = Location::read(&item, &item.statements()[2]).unwrap();
    assert_eq!((first.place, first.inlined_at), (SourceLocation { file: 1, line: 5, column: 2 }, None));
    assert!(Location::read(&item, &item.statements()[3]).is_none());
    let second = Location::read(&item, &item.statements()[4]).unwrap();
    assert_eq!(text(&item, second.function), "$L");
    assert_eq!(second.inlined_at, Some(SourceLocation { file: 1, line: 7, column: 5 }));

    let item = only(".file 3 \"C:\\src\\\", 17, 5");
    let file = SourceFile::read(&item, &item.statements()[0]).unwrap();
    assert_eq!((file.index, file.path), (3, "C:\\src\\"));
}

#[test]
fn statements_know_the_scope_around_them() {
    let item = only(".entry k() { a: { b: { } c: } d: }");
    // Statement by statement: the head, `{`, `a`, `{`, `b`, `{`, `}`, `c`, `}`, `d`, `}`.
    let around: Vec<_> = (0..item.statements().len()).map(|index| item.scope_around(index)).collect();
    let expected = [None, None, Some(1), Some(1), Some(3), Some(3), Some(3), Some(3), Some(1), Some(1), None];
    assert_eq!(around, expected);
    assert_eq!(item.scope_around(99), None);
}
