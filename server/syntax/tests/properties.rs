//! Invariants for any text: nothing panics, nothing is lost, and an edited listing equals the one parsed from scratch.

use proptest::prelude::*;
use syntax::sass::{Chunk, LineKind, Listing};

/// Valid and broken lines of every form, from which random texts are built.
const LINES: &[&str] = &[
    "\tcode for sm_90",
    "\tcode for sm_61",
    "\t\tFunction : _Z5saxpyifPKfPf",
    "\t.headerflags\t@\"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)\"",
    "        /*0010*/                   LDC R0, c[0x0][0x230] ;                       /* 0x00008c00ff007b82 */",
    "                                                                                 /* 0x000e220000000800 */",
    "        /*0010*/         {         MOV R12, c[0x0][0x160] ;                       /* 0x4c9807800587000c */",
    "        /*0018*/                   S2R R0, SR_CTAID.Y         }",
    "        /*0060*/              @!P0 BRA 0x1070;                                   /* 0x120000080420003c */",
    "//--------------------- .text.sgemm16             --------------------------",
    "//--------------------- .nv.info.sgemm16          --------------------------",
    "\t.section\t.text.sgemm16,\"ax\",@progbits",
    ".L_x_0:",
    "        /*00b0*/              @!P0 BRA `(.L_x_0) ;",
    "        /*0004*/ \t.byte\t0x04, 0x1c",
    "--:-:1:-:1      S2R tid, SR_TID.X;   // Set Dep 1",
    "02:-:0:-:-      STG.E [output_0], tmp;",
    "-:-:D:-:04      FFMA cx1y1, j0Bx1, j0Ay1, cx1y1;",
    "      [B--2---:R0:W4:-:S04]         /*00c0*/                   LDG.E.SYS R5, [R18] ;",
    "<REGISTER_MAPPING>",
    "    0-63    ~ blk, ldx<0|2>[1]",
    "</REGISTER_MAPPING>",
    "<CODE>",
    "  join '', map { ] ) } 0..3;",
    "</CODE>",
    "<COMMENT>",
    "</COMMENT>",
    "[-",
    "our $dtype = 'U16'; -]",
    "[+ join '', map sprintf(\"%02d\", $_), 0..15; +]",
    "[+",
    "+]",
    "01:-:2:-:1      LDG.E.CI.[+ dtype() +] c[+ $n +]y0, [track + [+ size() +]x<1*4>];",
    "--:-:-:-:1      MOV R0, [+ pick(",
    "), 1 +]; // é",
    "# Kernel: sgemm_kernel_64",
    "// comment é 漢字 🚀",
    "        FFMA R1, R2 R3 |R4 ;",
    "garbage {",
    "",
    "  /* unended",
    "\u{c}",
];

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => proptest::sample::select(LINES).prop_map(str::to_owned),
        1 => "[ -~\t]{0,40}",
        1 => any::<String>(),
    ]
}

fn ending() -> impl Strategy<Value = &'static str> {
    prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r"), 1 => Just("")]
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec((line(), ending()), 0..30)
        .prop_map(|lines| lines.into_iter().map(|(line, ending)| line + ending).collect())
}

