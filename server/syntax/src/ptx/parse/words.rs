//! Words that say where a statement, an item or a declaration begins.

use crate::ptx::variable::{is_linkage, is_space};

/// True for words that begin an item at module scope, or a statement, and are no directive of a function.
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

/// True for words that begin a statement and are no modifier of an opcode, so that one on a new line is not part of the
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

/// True for what can follow an operand, without the dot: vector components, parts of special registers and words, and
/// qualifiers of an address.
pub(super) fn is_selector(word: &str) -> bool {
    matches!(
        word,
        "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a" | "b0" | "b1" | "b2" | "b3" | "h0" | "h1" | "unified"
    )
}
