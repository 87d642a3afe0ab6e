//! Divides lines into chunks, both newly read lines and lines copied from an older text.

use super::chunk::Parts;
use super::lex::{Block, LexedLine, lex_line};
use super::{Line, LineKind, SyntaxError, Token};
use crate::taken::taken;
use memchr::memchr2;
use std::ops::Range;

/// Collects the lines of a text and divides them into chunks. Each header line starts a chunk.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    text: &'a str,
    /// Bytes of `text` processed so far.
    at: usize,
    /// Start of the current chunk in `text`.
    chunk_start: usize,
    /// The block of the next line.
    block: Block,
    lines: Vec<Line>,
    tokens: Vec<Token>,
    errors: Vec<SyntaxError>,
    done: Vec<Parts>,
    lines_read: usize,
}

impl<'a> Builder<'a> {
    /// A builder for a text whose first line is in `block`.
    pub(super) fn new(text: &'a str, block: Block) -> Self {
        Self {
            text,
            at: 0,
            chunk_start: 0,
            block,
            // A token with its separators has at least four bytes. The capacity is limited to the size of a
            // typical kernel.
            lines: Vec::with_capacity((text.len() / 64).min(1 << 12)),
            tokens: Vec::with_capacity((text.len() / 4).min(1 << 14)),
            errors: Vec::new(),
            done: Vec::new(),
            lines_read: 0,
        }
    }

    /// Number of lines read so far, not counting copied lines.
    pub(super) fn lines_read(&self) -> usize {
        self.lines_read
    }

    /// Number of bytes processed so far.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The block of the next line.
    pub(super) fn block(&self) -> Block {
        self.block
    }

    /// Reads the next line; false at the end of the text.
    pub(super) fn read_line(&mut self) -> bool {
        if self.at == self.text.len() {
            return false;
        }
        self.lines_read += 1;
        let (length, ending) = line_length(&self.text.as_bytes()[self.at..]);
        let first_token = self.tokens.len();
        let lexed = lex_line(&self.text[self.at..self.at + length], self.block, &mut self.tokens);
        let mut line = self.new_line(length, ending, lexed);
        if self.starts_chunk(lexed.kind) {
            let tokens = self.tokens.split_off(first_token);
            self.finish_chunk();
            self.tokens = tokens;
            line.start = 0;
            line.first_token = 0;
        } else {
            line.first_token = first_token as u32;
        }
        line.token_count = (self.tokens.len() - line.first_token as usize) as u16;
        self.note(lexed);
        self.add(line, length + ending);
        true
    }

    /// Copies a line of an older text instead of lexing it again. The line's block must be the current block.
    /// `errors` are the line's errors.
    pub(super) fn copy_line(
        &mut self,
        old: &Line,
        tokens: &[Token],
        errors: impl Iterator<Item = &'a SyntaxError>,
    ) {
        if self.starts_chunk(old.kind) {
            self.finish_chunk();
        }
        let line = Line {
            start: (self.at - self.chunk_start) as u32,
            first_token: self.tokens.len() as u32,
            ..*old
        };
        self.tokens.extend_from_slice(tokens);
        let index = self.lines.len() as u32;
        self.errors.extend(errors.map(|error| SyntaxError { line: index, ..error.clone() }));
        self.block = old.block;
        self.add(line, old.len as usize + usize::from(old.ending));
    }

    /// The chunks, in text order.
    pub(super) fn finish(mut self) -> Vec<Parts> {
        if !self.lines.is_empty() {
            self.done.push(Parts {
                text: self.text[self.chunk_start..self.at].into(),
                lines: self.lines.into_boxed_slice(),
                tokens: self.tokens.into_boxed_slice(),
                errors: self.errors.into_boxed_slice(),
            });
        }
        self.done
    }

    fn new_line(&self, length: usize, ending: usize, lexed: LexedLine) -> Line {
        Line {
            start: (self.at - self.chunk_start) as u32,
            len: length as u32,
            ending: ending as u8,
            kind: lexed.kind,
            first_token: 0,
            token_count: 0,
            block: lexed.block,
            broken: lexed.error.is_some(),
            body: lexed.body,
        }
    }

    fn note(&mut self, lexed: LexedLine) {
        if let Some(error) = lexed.error {
            let range = error.start..error.end;
            self.errors.push(SyntaxError { line: self.lines.len() as u32, range, message: error.message });
        }
        self.block = lexed.block;
    }

    fn add(&mut self, line: Line, bytes: usize) {
        self.lines.push(line);
        self.at += bytes;
    }

    fn starts_chunk(&self, kind: LineKind) -> bool {
        kind == LineKind::Header && !self.lines.is_empty()
    }

    fn finish_chunk(&mut self) {
        let range: Range<usize> = self.chunk_start..self.at;
        self.chunk_start = self.at;
        self.done.push(Parts {
            text: self.text[range].into(),
            lines: taken(&mut self.lines),
            tokens: taken(&mut self.tokens),
            errors: taken(&mut self.errors),
        });
    }
}

/// Length in bytes of the first line and of its line end (`\n`, `\r\n` or `\r`; 0 at the end of the text).
fn line_length(text: &[u8]) -> (usize, usize) {
    match memchr2(b'\n', b'\r', text) {
        None => (text.len(), 0),
        Some(end) if text[end] == b'\r' && text.get(end + 1) == Some(&b'\n') => (end, 2),
        Some(end) => (end, 1),
    }
}