fn boundary(text: &str, at: usize) -> usize {
    let mut at = at % (text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Formats the public data of a listing, so that two listings can be compared.
fn contents(listing: &Listing) -> String {
    let chunk = |chunk: &Chunk| {
        let lines: Vec<_> =
            (0..chunk.lines().len()).map(|line| (chunk.lines()[line], chunk.line_tokens(line))).collect();
        let seen = (chunk.name(), chunk.sm(), chunk.hash(), chunk.instructions(), chunk.errors());
        format!("{seen:?}\n{:?}\n{lines:?}\n", chunk.text())
    };
    let chunks: String = listing.chunks().iter().map(|c| chunk(c)).collect();
    format!("{:?} {:?}\n{chunks}", listing.dialect(), listing.len())
}

fn check_tree(listing: &Listing, text: &str) {
    assert_eq!(listing.text(), text, "the tree holds every byte");
    for chunk in listing.chunks() {
        for (index, line) in chunk.lines().iter().enumerate() {
            let text = chunk.line_text(index);
            let unread = line.kind == LineKind::Error && chunk.line_tokens(index).is_empty();
            let mut at = 0;
            for token in chunk.line_tokens(index) {
                let gap = &text[at..token.start as usize];
                assert!(gap.bytes().all(|byte| byte == b' ' || byte == b'\t'), "skipped {gap:?} in {text:?}");
                assert!(token.len > 0, "an empty token in {text:?}");
                at = token.end();
            }
            assert!(unread || text[at..].trim().is_empty(), "skipped the end of {text:?}");
        }
        for error in chunk.errors() {
            let text = chunk.line_text(error.line as usize);
            let range = error.range.start as usize..error.range.end as usize;
            assert!(text.get(range.clone()).is_some(), "an error at {range:?} of {text:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_a_lossless_tree(text in text()) {
        check_tree(&Listing::parse(&text), &text);
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        check_tree(&Listing::parse(&text), &text);
    }

    #[test]
    fn every_truncation_is_read(text in text(), at in any::<usize>()) {
        let text = &text[..boundary(&text, at)];
        check_tree(&Listing::parse(text), text);
    }

    #[test]
    fn an_edited_listing_is_the_one_parsed_anew(
        text in text(),
        edits in proptest::collection::vec((any::<usize>(), 0_usize..60, text_piece()), 1..8),
    ) {
        let mut text = text;
        let mut listing = Listing::parse(&text);
        for (start, length, new) in edits {
            let start = boundary(&text, start);
            let end = boundary(&text, (start + length).min(text.len()));
            let range = start..end.max(start);
            listing = listing.edit(range.clone(), &new);
            text.replace_range(range, &new);
            prop_assert_eq!(contents(&listing), contents(&Listing::parse(&text)));
        }
    }
}

#[test]
fn an_error_at_the_end_of_a_line_marks_a_whole_character() {
    for text in ["FFMA R1, R2 \u{e9}", "MOV R1, &E1l\u{fffd}", "LDG R1, [R2 \u{6f22}"] {
        let text = format!("        /*0000*/                   {text}\n");
        let listing = Listing::parse(&text);
        assert!(!listing.chunks()[0].errors().is_empty(), "{text}");
        check_tree(&listing, &text);
    }
}

#[test]
fn a_label_between_parentheses_ends_where_it_ends() {
    for label in ["\u{c}\u{e}\u{fffd}", " \u{c} k\u{e9} \u{c} ", "\u{c}", " "] {
        let text = format!("        /*0000*/                   BRA `({label}) ;\n");
        check_tree(&Listing::parse(&text), &text);
    }
}

#[test]
fn form_feeds_around_a_section_name_are_in_tokens() {
    for text in
        ["//---------- \u{c}\u{c}.text.k \u{c}----------\n", "//----------\u{c} .text.k\u{c}----------\n"]
    {
        check_tree(&Listing::parse(text), text);
    }
}

#[test]
fn an_edit_reads_only_the_lines_around_it() {
    let line = "        /*0010*/                   FFMA R1, R2, R3, R1 ;\n";
    let kernel = format!("\t\tFunction : k\n{}", line.repeat(1000));
    let text = format!("\tcode for sm_90\n{}", kernel.repeat(5));
    let listing = Listing::parse(&text);
    let middle = text.len() / 2;
    let edited = listing.edit(middle..middle, " ");
    assert!(edited.lines_read() <= 4, "{} lines read", edited.lines_read());
    let shared = listing
        .chunks()
        .iter()
        .zip(edited.chunks())
        .filter(|(old, new)| std::sync::Arc::ptr_eq(old, new))
        .count();
    assert_eq!(shared, listing.chunks().len() - 1, "all kernels but the edited one are shared");
}

fn text_piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("\n".to_owned()),
        Just("\r".to_owned()),
        "[ -~]{1,6}",
        (line(), ending()).prop_map(|(line, ending)| line + ending),
        text(),
    ]
}

#[test]
fn what_only_quotes_sass_is_not_recognised() {
    let ptx = "//\n.version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(\n\t.param .u64 a\n)\n{\n\tret;\n}\n";
    let page = "# A page\n\nIt shows a listing:\n\n```\n        /*0010*/                   MOV R0, RZ ;\n```\nand goes on about it.\n";
    let program = "fn main() {\n    let text = \"x\";\n    // FFMA R1, R2, R3, R1 ;\n}\n";
    for text in [ptx, page, program, "", "\n\n", "FFMA\n"] {
        assert_eq!(Listing::parse(text).dialect(), None, "{text}");
    }
}
