//! Hover section on names: registers, labels, variables, functions, special registers.

use super::super::referent::{self, Referent};
use super::super::values::{self, ReachingWrites};
use super::super::{needs, symbols};
use super::token_at_cursor::{HoverText, TokenAtCursor};
use crate::engine::names::demangle;
use crate::words::markdown::code;
use crate::words::numbers::{counted, listed};
use model::ptx::{Meaning, Names, Symbol, SymbolKind, Use, UseKind};
use std::fmt::Write;
use std::sync::Arc;
use syntax::ptx::{FunctionKind, Item};

pub(super) fn write(at: &TokenAtCursor<'_, '_>, text: &mut HoverText) {
    let facts = at.view.facts(at.place.item);
    let names = facts.names(at.place.item);
    let Some(subject) = referent::of_token(at.view, at.place.item, names, at.index) else {
        return word(at, text);
    };
    match subject {
        Referent::Local { symbol, number } => {
            let local = LocalSymbol { at, names, symbol, number };
            match names.symbols()[symbol as usize].kind {
                SymbolKind::Register => local.register(text),
                SymbolKind::Label => local.label(text),
                SymbolKind::Targets | SymbolKind::Prototype => local.list(text),
                _ => local.variable(text),
            }
        }
        Referent::Global(name) => global(at, name, text),
        Referent::SpecialRegister(name) => special_register(at, name, text),
        Referent::Unknown(name) => {
            let _ = writeln!(text.markdown, "**{name}**: nothing in this module declares it.");
        }
    }
}

/// Explains a keyword that is used as a name.
fn word(at: &TokenAtCursor<'_, '_>, text: &mut HoverText) {
    let said = match at.word() {
        "_" => "The value is discarded.",
        "WARP_SZ" => "Threads per warp: 32.",
        "generic" => "The generic address of the operand that follows.",
        _ => return,
    };
    let _ = writeln!(text.markdown, "**{}**: {said}", at.word());
}

fn special_register(at: &TokenAtCursor<'_, '_>, name: &str, text: &mut HoverText) {
    let Some(register) = at.view.table.special_register(name) else { return };
    let components: Vec<String> =
        register.components.iter().map(|component| format!("`.{component}`")).collect();
    let parts = match components.len() {
        0 => String::new(),
        1 => format!(", with component {}", components.concat()),
        _ => format!(", with components {}", listed(&components, "and")),
    };
    let _ = writeln!(text.markdown, "**{name}**: {}", register.meaning);
    let need = needs::in_words(&register.need);
    let _ = writeln!(text.markdown, "\nSpecial register, `.{}`{parts}. Needs {need}.", register.ty);
    if let Some(lack) = needs::lack(at.view, &register.need) {
        let _ = writeln!(text.markdown, "\n**Not here**: {lack}.");
    }
}

/// A symbol declared in the item at the cursor.
struct LocalSymbol<'l, 'v, 'a> {
    at: &'l TokenAtCursor<'v, 'a>,
    names: &'l Names,
    symbol: u32,
    number: Option<u32>,
}

