//! Words that begin a statement, an item or a declaration.

use crate::ptx::variable::{is_linkage, is_space};

/// True for words that begin an item at module scope, or a statement, and that are not directives of a function.
pub(super) fn begins_item(word: &str) -> bool {
    is_linkage(word)
        || is_space(word)
        || matches!(
            word,
            ".entry"
                | ".func"
                | ".version"
                | ".target"
                | ".address_size"
                | ".file"
                | ".section"
                | ".alias"
                | ".loc"
                | ".align"
        )
}

/// True for words that begin a statement and are never modifiers of an opcode: on a new line they do not continue the
/// preceding statement.
pub(super) fn begins_line(word: &str) -> bool {
    matches!(
        word,
        ".reg"
            | ".loc"
            | ".loc_intermediate"
            | ".file"
            | ".pragma"
            | ".section"
            | ".entry"
            | ".func"
            | ".visible"
            | ".extern"
            | ".version"
            | ".target"
            | ".address_size"
            | ".branchtargets"
            | ".calltargets"
            | ".callprototype"
            | ".align"
    )
}

pub(super) fn begins_declaration(word: &str) -> bool {
    matches!(word, ".entry" | ".func" | ".align" | ".attribute")
}

/// True for words that can follow an operand, given without the dot: vector components, parts of registers, and
/// qualifiers of an address.
pub(super) fn is_selector(word: &str) -> bool {
    matches!(
        word,
        "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a" | "b0" | "b1" | "b2" | "b3" | "h0" | "h1" | "unified"
    )
}
