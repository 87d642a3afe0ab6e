//! Code actions on CUDA: texts before and after, texts in which an action must not be offered, and the compiler's
//! verdict on both.
//!
//! A folder has `before.cu`, whose head states the cursor position and the title to choose, and `after.cu`. A
//! `silent.cu` states the start of a title that must not be offered anywhere in it.

use crate::session::{DOCUMENT, host, snapshot};
use ide::{Analysis, Language, TextEdit};
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::Fixture;

/// Actions at a position: titles and resulting texts, including the fixes of findings.
fn offered(analysis: &Analysis, text: &str, offset: usize) -> Vec<(String, String)> {
    let actions = analysis.advice_actions(offset, true).expect("nothing cancels it");
    let mut all: Vec<(String, String)> = Vec::new();
    for action in actions {
        assert_eq!(action.changes_results, action.title.ends_with("(changes results)"), "{}", action.title);
        assert!(!action.explanation.is_empty(), "{}", action.title);
        let edited = action.edited_text(text).expect("its edits are known");
        all.push((action.title, edited));
    }
    for finding in analysis.model_diagnostics().expect("nothing cancels it") {
        if finding.range.start == offset {
            let fixes = analysis.fixes(finding.code, finding.range).expect("nothing cancels it");
            all.extend(fixes.into_iter().map(|fix| (fix.title, TextEdit::apply(&fix.edits, text))));
        }
    }
    all
}

fn opened(text: &str) -> Analysis {
    let mut host = host();
    host.open_as(DOCUMENT, 1, Language::Cuda, text);
    snapshot(&host)
}

/// The files with this name, or with a name that ends with it, in all folders.
fn files(name: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/cuda_actions");
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("the folder exists");
        entries.map(|entry| entry.expect("it can be read").path()).collect()
    };
    let mut found: Vec<PathBuf> = list(&root).iter().flat_map(|folder| list(folder)).collect();
    found.retain(|path| path.to_string_lossy().ends_with(name));
    found.sort();
    assert!(!found.is_empty(), "no {name} in {}", root.display());
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn stated(fixture: &Fixture, key: &str) -> String {
    fixture.stated(key).next().unwrap_or_else(|| panic!("no `//! {key}:`")).to_owned()
}

#[test]
fn actions_change_texts_as_they_say() {
    let mut failed = Vec::new();
    for path in files("before.cu") {
        let text = read(&path);
        let fixture = Fixture::parse(&text);
        let (at, title) = (stated(&fixture, "at"), stated(&fixture, "title"));
        let head: usize =
            text.split_inclusive('\n').take_while(|line| line.starts_with("//!")).map(str::len).sum();
        let offset = head + text[head..].find(&at).expect("it exists");
        let all = offered(&opened(&text), &text, offset);
        let found = all.iter().find(|(own, _)| *own == title);
        let Some((_, edited)) = found else {
            let titles: Vec<&String> = all.iter().map(|(title, _)| title).collect();
            failed.push(format!("{}: not offered among {titles:#?}", path.display()));
            continue;
        };
        let after = path.with_file_name("after.cu");
        if std::env::var_os("WARPLENS_BLESS").is_some() {
            std::fs::write(&after, edited).expect("it can be written");
        }
        if *edited != read(&after) {
            failed.push(format!("{}:\n{edited}", after.display()));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn actions_are_offered_nowhere_else() {
    for path in files("silent.cu") {
        let text = read(&path);
        let title = stated(&Fixture::parse(&text), "none");
        let analysis = opened(&text);
        for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
            let all = offered(&analysis, &text, offset);
            let found = all.iter().find(|(own, _)| own.starts_with(&title));
            let line = text[..offset].matches('\n').count() + 1;
            assert!(found.is_none(), "{}:{line}: {found:?}", path.display());
        }
    }
}

#[test]
fn any_part_of_a_text_is_answered() {
    for path in files(".cu") {
        let text = read(&path);
        for (end, _) in text.char_indices().step_by(11) {
            let analysis = opened(&text[..end]);
            for offset in (0..end).rev().step_by(5) {
                offered(&analysis, &text[..end], offset);
            }
        }
    }
}

#[test]
fn texts_compile_before_and_after() {
    let Some(nvcc) = testkit::nvcc("actions on CUDA are not compiled") else { return };
    let folder = tempfile::tempdir().expect("there is room for a folder");
    for path in files(".cu") {
        let cubin = folder.path().join("out.cubin");
        let output =
            Command::new(&nvcc).args(["-cubin", "-arch=sm_90", "-o"]).arg(&cubin).arg(&path).output();
        let output = output.expect("nvcc starts");
        assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    }
}
