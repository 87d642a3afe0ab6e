//! Tokens, the smallest units of an item.

use std::ops::Range;

/// A token or comment of an item. Tokens and comments are in text order and do not overlap. Only white space
/// separates them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Byte offset from the start of the item.
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
    pub kind: TokenKind,
}

impl Token {
    /// Byte offset of the token's end from the start of the item.
    pub const fn end(&self) -> u32 {
        self.start + self.len
    }

    /// Byte range in the item.
    pub const fn range(&self) -> Range<usize> {
        self.start as usize..self.end() as usize
    }

    /// The token's text. `item` is the text of the item that contains the token.
    pub fn text<'a>(&self, item: &'a str) -> &'a str {
        &item[self.range()]
    }

    /// True if the token is this punctuation character.
    pub fn is(&self, punct: u8) -> bool {
        self.kind == TokenKind::Punct(punct)
    }
}

/// Kind of a token, determined from its spelling and its position in the statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TokenKind {
    /// `mov` at the start of an instruction, without its modifiers.
    Opcode,
    /// `.u32` or `.mbarrier::complete_tx::bytes` after an opcode, `.x` or `.b0` after an operand, `.s64` of a cast.
    Modifier,
    /// A dotted word of a directive or a declaration: `.entry`, `.reg`, `.b32`, `.align`.
    Directive,
    /// A label at its definition; the colon is a separate token.
    Label,
    /// A reference to, or declaration of, a register, variable, function, label or special register; also `_`,
    /// `WARP_SZ`, `generic`, `sm_90a`.
    Name,
    /// `255`, `0xffU`, `0b11`, `017`.
    Integer,
    /// `1.5`, `.5e3`, `0f3F800000`, `0d3FF0000000000000`, and the `9.5` of a version.
    Float,
    /// `"…"`, with its quotes.
    String,
    /// A single punctuation character: one of `; , : ( ) [ ] { } < > = @ ! ~ + - * / % & | ^ ?`.
    Punct(u8),
    /// `==`, `!=`, `<=`, `>=`, `<<`, `>>`, `&&`, `||`.
    Operator,
    /// `// …`, `/* … */`.
    Comment,
    /// `# 12 "kernel.cu"` up to the end of its line.
    LineMarker,
    /// `@@DWARF …` up to the end of its line: the debug data of PTX before 2.0.
    Dwarf,
    /// A token that could not be read.
    Error,
}
