//! Semantic tokens: the kind of each token, with `written` or `defined` if the token has this modifier.

use crate::session::check;
use ide::{SemanticKind, SemanticToken};
use std::cell::RefCell;
use std::collections::HashSet;
use testkit::Answer;

const KINDS: [SemanticKind; 18] = [
    SemanticKind::Address,
    SemanticKind::ControlCode,
    SemanticKind::Opcode,
    SemanticKind::Modifier,
    SemanticKind::Register,
    SemanticKind::UniformRegister,
    SemanticKind::Predicate,
    SemanticKind::SpecialRegister,
    SemanticKind::Barrier,
    SemanticKind::ConstantBank,
    SemanticKind::Number,
    SemanticKind::Label,
    SemanticKind::Function,
    SemanticKind::Directive,
    SemanticKind::String,
    SemanticKind::Comment,
    SemanticKind::Encoding,
    SemanticKind::Name,
];

/// Converts `UniformRegister` to `uniform register`.
fn in_words(kind: SemanticKind) -> String {
    let mut words = String::new();
    for letter in format!("{kind:?}").chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

fn answer(token: SemanticToken) -> Answer {
    let mut text = in_words(token.kind);
    for (is_so, word) in [(token.written, ", written"), (token.definition, ", defined")] {
        if is_so {
            text.push_str(word);
        }
    }
    Answer::at(token.range, "token", text)
}

#[test]
fn tokens_name_every_piece_of_text() {
    let seen = RefCell::new(HashSet::new());
    check("tokens", |_, analysis| {
        let tokens = analysis.semantic_tokens(None).expect("nothing cancels it");
        seen.borrow_mut().extend(tokens.iter().map(|token| token.kind));
        tokens.into_iter().map(answer).collect()
    });
    for kind in KINDS {
        assert!(seen.borrow().contains(&kind), "no fixture has a token of the kind `{}`", in_words(kind));
    }
}
