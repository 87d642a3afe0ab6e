//! Columns of an instruction's line.

use crate::TextEdit;
use syntax::sass::{Chunk, Dialect, Token, TokenKind};

/// Column widths of a dialect, as in the sources distributed with its assembler.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Columns before the control code.
    indent: usize,
    /// Columns between the control code and the address.
    before_address: usize,
    /// Columns from the control code to the opcode, if the line has no address. A guard ends one column
    /// before the opcode.
    before_opcode: usize,
    /// Columns from the address to the opcode.
    after_address: usize,
    /// Columns before the semicolon.
    before_semicolon: usize,
}

impl Style {
    /// Returns the style of a dialect; `None` if the dialect is not formatted.
    pub(super) fn for_dialect(dialect: Dialect) -> Option<Self> {
        match dialect {
            Dialect::Maxas | Dialect::KeplerAs | Dialect::TuringAs => Some(Self {
                indent: 0,
                before_address: 1,
                before_opcode: 6,
                after_address: 6,
                before_semicolon: 0,
            }),
            Dialect::Cuasm => Some(Self {
                indent: 6,
                before_address: 9,
                before_opcode: 9,
                after_address: 19,
                before_semicolon: 1,
            }),
            Dialect::Cuobjdump | Dialect::Nvdisasm | Dialect::Dsass => None,
        }
    }
}

/// Widest opcode that moves the column of the operands, and widest line that moves the column of the comments, in
/// columns. Wider opcodes and lines do not widen the columns.
const LONGEST_OPCODE: usize = 20; // limit: keeps columns within a screen
const LONGEST_LINE: usize = 100; // limit: keeps columns within a screen

/// A line with an instruction, split into its fields.
#[derive(Debug)]
pub(super) struct AlignedLine<'a> {
    /// Index of the line in the chunk.
    pub line: usize,
    text: &'a str,
    control: Option<&'a Token>,
    address: Option<&'a Token>,
    guard: &'a [Token],
    /// Mnemonic with its modifiers.
    opcode: &'a [Token],
    operands: &'a [Token],
    semicolon: Option<&'a Token>,
    comment: Option<&'a Token>,
}

