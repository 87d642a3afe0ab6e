//! Every PTX file parses without errors, every instruction has an opcode and operands, and the tree contains every
//! byte.

use crate::files::{Sample, ptx_under};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use syntax::ptx::{ItemKind, Module, OperandKind, Piece};

fn all() -> Vec<Sample> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut samples = under(&root.join("corpus/ptx"));
    assert!(samples.len() >= 5, "the repository's own PTX is there");
    let shared = root.join("../../shared");
    if shared.is_dir() {
        samples.extend(["corpus", "hardware"].iter().flat_map(|folder| under(&shared.join(folder))));
    } else {
        testkit::left_out("../shared is not here, so only the repository's own PTX is tested");
    }
    samples
}

fn under(folder: &Path) -> Vec<Sample> {
    let sample = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("PTX is text");
        Sample { name: path.display().to_string(), text }
    };
    ptx_under(folder).into_iter().map(sample).collect()
}

#[test]
fn every_file_is_read_without_a_loss() {
    let samples = all();
    let (mut bytes, mut items, mut instructions) = (0, 0, 0);
    for Sample { name, text } in &samples {
        let module = Module::parse(text);
        assert_eq!(module.text(), *text, "{name}");
        assert!(module.version().is_some() && module.target().next().is_some(), "{name}");
        assert_eq!(module.start(module.items().len()).line as usize, text.matches('\n').count(), "{name}");
        for item in module.items() {
            if let Some(error) = item.errors().first() {
                let rest = &item.text()[error.range.start as usize..];
                panic!("{name}: {}: {}", error.message, rest.lines().next().unwrap_or_default());
            }
            assert_ne!(item.kind(), ItemKind::Error, "{name}");
            let named = matches!(item.kind(), ItemKind::Function | ItemKind::Variable);
            assert_eq!(item.name().is_some(), named, "{name}: {}", item.text());
            let whole: String = item
                .pieces()
                .map(|piece| match piece {
                    Piece::Space(space) => space,
                    Piece::Token(token) => item.token_text(token),
                })
                .collect();
            assert_eq!(whole, item.text(), "{name}");
            for statement in item.instructions() {
                let text =
                    &item.text()[item.range(statement).start as usize..item.range(statement).end as usize];
                assert!(item.opcode(statement).is_some(), "{name}: {text}");
                for operand in item.operands(statement) {
                    assert_ne!(operand.kind(), OperandKind::Missing, "{name}: {text}");
                }
                instructions += 1;
            }
            items += 1;
        }
        bytes += text.len();
    }
    println!("{} files, {bytes} bytes, {items} items, {instructions} instructions: no error", samples.len());
}

/// The repository's files contain operands of every kind. The tests above cover only kinds that occur in
/// files.
#[test]
fn ours_have_operands_of_every_kind() {
    let mut kinds: Vec<OperandKind> = Vec::new();
    for Sample { text, .. } in under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/ptx")) {
        for item in Module::parse(&text).items() {
            kinds.extend(item.statements().iter().flat_map(|one| item.operands(one)).map(|one| one.kind()));
        }
    }
    for kind in [
        OperandKind::Name,
        OperandKind::Sink,
        OperandKind::Integer,
        OperandKind::Float,
        OperandKind::String,
        OperandKind::Vector,
        OperandKind::Address,
        OperandKind::List,
        OperandKind::Element,
        OperandKind::Pair,
        OperandKind::Expression,
    ] {
        assert!(kinds.contains(&kind), "{kind:?}");
    }
}

#[test]
fn a_file_cut_anywhere_is_read_and_mended_by_an_edit() {
    for Sample { name, text } in all() {
        let started = Instant::now();
        let whole = Module::parse(&text);
        // About the same number of bytes is read for each file.
        let step = (text.len() / (20_000_000 / text.len().max(1)).clamp(10, 3000)).max(1);
        for end in (0..text.len()).step_by(step).chain(text.len().saturating_sub(200)..text.len()) {
            if !text.is_char_boundary(end) {
                continue;
            }
            let cut = Module::parse(&text[..end]);
            assert_eq!(cut.len(), end, "{name}");
            let errors: usize = cut.items().iter().map(|item| item.errors().len()).sum();
            assert!(errors <= 3, "{name} cut at {end}: {errors} errors, but only the last statement was cut");
            if end % 7 == 0 {
                assert_eq!(cut.edit(end..end, &text[end..]).items(), whole.items(), "{name} cut at {end}");
                assert_eq!(whole.edit(end..text.len(), "").items(), cut.items(), "{name} cut at {end}");
            }
        }
        assert!(started.elapsed().as_secs() < 60, "{name} took too long");
    }
}

#[test]
fn line_ends_of_both_kinds_are_equivalent() {
    for Sample { name, text } in under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/ptx")) {
        let text = text.replace("\r\n", "\n");
        let (unix, windows) = (Module::parse(&text), Module::parse(&text.replace('\n', "\r\n")));
        assert_eq!(unix.items().len(), windows.items().len(), "{name}");
        for (unix, windows) in unix.items().iter().zip(windows.items()) {
            assert_eq!(unix.statements(), windows.statements(), "{name}");
            assert_eq!(unix.lines(), windows.lines(), "{name}");
        }
    }
}

#[test]
fn white_space_between_tokens_changes_nothing() {
    for Sample { name, text } in under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/ptx")) {
        let module = Module::parse(&text);
        for space in ["\n", " ", "\t/* */\r\n# 1 \"x.cu\"\n"] {
            let mut spaced = String::new();
            for item in module.items() {
                for token in item.tokens() {
                    spaced.push_str(item.token_text(token));
                    spaced.push_str(space);
                }
            }
            let spaced = Module::parse(&spaced);
            let statements = |module: &Module| -> Vec<_> {
                module.items().iter().flat_map(|item| item.statements().to_vec()).collect()
            };
            assert_eq!(statements(&spaced), statements(&module), "{name} with {space:?}");
            assert!(spaced.items().iter().all(|item| item.errors().is_empty()), "{name} with {space:?}");
        }
    }
}
