//! Semantic tokens of PTX.

use crate::engine::cancel::Cancellable;
use crate::ptx::view::View;
use crate::{SemanticKind, SemanticToken};
use machine::ptx::Ptx;
use model::ptx::{Globals, Meaning, Names, Space, Symbol, SymbolKind, UseKind};
use std::ops::Range;
use syntax::ptx::{Item, Token, TokenKind};

pub(crate) fn tokens(view: &View<'_>, range: Option<Range<usize>>) -> Cancellable<Vec<SemanticToken>> {
    let range = range.unwrap_or(0..view.module.len());
    let mut found = Vec::new();
    let (Some(first), Some(last)) = (view.module.item_at(range.start), view.module.item_at(range.end)) else {
        return Ok(found);
    };
    for index in first..=last {
        view.cancel.check()?;
        let item = &view.module.items()[index];
        let start = view.start(index);
        let within = range.start.saturating_sub(start)..range.end.saturating_sub(start);
        let facts = view.facts(item);
        let colours =
            TokenClassifier { item, names: facts.names(item), globals: view.globals(), table: &view.table };
        let is_within = |token: &Token| token.range().start < within.end && within.start < token.range().end;
        let from = item.tokens().partition_point(|token| token.range().end <= within.start);
        let tokens = item.tokens().iter().enumerate().skip(from).take_while(|(_, token)| is_within(token));
        let comments = item.comments().iter().filter(|token| is_within(token));
        let before = found.len();
        let tokens = tokens.filter_map(|(at, token)| colours.token(start, at as u32, token));
        let all = comments.map(|token| colour(start, token, SemanticKind::Comment)).chain(tokens);
        found.extend(all.flat_map(|token| line_by_line(item.text(), start, token)));
        found[before..].sort_by_key(|token| token.range.start);
    }
    Ok(found)
}

/// Splits a multi-line token, such as a comment, into one token per line, because not every client
/// accepts multi-line tokens.
fn line_by_line(text: &str, start: usize, token: SemanticToken) -> impl Iterator<Item = SemanticToken> {
    let first = token.range.start;
    let own = &text[first - start..token.range.end - start];
    own.split_inclusive(['\n', '\r'])
        .scan(first, move |at, line| {
            let line_start = *at;
            *at += line.len();
            let end = line_start + line.trim_end_matches(['\n', '\r']).len();
            Some(SemanticToken { range: line_start..end, ..token.clone() })
        })
        .filter(|token| !token.range.is_empty())
}

const fn colour(start: usize, token: &Token, kind: SemanticKind) -> SemanticToken {
    let range = start + token.start as usize..start + token.end() as usize;
    SemanticToken { range, kind, written: false, definition: false, control_flow: false }
}

/// An item and the facts that determine the kinds of the item's tokens.
struct TokenClassifier<'a> {
    item: &'a Item,
    names: &'a Names,
    globals: &'a Globals,
    table: &'a Ptx,
}

impl TokenClassifier<'_> {
    fn token(&self, start: usize, index: u32, token: &Token) -> Option<SemanticToken> {
        let kind = match token.kind {
            TokenKind::Opcode => SemanticKind::Opcode,
            TokenKind::Modifier => SemanticKind::Modifier,
            // A type has the same token kind in a declaration as after an opcode.
            TokenKind::Directive if self.is_type(token) => SemanticKind::Modifier,
            TokenKind::Directive => SemanticKind::Directive,
            TokenKind::Integer | TokenKind::Float => SemanticKind::Number,
            TokenKind::String => SemanticKind::String,
            TokenKind::Label | TokenKind::Name => return Some(self.name(start, index, token)),
            TokenKind::Comment | TokenKind::LineMarker | TokenKind::Dwarf => SemanticKind::Comment,
            TokenKind::Punct(_) | TokenKind::Operator | TokenKind::Error => return None,
        };
        Some(colour(start, token, kind))
    }

    fn is_type(&self, token: &Token) -> bool {
        self.table.type_of(&self.item.token_text(token)[1..]).is_some()
    }

    fn name(&self, start: usize, index: u32, token: &Token) -> SemanticToken {
        if let Some(symbol) = self.names.declared_at(index) {
            let kind = self.symbol_kind(&self.names.symbols()[symbol as usize]);
            return SemanticToken { definition: true, ..colour(start, token, kind) };
        }
        let Some(used) = self.names.use_at(index) else {
            let kind = if token.kind == TokenKind::Label { SemanticKind::Label } else { SemanticKind::Name };
            return colour(start, token, kind);
        };
        let kind = match used.what {
            Meaning::Symbol(symbol, _) => self.symbol_kind(&self.names.symbols()[symbol as usize]),
            Meaning::SpecialRegister => SemanticKind::SpecialRegister,
            Meaning::Outer => match self.globals.find(self.item.token_text(token)) {
                Some(global) if global.kind == SymbolKind::Function => SemanticKind::Function,
                Some(global) => space_kind(global.variable.as_ref().and_then(|variable| variable.space)),
                None => SemanticKind::Name,
            },
            Meaning::Word => SemanticKind::Name,
        };
        let written = matches!(used.kind, UseKind::Write | UseKind::ReadWrite);
        SemanticToken { written, ..colour(start, token, kind) }
    }

    fn symbol_kind(&self, symbol: &Symbol) -> SemanticKind {
        match symbol.kind {
            SymbolKind::Register if symbol.type_word(self.item) == Some("pred") => SemanticKind::Predicate,
            SymbolKind::Register => SemanticKind::Register,
            SymbolKind::Label | SymbolKind::Targets => SemanticKind::Label,
            SymbolKind::Function | SymbolKind::Prototype => SemanticKind::Function,
            SymbolKind::Parameter | SymbolKind::Result | SymbolKind::Variable => space_kind(symbol.space),
        }
    }
}

const fn space_kind(space: Option<Space>) -> SemanticKind {
    match space {
        Some(Space::Const) => SemanticKind::ConstantBank,
        Some(Space::Reg) => SemanticKind::Register,
        _ => SemanticKind::Name,
    }
}