impl LocalSymbol<'_, '_, '_> {
    fn item(&self) -> &Arc<Item> {
        self.at.place.item
    }

    fn symbol(&self) -> &Symbol {
        &self.names.symbols()[self.symbol as usize]
    }

    /// Uses of the symbol in its item. For a member of a family such as `%r<10>`, only uses of this
    /// member.
    fn uses(&self) -> impl Iterator<Item = &Use> {
        self.names.uses().iter().filter(|used| match used.what {
            Meaning::Symbol(symbol, number) => {
                symbol == self.symbol && (self.number.is_none() || number == self.number)
            }
            _ => false,
        })
    }

    /// 1-based line number of a token in the item.
    fn line(&self, token: u32) -> u32 {
        let byte = self.item().tokens().get(token as usize).map_or(0, |token| token.start);
        self.at.view.line(&self.at.place, byte)
    }

    fn declared(&self, text: &mut HoverText) {
        let line = self.line(self.symbol().token);
        text.markdown.push_str("declared on ");
        text.link(line);
    }

    fn register(&self, text: &mut HoverText) {
        let symbol = self.symbol();
        let name = symbol.name(self.item());
        let ty = symbol.type_word(self.item()).map_or_else(String::new, |ty| format!(", `.{ty}`"));
        let vector = if symbol.vector > 1 { format!(", vector of {}", symbol.vector) } else { String::new() };
        let _ = write!(text.markdown, "**{}**: register{vector}{ty}, ", self.at.word());
        match (symbol.count, self.number) {
            (Some(count), Some(_)) => {
                let _ = write!(text.markdown, "one of `{name}<{count}>` ");
            }
            (Some(count), None) => {
                let last = count.saturating_sub(1);
                let _ = write!(
                    text.markdown,
                    "{} `{name}0` to `{name}{last}` ",
                    counted(count as usize, "register")
                );
            }
            (None, _) => {}
        }
        self.declared(text);
        let count = |is: fn(UseKind) -> bool| self.uses().filter(|used| is(used.kind)).count();
        let written = count(values::is_write);
        let read = count(|kind| matches!(kind, UseKind::Read | UseKind::ReadWrite));
        let _ =
            writeln!(text.markdown, ". Written {}, read {} in this function.", times(written), times(read));
        self.origin(text);
    }

    /// Appends the writes from which the register read under the cursor may get its value.
    fn origin(&self, text: &mut HoverText) {
        const MAX: usize = 6; // limit: keeps a hover smaller than a screen
        let token = self.at.index as u32;
        match values::origins(self.at.view, self.item(), self.names, token) {
            None => {}
            Some(ReachingWrites::Known(writes)) => match writes[..] {
                [] => text.line("\nNo write of this register reaches this point."),
                [only] => self.writer("Its value comes from", only, text),
                _ => {
                    let _ =
                        write!(text.markdown, "\nIts value comes from one of {} writes, on ", writes.len());
                    for (number, &write) in writes.iter().take(MAX).enumerate() {
                        if number > 0 {
                            text.markdown.push_str(", ");
                        }
                        text.link(self.line(write));
                    }
                    text.line(if writes.len() > MAX { " and others." } else { "." });
                }
            },
            Some(ReachingWrites::Any(writes)) => {
                let above = |token: &&u32| **token < self.at.statement.tokens.start;
                if let Some(&last) = writes.iter().rfind(above) {
                    self.writer("Last written above on", last, text);
                }
            }
        }
    }

    /// Appends a sentence about the statement of a write: `Its value comes from line 66: …`.
    fn writer(&self, says: &str, token: u32, text: &mut HoverText) {
        let _ = write!(text.markdown, "\n{says} ");
        text.link(self.line(token));
        let _ = writeln!(text.markdown, ": {}", code(&self.statement_of(token)));
    }

    /// Text of the statement that contains a token, joined into one line.
    fn statement_of(&self, token: u32) -> String {
        let item = self.item();
        let byte = item.tokens().get(token as usize).map_or(0, |token| token.start);
        item.statement_at(byte).map_or_else(String::new, |at| one_line(item, at))
    }

    fn label(&self, text: &mut HoverText) {
        let _ = write!(text.markdown, "**{}**: label, ", self.at.word());
        self.declared(text);
        let jumps = self.uses().filter(|used| used.kind == UseKind::Jump).count();
        let from = match jumps {
            0 => "; nothing branches to it".to_owned(),
            1 => "; one branch goes to it".to_owned(),
            _ => format!("; {jumps} branches go to it"),
        };
        let _ = writeln!(text.markdown, "{from}.");
        let following = self.symbol().statement as usize + 1;
        let statements = self.item().statements();
        let next = (following..statements.len()).find(|&at| self.item().opcode(&statements[at]).is_some());
        if let Some(next) = next {
            let _ = writeln!(text.markdown, "\nFirst instruction: {}", code(&one_line(self.item(), next)));
        }
    }

    fn list(&self, text: &mut HoverText) {
        let kind = if self.symbol().kind == SymbolKind::Targets { "list of targets" } else { "prototype" };
        let _ = write!(text.markdown, "**{}**: {kind}, ", self.at.word());
        self.declared(text);
        let following = self.symbol().statement as usize + 1;
        let _ = writeln!(text.markdown, ":\n\n{}", code(&one_line(self.item(), following)));
    }

    fn variable(&self, text: &mut HoverText) {
        let symbol = self.symbol();
        let kind = match symbol.kind {
            SymbolKind::Parameter if is_kernel(self.item()) => "parameter of the kernel",
            SymbolKind::Parameter => "parameter of the function",
            SymbolKind::Result => "result of the function",
            _ => "variable",
        };
        let _ = write!(text.markdown, "**{}**: {kind}, ", self.at.word());
        self.declared(text);
        text.markdown.push('\n');
        declaration(self.at, self.item(), symbol, text);
        let _ = writeln!(text.markdown, "\nOccurs {} in this function.", times(self.uses().count()));
    }
}

fn times(count: usize) -> String {
    match count {
        0 => "nowhere".to_owned(),
        1 => "once".to_owned(),
        _ => format!("{count} times"),
    }
}

fn is_kernel(item: &Item) -> bool {
    item.function().is_some_and(|function| function.kind == FunctionKind::Entry)
}

