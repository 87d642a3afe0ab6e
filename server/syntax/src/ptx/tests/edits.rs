//! Tests that an edit parses only changed items again and shares all other items.

use crate::ptx::Module;
use std::sync::Arc;

const TEXT: &str = ".version 9.3
.target sm_90
.address_size 64

// Counts.
.global .align 4 .u32 counter; // kept
.visible .entry first(.param .u64 a)
{
\t.reg .b32 %r<4>;
\tmov.u32 %r1, %tid.x;
\tret;
}
.func second()
{
\tret;
}

.visible .entry third()
{
\tret;
}
";

/// The items that the new module shares with the old one, by their index in the new module.
fn shared(old: &Module, new: &Module) -> Vec<usize> {
    let is_shared = |item| old.items().iter().any(|old| Arc::ptr_eq(old, item));
    new.items().iter().enumerate().filter(|(_, item)| is_shared(item)).map(|(index, _)| index).collect()
}

fn edit(old: &str, new: &str) -> (Module, Module) {
    let at = TEXT.find(old).unwrap();
    let module = Module::parse(TEXT);
    let edited = module.edit(at..at + old.len(), new);
    let text = TEXT.replacen(old, new, 1);
    assert_eq!(edited.items(), Module::parse(&text).items());
    (module, edited)
}

#[test]
fn the_text_has_seven_items() {
    let module = Module::parse(TEXT);
    assert_eq!(module.items().len(), 7);
    assert_eq!(module.items_read(), 7);
    let names: Vec<_> = module.items().iter().filter_map(|item| item.name()).collect();
    assert_eq!(names, ["counter", "first", "second", "third"]);
    let lines: Vec<_> = (0..=7).map(|item| module.start(item).line).collect();
    assert_eq!(lines, [0, 1, 2, 3, 6, 12, 16, 21]);
}

#[test]
fn an_edit_in_a_body_reads_that_function() {
    let (module, edited) = edit("%tid.x", "%tid.y");
    assert_eq!(shared(&module, &edited), [0, 1, 2, 3, 5, 6]);
    assert_eq!(edited.items_read(), 1);
}

#[test]
fn an_edit_at_the_start_of_an_item_asks_the_one_before() {
    let (module, edited) = edit(".func", ".weak .func");
    assert_eq!(edited.items_read(), 2);
    assert_eq!(shared(&module, &edited), [0, 1, 2, 3, 4, 6], "which is as it was");
}

#[test]
fn a_brace_that_goes_takes_no_function_along() {
    let (module, edited) = edit("\tret;\n}\n.func", "\tret;\n.func");
    assert_eq!(shared(&module, &edited), [0, 1, 2, 3, 5, 6]);
    let (module, edited) = edit("{\n\t.reg", "\n\t.reg");
    assert!(shared(&module, &edited).ends_with(&[edited.items().len() - 2, edited.items().len() - 1]));
}

#[test]
fn a_comment_that_opens_takes_the_rest_and_gives_it_back() {
    let (module, edited) = edit("// Counts.", "/* Counts.");
    assert_eq!(shared(&module, &edited), [0, 1]);
    let at = edited.text().find("/* Counts.").unwrap();
    let back = edited.edit(at..at + 2, "//");
    assert_eq!(back.items(), module.items());
}

#[test]
fn an_edit_of_nothing_shares_everything() {
    let module = Module::parse(TEXT);
    for at in 0..=TEXT.len() {
        let edited = module.edit(at..at, "");
        assert_eq!(shared(&module, &edited).len(), 7, "{at}");
    }
}

#[test]
fn a_range_beyond_the_end_is_clamped() {
    let module = Module::parse("");
    assert!(module.is_empty());
    let module = module.edit(5..9, ".version 9.0");
    assert_eq!(module.version(), Some("9.0"));
    assert_eq!(module.edit(11..999, "3").version(), Some("9.3"));
}

#[test]
fn an_edit_among_many_items_reads_few() {
    let text = (0..2000).fold(String::new(), |text, index| text + &format!(".global .u32 g{index};\n"));
    let at = text.find("g1000").unwrap();
    let edited = Module::parse(&text).edit(at + 1..at + 5, "x");
    assert_eq!(edited.items().len(), 2000);
    assert_eq!(edited.items_read(), 1);
}

#[test]
fn an_edit_within_an_instruction_reads_that_alone() {
    for (old, new) in [
        ("%tid.x", "%tid.y"),
        ("mov.u32 %r1", "@%p mov.b32 {%r1, %r2}"),
        ("%r1, %tid.x", "%r1,\n\t\t%tid.x"),
        ("%tid.x", ""),
    ] {
        let (_, edited) = edit(old, new);
        let is_read = new.is_empty() || edited.respelled().is_some();
        assert!(is_read, "{new}");
    }
    let (_, edited) = edit("\tmov.u32 %r1, %tid.x;", "\tmov.u32 %r1, %tid.x + 1;");
    assert_eq!(edited.respelled(), None, "the edit goes beyond the instruction");
    let (module, edited) = edit("%tid.x", "{%r1, %r2}");
    let respelled = edited.respelled().unwrap();
    assert_eq!((respelled.item, respelled.statement, respelled.grown), (4, 3, 3));
    assert_eq!(respelled.before, module.items()[4].hash());
}

#[test]
fn an_edit_that_ends_an_instruction_or_begins_a_comment_reads_the_function() {
    for new in [";", "// a", "/* a */", "x; y", "\"", "}", "\nL:", "[", "\n.reg .b32 x", "@@DWARF", "#"] {
        let (_, edited) = edit("%tid.x", new);
        assert_eq!(edited.respelled(), None, "{new}");
    }
}

#[test]
fn a_text_has_a_limited_number_of_items() {
    let most = crate::ptx::module::MAX_ITEMS;
    let module = Module::parse(&";\n".repeat(most + 5));
    assert_eq!(module.items().len(), most + 1);
    let rest = &module.items()[most];
    assert_eq!(rest.text(), ";\n".repeat(5));
    assert_eq!(
        rest.errors()[0].message,
        "not read: a file may have at most 500,000 directives, variables and functions"
    );
    // Below the limit the rest is read again, and above it no more.
    let shorter = module.edit(0..12, "");
    assert_eq!(shorter.items(), Module::parse(&shorter.text()).items());
    assert_eq!(shorter.items().len(), most - 1);
    let longer = shorter.edit(3..3, ";\n;\n;\n");
    assert_eq!(longer.items().len(), most + 1);
    assert_eq!(longer.text().len(), shorter.text().len() + 6);
}
