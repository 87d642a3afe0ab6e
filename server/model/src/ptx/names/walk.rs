//! Walks an item's statements: first collects the declarations, then resolves the uses of names.

use super::scopes::{Scopes, is_known_ahead};
use super::{Meaning, Names, Redeclared, Use, UseKind};
use crate::ptx::bind::Binder;
use crate::ptx::symbol::{Symbol, SymbolKind, index_of};
use machine::ptx::{Access, OperandKind as Role, Ptx};
use syntax::ptx::{Item, Operand, OperandKind, Statement, StatementKind, Token, TokenKind};

pub(super) fn walk(item: &Item, ptx: &Ptx) -> Names {
    let mut walk = Walk::new(item, ptx, symbols(item));
    walk.item(None);
    walk.names.settle();
    walk.names.redeclared.sort_by_key(|again| again.symbol);
    walk.names
}

/// Resolves the names of one statement. Returns `symbols`, the declarations of the item, and the uses in
/// source order.
pub(super) fn one(item: &Item, ptx: &Ptx, symbols: Vec<Symbol>, statement: u32) -> (Vec<Symbol>, Vec<Use>) {
    let mut walk = Walk::new(item, ptx, symbols);
    walk.item(Some(statement));
    walk.names.settle();
    (walk.names.symbols, walk.names.uses)
}

impl Names {
    /// Sorts the uses in source order and removes duplicates.
    fn settle(&mut self) {
        self.uses.sort_by_key(|used| used.token);
        self.uses.dedup_by_key(|used| used.token);
    }
}

/// Returns the declarations of all statements, in source order.
fn symbols(item: &Item) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let statements = item.statements();
    for (at, statement) in statements.iter().enumerate() {
        let index = at as u32;
        let first = symbols.len();
        match statement.kind {
            StatementKind::Function => head(item, index, &mut symbols),
            StatementKind::Open { .. } => open.push(index),
            StatementKind::Close { .. } => drop(open.pop()),
            StatementKind::Variable => {
                if let Some(variable) = item.variable(statement) {
                    symbols.extend(Symbol::all_of(item, variable, SymbolKind::Variable, index));
                }
            }
            StatementKind::Label => {
                let next = statements.get(at + 1).and_then(|next| item.directive(next));
                let kind = match next {
                    Some(".branchtargets" | ".calltargets") => SymbolKind::Targets,
                    Some(".callprototype") => SymbolKind::Prototype,
                    _ => SymbolKind::Label,
                };
                symbols.push(Symbol::named(kind, statement.tokens.start, index));
            }
            _ => {}
        }
        if statement.kind != StatementKind::Function {
            for symbol in &mut symbols[first..] {
                symbol.scope = open.last().copied();
            }
        }
    }
    symbols.sort_by_key(|symbol| symbol.token);
    symbols
}

/// Adds a function, its results and its parameters. Results and parameters belong to the scope of the body.
fn head(item: &Item, statement: u32, symbols: &mut Vec<Symbol>) {
    let Some(function) = item.function() else { return };
    if let Some(name) = function.name {
        symbols.push(Symbol::named(SymbolKind::Function, name, statement));
    }
    let lists = [(function.returns, SymbolKind::Result), (function.parameters, SymbolKind::Parameter)];
    for (range, kind) in lists {
        for variable in item.parameters(range) {
            let declared = Symbol::all_of(item, variable, kind, statement);
            symbols.extend(declared.map(|symbol| Symbol { scope: function.body, ..symbol }));
        }
    }
}

struct Walk<'i, 'p> {
    item: &'i Item,
    ptx: &'p Ptx,
    binder: Binder<'p>,
    scopes: Scopes<'i>,
    names: Names,
}

impl<'i, 'p> Walk<'i, 'p> {
    fn new(item: &'i Item, ptx: &'p Ptx, symbols: Vec<Symbol>) -> Self {
        let names = Names { symbols, ..Names::default() };
        Self { item, ptx, binder: Binder::new(ptx), scopes: Scopes::default(), names }
    }

