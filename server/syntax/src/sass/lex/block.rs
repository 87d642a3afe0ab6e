//! Context of a line: a block of an assembler, or inline code that an earlier line opened.

use super::scan::find;

/// The assembler block of a line. It determines how the line is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub(in crate::sass) enum Block {
    #[default]
    None,
    /// `<REGISTER_MAPPING>`, `<CONSTANT_MAPPING>`, `<PARAMS>` and similar blocks: definitions of names.
    Mapping,
    /// `<CODE>`: text in another language, until `</CODE>`.
    Code,
    /// `<COMMENT>`: a comment, until `</COMMENT>`.
    Comment,
    /// `[+` or `[-`: text in another language, until `+]` or `-]`.
    Inline(Inline),
}

/// Inline code that a line leaves open, by its kind and the surrounding block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(in crate::sass) enum Inline {
    /// `[+ ... +]`: replaced by the text that the code returns.
    Result,
    /// `[- ... -]`: replaced by an empty text.
    Silent,
    ResultInMapping,
    SilentInMapping,
}

impl Inline {
    pub(super) const fn end(self) -> &'static [u8] {
        match self {
            Self::Result | Self::ResultInMapping => b"+]",
            Self::Silent | Self::SilentInMapping => b"-]",
        }
    }

    /// The block around the inline code.
    pub(super) const fn outer(self) -> Block {
        match self {
            Self::Result | Self::Silent => Block::None,
            Self::ResultInMapping | Self::SilentInMapping => Block::Mapping,
        }
    }

    /// This kind of inline code, adjusted for code inside `block`.
    pub(super) fn within(self, block: Block) -> Self {
        match self {
            Self::Result if block == Block::Mapping => Self::ResultInMapping,
            Self::Silent if block == Block::Mapping => Self::SilentInMapping,
            kind => kind,
        }
    }

    /// Number of bytes up to the end of the inline code; `None` if the code is not closed. The opening has
    /// `opened` bytes.
    pub(super) fn length(self, text: &[u8], opened: usize) -> Option<usize> {
        let end = find(text.get(opened..)?, self.end())?;
        Some(opened + end + self.end().len())
    }
}