impl<'a> AlignedLine<'a> {
    /// Splits a line into its fields; `None` if it has other tokens or errors.
    pub(super) fn parse(chunk: &'a Chunk, line: usize) -> Option<Self> {
        let text = chunk.line_text(line);
        if chunk.errors().iter().any(|error| error.line as usize == line) {
            return None;
        }
        let mut rest = chunk.line_tokens(line);
        let control = take(&mut rest, TokenKind::Control);
        let address = take(&mut rest, TokenKind::Address);
        let mnemonic = rest.iter().position(|token| token.kind == TokenKind::Mnemonic)?;
        // `Function :;` is parsed as an instruction. With a space before the semicolon, it would become
        // cuobjdump's kernel header.
        if rest[mnemonic].text(text).bytes().any(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        let (guard, rest) = rest.split_at(mnemonic);
        let modifiers = rest[1..].iter().take_while(|token| token.kind == TokenKind::Modifier).count();
        let (opcode, rest) = rest.split_at(1 + modifiers);
        let is_end = |token: &Token| token.kind == TokenKind::Punct && token.value == u32::from(b';');
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        let (operands, rest) = rest.split_at(end);
        let (semicolon, comment) = match rest {
            [semicolon] => (Some(semicolon), None),
            [semicolon, comment] if comment.kind == TokenKind::Comment => (Some(semicolon), Some(comment)),
            _ => return None,
        };
        let is_guard = |token: &Token| {
            matches!(
                token.kind,
                TokenKind::At | TokenKind::Predicate | TokenKind::UniformPredicate | TokenKind::Punct
            )
        };
        let is_plain = |token: &Token| {
            !matches!(
                token.kind,
                TokenKind::Comment | TokenKind::Schedule | TokenKind::Targets | TokenKind::Error
            )
        };
        (guard.iter().all(is_guard) && operands.iter().all(is_plain)).then_some(Self {
            line,
            text,
            control,
            address,
            guard,
            opcode,
            operands,
            semicolon,
            comment,
        })
    }

    fn control_width(&self) -> usize {
        self.control.map_or(0, |control| control.len.into())
    }

    fn address_width(&self) -> usize {
        self.address.map_or(0, |address| address.len.into())
    }

    fn opcode_width(&self) -> usize {
        span(self.opcode)
    }

    fn guard_width(&self) -> usize {
        span(self.guard)
    }

    /// Width of the operands once a space follows each comma between them.
    fn operands_width(&self) -> usize {
        let gaps = self.operand_gaps().map(|(gap, wanted)| wanted as isize - gap.len() as isize);
        span(self.operands).saturating_add_signed(gaps.sum())
    }

    /// Returns the range around each comma between operands, and the wanted number of spaces. Extra
    /// spaces after a comma are kept, because users align operands with them.
    fn operand_gaps(&self) -> impl Iterator<Item = (std::ops::Range<usize>, usize)> {
        let mut depth = 0_usize;
        self.operands.windows(2).filter_map(move |pair| {
            let gap = pair[0].end()..pair[1].start as usize;
            let punct = |token: &Token| (token.kind == TokenKind::Punct).then_some(token.value as u8);
            match punct(&pair[0]) {
                Some(b'[' | b'(' | b'{') => depth += 1,
                Some(b']' | b')' | b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            match (depth, punct(&pair[0]), punct(&pair[1])) {
                (0, Some(b','), _) => Some((gap.clone(), gap.len().max(1))),
                (0, _, Some(b',')) => Some((gap, 0)),
                _ => None,
            }
        })
    }
}

fn take<'a>(tokens: &mut &'a [Token], kind: TokenKind) -> Option<&'a Token> {
    let (first, rest) = tokens.split_first().filter(|(first, _)| first.kind == kind)?;
    *tokens = rest;
    Some(first)
}

fn span(tokens: &[Token]) -> usize {
    tokens.first().zip(tokens.last()).map_or(0, |(first, last)| last.end() - first.start as usize)
}

/// Column widths of a block of lines.
#[derive(Debug)]
pub(super) struct Columns {
    style: Style,
    control: usize,
    address: usize,
    guard: usize,
    opcode: usize,
    line: usize,
}

impl Columns {
    pub(super) fn fit(rows: &[AlignedLine<'_>], style: Style) -> Self {
        let mut columns = Self {
            style,
            control: widest(rows.iter().map(AlignedLine::control_width)),
            address: widest(rows.iter().map(AlignedLine::address_width)),
            guard: widest(rows.iter().map(AlignedLine::guard_width)),
            opcode: widest(
                rows.iter().map(AlignedLine::opcode_width).filter(|&width| width <= LONGEST_OPCODE),
            ),
            line: 0,
        };
        let widths = rows.iter().filter(|row| row.comment.is_some()).map(|row| columns.width(row));
        columns.line = widest(widths.filter(|&width| width <= LONGEST_LINE));
        columns
    }

    fn address_column(&self) -> usize {
        self.style.indent + if self.control > 0 { self.control + self.style.before_address } else { 0 }
    }

    fn opcode_column(&self) -> usize {
        let (end, gap) = if self.address > 0 {
            (self.address_column() + self.address, self.style.after_address)
        } else if self.control > 0 {
            (self.style.indent + self.control, self.style.before_opcode)
        } else {
            (self.style.indent, 0)
        };
        // A guard has a space on each side.
        end + gap.max(if self.guard > 0 { self.guard + 2 } else { 0 })
    }

    fn operands_column(&self, row: &AlignedLine<'_>) -> usize {
        self.opcode_column() + self.opcode.max(row.opcode_width()) + 1
    }

    /// Width of a row, including its semicolon.
    fn width(&self, row: &AlignedLine<'_>) -> usize {
        self.operands_end(row) + self.style.before_semicolon + 1
    }

    fn operands_end(&self, row: &AlignedLine<'_>) -> usize {
        if row.operands.is_empty() {
            self.opcode_column() + row.opcode_width()
        } else {
            self.operands_column(row) + row.operands_width()
        }
    }

    /// Appends the edits that move the fields of a row into their columns. `start` is the offset of the
    /// row's line in the text.
    pub(super) fn align(&self, row: &AlignedLine<'_>, start: usize, edits: &mut Vec<TextEdit>) {
        let mut pen = RowWriter { row, start, edits, end: 0, column: 0 };
        if let Some(control) = row.control {
            pen.put(control.start.into(), control.end(), self.style.indent);
        }
        if let Some(address) = row.address {
            pen.put(address.start.into(), address.end(), self.address_column());
        }
        if let Some((first, last)) = row.guard.first().zip(row.guard.last()) {
            pen.put(first.start.into(), last.end(), self.opcode_column() - 1 - row.guard_width());
        }
        let (first, last) = (row.opcode[0], row.opcode[row.opcode.len() - 1]);
        pen.put(first.start.into(), last.end(), self.opcode_column());
        if let Some((first, last)) = row.operands.first().zip(row.operands.last()) {
            pen.put(first.start.into(), first.start.into(), self.operands_column(row));
            for (gap, wanted) in row.operand_gaps() {
                pen.column += gap.start - pen.end;
                pen.end = gap.start;
                pen.put(gap.end, gap.end, pen.column + wanted);
            }
            pen.column += last.end() - pen.end;
            pen.end = last.end();
        }
        if let Some(semicolon) = row.semicolon {
            pen.put(semicolon.start.into(), semicolon.end(), pen.column + self.style.before_semicolon);
        }
        match row.comment {
            Some(comment) => {
                let column = self.line.max(pen.column) + 1;
                pen.put(comment.start.into(), comment.end(), column);
                pen.put(row.text.len(), row.text.len(), pen.column);
            }
            None => pen.put(row.text.len(), row.text.len(), pen.column),
        }
    }
}

fn widest(widths: impl Iterator<Item = usize>) -> usize {
    widths.max().unwrap_or(0)
}

/// Moves through a row from left to right and replaces the white space between its fields.
struct RowWriter<'a, 'r> {
    row: &'a AlignedLine<'r>,
    start: usize,
    edits: &'a mut Vec<TextEdit>,
    /// End of the last field, as a byte offset in the old line.
    end: usize,
    /// End of the last field, as a column in the new line.
    column: usize,
}

impl RowWriter<'_, '_> {
    /// Moves the bytes from `from` to `to` into `column`.
    fn put(&mut self, from: usize, to: usize, column: usize) {
        let gap = &self.row.text[self.end..from];
        let wanted = column.saturating_sub(self.column);
        if gap.len() != wanted || gap.bytes().any(|byte| byte != b' ') {
            let range = self.start + self.end..self.start + from;
            self.edits.push(TextEdit { range, text: " ".repeat(wanted) });
        }
        self.column += wanted + (to - from);
        self.end = to;
    }
}
