//! A PTX text and what is known of it as a whole.

use model::ptx::{Globals, lower};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use syntax::ptx::{ItemKind, Module};

/// A module; cheap to clone, as its items are shared.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    module: Module,
    /// Computed when first asked for.
    globals: Arc<OnceLock<Globals>>,
    lowering: Arc<OnceLock<lower::Facts>>,
    head: Arc<OnceLock<Box<[Box<str>]>>>,
}

impl Text {
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

    /// Places of the module's variables.
    pub(crate) fn lowering_facts(&self) -> &lower::Facts {
        self.lowering.get_or_init(|| lower::Facts::collect(&self.module))
    }

    /// Returns the comments before the first function.
    pub(crate) fn head_comments(&self) -> &[Box<str>] {
        self.head.get_or_init(|| {
            let items = self.module.items();
            let first = items.iter().position(|item| item.kind() == ItemKind::Function);
            let until = first.map_or(items.len(), |first| first + 1);
            let comments = items[..until].iter().enumerate().flat_map(|(at, item)| {
                let name = item.tokens().first().filter(|_| Some(at) == first);
                let end = name.map_or(u32::MAX, |token| token.start);
                item.comments().iter().take_while(move |one| one.start < end).map(|one| item.token_text(one))
            });
            comments.map(Box::from).collect()
        })
    }

    /// Returns the declarations of module scope.
    pub(crate) fn globals(&self) -> &Globals {
        self.globals.get_or_init(|| Globals::collect(&self.module))
    }
}

/// A range of an item's bytes as one of the text, whose item starts at `start`.
pub(crate) fn placed(start: usize, range: &Range<u32>) -> Range<usize> {
    start + range.start as usize..start + range.end as usize
}
