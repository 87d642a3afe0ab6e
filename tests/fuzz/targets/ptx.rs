//! Any text and any edit: the tree contains every byte, and the edited module equals the one parsed from scratch.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syntax::ptx::{Item, Module, Piece, StatementKind};

fuzz_target!(|input: &[u8]| {
    // The first eight bytes are the edit, so that a module can be a seed unchanged. It replaces a part with a copy of
    // another part.
    let Some((edit, text)) = input.split_first_chunk::<8>() else { return };
    let mut text = String::from_utf8_lossy(text).into_owned();
    let number = |at: usize| usize::from(u16::from_le_bytes([edit[at], edit[at + 1]]));
    let part = |start: usize, length: usize| {
        let boundary = |at: usize| (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let start = start % (text.len() + 1);
        boundary(start)..boundary(text.len().min(start + length % 256))
    };
    let (range, copied) = (part(number(0), number(2)), part(number(4), number(6)));
    let new = text[copied].to_owned();

    let module = Module::parse(&text);
    check_tree(&module, &text);
    let edited = module.edit(range.clone(), &new);
    text.replace_range(range, &new);
    check_tree(&edited, &text);
    assert_eq!(edited.items(), Module::parse(&text).items());
});

fn check_tree(module: &Module, text: &str) {
    assert_eq!(module.text(), text);
    for item in module.items() {
        check_item(item);
    }
}

fn check_item(item: &Item) {
    let mut whole = String::new();
    for piece in item.pieces() {
        match piece {
            Piece::Space(space) => {
                assert!(space.bytes().all(|byte| matches!(byte, b' ' | b'\t'..=b'\r')), "skips {space:?}");
                whole.push_str(space);
            }
            Piece::Token(token) => {
                assert!(token.len > 0, "an empty token");
                whole.push_str(item.token_text(token));
            }
        }
    }
    assert_eq!(whole, item.text());
    let mut next = 0;
    let mut open = Vec::new();
    for (index, statement) in (0..).zip(item.statements()) {
        assert_eq!(statement.tokens.start, next, "a token is in no statement, or in two");
        next = statement.tokens.end;
        match statement.kind {
            StatementKind::Open { close } => open.push((index, close)),
            StatementKind::Close { open: by } => assert_eq!(open.pop(), Some((by, index))),
            _ => {}
        }
        for operand in item.operands(statement) {
            operand.kind();
            operand.base_and_offset();
            assert!(operand.elements().count() <= operand.tokens().len());
        }
        if let Some(variable) = item.variable(statement) {
            assert!(variable.declarators().count() <= item.tokens_of(statement.tokens).len());
        }
    }
    assert_eq!(next as usize, item.tokens().len());
    assert!(open.iter().all(|&(_, close)| close as usize == item.statements().len()));
    if let Some(function) = item.function() {
        item.parameters(function.parameters).count();
        item.performance(function).count();
    }
    for error in item.errors() {
        assert!(item.text().get(error.range.start as usize..error.range.end as usize).is_some(), "{error:?}");
    }
}
