//! Invariants for any text: nothing panics, nothing is lost, and an edited module equals the one parsed from scratch.

use super::check_tree;
use crate::ptx::Module;
use proptest::prelude::*;

/// Pieces of valid and broken PTX from which random texts are built.
const PIECES: &[&str] = &[
    ".version 9.3\n",
    ".target sm_90a, debug\n",
    ".address_size 64\n",
    ".file 1 \"k.cu\", 17, 5\n",
    ".visible .entry k(.param .u64 .ptr .global .align 8 a)\n",
    ".func (.param .b32 r) f(.param .b32 x)",
    ".visible ",
    ".weak ",
    ".maxntid 256, 1, 1\n",
    "{\n",
    "}\n",
    "{ ",
    "}",
    "\t.reg .b32 %r<10>, x;\n",
    ".global .align 4 .b8 g[2][3] = {{1, 2}, {0xff(g)}};\n",
    ".pragma \"nounroll\";",
    ".loc 1 5 0, function_name $L+4, inlined_at 1 2 3\n",
    "L:",
    "\tadd.s32 %r1, %r2, -5;\n",
    "@!%p1 bra L;\n",
    "ld.global.L2::cache_hint.v4.u32 {%r1, _, %r2, %r3}, [%rd1+4], %rd2;\n",
    "call (r), f, (a, b), p;",
    "setp.eq.u32 p|q, a, (.s64)(1 + 2) ? 3 : .5;",
    "ts: .branchtargets L, M;",
    "p: .callprototype (.param .b32 _) _ (.param .b32 _);",
    ".section .debug_info\n{\n.b8 1, 2\n.b32 .debug_abbrev\nL: .b32 L-M+4\n}\n",
    "// comment é 漢字 🚀\n",
    "/* block\n",
    "*/",
    "# 1 \"a.cu\"\n",
    "@@DWARF .byte 1\n",
    "\"open",
    ";",
    ",",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\u{c}",
    "é`",
    ".",
    "0x",
    "%",
];

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => "[ -~\n]{0,12}",
        1 => any::<String>(),
    ]
}

fn text(pieces: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 0..pieces).prop_map(|pieces| pieces.concat())
}

fn boundary(text: &str, at: proptest::sample::Index) -> usize {
    let at = at.index(text.len() + 1);
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_is_read_without_a_loss(text in text(40)) {
        check_tree(&Module::parse(&text), &text);
    }

    #[test]
    fn an_item_depends_on_nothing_before_it(text in text(25)) {
        let module = Module::parse(&text);
        for (index, item) in module.items().iter().enumerate() {
            let rest = Module::parse(&text[module.start(index).byte as usize..]);
            prop_assert_eq!(&rest.items()[0], item);
        }
    }

    #[test]
    fn an_edited_module_is_the_one_parsed_anew(
        text in text(25),
        edits in proptest::collection::vec((any::<[proptest::sample::Index; 2]>(), text(3)), 1..4),
    ) {
        let mut text = text;
        let mut module = Module::parse(&text);
        for (at, new) in edits {
            let (first, second) = (boundary(&text, at[0]), boundary(&text, at[1]));
            let range = first.min(second)..first.max(second);
            // Small edits are the usual ones.
            let range = if new.len() % 2 == 0 { range.start..boundary(&text, at[0]).max(range.start) } else { range };
            module = module.edit(range.clone(), &new);
            text.replace_range(range, &new);
            let anew = Module::parse(&text);
            prop_assert_eq!(module.items(), anew.items());
            prop_assert_eq!(module.start(module.items().len()), anew.start(anew.items().len()));
        }
        check_tree(&module, &text);
    }
}

/// Texts that random edits insert into an instruction.
const WORDS: &[&str] = &[
    "mov", ".u32", "%r1", ", ", "[", "]", "{", "}", "4", " ", "\n", "@", "!", "%p1", ";", ":", "// a\n",
    "/* */", "|", "\"", "(", ")", "x", ".reg", "#", "\r", "é",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn an_edit_within_a_body_gives_what_is_parsed_anew(
        lines in proptest::collection::vec(0..BODY.len(), 1..8),
        edits in proptest::collection::vec(
            (any::<proptest::sample::Index>(), 0..5_usize, proptest::collection::vec(0..WORDS.len(), 0..3)),
            1..5,
        ),
    ) {
        let body: String = lines.into_iter().map(|line| BODY[line]).collect();
        let mut text = format!(".entry k(.param .u64 a) {{\n{body}}}\n.entry l() {{ ret; }}\n");
        let mut module = Module::parse(&text);
        for (at, len, words) in edits {
            let start = boundary(&text, at);
            let end = (start + len).min(text.len());
            let range = start..(start..=end).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(start);
            let new: String = words.into_iter().map(|word| WORDS[word]).collect();
            module = module.edit(range.clone(), &new);
            text.replace_range(range, &new);
            let anew = Module::parse(&text);
            prop_assert_eq!(module.items(), anew.items());
        }
        check_tree(&module, &text);
    }
}

/// Lines of a function body with different statements and line ends, from which random texts are built.
const BODY: &[&str] = &[
    "\tadd.s32 %r1, %r2, -5;\n",
    "@!%p1 bra L; ret;\r\n",
    "ld.global.v2.u32 {%r1, _}, [%rd1+4]; // kept\n",
    "L: mov.u32 %r1, %tid.x;\r",
    "{ .reg .b32 x; mov.b32 x,\n 1; }\n",
    "setp.eq.u32 p|q, a, b\n",
    "/* a */add.s32 a, b, c;/* b */\n",
    "\t.loc 1 2 3\n",
];

#[test]
fn neither_depth_nor_length_costs_stack() {
    let many = 100_000;
    let texts = [
        format!(".entry k() {}", "{".repeat(many)),
        format!(".entry k() {{{}{}}}", "{".repeat(many), "}".repeat(many)),
        format!(".global .u32 x = {}1{};", "{".repeat(many), "}".repeat(many)),
        format!(".entry k() {{ mov.u32 a, {}; }}", "(".repeat(many)),
        format!(".entry k() {{ mov.u32 a, {}1{}; }}", "(".repeat(many), ")".repeat(many)),
        format!(".entry k() {{ mov.u32 a, {} b }}", "[".repeat(many)),
        format!(".global .attribute{} x;", "(".repeat(many)),
        format!(".entry k() {{ mov.u32 a, 1{}; }}", "+1".repeat(many)),
        format!(".entry k() {{ mov.u32 a, {}1; }}", "-".repeat(many)),
        "}".repeat(many),
        ";".repeat(many),
        "{".repeat(many),
        ".".repeat(many),
        ".visible ".repeat(many),
        ".entry ".repeat(many),
        ".entry k(".repeat(many),
        format!(".entry k() {{ {}", ".visible ".repeat(many)),
        format!(".entry k() {{ {}", "x ".repeat(many)),
    ];
    for text in texts {
        let module = Module::parse(&text);
        assert_eq!(module.text(), text);
        for item in module.items() {
            assert!(item.pieces().count() > 0);
        }
    }
}
