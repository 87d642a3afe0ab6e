//! A parsed PTX module and the facts that depend on the whole module.

use model::ptx::{Globals, lower};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use syntax::ptx::{Item, ItemKind, Module, Token};

/// A parsed module. Cheap to clone, because its items are shared.
#[derive(Debug, Clone)]
pub(crate) struct PtxText {
    module: Module,
    /// Declarations at module scope. Computed on first use.
    globals: Arc<OnceLock<Globals>>,
    lowering: Arc<OnceLock<lower::Facts>>,
    head: Arc<OnceLock<Box<[Box<str>]>>>,
}

impl PtxText {
    pub(crate) fn parse(text: &str) -> Self {
        Self::new(Module::parse(text))
    }

    fn new(module: Module) -> Self {
        Self { module, globals: Arc::default(), lowering: Arc::default(), head: Arc::default() }
    }

    pub(crate) fn edit(&self, range: Range<usize>, text: &str) -> Self {
        Self::new(self.module.edit(range, text))
    }

    pub(crate) fn module(&self) -> &Module {
        &self.module
    }

    /// Returns the module facts that lowering a function needs. Computed on first use.
    pub(crate) fn lowering_facts(&self) -> &lower::Facts {
        self.lowering.get_or_init(|| lower::Facts::collect(&self.module))
    }

    /// Returns the comments before the first function.
    pub(crate) fn head_comments(&self) -> &[Box<str>] {
        self.head.get_or_init(|| {
            let items = self.module.items();
            let first = items.iter().position(|item| item.kind() == ItemKind::Function);
            let before = items[..first.unwrap_or(items.len())].iter();
            let before = before.flat_map(|item| item.comments().iter().map(|one| item.token_text(one)));
            let function = first.map(|first| &items[first]).into_iter();
            let above = function.flat_map(|item| heading(item).map(|one| item.token_text(one)));
            before.chain(above).map(Box::from).collect()
        })
    }

    /// Returns the declarations at module scope.
    pub(crate) fn globals(&self) -> &Globals {
        self.globals.get_or_init(|| Globals::collect(&self.module))
    }
}

/// Returns the comments before an item's first token.
pub(crate) fn heading(item: &Item) -> impl Iterator<Item = &Token> {
    let first = item.tokens().first().map_or(u32::MAX, |token| token.start);
    item.comments().iter().take_while(move |comment| comment.start < first)
}

/// Converts a byte range in an item to a byte range in the module. `start` is the byte offset of the item.
pub(crate) fn placed(start: usize, range: &Range<u32>) -> Range<usize> {
    start + range.start as usize..start + range.end as usize
}
