//! Semantic tokens: the kind of each piece of text, `written` or `defined` where it is.

use crate::session::check;
use ide::SemanticToken;
use testkit::Answer;

/// `UniformRegister` as `uniform register`.
fn kind_in_words(token: &SemanticToken) -> String {
    let mut words = String::new();
    for letter in format!("{:?}", token.kind).chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

#[test]
fn tokens_name_every_piece_of_text() {
    check("tokens", |_, analysis| {
        let tokens = analysis.semantic_tokens(None).expect("nothing cancels it");
        tokens
            .into_iter()
            .map(|token| {
                let mut text = kind_in_words(&token);
                for (is_so, word) in [(token.written, ", written"), (token.definition, ", defined")] {
                    if is_so {
                        text.push_str(word);
                    }
                }
                Answer::at(token.range, "token", text)
            })
            .collect()
    });
}

/// Every kind has a place in some fixture, so that none can lose its colour unseen.
#[test]
fn every_kind_stands_in_a_fixture() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/tokens");
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        all += &std::fs::read_to_string(entry.expect("an entry").path()).expect("a fixture is text");
    }
    for kind in [
        "address",
        "control code",
        "opcode",
        "modifier",
        "register",
        "uniform register",
        "predicate",
        "special register",
        "barrier",
        "constant bank",
        "number",
        "label",
        "function",
        "directive",
        "string",
        "comment",
        "encoding",
        "name",
    ] {
        let marked = |line: &str| {
            line.split("token: ").nth(1).is_some_and(|text| text.split(',').next() == Some(kind))
        };
        assert!(all.lines().any(marked), "no fixture has a token of the kind `{kind}`");
    }
}
