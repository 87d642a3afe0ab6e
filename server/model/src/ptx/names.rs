//! Name resolution within one item. The result depends only on the source text of this item.

mod scopes;
mod walk;

use super::symbol::{Symbol, SymbolKind};
use machine::ptx::Ptx;
use syntax::ptx::{InstructionEdit, Item, Statement};

/// Declarations of an item, and the referent of each name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    symbols: Vec<Symbol>,
    uses: Vec<Use>,
    redeclared: Vec<Redeclared>,
}

/// A use of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// Index of the token.
    pub token: u32,
    pub what: Meaning,
    pub kind: UseKind,
}

/// Referent of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// A declaration of this item: its index in [`Names::symbols`], and the register number if the
    /// declaration has the form `%r<10>`.
    Symbol(u32, Option<u32>),
    SpecialRegister,
    /// A name that this item does not declare. Module scope may declare the name, see [`super::Globals`].
    Outer,
    /// A keyword: `_`, `WARP_SZ`, `generic`, the target of `.target`.
    Word,
}

/// Kind of access that a use makes to the object that its name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UseKind {
    Read,
    Write,
    ReadWrite,
    /// The address of a memory object, in brackets or as a value.
    Address,
    Call,
    Jump,
    /// A list of branch or call targets, or a prototype.
    List,
    /// A mention without an access: operands of directives, a name in debug information.
    Mention,
}

/// A declaration of a name that is already declared in the same scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redeclared {
    /// Index of the redeclared symbol.
    pub symbol: u32,
    /// Index of the first symbol with this name.
    pub first: u32,
}

impl Names {
    /// Resolves the names of an item.
    pub fn resolve(item: &Item) -> Self {
        walk::walk(item, &Ptx::builtin())
    }

    /// Updates the resolution after an edit within one instruction. `item` is the edited item. The result
    /// equals that of [`Names::resolve`], but only the edited instruction is examined.
    #[must_use]
    pub fn respelled(&self, item: &Item, respelled: &InstructionEdit) -> Self {
        let Some(statement) = item.statements().get(respelled.statement as usize) else {
            return Self::resolve(item);
        };
        let from = statement.tokens.start;
        let old_end = statement.tokens.end.wrapping_add_signed(-respelled.grown);
        let moved =
            |token: u32| if token < old_end { token } else { token.wrapping_add_signed(respelled.grown) };
        let mut symbols = self.symbols.clone();
        for symbol in &mut symbols {
            symbol.token = moved(symbol.token);
            symbol.ty = symbol.ty.map(moved);
        }
        let (symbols, own) = walk::one(item, &Ptx::builtin(), symbols, respelled.statement);
        let before = self.uses.partition_point(|used| used.token < from);
        let following = self.uses.partition_point(|used| used.token < old_end);
        let moved = self.uses[following..].iter().map(|used| Use { token: moved(used.token), ..*used });
        let uses = self.uses[..before].iter().copied().chain(own).chain(moved).collect();
        Self { symbols, uses, redeclared: self.redeclared.clone() }
    }

    /// Returns all symbols that the item declares, in source order.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns all uses of names, in source order.
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// Returns the uses of names in a statement, in source order.
    pub fn uses_of(&self, statement: &Statement) -> &[Use] {
        let first = self.uses.partition_point(|used| used.token < statement.tokens.start);
        let end = self.uses.partition_point(|used| used.token < statement.tokens.end);
        &self.uses[first..end]
    }

    /// Returns the redeclarations of names within one scope, in source order.
    pub fn redeclared(&self) -> &[Redeclared] {
        &self.redeclared
    }

    /// Returns the use of a name at a token. `None` for a token that declares a name, and for a token that is
    /// not a name.
    pub fn use_at(&self, token: u32) -> Option<&Use> {
        let at = self.uses.binary_search_by_key(&token, |used| used.token).ok()?;
        self.uses.get(at)
    }

    /// Returns the index of the symbol that a token declares. `None` if the token is not a declaration.
    pub fn declared_at(&self, token: u32) -> Option<u32> {
        self.symbols.binary_search_by_key(&token, |symbol| symbol.token).ok().map(|at| at as u32)
    }

    /// Returns the index of the symbol that a token declares or refers to, and the register number within
    /// `%r<10>`. `None` if this item does not declare the symbol.
    pub fn symbol_at(&self, token: u32) -> Option<(u32, Option<u32>)> {
        if let Some(symbol) = self.declared_at(token) {
            return Some((symbol, None));
        }
        match self.use_at(token)?.what {
            Meaning::Symbol(symbol, number) => Some((symbol, number)),
            _ => None,
        }
    }

    /// Returns the names that this item does not declare, without duplicates, in source order.
    pub fn outer<'i>(&self, item: &'i Item) -> Vec<&'i str> {
        let mut names: Vec<&str> = Vec::new();
        let outer = self.uses.iter().filter(|used| used.what == Meaning::Outer);
        for name in outer.map(|used| item.token_text(&item.tokens()[used.token as usize])) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

impl SymbolKind {
    /// True for symbols that have an address.
    pub const fn is_memory(self) -> bool {
        matches!(self, Self::Variable | Self::Parameter | Self::Result)
    }
}
