//! Tests of the parser, and functions that format statements and errors for comparison.

mod edits;
mod errors;
mod grammar;
mod properties;
mod views;

use super::{Item, Module, StatementKind};

/// Formats each statement of an item as its kind and its tokens, separated by spaces.
fn statements(item: &Item) -> Vec<String> {
    let show = |statement: &super::Statement| {
        let kind = match statement.kind {
            StatementKind::Function => "function",
            StatementKind::Label => "label",
            StatementKind::Instruction { .. } => "instruction",
            StatementKind::Variable => "variable",
            StatementKind::Directive => "directive",
            StatementKind::Data => "data",
            StatementKind::Open { .. } => "open",
            StatementKind::Close { .. } => "close",
            StatementKind::Error => "error",
        };
        let tokens = item.tokens_of(statement.tokens).iter().map(|token| item.token_text(token));
        format!("{kind}: {}", tokens.collect::<Vec<_>>().join(" "))
    };
    item.statements().iter().map(show).collect()
}

/// Formats each error of a module as the text in its range and its message.
fn errors(module: &Module) -> Vec<String> {
    let of = |item: &Item| -> Vec<String> {
        let show = |error: &super::SyntaxError| {
            format!(
                "`{}`: {}",
                &item.text()[error.range.start as usize..error.range.end as usize],
                error.message
            )
        };
        item.errors().iter().map(show).collect()
    };
    module.items().iter().flat_map(|item| of(item)).collect()
}

/// Parses a text that must be a single item without errors, and returns the item.
fn only(text: &str) -> std::sync::Arc<Item> {
    let module = Module::parse(text);
    assert_eq!(errors(&module), Vec::<String>::new(), "{text}");
    assert_eq!(module.items().len(), 1, "{text}: {:?}", module.items());
    module.items()[0].clone()
}

/// Parses a function body, which must have no errors. Returns the item and the statements between the function's
/// braces.
fn body(text: &str) -> (std::sync::Arc<Item>, Vec<String>) {
    let item = only(&format!(".entry k() {{\n{text}\n}}"));
    let mut all = statements(&item);
    all.pop();
    (item, all.split_off(2))
}

/// Checks the invariants of every tree: it contains every byte, and its references are valid.
fn check_tree(module: &Module, text: &str) {
    assert_eq!(module.text(), text);
    for item in module.items() {
        check_item(item);
    }
}

fn check_item(item: &Item) {
    use super::Piece;
    let mut whole = String::new();
    for piece in item.pieces() {
        match piece {
            Piece::Space(space) => {
                assert!(space.bytes().all(|byte| matches!(byte, b' ' | b'\t'..=b'\r')), "{space:?}");
                whole.push_str(space);
            }
            Piece::Token(token) => {
                assert!(token.len > 0);
                whole.push_str(item.token_text(token));
            }
        }
    }
    assert_eq!(whole, item.text());
    let mut next = 0;
    for (index, statement) in item.statements().iter().enumerate() {
        assert_eq!(statement.tokens.start, next, "{:?}", item.text());
        assert!(statement.tokens.end > next, "{statement:?} has no token");
        next = statement.tokens.end;
        match statement.kind {
            StatementKind::Instruction { opcode, operands } => {
                assert!(statement.tokens.start <= opcode && opcode <= operands && operands <= next);
            }
            StatementKind::Open { close } => {
                let closing = item.statements().get(close as usize).map(|statement| statement.kind);
                let open = index as u32;
                assert!(closing.is_none() || closing == Some(StatementKind::Close { open }), "{close}");
            }
            StatementKind::Close { open } => {
                let close = index as u32;
                assert_eq!(item.statements()[open as usize].kind, StatementKind::Open { close });
            }
            _ => {}
        }
        // Every view accepts every statement.
        for operand in item.operands(statement) {
            operand.kind();
            operand.pair();
            operand.base_and_offset();
            assert!(operand.selectors().count() <= operand.tokens().len());
            assert!(operand.elements().count() <= operand.tokens().len());
        }
        if let Some(variable) = item.variable(statement) {
            assert!(variable.declarators().count() <= item.tokens_of(statement.tokens).len());
        }
    }
    assert_eq!(next as usize, item.tokens().len(), "every token is in a statement");
    let unclosed = StatementKind::Open { close: item.statements().len() as u32 };
    let broken = |kind| kind == StatementKind::Error || kind == unclosed;
    if item.statements().iter().any(|one| broken(one.kind)) || item.kind() == super::ItemKind::Error {
        assert!(!item.errors().is_empty(), "{:?}", item.text());
    }
    for error in item.errors() {
        assert!(item.text().get(error.range.start as usize..error.range.end as usize).is_some());
    }
}
