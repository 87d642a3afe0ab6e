//! Properties of every text and every edit, checked with all requests that the engine supports.

use crate::session::{DOCUMENT, host, snapshot};
use ide::{Analysis, Host, Language, TextEdit};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::fmt::Write;
use std::sync::LazyLock;

/// Every line of the fixtures, including marks: each dialect, valid and broken.
static LINES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut lines = Vec::new();
    for feature in [
        "hints",
        "diagnostics",
        "tokens",
        "symbols",
        "folds",
        "lenses",
        "selection",
        "completion",
        "signature",
        "rename",
        "copy",
        "format",
    ] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("suite").join(feature);
        for entry in std::fs::read_dir(folder).expect("the folder exists") {
            let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a fixture is text");
            lines.extend(text.lines().map(str::to_owned));
        }
    }
    lines.sort();
    lines.dedup();
    assert!(lines.len() > 100, "too few lines to build texts from");
    lines
});

fn line() -> impl Strategy<Value = String> {
    let known = || any::<Index>().prop_map(|index| LINES[index.index(LINES.len())].clone());
    prop_oneof![
        8 => known(),
        // A line truncated at a random position.
        2 => (known(), any::<Index>()).prop_map(|(line, cut)| line.chars().take(cut.index(line.len() + 1)).collect()),
        1 => any::<String>(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let ending = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("")];
    proptest::collection::vec((line(), ending), 0..12)
        .prop_map(|lines| lines.into_iter().map(|(line, ending)| line + ending).collect())
}

/// An edit of any text: two positions in it, and the text that replaces the range.
fn edit() -> impl Strategy<Value = (Index, Index, String)> {
    let inserted = prop_oneof![
        3 => text(),
        3 => select(vec!["", "\n", " ", ";", "{", "}", "/*", "<CODE>", "</CODE>", "code for sm_35\n", "é"]).prop_map(str::to_owned),
    ];
    (any::<Index>(), any::<Index>(), inserted)
}

/// The edit as a byte range between character boundaries.
fn of_text(text: &str, (first, second, inserted): &(Index, Index, String)) -> TextEdit {
    let boundary = |index: &Index| {
        let at = index.index(text.len() + 1);
        (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
    };
    let (first, second) = (boundary(first), boundary(second));
    TextEdit { range: first.min(second)..first.max(second), text: inserted.clone() }
}

fn opened(text: &str) -> Host {
    let mut host = host();
    host.open(DOCUMENT, 1, text);
    host
}

/// All answers except hovers, as one text.
pub(crate) fn answers(analysis: &Analysis, len: usize) -> String {
    let mut all = analysis.gpu_name();
    let _ = write!(all, "\n{:#?}", analysis.syntax_diagnostics());
    let _ = write!(all, "\n{:#?}", analysis.model_diagnostics());
    let _ = write!(all, "\n{:#?}", analysis.hints(0..len));
    let _ = write!(all, "\n{:#?}", analysis.semantic_tokens(None));
    let _ = write!(all, "\n{:#?}", analysis.symbols());
    let _ = write!(all, "\n{:#?}", analysis.folds());
    let _ = write!(all, "\n{:#?}", analysis.lenses());
    let _ = write!(all, "\n{:#?}", analysis.selection_cycles(0..len));
    let _ = write!(all, "\n{:#?}", analysis.sass().map(|sass| sass.report()));
    all
}

/// Sends all requests at all positions, including those past the end and inside characters, and checks the guarantees
/// to clients.
fn ask_everything(analysis: &Analysis, text: &str) {
    answers(analysis, text.len());
    for offset in 0..text.len() + 3 {
        if let Some(hover) = analysis.hover(offset).expect("nothing cancels it") {
            assert!(text.get(hover.range.clone()).is_some(), "{:?} of the hover at {offset}", hover.range);
            assert!(!hover.markdown.trim().is_empty(), "an empty hover at {offset}");
            let leads = |&link: &usize| hover.markdown.get(link..).is_some_and(|rest| rest.starts_with("#L"));
            assert!(hover.links.iter().all(leads), "{:?} in {}", hover.links, hover.markdown);
        }
        ask_a_writer(analysis, text, offset);
    }
    for (start, end) in [
        (0, 0),
        (text.len() / 2, text.len() / 2 + 1),
        (text.len() / 3, usize::MAX),
        (text.len() + 1, text.len() + 9),
    ] {
        analysis.hints(start..end).expect("nothing cancels it");
        analysis.selection_cycles(start..end).expect("nothing cancels it");
        analysis.semantic_tokens(Some(start..end)).expect("nothing cancels it");
    }
    let mut before = 0;
    for token in analysis.semantic_tokens(None).expect("nothing cancels it") {
        assert!(before <= token.range.start, "tokens overlap at {:?}", token.range);
        assert!(
            text.get(token.range.clone()).is_some_and(|token| !token.is_empty() && !token.contains('\n'))
        );
        before = token.range.end;
    }
    for hint in analysis.hints(0..text.len()).expect("nothing cancels it") {
        assert!(text.is_char_boundary(hint.offset));
    }
}

/// Sends the requests that occur while a user types, and checks the answers.
fn ask_a_writer(analysis: &Analysis, text: &str, offset: usize) {
    if let Some(found) = analysis.completions(offset).expect("nothing cancels it") {
        let within = text.get(found.range.clone());
        assert!(within.is_some_and(|word| !word.contains('\n')), "{:?} at {offset}", found.range);
        assert!(found.range.start <= offset, "{:?} at {offset}", found.range);
    }
    if let Some(signature) = analysis.signature(offset).expect("nothing cancels it") {
        let operand = &signature.operands[signature.active];
        assert!(signature.label.get(operand.label.clone()).is_some_and(|name| !name.is_empty()));
    }
    let renamed = analysis.rename(offset, "a_new_name").expect("nothing cancels it");
    if let Ok(range) = analysis.rename_range(offset).expect("nothing cancels it") {
        assert!(text.get(range.clone()).is_some_and(|name| !name.is_empty()), "{range:?} at {offset}");
        let edits = renamed.unwrap_or_default();
        assert!(edits.is_empty() || edits.iter().any(|edit| edit.range == range), "{edits:?} at {offset}");
    }
    for register in ["R77", "P2"] {
        if let Ok(edits) = analysis.rename(offset, register).expect("nothing cancels it") {
            assert!(edits.iter().all(|edit| text.get(edit.range.clone()).is_some()), "{edits:?} at {offset}");
        }
    }
    for assembler in analysis.assemblers(offset).expect("nothing cancels it") {
        if let Ok(copied) = analysis.copy_as(offset..offset, assembler).expect("nothing cancels it") {
            assert!(copied.text.lines().count() >= copied.instructions, "{assembler:?} at {offset}");
        }
    }
    for rule in ["syntax-error", "unknown-opcode"] {
        for fix in analysis.fixes(rule, offset..offset).expect("nothing cancels it") {
            assert!(fix.edits.iter().all(|edit| text.get(edit.range.clone()).is_some()), "{fix:?}");
        }
    }
}

/// The tokens of a text line by line, without their positions.
fn words(text: &str) -> Vec<Vec<(syntax::sass::TokenKind, String)>> {
    let listing = syntax::sass::Listing::parse(text);
    let chunks = listing.chunks().iter();
    let lines = chunks.flat_map(|chunk| (0..chunk.lines().len()).map(move |line| (chunk, line)));
    lines
        .map(|(chunk, line)| {
            let text = chunk.line_text(line);
            chunk.line_tokens(line).iter().map(|token| (token.kind, token.text(text).to_owned())).collect()
        })
        .collect()
}

/// Formatting changes only white space, is idempotent, and leaves listings unchanged.
pub(crate) fn check_formatting(text: &str) {
    let format = |text: &str| snapshot(&opened(text)).format(None).expect("nothing cancels it");
    let edits = format(text);
    for edit in &edits {
        assert!(text[edit.range.clone()].trim().is_empty() && edit.text.trim().is_empty(), "{edit:?}");
    }
    let formatted = crate::format::apply(text, &edits);
    assert_eq!(words(text), words(&formatted));
    assert_eq!(format(&formatted), [], "formatted again it changes:\n{formatted}");
    // PTX is always formatted, unlike listings.
    let is_ptx = snapshot(&opened(text)).language() == Language::Ptx;
    let dialect = syntax::sass::Listing::parse(text).dialect();
    let is_source = dialect.is_some_and(syntax::sass::Dialect::is_source);
    assert!(edits.is_empty() || is_ptx || is_source, "{dialect:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_and_no_edit_makes_any_answer_panic(mut text in text(), edits in proptest::collection::vec(edit(), 0..4)) {
        let mut host = opened(&text);
        ask_everything(&snapshot(&host), &text);
        for (version, edit) in (2..).zip(&edits) {
            let edit = of_text(&text, edit);
            text.replace_range(edit.range.clone(), &edit.text);
            prop_assert!(host.edit(DOCUMENT, version, &[edit]));
            ask_everything(&snapshot(&host), &text);
        }
    }

    #[test]
    fn formatting_changes_white_space_alone(
        head in select(vec!["", "<REGISTER_MAPPING>\n0-3 ~ a\n</REGISTER_MAPPING>\n", "<regs>\n0 : a\n</regs>\n", "\t.__elf_type ET_EXEC\n"]),
        text in text(),
    ) {
        check_formatting(&format!("{head}{text}"));
    }

    #[test]
    fn an_edited_text_answers_as_one_freshly_opened(mut text in text(), edits in proptest::collection::vec(edit(), 1..6)) {
        let mut host = opened(&text);
        let mut batch = Vec::new();
        for edit in &edits {
            let edit = of_text(&text, edit);
            text.replace_range(edit.range.clone(), &edit.text);
            batch.push(edit);
            // Some edits are sent separately, some together.
            if batch.len() % 2 == 0 {
                prop_assert!(host.edit(DOCUMENT, 2, &batch));
                batch.clear();
            }
        }
        prop_assert!(host.edit(DOCUMENT, 3, &batch));
        // Edits keep the language, whatever the resulting text is.
        let language = snapshot(&host).language();
        let mut fresh = opened("");
        fresh.open_as(DOCUMENT, 1, language, &text);
        let (edited, fresh) = (snapshot(&host), snapshot(&fresh));
        prop_assert_eq!(edited.version(), 3);
        prop_assert_eq!(answers(&edited, text.len()), answers(&fresh, text.len()));
        for offset in (0..text.len()).step_by(7) {
            prop_assert_eq!(edited.hover(offset), fresh.hover(offset));
        }
    }

    #[test]
    fn an_edit_computes_one_model_anew_and_one_above_none(
        kernels in 1..6_usize,
        edits in proptest::collection::vec((0..6_usize, any::<bool>()), 1..8),
    ) {
        let mut text = String::from("        code for sm_90\n");
        for kernel in 0..kernels {
            let _ = writeln!(text, "                Function : kernel_{kernel}");
            let _ = writeln!(text, "        /*0000*/                   MOV R{kernel}, 0x0 ;\n        /*0010*/                   EXIT ;");
        }
        let mut host = opened(&text);
        answers(&snapshot(&host), text.len());
        prop_assert_eq!(host.models_computed(), kernels as u64);
        for (number, (kernel, above)) in edits.into_iter().enumerate() {
            let before = host.models_computed();
            let (at, inserted) = if above {
                // A line above all kernels.
                (0, format!("// above {number}\n"))
            } else {
                // A text that differs from all previous ones.
                let name = format!("R{}, 0x", kernel % kernels);
                (text.find(&name).expect("every kernel has one") + name.len(), format!("{:x}", number + 1))
            };
            text.insert_str(at, &inserted);
            let edited = host.edit(DOCUMENT, 2, &[TextEdit { range: at..at, text: inserted }]);
            prop_assert!(edited);
            answers(&snapshot(&host), text.len());
            prop_assert_eq!(host.models_computed() - before, u64::from(!above));
        }
    }
}

#[test]
fn cancelled_work_has_no_answer() {
    let host = opened("        /*0000*/                   EXIT ;\n");
    let cancel = ide::Cancel::default();
    let analysis = host.snapshot(DOCUMENT, cancel.clone()).expect("the document is open");
    assert!(analysis.hints(0..10).is_ok());
    cancel.cancel();
    assert!(analysis.hints(0..10).is_err());
    assert!(analysis.hover(3).is_err());
    assert!(analysis.semantic_tokens(None).is_err());
    assert!(analysis.symbols().is_err());
    assert!(analysis.folds().is_err());
    assert!(analysis.lenses().is_err());
    assert!(analysis.selection_cycles(0..usize::MAX).is_err());
    assert!(analysis.prepare().is_err());
    assert!(analysis.syntax_diagnostics().is_err());
    assert!(analysis.model_diagnostics().is_err());
    assert!(analysis.sass().is_some_and(|sass| sass.report().is_err()));
    assert!(analysis.completions(3).is_err());
    assert!(analysis.signature(3).is_err());
    assert!(analysis.rename(3, "x").is_err());
    assert!(analysis.format(None).is_err());
    assert!(analysis.fixes("syntax-error", 3..4).is_err());
}

#[test]
fn a_document_that_is_not_open_has_no_snapshot_and_takes_no_edit() {
    let mut host = opened("");
    assert!(host.snapshot("another", ide::Cancel::default()).is_none());
    assert!(!host.edit("another", 2, &[TextEdit { range: 0..0, text: "x".into() }]));
    host.close(DOCUMENT);
    assert!(host.snapshot(DOCUMENT, ide::Cancel::default()).is_none());
}

#[test]
fn a_lone_directive_of_ptx_is_formatted_as_ptx() {
    check_formatting(".version   8.0\n");
}
