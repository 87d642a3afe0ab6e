//! The outline: the name of each symbol, its container and its end.

use crate::session::{DOCUMENT, check, host, snapshot};
use ide::{Symbol, SymbolKind};
use testkit::{Answer, Fixture};

fn add(fixture: &Fixture, symbols: Vec<Symbol>, parent: Option<&str>, answers: &mut Vec<Answer>) {
    for symbol in symbols {
        let tag = match symbol.kind {
            SymbolKind::Kernel => "symbol[kernel]",
            SymbolKind::Block => "symbol[block]",
            SymbolKind::Label => "symbol[label]",
            SymbolKind::Loop => "symbol[loop]",
            SymbolKind::Barrier => "symbol[barrier]",
            SymbolKind::Section => "symbol[section]",
            SymbolKind::Function => "symbol[function]",
            SymbolKind::Variable => "symbol[variable]",
            SymbolKind::Parameter => "symbol[parameter]",
        };
        assert!(
            symbol.range.start <= symbol.selection.start && symbol.selection.end <= symbol.range.end,
            "the name of {} is outside its range, which editors refuse",
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

#[test]
fn a_label_right_above_another_names_a_function_of_no_instructions() {
    let text = "\t.section\t.text.kernel,\"ax\",@progbits\n.text.kernel:\n$kernel$one:\n$kernel$two:\n        /*0000*/                   EXIT ;\n";
    let mut host = host();
    host.open(DOCUMENT, 1, text);
    let analysis = snapshot(&host);
    for name in ["kernel:", "$kernel$one", "$kernel$two"] {
        let offset = text.find(name).expect("it is in the text");
        let item = analysis.call_item(offset).expect("nothing cancels it").expect("there is a function");
        assert!(text[item.range.clone()].contains(&text[item.selection.clone()]), "{name}: {item:?}");
    }
}
