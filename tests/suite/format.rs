//! Formatting: `x.before.nvsass` becomes `x.after.nvsass`, and `x.before.ptx` becomes `x.after.ptx`. `WARPLENS_BLESS=1`
//! rewrites the results.

use crate::session::{DOCUMENT, host, snapshot};
use ide::{Config, TextEdit};
use std::fs;
use std::path::Path;

/// The text after edits in text order.
pub(crate) fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.range.clone(), &edit.text);
    }
    text
}

fn edits(text: &str, range: Option<std::ops::Range<usize>>) -> Vec<TextEdit> {
    let mut host = host();
    host.open(DOCUMENT, 1, text);
    snapshot(&host).format(range).expect("nothing cancels it")
}

#[test]
fn sources_are_aligned() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/format");
    let mut tested = 0;
    for entry in fs::read_dir(&folder).expect("the folder exists") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name in UTF-8");
        let Some((name, ending)) = name.split_once(".before.") else { continue };
        let before = fs::read_to_string(&path).expect("a fixture is text");
        let after = apply(&before, &edits(&before, None));
        let expected = folder.join(format!("{name}.after.{ending}"));
        if std::env::var_os("WARPLENS_BLESS").is_some() {
            fs::write(&expected, &after).expect("the folder can be written");
        }
        assert_eq!(after, fs::read_to_string(&expected).expect("a fixture is text"), "{name}");
        assert_eq!(edits(&after, None), [], "{name} is not the same when formatted again");
        tested += 1;
    }
    assert!(tested > 3);
}

#[test]
fn a_part_of_a_block_is_formatted_as_the_whole_would_be() {
    let text = "--:-:-:-:1 MOV a, b;\n--:-:-:-:1 FFMA.FTZ a, b, c, d;\n--:-:-:Y:5 EXIT;\n";
    let whole = edits(text, None);
    for (line, number) in text.split_inclusive('\n').zip(0..) {
        let start: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
        let part = edits(text, Some(start..start + line.len() - 1));
        let own = start..start + line.len();
        let expected: Vec<TextEdit> =
            whole.iter().filter(|edit| own.contains(&edit.range.start)).cloned().collect();
        assert_eq!(part, expected, "{line}");
    }
}

#[test]
fn a_word_that_a_space_makes_a_header_stays() {
    let text = ".__elf_type ET_EXEC\n[B------:R-:W-:-:S01] MOV R1, R2;\nFunction :;\n";
    let after = apply(text, &edits(text, None));
    assert!(after.ends_with("\nFunction :;\n"), "{after}");
    assert_eq!(edits(&after, None), []);
}

#[test]
fn what_is_printed_or_switched_off_stays() {
    assert_eq!(edits("        /*0000*/ MOV R1,R2 ;\n", None), []);
    let mut host = host();
    host.configure(Config { formatting: false, ..Config::default() }).expect("it names no GPU");
    host.open(DOCUMENT, 1, "--:-:-:Y:5 EXIT;\n");
    assert_eq!(snapshot(&host).format(None), Ok(Vec::new()));
}
