//! Resolution of the name at a position.

use crate::ptx::view::{Position, View};
use model::ptx::{Global, Meaning, Names, Symbol, SymbolKind};
use syntax::ptx::{Item, ItemKind, TokenKind};

/// Referent of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Referent<'a> {
    /// A symbol of the item, by its index in [`Names::symbols`]. `number` is the member number in a
    /// family such as `%r<10>`.
    Local {
        symbol: u32,
        number: Option<u32>,
    },
    /// A symbol of module scope.
    Global(&'a str),
    SpecialRegister(&'a str),
    /// A name without a declaration.
    Unknown(&'a str),
}

/// Token index and referent of the name at a position; `None` for keywords, or if no name is at the
/// position.
pub(super) fn at<'a>(view: &View<'a>, place: &Position<'a>, names: &Names) -> Option<(usize, Referent<'a>)> {
    let token = place.token_index()?;
    Some((token, of_token(view, place.item, names, token)?))
}

pub(super) fn of_token<'a>(
    view: &View<'a>,
    item: &'a Item,
    names: &Names,
    token: usize,
) -> Option<Referent<'a>> {
    let spelled = item.tokens().get(token)?;
    if !matches!(spelled.kind, TokenKind::Name | TokenKind::Label) {
        return None;
    }
    let name = item.token_text(spelled);
    let index = u32::try_from(token).ok()?;
    let outer = || {
        if view.globals().find(name).is_some() { Referent::Global(name) } else { Referent::Unknown(name) }
    };
    if let Some(symbol) = names.declared_at(index) {
        let is_global = is_of_module(item, &names.symbols()[symbol as usize]);
        return Some(if is_global { outer() } else { Referent::Local { symbol, number: None } });
    }
    let Some(used) = names.use_at(index) else {
        return (item.kind() == ItemKind::Section).then(outer);
    };
    match used.what {
        Meaning::Symbol(symbol, _) if is_of_module(item, &names.symbols()[symbol as usize]) => Some(outer()),
        Meaning::Symbol(symbol, number) => Some(Referent::Local { symbol, number }),
        Meaning::SpecialRegister => Some(Referent::SpecialRegister(name)),
        Meaning::Outer => Some(outer()),
        Meaning::Word => None,
    }
}

/// True if the symbol is at module scope: a function, or a variable outside of functions.
pub(super) fn is_of_module(item: &Item, symbol: &Symbol) -> bool {
    match item.kind() {
        ItemKind::Function => symbol.kind == SymbolKind::Function,
        ItemKind::Variable | ItemKind::Section => true,
        _ => false,
    }
}

/// Definition of a module-scope name, otherwise its first declaration.
pub(super) fn main_declaration<'a>(view: &View<'a>, name: &str) -> Option<&'a Global> {
    let globals = view.globals();
    globals.all_of(name).find(|global| global.is_definition).or_else(|| globals.find(name))
}
