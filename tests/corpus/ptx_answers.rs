//! Every request for a PTX file, at many positions and for truncated texts, has an answer. The contents of
//! the answers are checked.

use crate::documents::apply;
use crate::files::{Sample, ptx_under};
use ide::{Analysis, Cancel, Host, Language};
use std::fs;
use std::path::{Path, PathBuf};
use syntax::ptx::{Module, TokenKind};

fn all() -> Vec<Sample> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = ptx_under(&root.join("corpus/ptx"));
    assert!(paths.len() >= 5, "the repository's own PTX is there");
    let shared = root.join("../../shared");
    if shared.is_dir() {
        paths.extend(["corpus", "hardware"].iter().flat_map(|folder| ptx_under(&shared.join(folder))));
    } else {
        testkit::left_out("../shared is not here, so only the repository's own PTX is asked about");
    }
    let sample = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("PTX is text");
        Sample { name: path.display().to_string(), text }
    };
    paths.into_iter().map(sample).collect()
}

fn opened(text: &str) -> Analysis {
    let mut host = Host::default();
    host.open_as("sample", 1, Language::Ptx, text);
    host.snapshot("sample", Cancel::default()).expect("the document is open")
}

/// About the wanted number of positions all over a text, at character boundaries.
fn places(text: &str, wanted: usize) -> impl Iterator<Item = usize> + '_ {
    let step = (text.len() / wanted).max(1) | 1;
    (0..=text.len()).step_by(step).filter(|&at| text.is_char_boundary(at))
}

fn ask_at(analysis: &Analysis, name: &str, text: &str, offset: usize) {
    let place = || format!("{name} at byte {offset}");
    if let Some(hover) = analysis.hover(offset).expect("nothing cancels it") {
        assert!(hover.range.start <= offset && offset <= hover.range.end, "{}", place());
        assert!(!hover.markdown.trim().is_empty(), "{}", place());
        let plain = hover.markdown.replace("```", "");
        for wrong in ["``", "****", "None", "Some(", ": \n", "- \n"] {
            assert!(!plain.contains(wrong), "`{wrong}` in {}: {plain}", place());
        }
        let leads = |&link: &usize| hover.markdown.get(link..).is_some_and(|rest| rest.starts_with("#L"));
        assert!(hover.links.iter().all(leads), "{}", place());
    }
    if let Some(found) = analysis.completions(offset).expect("nothing cancels it") {
        assert!(found.range.start <= offset && offset <= found.range.end, "{}", place());
        assert!(text.get(found.range.clone()).is_some(), "{}", place());
    }
    if let Some(signature) = analysis.signature(offset).expect("nothing cancels it") {
        assert!(signature.active < signature.operands.len(), "{}", place());
    }
    drop(analysis.definitions(offset).expect("nothing cancels it"));
    let references = analysis.references(offset).expect("nothing cancels it");
    assert!(references.is_sorted_by_key(|reference| reference.range.start), "{}", place());
    let selections = analysis.selections(offset).expect("nothing cancels it");
    assert!(selections.windows(2).all(|pair| pair[1].start <= pair[0].start && pair[0].end <= pair[1].end));
    drop(analysis.call_item(offset).expect("nothing cancels it"));
}

fn ask_of_all(analysis: &Analysis, name: &str, text: &str) {
    let tokens = analysis.semantic_tokens(None).expect("nothing cancels it");
    let apart = |pair: &[ide::SemanticToken]| pair[0].range.end <= pair[1].range.start;
    assert!(tokens.windows(2).all(apart), "{name}: tokens overlap");
    for fold in analysis.folds().expect("nothing cancels it") {
        assert!(text[fold.range].contains('\n'), "{name}: a fold of one line");
    }
    drop(analysis.symbols().expect("nothing cancels it"));
    drop(analysis.source_links().expect("nothing cancels it"));
    drop(analysis.named_functions().expect("nothing cancels it"));
    drop(analysis.syntax_diagnostics().expect("nothing cancels it"));
}

#[test]
fn every_place_has_an_answer() {
    let mut asked = 0;
    for Sample { name, text } in all() {
        let analysis = opened(&text);
        ask_of_all(&analysis, &name, &text);
        for offset in places(&text, 300) {
            ask_at(&analysis, &name, &text, offset);
            asked += 1;
        }
    }
    println!("{asked} places");
}

#[test]
fn a_file_cut_anywhere_has_answers() {
    for Sample { name, text } in all().into_iter().filter(|sample| sample.text.len() < 200_000) {
        for end in places(&text, 40) {
            let cut = &text[..end];
            let analysis = opened(cut);
            ask_of_all(&analysis, &name, cut);
            for offset in
                [0, end / 2, end.saturating_sub(1), end].into_iter().filter(|&at| cut.is_char_boundary(at))
            {
                ask_at(&analysis, &name, cut, offset);
            }
        }
    }
}

/// Renaming a symbol and renaming it back restores the text.
#[test]
fn renaming_there_and_back_changes_nothing() {
    let mut renamed = 0;
    for Sample { name, text } in all().into_iter().filter(|sample| sample.text.len() < 400_000) {
        let analysis = opened(&text);
        for offset in places(&text, 60) {
            let Ok(range) = analysis.rename_range(offset).expect("nothing cancels it") else { continue };
            let old = &text[range.clone()];
            let edits = analysis.rename(offset, "fresh_name").expect("nothing cancels it");
            let edits = edits.unwrap_or_else(|refusal| panic!("{name}: {old} at {offset}: {}", refusal.0));
            let after = apply(&text, &edits);
            assert_eq!(
                Module::parse(&after).items().len(),
                Module::parse(&text).items().len(),
                "{name}: {old}"
            );
            let shift: usize = edits.iter().filter(|edit| edit.range.start < range.start).count();
            let at = range.start + shift * "fresh_name".len() - shift * old.len();
            let back = opened(&after).rename(at, old).expect("nothing cancels it");
            let back = back.unwrap_or_else(|refusal| panic!("{name}: back to {old}: {}", refusal.0));
            assert_eq!(apply(&after, &back), text, "{name}: {old}");
            renamed += 1;
        }
    }
    assert!(renamed > 50, "{renamed}");
}

#[test]
fn formatting_changes_white_space_alone() {
    for Sample { name, text } in all() {
        let edits = opened(&text).format(None).expect("nothing cancels it");
        let after = apply(&text, &edits);
        let tokens = |text: &str| -> Vec<(TokenKind, String)> {
            let module = Module::parse(text);
            let items = module.items().iter();
            items
                .flat_map(|item| {
                    item.tokens()
                        .iter()
                        .chain(item.comments())
                        .map(|token| (token.kind, item.token_text(token).to_owned()))
                })
                .collect()
        };
        assert_eq!(tokens(&after), tokens(&text), "{name}");
        let again = opened(&after).format(None).expect("nothing cancels it");
        assert_eq!(apply(&after, &again), after, "{name}: formatted again it changes");
    }
}
