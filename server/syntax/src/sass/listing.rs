//! A whole text: its dialect and its kernels. Immutable; an edit gives a new one that shares what it left alone.

use super::{Chunk, Dialect, SmVersion};
use std::ops::Range;
use std::sync::Arc;

/// A SASS text as a sequence of [`Chunk`]s, which together hold every byte of it.
#[derive(Debug, Clone)]
pub struct Listing {
    dialect: Option<Dialect>,
    chunks: Vec<Arc<Chunk>>,
    /// Where each chunk starts, and, last, where the text ends.
    starts: Vec<Start>,
}

/// A place in the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Start {
    pub byte: u32,
    /// 0-based.
    pub line: u32,
}

impl Listing {
    /// Reads any text.
    pub fn parse(_text: &str) -> Self {
        unimplemented!()
    }

    /// The listing after `range` (bytes) was replaced by `text`: the same as parsing the new text from scratch, but only
    /// changed lines are read.
    #[must_use]
    pub fn edit(&self, _range: Range<usize>, _text: &str) -> Self {
        unimplemented!()
    }

    /// `None` where the text is no SASS that this crate knows.
    pub fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    /// Where that chunk starts.
    pub fn start(&self, chunk: usize) -> Start {
        self.starts[chunk]
    }

    /// Bytes of the text.
    pub fn len(&self) -> usize {
        self.starts.last().map_or(0, |end| end.byte as usize)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first architecture that the text names, if any.
    pub fn sm(&self) -> Option<SmVersion> {
        self.chunks.iter().find_map(|chunk| chunk.sm())
    }

    /// The chunk that holds this byte; the last one for the end of the text.
    pub fn chunk_at(&self, byte: usize) -> Option<usize> {
        let after = self.starts.partition_point(|start| start.byte as usize <= byte);
        after
            .checked_sub(1)
            .map(|index| index.min(self.chunks.len().saturating_sub(1)))
            .filter(|_| !self.chunks.is_empty())
    }

    /// The text, byte for byte.
    pub fn text(&self) -> String {
        self.chunks.iter().map(|chunk| chunk.text()).collect()
    }
}
