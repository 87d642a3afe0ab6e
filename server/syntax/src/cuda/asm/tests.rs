//! Tests of the reader of `asm` statements.

use super::*;

fn only(text: &str) -> Block {
    let found = scan(text);
    assert_eq!(found.len(), 1, "{text}");
    found[0].clone()
}

#[test]
fn a_statement_is_read_with_its_strings_and_operands() {
    let text = "void f() { // asm(\"a\")\n __asm__ volatile (\"mov.u32 %0, \" /* \"x\" */ \"%1;\\n\" : \"=r\"(x[g(\")\")]) : \"n\"(std::size(a)), [n]\"l\"(p) : \"memory\"); }";
    let block = only(text);
    assert!(block.is_volatile && block.is_whole);
    assert_eq!(block.depth, 1);
    let slice = |range: &Range<u32>| &text[range.start as usize..range.end as usize];
    let operands: Vec<_> =
        block.operands.iter().map(|one| (slice(&one.constraint), slice(&one.value), one.is_output)).collect();
    assert_eq!(operands, [("=r", "x[g(\")\")]", true), ("n", "std::size(a)", false), ("l", "p", false)]);
    let template = Template::read(text, &block).unwrap();
    assert_eq!(template.text, "mov.u32 %0, %1;\n");
    let at = template.text.find("%1").unwrap() as u32;
    assert_eq!(slice(&template.place(&(at..at + 2))), "%1");
    assert_eq!(slice(&template.place(&(at + 3..at + 4))), "\\n");
    assert_eq!(template.byte_at(template.place(&(at..at + 1)).start), Some(at));
    assert!(template.problems.is_empty());
}

#[test]
fn what_macros_write_is_not_known() {
    for text in [
        "asm(\"{\" NAME(x) \".f16 %0;\" : \"=h\"(a))",
        "asm(\n#if X\n\"a;\"\n#endif\n)",
        "asm volatile(CODE)",
        "asm(\"a;\" : OUTPUTS)",
        "asm goto(\"bra %l0;\" :::: L)",
    ] {
        let block = only(text);
        assert!(!block.is_whole, "{text}");
        assert!(Template::read(text, &block).is_none());
    }
    for text in [
        "asm(\"a;\" ; }",
        "asm(\"a",
        "asm",
        "int asm_(\"a\");",
        "asm(\"a\" : \"=r\"(x",
        "\"asm(\\\"a\\\")\"",
        "R\"(asm(\"a\"))\"",
    ] {
        assert!(scan(text).is_empty(), "{text}");
    }
}

#[test]
fn a_percent_means_an_operand_where_there_are_some() {
    let read = |text: &str| {
        let template = Template::read(text, &only(text)).unwrap();
        (template.text, template.problems.into_iter().map(|problem| problem.kind).collect::<Vec<_>>())
    };
    assert_eq!(read("asm(\"%%r0 %1\")"), ("%%r0 %1".into(), vec![InvalidPercent::Doubled]));
    let some = |code: &str| read(&format!("asm(\"{code}\" : \"=r\"(a) : [b]\"r\"(b))"));
    assert_eq!(some("L%=: %%r0 %1 %tid.x %{"), ("L0: %r0 %1 %tid.x {".into(), vec![]));
    assert_eq!(some("%2").1, [InvalidPercent::Number(2)]);
    assert_eq!(some("%p1").1, [InvalidPercent::Modifier]);
    assert_eq!(some("a %").1, [InvalidPercent::End]);
    assert_eq!(
        some("%[b] %[c]").1,
        [InvalidPercent::Name { is_known: true }, InvalidPercent::Name { is_known: false }]
    );
    assert_eq!(some("%[b]").0, "%1");
}

#[test]
fn names_outside_of_braces_are_known_to_later_statements() {
    let names = |code: &str| only(&format!("asm(\"{code}\");")).open_names.to_vec();
    assert_eq!(names(".reg .pred p, q<4>; L: bar.sync 0;"), ["p".into(), "q".into(), "4".into(), "L".into()]);
    assert!(names("{ .reg .pred p; L: cp.async.bulk.shared::cluster.global [%0]; }").is_empty());
    assert_eq!(names("{ .reg .b32 a; { .reg .b32 b; }"), ["a".into()]);
    let is_balanced = |text: &str| Template::read(text, &only(text)).unwrap().is_balanced();
    assert!(
        is_balanced("asm(\"{ // }\\n }\")") && !is_balanced("asm(\"{\")") && !is_balanced("asm(\"} {\")")
    );
}

#[test]
fn a_half_typed_statement_is_found_by_its_strings() {
    // The bar marks the cursor.
    let read = |marked: &str| {
        let at = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let block = Block::at(&text, at as u32)?;
        let template = Template::read_half_typed(&text, &block);
        let before = template.bytes_before(at as u32)? as usize;
        Some((template.text[..before].to_owned(), template.text[before..].to_owned(), block.operands.len()))
    };
    let some = |before: &str, following: &str, operands| Some((before.into(), following.into(), operands));
    assert_eq!(read("void f() { asm(\"|"), some("", "", 0));
    assert_eq!(read("asm(\"|\")"), some("", "", 0));
    assert_eq!(read("{ asm volatile(\"a\\n\"\n \"mov.|\n }\n"), some("a\nmov.", "", 0));
    assert_eq!(read("asm(\"a %|\n : \"=r\"(x) : \"r\"(y"), some("a %", "", 1));
    assert_eq!(read("asm(\"a %0, %|;\" \"b\" : \"=r\"(x), \"r\"(y));"), some("a %0, %", ";b", 2));
    assert_eq!(read("asm(\"a %%|, %[\" : \"=r\"(x));"), some("a %", ", %[", 1));
    assert_eq!(read("asm(\"\\q|\\\n"), some("\\q", "\\", 0));
    assert_eq!(read("asm(\"a\\|n\");"), None, "within an escape");
    assert_eq!(read("asm(R\"(a\\|n"), some("a\\", "n", 0));
    assert_eq!(read("asm(\"ld.\" #T \".|\" : \"=r\"(x));"), some("ld..", "", 1));
    for outside in ["asm|(\"a\");", "asm(\"a\" | \"b\");", "asm(\"a\" : \"|r\"(x));", "g(\"|\"); asm(\"a\");"]
    {
        assert_eq!(read(outside), None, "{outside}");
    }
    let open = |code: &str| {
        let text = format!("asm(\"{code}\"");
        Template::read_half_typed(&text, &Block::at(&text, 5).unwrap()).braces_to_open()
    };
    assert_eq!([open("{ }"), open("} }"), open("{ } } {"), open("// }")], [0, 2, 1, 0]);
}

#[test]
fn any_prefix_can_be_read() {
    const TEXT: &str = "f() { asm volatile(R\"(mov %0, %1; )\" \"\\x41\\101\\\n b\" : [x] \"=r\"(a[0]), \"r\"('\\'') :: \"é\"); }";
    for end in (0..TEXT.len()).filter(|end| TEXT.is_char_boundary(*end)) {
        for start in (0..end).filter(|start| TEXT.is_char_boundary(*start)) {
            for block in &scan(&TEXT[start..end]) {
                Template::read(&TEXT[start..end], block);
            }
            if let Some(block) = Block::at(&TEXT[start..end], (end - start) as u32) {
                Template::read_half_typed(&TEXT[start..end], &block);
            }
        }
    }
}
