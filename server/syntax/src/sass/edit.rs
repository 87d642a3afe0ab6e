//! Incremental edits: only changed lines are read again.

use super::build::Builder;
use super::chunk::{Context, Parts};
use super::lex::Block;
use super::listing::recognise;
use super::{Chunk, Listing};
use std::ops::Range;
use std::sync::Arc;

impl Listing {
    /// Returns the listing after `range` was replaced by `text`. The range is in bytes, at character
    /// boundaries.
    ///
    /// The result equals a parse of the new text from scratch. Only changed lines are read again, and
    /// unchanged chunks are shared. A range beyond the end of the text is clamped to the text.
    #[must_use]
    pub fn edit(&self, range: Range<usize>, text: &str) -> Self {
        let len = self.len();
        let range = range.start.min(len)..range.end.clamp(range.start.min(len), len);
        let Some(region) = self.region(&range) else { return Self::parse(text) };
        let (region, parts, lines_read) = self.reread(region, &range, text);
        let before = &self.chunks[..region.start];
        let after = &self.chunks[region.end..];

        let recognised = if range.start <= self.recognised.decided_at {
            let pieces = before.iter().map(|chunk| chunk.pieces());
            recognise(
                pieces.chain(parts.iter().map(Parts::pieces)).chain(after.iter().map(|chunk| chunk.pieces())),
            )
        } else {
            self.recognised
        };

        let mut context = Context { dialect: recognised.dialect, sm: None };
        let mut chunks = Vec::with_capacity(before.len() + parts.len() + after.len());
        let keep = |chunks: &mut Vec<Arc<Chunk>>, old: &Arc<Chunk>, context: &mut Context| {
            let chunk =
                if old.context == *context { Arc::clone(old) } else { Arc::new(old.in_context(*context)) };
            context.sm = chunk.sm();
            chunks.push(chunk);
        };
        for old in before {
            keep(&mut chunks, old, &mut context);
        }
        for parts in parts {
            let chunk = match self.unchanged(&region, &parts) {
                Some(old) if old.context == context => Arc::clone(old),
                _ => Arc::new(Chunk::new(parts, context)),
            };
            context.sm = chunk.sm();
            chunks.push(chunk);
        }
        for old in after {
            keep(&mut chunks, old, &mut context);
        }
        let mut listing = Self::from_chunks(recognised, chunks);
        listing.lines_read = lines_read;
        listing
    }

    /// The chunks that an edit of `range` can change. `None` for an empty text.
    fn region(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let mut first = self.chunk_at(range.start)?;
        let last = self.chunk_at(range.end)?;
        // A change to a chunk's first line can merge the chunk into the preceding chunk.
        let first_line =
            self.chunks[first].lines().first().map_or(0, |line| line.len as usize + usize::from(line.ending));
        if first > 0 && range.start <= self.start(first).byte as usize + first_line {
            first -= 1;
        }
        Some(first..last + 1)
    }

    /// Reads the region after the edit. The region grows while the edit changes how later lines are read.
    fn reread(
        &self,
        mut region: Range<usize>,
        range: &Range<usize>,
        new: &str,
    ) -> (Range<usize>, Vec<Parts>, usize) {
        loop {
            let start = self.start(region.start).byte as usize;
            let end = self.start(region.end).byte as usize;
            let mut text = String::with_capacity(end - start + new.len());
            for chunk in &self.chunks[region.clone()] {
                text.push_str(chunk.text());
            }
            text.replace_range(range.start - start..range.end - start, new);

            let mut builder = Builder::new(&text, self.block_before(region.start));
            self.build(&mut builder, &region, range.start - start..range.end - start, new.len());
            if region.end == self.chunks.len() || builder.block() == self.block_before(region.end) {
                let lines_read = builder.lines_read();
                return (region, builder.finish(), lines_read);
            }
            region.end = (region.end + region.len()).min(self.chunks.len());
        }
    }

    /// Copies the lines before and after the edit and reads the lines that the edit touched. `edit` is the
    /// range in the old text, counted from the region's start.
    fn build<'a>(
        &'a self,
        builder: &mut Builder<'a>,
        region: &Range<usize>,
        edit: Range<usize>,
        new_len: usize,
    ) {
        let region_start = self.start(region.start).byte as usize;
        let mut old = self.old_lines(region, region_start).peekable();
        // The line before the edited line is read again too, because its final `\r` may now be followed by a
        // `
        //
        // `.
        let mut block = self.block_before(region.start);
        while let Some(line) = old.peek() {
            let Some(next) = line.after_next() else { break };
            if next > edit.start {
                break;
            }
            block = line.copy_to(builder);
            old.next();
        }
        let edit_end = edit.start + new_len;
        let shift_back =
            |new_offset: usize| (new_offset >= edit_end).then(|| new_offset - edit_end + edit.end);
        loop {
            // All lines are equal from the first old line that starts at the same text position and in the
            // same block.
            if let Some(offset) = shift_back(builder.at()) {
                while let Some(line) = old.peek() {
                    if line.offset >= offset {
                        break;
                    }
                    block = line.chunk.lines[line.index].block;
                    old.next();
                }
                let starts_here = old.peek().is_some_and(|line| line.offset == offset && offset > edit.end);
                if starts_here && block == builder.block() {
                    for line in old {
                        line.copy_to(builder);
                    }
                    return;
                }
            }
            if !builder.read_line() {
                return;
            }
        }
    }

    fn old_lines(&self, region: &Range<usize>, region_start: usize) -> impl Iterator<Item = OldLine<'_>> {
        region.clone().flat_map(move |index| {
            let chunk = &self.chunks[index];
            let chunk_start = self.start(index).byte as usize - region_start;
            chunk.lines().iter().enumerate().map(move |(index, line)| OldLine {
                chunk,
                index,
                offset: chunk_start + line.start as usize,
            })
        })
    }

    /// The block of a chunk's first line.
    fn block_before(&self, chunk: usize) -> Block {
        let before = self.chunks[..chunk].iter().rev().find_map(|chunk| chunk.lines().last());
        before.map_or(Block::None, |line| line.block)
    }

    /// The first or last old chunk of the region, if `parts` equals that chunk.
    fn unchanged(&self, region: &Range<usize>, parts: &Parts) -> Option<&Arc<Chunk>> {
        let chunks = &self.chunks[region.clone()];
        [chunks.first()?, chunks.last()?]
            .into_iter()
            .find(|old| old.text() == &*parts.text && old.lines == parts.lines)
    }
}

/// A line of the old text.
struct OldLine<'a> {
    chunk: &'a Chunk,
    index: usize,
    /// Byte offset from the region's start, in the old text.
    offset: usize,
}

impl<'a> OldLine<'a> {
    /// Returns the end of the next line; `None` past the end of the chunk.
    fn after_next(&self) -> Option<usize> {
        let length = |index: usize| {
            self.chunk.lines().get(index).map(|line| line.len as usize + usize::from(line.ending))
        };
        // At the end of a chunk, the next line is the header of the next chunk. Counting one byte of the
        // header stops early enough.
        Some(self.offset + length(self.index)? + length(self.index + 1).unwrap_or(1))
    }

    /// Appends this line to the new text and returns the block of the following line.
    fn copy_to(&self, builder: &mut Builder<'a>) -> Block {
        let line = &self.chunk.lines[self.index];
        let index = self.index as u32;
        let errors = &self.chunk.errors;
        let first = errors.partition_point(|error| error.line < index);
        let own = errors[first..].iter().take_while(move |error| error.line == index);
        builder.copy_line(line, self.chunk.line_tokens(self.index), own);
        line.block
    }
}
