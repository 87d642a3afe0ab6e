//! Scopes: the declarations that are visible at a source position.

use crate::ptx::symbol::{Symbol, SymbolKind};
use rustc_hash::FxHashMap;

/// Declarations that are visible at a source position. Inner scopes take precedence over outer scopes.
#[derive(Debug, Default)]
pub(super) struct Scopes<'i> {
    /// Declarations of each name, innermost last. An inner declaration hides the preceding declarations.
    named: FxHashMap<&'i str, Vec<DeclaredName>>,
    /// Declarations of register ranges such as `%r<10>`, by the name before `<10>`, innermost last.
    numbered: FxHashMap<&'i str, Vec<NumberedNames>>,
    /// Names that each open scope declares.
    open: Vec<Vec<AddedName<'i>>>,
    /// Memoized look-ups since the last declaration or end of a scope.
    found: FxHashMap<&'i str, Option<(u32, Option<u32>)>>,
}

#[derive(Debug, Clone, Copy)]
struct DeclaredName {
    symbol: u32,
    depth: u32,
}

#[derive(Debug, Clone, Copy)]
struct NumberedNames {
    symbol: u32,
    depth: u32,
    count: u32,
}

#[derive(Debug, Clone, Copy)]
enum AddedName<'i> {
    Name(&'i str),
    Number(&'i str),
}

impl<'i> Scopes<'i> {
    pub(super) fn enter(&mut self) {
        self.open.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        self.found.clear();
        for added in self.open.pop().unwrap_or_default() {
            match added {
                AddedName::Name(name) => drop(self.named.get_mut(name).map(Vec::pop)),
                AddedName::Number(stem) => drop(self.numbered.get_mut(stem).map(Vec::pop)),
            }
        }
    }

    /// Declares a symbol at the current position. Returns the symbol that the same scope has already declared
    /// with this name; `None` if there is none.
    pub(super) fn declare(&mut self, name: &'i str, index: u32, symbol: &Symbol) -> Option<u32> {
        self.found.clear();
        let depth = self.open.len() as u32;
        let scope = self.open.last_mut()?;
        if let Some(count) = symbol.count {
            let all = self.numbered.entry(name).or_default();
            let before = all.last().filter(|have| have.depth == depth).map(|have| have.symbol);
            all.push(NumberedNames { symbol: index, depth, count });
            scope.push(AddedName::Number(name));
            return before;
        }
        let hidden = numbered(&self.numbered, name).filter(|(have, _)| have.depth == depth);
        let all = self.named.entry(name).or_default();
        let same = all.last().filter(|have| have.depth == depth).map(|have| have.symbol);
        let before = same.or(hidden.map(|(have, _)| have.symbol)).filter(|before| *before != index);
        // The name of the function may be declared again in the function header.
        if same != Some(index) {
            all.push(DeclaredName { symbol: index, depth });
            scope.push(AddedName::Name(name));
        }
        before
    }

    /// Returns the declaration that a name refers to at the current position, and the register number within
    /// `%r<10>`. `None` if the name is not declared.
    pub(super) fn find(&mut self, name: &'i str) -> Option<(u32, Option<u32>)> {
        if let Some(&found) = self.found.get(name) {
            return found;
        }
        let found = self.search(name);
        self.found.insert(name, found);
        found
    }

    fn search(&self, name: &str) -> Option<(u32, Option<u32>)> {
        let named = self.named.get(name).and_then(|all| all.last());
        let number = numbered(&self.numbered, name);
        match (named, number) {
            (Some(have), Some((other, number))) if other.depth > have.depth => {
                Some((other.symbol, Some(number)))
            }
            (Some(have), _) => Some((have.symbol, None)),
            (None, Some((have, number))) => Some((have.symbol, Some(number))),
            (None, None) => None,
        }
    }
}

/// Returns the innermost register range such as `%r<10>` that declares this name, and the register number.
fn numbered(all: &FxHashMap<&str, Vec<NumberedNames>>, name: &str) -> Option<(NumberedNames, u32)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let stems = (name.len() - digits).max(1)..name.len();
    let found = stems.filter_map(|end| {
        let (stem, number) = name.split_at_checked(end)?;
        let number: u32 = number.parse().ok()?;
        let have = all.get(stem)?.iter().rev().find(|have| number < have.count)?;
        Some((*have, number))
    });
    found.max_by_key(|(have, _)| have.depth)
}

/// True for symbols that are visible in their entire scope, even before the declaration.
pub(super) fn is_known_ahead(kind: SymbolKind) -> bool {
    kind == SymbolKind::Label
}
