//! Words that begin a statement, an item or a declaration.

use crate::ptx::variable::{is_linkage, is_space};

/// True for words that begin an item at module scope, or a statement. False for directives of a function.
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

/// True for words that begin a statement and are never modifiers of an opcode. At the start of a line such a
/// word does not continue the preceding statement.
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

/// True for words that can follow an operand: vector components, parts of registers, and qualifiers of an
/// address. The word has no leading dot.
pub(super) fn is_selector(word: &str) -> bool {
    matches!(
        word,
        "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a" | "b0" | "b1" | "b2" | "b3" | "h0" | "h1" | "unified"
    )
}
