//! Writes one instruction's line with a new control code, possibly at another instruction's position.

use super::places::{InstructionParts, TokenOnLine};
use crate::sass::{Chunk, Instruction, Token, TokenKind};
use std::ops::Range;

/// The elements of an instruction's line, as byte offsets in the line.
#[derive(Debug, Clone)]
pub(super) struct Parts<'a> {
    line: &'a str,
    tokens: &'a [Token],
    /// End of the address or control code that precedes the instruction.
    head: usize,
    /// Range from the guard to the last operand.
    pub body: Range<usize>,
    /// End of `;` or `}`.
    end: usize,
}

/// New contents of an instruction's line.
#[derive(Debug)]
pub(super) struct NewLine<'a> {
    /// The control code before the instruction; `None` if the notation writes no code there.
    pub code: Option<String>,
    /// The instruction, with its `.reuse` marks.
    pub body: String,
    /// NVIDIA's scheduling annotations and their columns; `None` if the listing has none.
    pub annotations: Option<(Columns, (String, String))>,
    /// `(opens, closes)`: true if a brace opens or closes a dual-issue pair at this instruction. `None` if
    /// the listing has no braces.
    pub pair: Option<(bool, bool)>,
    /// True for a stall count of 0 with yield, after which the warp drains its pending work. NVIDIA's tools then print no blank before `;`. `None` if the listing
    /// does not show this.
    pub drains: Option<bool>,
    pub words: [Option<u64>; 2],
    /// The line end before the encoded word, if the word moves to the next line.
    pub detached: Option<&'a str>,
}

/// Columns in which the first and the last of NVIDIA's scheduling annotations start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    pub boards: usize,
    pub stall: usize,
}

impl<'a> Parts<'a> {
    /// Reads an instruction's line. `None` for a line without a mnemonic.
    pub(super) fn read(chunk: &'a Chunk, instruction: &Instruction) -> Option<Self> {
        let index = instruction.line as usize;
        let tokens = chunk.line_tokens(index);
        let first = chunk.lines()[index].first_token;
        let start = (instruction.tokens.start - first) as usize;
        let end = (instruction.tokens.end - first) as usize;
        let is_head = |token: &Token| matches!(token.kind, TokenKind::Control | TokenKind::Address);
        let head = tokens[..start].iter().rev().find(|token| is_head(token)).map_or(0, Token::end);
        let body = tokens.get(start)?.start as usize..tokens[start..end].last()?.end();
        let following = tokens[end..].iter().take_while(|token| {
            !matches!(token.kind, TokenKind::Word | TokenKind::LifeRange | TokenKind::Error)
        });
        let ends = |token: &&Token| match token.kind {
            TokenKind::Punct => token.value == u32::from(b';'),
            TokenKind::DualClose | TokenKind::Schedule => true,
            _ => false,
        };
        let end = following.filter(ends).last().map_or(body.end, Token::end);
        Some(Self { line: chunk.line_text(index), tokens, head, body, end })
    }

    /// Returns the columns of NVIDIA's scheduling annotations on this line.
    pub(super) fn columns(&self) -> (Option<usize>, Option<usize>) {
        let mut found = (None, None);
        for token in self.tokens.iter().filter(|token| token.kind == TokenKind::Schedule) {
            let is_stall = token.text(self.line).starts_with('?');
            let place = if is_stall { &mut found.1 } else { &mut found.0 };
            place.get_or_insert(token.start as usize);
        }
        found
    }

    /// The instruction's text after edits of the line. The edits must be in text order.
    pub(super) fn body_with(&self, edits: &[(Range<usize>, &str)]) -> String {
        let mut body = self.line[self.body.clone()].to_owned();
        for (range, text) in edits.iter().rev() {
            body.replace_range(range.start - self.body.start..range.end - self.body.start, text);
        }
        body
    }

    /// Returns the new text of line `slot`, to which this instruction moves: the address of `slot`, then this
    /// instruction with the new contents `written`. `own` lists the positions of this instruction's control code and
    /// encoded words in the old text.
    pub(super) fn write(&self, slot: &Self, own: &InstructionParts, written: &NewLine<'_>) -> String {
        let mut text = slot.head_with(written.code.as_deref());
        text += &self.prefix(written.pair);
        text += &written.body;
        text += &self.terminator(text.len(), written);
        self.add_trailing(&mut text, own, written);
        text
    }

    /// The text from the start of the line to the end of the address, with another control code.
    fn head_with(&self, code: Option<&str>) -> String {
        let mut head = self.line[..self.head].to_owned();
        let old = self.tokens.iter().find(|token| token.kind == TokenKind::Control);
        if let (Some(code), Some(old)) = (code, old) {
            head.replace_range(old.start as usize..old.end(), code);
        }
        head
    }

