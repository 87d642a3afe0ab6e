//! The GPU function at the cursor, and queries about its source.

use crate::TextEdit;
use crate::cuda::view::CudaView;
use std::ops::Range;
use syntax::cuda::{
    Attribute, Expr, ExprKind, Function, ItemKind, PlacedItem, Stmt, StmtKind, TypeName, Variable,
};

/// A cursor position in a GPU function that was parsed completely.
pub(super) struct EditSite<'a> {
    pub view: &'a CudaView<'a>,
    pub item: u32,
    pub placed: &'a PlacedItem,
    pub function: &'a Function,
    pub body: &'a Stmt,
    /// Byte offset of the cursor in the item.
    pub byte: u32,
}

impl<'a> EditSite<'a> {
    /// Returns the site at an offset. `None` outside of functions that run only on the GPU. Also `None` if
    /// the function has a syntax error, a preprocessor directive other than `#pragma`, or an unsupported
    /// construct, because the uses of variables are then unknown.
    pub(super) fn at(view: &'a CudaView<'a>, offset: usize) -> Option<Self> {
        let unit = view.text.unit();
        let (placed, byte) = unit.item_at(offset)?;
        let item = unit.items.iter().position(|other| other.start == placed.start)?;
        let ItemKind::Function(function) = &placed.item.kind else { return None };
        let body = function.body.as_ref()?;
        let is_ours = function.is_on_device() && !function.attributes.contains(&Attribute::Host);
        let place = Self { view, item: item as u32, placed, function, body, byte };
        let text = place.slice(&(0..placed.item.length));
        let is_directive = |line: &str| {
            let line = line.trim_start();
            line.starts_with('#') && !line.starts_with("#pragma")
        };
        let is_read =
            placed.item.errors.is_empty() && !text.lines().any(is_directive) && place.is_understood();
        (is_ours && is_read).then_some(place)
    }

    /// Returns the text of a byte range of the item.
    pub(super) fn slice(&self, range: &Range<u32>) -> &'a str {
        self.view.text.text().get(self.placed.range(range)).unwrap_or_default()
    }

    /// Returns an edit that replaces a byte range of the item.
    pub(super) fn edit(&self, range: Range<u32>, text: impl Into<String>) -> TextEdit {
        TextEdit { range: self.placed.range(&range), text: text.into() }
    }

    /// Returns the innermost expression at the cursor that satisfies `is_meant`. `None` if there is no such
    /// expression.
    pub(super) fn innermost(&self, is_meant: impl Fn(&Expr) -> bool) -> Option<&'a Expr> {
        let around = |expr: &&Expr| expr.range.start <= self.byte && self.byte <= expr.range.end;
        let found = self.expressions().into_iter().filter(around).filter(|expr| is_meant(expr));
        found.min_by_key(|expr| expr.range.end - expr.range.start)
    }

    /// Returns all expressions in the body.
    pub(super) fn expressions(&self) -> Vec<&'a Expr> {
        let mut all = Vec::new();
        self.body.walk_expressions(&mut |expr| all.push(expr));
        all
    }

    /// Returns all variables that the body declares.
    pub(super) fn variables(&self) -> Vec<&'a Variable> {
        let mut all = Vec::new();
        self.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Declaration(variables) => all.extend(variables),
            StmtKind::ForEach { variable, .. } => all.push(variable),
            _ => {}
        });
        all
    }

    /// Returns the local variable `name`. `None` if there are several such variables, or if the name may
    /// refer to a parameter or macro.
    pub(super) fn variable(&self, name: &str) -> Option<&'a Variable> {
        let mut named = self.variables().into_iter().filter(|variable| variable.name == name);
        let only = named.next()?;
        let is_other = named.next().is_some()
            || self.function.parameters.iter().any(|parameter| parameter.name == name)
            || self.is_in_macro(name);
        (!is_other).then_some(only)
    }

    /// Returns the declared type of a variable or parameter. `None` unless the function declares the name
    /// exactly once.
    pub(super) fn type_of(&self, name: &str) -> Option<&'a TypeName> {
        let own = self.variables().into_iter().filter(|variable| variable.name == name);
        let mut types = own.map(|variable| &variable.of).chain(
            self.function
                .parameters
                .iter()
                .filter(|parameter| parameter.name == name)
                .map(|parameter| &parameter.of),
        );
        let only = types.next()?;
        (types.next().is_none() && !self.is_in_macro(name)).then_some(only)
    }

    /// True if a macro in the file has this name or contains the name in its replacement.
    pub(super) fn is_in_macro(&self, name: &str) -> bool {
        self.view.text.unit().items.iter().any(|placed| match &placed.item.kind {
            ItemKind::Macro(of) => of.name == name || has_word(&of.text, name),
            _ => false,
        })
    }

    /// Returns the function with this name in the file. `None` if there is no such function.
    pub(super) fn function_named(&self, name: &str) -> Option<&'a Function> {
        self.view.text.unit().functions().map(|(_, function)| function).find(|function| function.name == name)
    }

    /// Returns the white space before a byte on its line. `None` if other text precedes the byte.
    pub(super) fn indent(&self, byte: u32) -> Option<&'a str> {
        let before = &self.view.text.text()[..self.placed.range(&(0..byte)).end];
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        line.trim().is_empty().then_some(line)
    }

    fn is_understood(&self) -> bool {
        let mut is_understood = true;
        self.body.walk(&mut |stmt| {
            is_understood &= !matches!(stmt.kind, StmtKind::Unknown | StmtKind::Goto);
        });
        self.body.walk_expressions(&mut |expr| {
            is_understood &= match expr.kind {
                ExprKind::Unknown => self.slice(&expr.range).starts_with('"'),
                ExprKind::Lambda(_) => false,
                _ => true,
            };
        });
        is_understood
    }
}

/// True if a text contains `word` as a whole identifier.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// Returns the name of an indexed array or pointer, and the number of subscripts. `None` for any other
/// expression.
pub(super) fn indexed(expr: &Expr) -> Option<(&str, usize)> {
    match &expr.kind {
        ExprKind::Index { of, .. } => match of.as_name() {
            Some(name) => Some((name, 1)),
            None => indexed(of).map(|(name, depth)| (name, depth + 1)),
        },
        _ => None,
    }
}