    /// Resolves names in all statements, or only in the statement `only`. Declarations of the preceding
    /// statements are always processed.
    fn item(&mut self, only: Option<u32>) {
        self.scopes.enter();
        let item = self.item;
        // Symbols that are visible before their declaration, by scope.
        let mut ahead: Vec<(u32, u32)> = Vec::new();
        for (index, symbol) in self.names.symbols.iter().enumerate() {
            if let (true, Some(scope)) = (is_known_ahead(symbol.kind), symbol.scope) {
                ahead.push((scope, index as u32));
            }
        }
        ahead.sort_unstable();
        let body = item.function().and_then(|function| function.body);
        let mut next = 0;
        for (at, statement) in item.statements().iter().enumerate() {
            let index = at as u32;
            if let StatementKind::Open { .. } = statement.kind {
                self.scopes.enter();
                if body == Some(index) {
                    self.declare_parameters();
                }
                let from = ahead.partition_point(|(scope, _)| *scope < index);
                let to = ahead.partition_point(|(scope, _)| *scope <= index);
                for &(_, symbol) in &ahead[from..to] {
                    self.declare(symbol);
                }
            }
            // Symbols are in source order, and the symbols of a statement are adjacent.
            while let Some(symbol) = self.names.symbols.get(next).filter(|symbol| symbol.statement <= index) {
                let is_in_head = matches!(symbol.kind, SymbolKind::Parameter | SymbolKind::Result);
                if !is_in_head && !is_known_ahead(symbol.kind)
                    || symbol.kind == SymbolKind::Label && symbol.scope.is_none()
                {
                    self.declare(next as u32);
                }
                next += 1;
            }
            if only.is_none_or(|only| only == index) {
                self.statement(statement);
            }
            if only == Some(index) {
                return;
            }
            if let StatementKind::Close { .. } = statement.kind {
                self.scopes.leave();
            }
        }
    }

    fn declare_parameters(&mut self) {
        for index in 0..self.names.symbols.len() as u32 {
            match self.names.symbols[index as usize].kind {
                SymbolKind::Parameter | SymbolKind::Result => self.declare(index),
                SymbolKind::Function => {}
                // Symbols of the function header come first.
                _ => return,
            }
        }
    }