    /// Returns the text before the guard or the mnemonic.
    fn prefix(&self, pair: Option<(bool, bool)>) -> String {
        /// Blanks between the address and the brace that opens a pair.
        const BEFORE_BRACE: usize = 9; // Source: listings of cuobjdump
        let mut prefix = self.line[self.head..self.body.start].to_owned();
        let Some((opens, _)) = pair else { return prefix };
        match (prefix.find('{'), opens) {
            (Some(brace), false) => prefix.replace_range(brace..=brace, " "),
            (None, true) if prefix.len() > BEFORE_BRACE + 1 && prefix.bytes().all(|byte| byte == b' ') => {
                prefix.replace_range(BEFORE_BRACE..=BEFORE_BRACE, "{");
            }
            (None, true) => prefix.push_str("{ "),
            _ => {}
        }
        prefix
    }

    /// Returns the text from the end of the operands up to and including the `;` or `}`. The text will start in
    /// column `column`.
    fn terminator(&self, column: usize, written: &NewLine<'_>) -> String {
        let mut text = self.line[self.body.end..self.end].to_owned();
        if let Some((columns, annotations)) = &written.annotations {
            text = self.annotated(&text, column, *columns, annotations);
        }
        if let (Some(drains), ";" | " ;") = (written.drains, &*text) {
            if drains { ";" } else { " ;" }.clone_into(&mut text);
        }
        let Some((_, closes)) = written.pair else { return text };
        match (text.rfind('}'), closes) {
            (Some(brace), false) => {
                text.replace_range(brace..=brace, "");
                text.truncate(text.trim_end().len());
                if !text.contains(';') {
                    text.push_str(" ;");
                }
            }
            (None, true) => {
                text = text.replace(';', "");
                text.truncate(text.trim_end().len());
                text.push_str("         }");
            }
            _ => {}
        }
        text
    }

    /// Returns the text `terminator` (see [`Self::terminator`]) with the scheduling annotations inserted.
    fn annotated(
        &self,
        terminator: &str,
        column: usize,
        columns: Columns,
        annotations: &(String, String),
    ) -> String {
        let marks = || self.tokens.iter().filter(|token| token.kind == TokenKind::Schedule);
        let from = |offset: usize| offset - self.body.end;
        let (before, after) = match (marks().next(), marks().next_back()) {
            (Some(first), Some(last)) => {
                (&terminator[..from(first.start as usize)], &terminator[from(last.end())..])
            }
            _ => terminator.split_at(terminator.rfind(';').unwrap_or(terminator.len())),
        };
        let mut text = before.trim_end().to_owned();
        let (boards, stall) = annotations;
        for (what, at) in [(boards, columns.boards), (stall, columns.stall)] {
            if !what.is_empty() {
                text += &" ".repeat(at.saturating_sub(column + text.len()).max(1));
                text += what;
            }
        }
        text + after
    }

    /// Appends the encoded words and comments after the instruction, in their columns.
    fn add_trailing(&self, text: &mut String, own: &InstructionParts, written: &NewLine<'_>) {
        let trailing = &self.line[self.end..];
        let first = trailing.len() - trailing.trim_start().len();
        let gap = &trailing[..first];
        let was_detached = own.detached;
        if let (Some(ending), Some(word), Some(at)) = (written.detached, written.words[0], own.words[0]) {
            // The remaining text after the instruction is kept. The word moves to the next line.
            let is_elsewhere = was_detached || !own.is_on_line(&at);
            let rest = if is_elsewhere { trailing } else { &self.line[at.token.end()..] };
            text.push_str(rest.trim_end());
            text.push_str(ending);
            text.push_str(&" ".repeat(at.token.start.into()));
            text.push_str(&word_text(word));
            return;
        }
        if let (true, Some(at), Some(word)) = (was_detached, own.words[0], written.words[0]) {
            pad(text, at.token.start.into());
            text.push_str(&word_text(word));
            text.push_str(trailing);
            return;
        }
        if gap.len() == trailing.len() || gap.is_empty() || gap.contains('\t') {
            text.push_str(gap);
        } else {
            pad(text, self.end + first);
        }
        let mut at = self.end + first;
        for (word, place) in written.words.iter().zip(own.words) {
            let on_line = place.filter(|place| place.token.start as usize >= at && own.is_on_line(place));
            if let (Some(word), Some(TokenOnLine { token, .. })) = (word, on_line) {
                text.push_str(&self.line[at..token.start as usize]);
                text.push_str(&word_text(*word));
                at = token.end();
            }
        }
        text.push_str(&self.line[at..]);
    }
}

/// Appends blanks up to a column, at least one.
fn pad(text: &mut String, column: usize) {
    let blanks = column.saturating_sub(text.len()).max(1);
    text.extend(std::iter::repeat_n(' ', blanks));
}

/// Formats an encoded word: `/* 0x001fc40003f06270 */`.
pub(super) fn word_text(word: u64) -> String {
    format!("/* {word:#018x} */")
}
