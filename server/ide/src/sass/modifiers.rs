//! Meanings of modifiers, for hovers and for completion.

use machine::{Isa, docs};

/// Returns a sentence about a modifier (without its dot) of an opcode: from the opcode's page, else from the table of
/// modifiers, else from a page entry for several modifiers. `None` if nothing is known about it.
pub(super) fn meaning<'a>(isa: &'a Isa, opcode: &str, modifier: &str) -> Option<&'a str> {
    let page = docs::opcode(opcode);
    let of_several = || {
        page.into_iter()
            .flat_map(docs::Page::modifiers)
            .find_map(|(name, said)| (name == modifier).then_some(said))
    };
    page.and_then(|page| page.modifier(modifier))
        .or_else(|| isa.modifier(opcode, modifier))
        .or_else(of_several)
}