    fn declare(&mut self, index: u32) {
        let symbol = &self.names.symbols[index as usize];
        let name = symbol.name(self.item);
        // `_` declares no name: it is a parameter of a prototype.
        if name == "_" {
            return;
        }
        if let Some(other) = self.scopes.declare(name, index, symbol) {
            let (symbol, first) = (index.max(other), index.min(other));
            self.names.redeclared.push(Redeclared { symbol, first });
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement.kind {
            StatementKind::Instruction { .. } => self.instruction(statement),
            StatementKind::Variable => {
                for one in self.item.variable(statement).into_iter().flat_map(|one| one.declarators()) {
                    let from = index_of(self.item, one.name) + 1;
                    let initialiser = one.initialiser().map_or(&[][..], |value| value.tokens());
                    let end = initialiser.last().map_or(from, |last| index_of(self.item, last) + 1);
                    self.names_in(from..end, UseKind::Address);
                }
            }
            StatementKind::Directive => self.directive(statement),
            StatementKind::Data => {
                self.names_in(statement.tokens.start..statement.tokens.end, UseKind::Mention);
            }
            _ => {}
        }
    }

    fn directive(&mut self, statement: &Statement) {
        let tokens = statement.tokens.start..statement.tokens.end;
        match self.item.directive(statement) {
            Some(".branchtargets") => self.names_in(tokens, UseKind::Jump),
            Some(".calltargets" | ".alias") => self.names_in(tokens, UseKind::Call),
            Some(".loc" | ".loc_intermediate") => self.names_in(tokens, UseKind::Mention),
            _ => {
                for token in tokens {
                    if self.item.tokens()[token as usize].kind == TokenKind::Name {
                        self.add(token, Meaning::Word, UseKind::Mention);
                    }
                }
            }
        }
    }

    fn instruction(&mut self, statement: &Statement) {
        let StatementKind::Instruction { opcode, .. } = statement.kind else { return };
        self.names_in(statement.tokens.start..opcode, UseKind::Read);
        // Without a matching form, the roles of the names are unknown.
        let roles = self.binder.roles(self.item, statement);
        for (at, operand) in self.item.operands(statement).enumerate() {
            let role = roles.as_ref().and_then(|roles| roles.get(at));
            self.operand(operand, role.map(|role| (role.access, &role.kind)));
        }
    }

    /// Adds the names of an operand as uses, with the access that the operand's role implies.
    fn operand(&mut self, operand: Operand<'i>, role: Option<(Access, &Role)>) {
        let kind = match role {
            Some((_, Role::Label)) => UseKind::Jump,
            Some((_, Role::Targets)) => UseKind::List,
            Some((_, Role::Function)) => UseKind::Call,
            Some((Access::ReadWrite, Role::Value { .. })) => UseKind::ReadWrite,
            Some((Access::Write, Role::Value { .. } | Role::Arguments)) => UseKind::Write,
            _ => UseKind::Read,
        };
        // Registers in an address are read, regardless of the access to memory.
        let kind = match operand.kind() {
            OperandKind::Address | OperandKind::Element if kind != UseKind::Jump => UseKind::Read,
            _ => kind,
        };
        let (Some(first), Some(last)) = (operand.tokens().first(), operand.tokens().last()) else { return };
        let tokens = index_of(self.item, first)..index_of(self.item, last) + 1;
        self.names_in(tokens, kind);
    }

    /// Adds every name in a token range as a use.
    fn names_in(&mut self, tokens: std::ops::Range<u32>, kind: UseKind) {
        let item = self.item;
        for index in tokens {
            let Some(token) = item.tokens().get(index as usize) else { return };
            if token.kind == TokenKind::Name {
                let next = item.tokens().get(index as usize + 1);
                self.name(index, item.token_text(token), next, kind);
            }
        }
    }

    fn name(&mut self, token: u32, name: &'i str, next: Option<&Token>, kind: UseKind) {
        if let Some((symbol, number)) = self.scopes.find(name) {
            let declared = self.names.symbols[symbol as usize].kind;
            let kind = match (declared, kind) {
                (_, UseKind::Mention | UseKind::Call | UseKind::List) => kind,
                (SymbolKind::Label, _) => UseKind::Jump,
                (SymbolKind::Function, _) => UseKind::Address,
                (SymbolKind::Targets | SymbolKind::Prototype, _) => UseKind::List,
                (SymbolKind::Register, UseKind::Address) => UseKind::Read,
                (_, UseKind::Read) if self.is_in_memory(symbol) => UseKind::Address,
                _ => kind,
            };
            return self.add(token, Meaning::Symbol(symbol, number), kind);
        }
        let is_word = matches!(name, "_" | "WARP_SZ" | "function_name" | "inlined_at")
            || name == "generic" && next.is_some_and(|next| next.is(b'('));
        if is_word {
            return self.add(token, Meaning::Word, UseKind::Mention);
        }
        if self.ptx.special_register(name).is_some() {
            return self.add(token, Meaning::SpecialRegister, kind);
        }
        let kind = if kind == UseKind::Read { UseKind::Address } else { kind };
        self.add(token, Meaning::Outer, kind);
    }

    fn is_in_memory(&self, symbol: u32) -> bool {
        let symbol = &self.names.symbols[symbol as usize];
        symbol.kind.is_memory() && symbol.space != Some(crate::ptx::Space::Reg)
    }

    fn add(&mut self, token: u32, what: Meaning, kind: UseKind) {
        self.names.uses.push(Use { token, what, kind });
    }
}