/// Text of a statement, joined into one line and truncated to a readable length.
fn one_line(item: &Item, statement: usize) -> String {
    const MAX: usize = 160; // limit: about as much as one line of a hover shows
    let Some(statement) = item.statements().get(statement) else { return String::new() };
    let range = item.range(statement);
    let words: Vec<&str> = item.text()[range.start as usize..range.end as usize].split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Appends a variable's declaration, size and alignment.
fn declaration(at: &TokenAtCursor<'_, '_>, item: &Item, symbol: &Symbol, text: &mut HoverText) {
    let found = symbols::declarations(item).into_iter().find(|(_, name)| {
        item.tokens().get(symbol.token as usize).is_some_and(|token| token.start == name.name.start)
    });
    if let Some((variable, name)) = found {
        let _ = writeln!(text.markdown, "\n`{}`", symbols::in_words(item, &variable, &name));
    }
    let bits =
        symbol.type_word(item).and_then(|word| at.view.table.type_of(word)).map(|ty| u64::from(ty.bits));
    let elements = if symbol.dimensions.is_empty() { Some(1) } else { symbol.elements() };
    let one = bits.map(|bits| bits.div_ceil(8) * u64::from(symbol.vector));
    let bytes = one.zip(elements).and_then(|(one, elements)| one.checked_mul(elements));
    let size =
        bytes.map_or_else(|| "size not declared here".to_owned(), |bytes| counted(bytes as usize, "byte"));
    // Without `.align`, a variable is aligned to the size of one element.
    let align = match (symbol.align, one) {
        (Some(align), _) => format!(", {align}-byte aligned"),
        (None, Some(one)) => format!(", {one}-byte aligned (default for its type)"),
        (None, None) => String::new(),
    };
    let _ = writeln!(text.markdown, "\n{size}{align}");
}

/// Appends a description of a module-scope function or variable.
fn global(at: &TokenAtCursor<'_, '_>, name: &str, text: &mut HoverText) {
    let Some(global) = referent::main_declaration(at.view, name) else { return };
    let item = &at.view.module.items()[global.item];
    let Some(token) = item.tokens().get(global.token as usize) else { return };
    let line = at.view.module.start(global.item).line
        + item.text()[..token.start as usize].matches('\n').count() as u32
        + 1;
    let kind = match global.kind {
        SymbolKind::Function if is_kernel(item) => "kernel",
        SymbolKind::Function => "function",
        SymbolKind::Label => "label of a section",
        _ => "variable of the module",
    };
    let linkage = global.linkage.as_deref().map_or_else(String::new, |word| format!("`.{word}` "));
    let _ = write!(
        text.markdown,
        "**{}**: {linkage}{kind}, declared on ",
        demangle(name).as_deref().unwrap_or(name)
    );
    text.link(line);
    text.markdown.push('\n');
    if let Some(variable) = &global.variable {
        declaration(at, item, variable, text);
    }
    if global.kind == SymbolKind::Function {
        let _ = writeln!(text.markdown, "\n```ptx\n{}\n```", signature(item));
        performance(at, item, text);
        if let Some(function) = item.function()
            && function.body.is_none()
        {
            let _ = writeln!(text.markdown, "\nDeclared only: its body is in another module or missing.");
        }
    }
}

/// Head of a function with one parameter per line, without performance directives.
fn signature(item: &Item) -> String {
    let Some(function) = item.function() else { return String::new() };
    let words = |range| -> Vec<String> {
        item.parameters(range)
            .flat_map(|one| {
                let names: Vec<_> = one.declarators().collect();
                names.into_iter().map(move |name| {
                    let said = symbols::in_words(item, &one, &name);
                    let (head, dimensions) = said.split_once('[').unwrap_or((&said, ""));
                    let bracket = if dimensions.is_empty() { "" } else { "[" };
                    format!("{head} {}{bracket}{dimensions}", item.token_text(name.name))
                })
            })
            .collect()
    };
    let kind = if function.kind == FunctionKind::Entry { ".entry" } else { ".func" };
    let results = words(function.returns);
    let results = if results.is_empty() { String::new() } else { format!(" ({})", results.join(", ")) };
    let name = item.name().unwrap_or_default();
    let parameters = words(function.parameters);
    match parameters.len() {
        0 => format!("{kind}{results} {name}()"),
        _ => format!("{kind}{results} {name}(\n    {}\n)", parameters.join(",\n    ")),
    }
}

fn performance(at: &TokenAtCursor<'_, '_>, item: &Item, text: &mut HoverText) {
    let Some(function) = item.function() else { return };
    let directives: Vec<_> = item.performance(function).collect();
    if !directives.is_empty() {
        text.markdown.push('\n');
    }
    for directive in directives {
        let word = item.token_text(directive.word);
        let arguments: Vec<&str> = directive.arguments().map(|one| one.text()).collect();
        let meaning = at.view.table.directive(word).map_or("", |known| &*known.meaning);
        let written = format!("{word} {}", arguments.join(", "));
        let _ = writeln!(text.markdown, "- `{}`: {meaning}", written.trim_end());
    }
}
