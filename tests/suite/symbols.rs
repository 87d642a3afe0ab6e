//! The outline: what each symbol is called, what it is in, where it ends.

use crate::session::check;
use ide::{Symbol, SymbolKind};
use testkit::{Answer, Fixture};

fn add(fixture: &Fixture, symbols: Vec<Symbol>, parent: Option<&str>, answers: &mut Vec<Answer>) {
    for symbol in symbols {
        let tag = match symbol.kind {
            SymbolKind::Kernel => "symbol[kernel]",
            SymbolKind::Block => "symbol[block]",
            SymbolKind::Label => "symbol[label]",
            SymbolKind::Section => "symbol[section]",
        };
        assert!(
            symbol.range.start <= symbol.selection.start && symbol.selection.end <= symbol.range.end,
            "the name of {} stands outside it, which editors refuse",
            symbol.name
        );
        let inside = parent.map_or_else(String::new, |parent| format!(" in {parent}"));
        let last = fixture.last_line_in(&symbol.range);
        let text = format!("{}{inside} | {} | to {last}", symbol.name, symbol.detail);
        answers.push(Answer::at(symbol.selection, tag, text));
        add(fixture, symbol.children, Some(&symbol.name), answers);
    }
}

#[test]
fn symbols_outline_a_listing() {
    check("symbols", |fixture, analysis| {
        let mut answers = Vec::new();
        add(fixture, analysis.symbols().expect("nothing cancels it"), None, &mut answers);
        answers
    });
}
