//! Declarations and macros of the headers that a text includes.

use super::item::{ItemKind, Macro, PlacedItem};
use super::preprocessor::HeaderMacros;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Declarations and macros of the headers that a text includes, with the macros that the command line of the compiler
/// defines.
#[derive(Debug, Default)]
pub struct Included {
    /// Declarations in the order in which the compiler reads them. Positions count from the start of the header.
    items: Vec<PlacedItem>,
    macros: HeaderMacros,
    /// Index of the first declaration of each header, with the name of the header.
    headers: Vec<(u32, Arc<str>)>,
    hash: u64,
}

impl Included {
    /// Adds a header with its declarations. `is_unknown` is true for a declaration that only some compilations have.
    pub(super) fn push(
        &mut self,
        name: Arc<str>,
        text: &str,
        items: &[PlacedItem],
        is_unknown: impl Fn(&PlacedItem) -> bool,
    ) {
        self.headers.push((self.items.len() as u32, name));
        self.hash = xxh3_64_with_seed(text.as_bytes(), self.hash);
        for placed in items {
            if let ItemKind::Macro(Macro { name, parameters, text, .. }) = &placed.item.kind {
                let text = (!is_unknown(placed)).then_some(&**text);
                self.macros.define(name, parameters.is_some(), text);
            }
            self.items.push(placed.clone());
        }
    }

    /// The declarations, in the order in which the compiler reads them.
    pub fn items(&self) -> &[PlacedItem] {
        &self.items
    }

    /// Name of the header with this declaration.
    pub fn header_of(&self, item: usize) -> Option<&Arc<str>> {
        let following = self.headers.partition_point(|(first, _)| *first as usize <= item);
        Some(&self.headers[following.checked_sub(1)?].1)
    }

    /// Hash of the texts of all headers.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Definitions of macros at the end of the headers.
    pub(super) fn macros(&self) -> &HeaderMacros {
        &self.macros
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::{FIRST_INCLUDED, Source};

    #[test]
    fn macros_of_headers_decide_conditions_and_attributes() {
        let header =
            Source::parse("#ifndef H\n#define H\n#define ENTRY_OF __global__\n#define WIDE 1\n#endif\n");
        let text = "#if WIDE\nENTRY_OF void k() {}\n#else\nvoid other() {}\n#endif\nint x;";
        let alone = Source::parse(text);
        let is_kernel =
            |source: &Source| source.unit().functions().map(|(_, own)| own.is_kernel()).collect::<Vec<_>>();
        assert_eq!(is_kernel(&alone), [false, false]);
        let included = Arc::new(Source::included([("h.h".into(), &header)]));
        let with = alone.including(Some(Arc::clone(&included)));
        assert_eq!(is_kernel(&with), [true]);
        let at = included.items().len() - 1;
        let item = with.unit().item(FIRST_INCLUDED + at as u32).unwrap();
        assert!(matches!(&item.item.kind, ItemKind::Macro(own) if own.name == "WIDE"));
        assert_eq!(included.header_of(0).map(|name| &**name), Some("h.h"));
        let edited = with.edit(0..9, "#if !WIDE");
        assert_eq!(is_kernel(&edited), [false]);
    }
}
