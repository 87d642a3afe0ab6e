//! A SASS text with its dialect and its kernels. Immutable: an edit returns a new listing that shares the
//! unchanged chunks.

use super::build::Builder;
use super::chunk::{Context, Parts};
use super::dialect::Evidence;
use super::lex::Block;
use super::{Chunk, Dialect, SmVersion};
use crate::stop;
use std::sync::Arc;

/// A SASS text as a sequence of [`Chunk`]s. Every byte of the text belongs to one chunk.
#[derive(Debug, Clone)]
pub struct Listing {
    pub(super) recognised: RecognisedDialect,
    pub(super) chunks: Vec<Arc<Chunk>>,
    /// Start of each chunk, then the end of the text.
    starts: Vec<Start>,
    pub(super) lines_read: usize,
}

/// A position in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Start {
    pub byte: u32,
    /// 0-based line number.
    pub line: u32,
}

/// The dialect, and the number of bytes that were needed to recognise it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecognisedDialect {
    pub dialect: Option<Dialect>,
    /// Number of bytes up to the end of the line that determined the dialect; `usize::MAX` if no line did.
    pub decided_at: usize,
}

impl Listing {
    /// Reads a SASS text. Any text is accepted.
    pub fn parse(text: &str) -> Self {
        let mut builder = Builder::new(text, Block::None);
        let mut lines = 0;
        while builder.read_line() {
            lines += 1;
            stop::check_at(lines);
        }
        let parts = builder.finish();
        let recognised = recognise(parts.iter().map(Parts::pieces));
        let mut context = Context { dialect: recognised.dialect, sm: None };
        let mut chunks = Vec::with_capacity(parts.len());
        for parts in parts {
            let chunk = Chunk::new(parts, context);
            context.sm = chunk.sm();
            chunks.push(Arc::new(chunk));
        }
        Self::from_chunks(recognised, chunks)
    }

    /// Joins chunks that were read separately, in the given order.
    pub fn of_chunks(chunks: Vec<Arc<Chunk>>) -> Self {
        Self::from_chunks(recognise(chunks.iter().map(|chunk| chunk.pieces())), chunks)
    }

    pub(super) fn from_chunks(recognised: RecognisedDialect, chunks: Vec<Arc<Chunk>>) -> Self {
        let mut at = Start::default();
        let mut starts = Vec::with_capacity(chunks.len() + 1);
        for chunk in &chunks {
            starts.push(at);
            at.byte += chunk.text().len() as u32;
            at.line += chunk.lines().len() as u32;
        }
        starts.push(at);
        Self { recognised, chunks, starts, lines_read: at.line as usize }
    }

    /// Number of lines that the last parse or edit read. The other lines were reused.
    pub fn lines_read(&self) -> usize {
        self.lines_read
    }

    /// Dialect of the text; `None` if it is not SASS in a known dialect.
    pub fn dialect(&self) -> Option<Dialect> {
        self.recognised.dialect
    }

    /// Chunks in text order. Their concatenated texts equal the listing's text.
    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    /// Returns the start of a chunk. For an index equal to the number of chunks, returns the end of the text.
    pub fn start(&self, chunk: usize) -> Start {
        self.starts[chunk]
    }

    /// Length of the text in bytes.
    pub fn len(&self) -> usize {
        self.starts.last().map_or(0, |end| end.byte as usize)
    }

    /// True for an empty text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first architecture named in the text; `None` if the text names no architecture.
    pub fn sm(&self) -> Option<SmVersion> {
        self.chunks.iter().find_map(|chunk| chunk.sm())
    }

    /// Index of the chunk that contains this byte, or of the last chunk at the end of the text. `None` only
    /// for an empty text.
    pub fn chunk_at(&self, byte: usize) -> Option<usize> {
        let starts = &self.starts[..self.chunks.len()];
        starts.partition_point(|start| start.byte as usize <= byte).checked_sub(1)
    }

    /// The text, byte for byte.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.len());
        for chunk in &self.chunks {
            text.push_str(chunk.text());
        }
        text
    }
}

/// Recognises the dialect of a text from the lines of its chunks.
pub(super) fn recognise<'a>(chunks: impl Iterator<Item = super::pieces::Pieces<'a>>) -> RecognisedDialect {
    let mut evidence = Evidence::default();
    let mut start = 0;
    for pieces in chunks {
        for line in pieces.lines {
            if let Some(dialect) = evidence.line(pieces, line) {
                let end = (line.start + line.len) as usize + usize::from(line.ending);
                return RecognisedDialect { dialect: Some(dialect), decided_at: start + end };
            }
        }
        start += pieces.text.len();
    }
    RecognisedDialect { dialect: evidence.likeliest(), decided_at: usize::MAX }
}
