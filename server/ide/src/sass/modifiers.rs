//! Meanings of modifiers, for hovers and completion.

use machine::{Isa, docs};

/// Returns a sentence about a modifier (without its dot) of an opcode. The sentence comes from the
/// opcode's page, otherwise from the modifier table, otherwise from a page entry that covers several
/// modifiers. `None` if the modifier is undocumented.
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
