//! Syntactic context of a completion. Only the text before the cursor is used, because the text after
//! the cursor may be missing or outdated.

use crate::engine::sass_view::{LineAt, SassView};
use machine::OperandRole;
use std::ops::Range;
use syntax::sass::{Chunk, LineKind, Listing, Token, TokenKind};

/// A position at which completions may be proposed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// Index of the chunk that contains the position.
    pub chunk: usize,
    /// Byte range of the word at the position.
    pub word: Range<usize>,
    pub context: SiteKind,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SiteKind {
    /// Start of an instruction, where an opcode is expected. If `control` is true, a control code is
    /// also possible.
    Instruction {
        control: bool,
    },
    /// Inside a control code.
    Control,
    /// After the dot of an opcode with the modifiers `taken`.
    Modifier {
        opcode: String,
        taken: Vec<String>,
    },
    /// After the `@` of a guard.
    Guard,
    Operand(OperandSite),
    /// After the dot of a register.
    RegisterSuffix {
        opcode: String,
        in_brackets: bool,
    },
    /// Between the parentheses of `` `(label) ``, or after the dot of a label.
    Label,
}

/// An operand of an instruction.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OperandSite {
    pub opcode: String,
    pub modifiers: Vec<String>,
    /// Tokens of the operands up to the word.
    pub tokens: Vec<Token>,
    /// Number of preceding operands.
    pub index: usize,
}

impl Site {
    /// Returns the site at an offset; `None` if nothing can be proposed at the offset.
    pub(crate) fn at(sass: &SassView, offset: usize) -> Option<Self> {
        let LineSite { chunk, at, text, column } = LineSite::at(sass, offset)?;
        let before = text.get(..column)?;
        let parsed = Listing::parse(before);
        let (context, begun) = match LinePrefix::read(before, first_tokens(&parsed))? {
            LinePrefix::Opcode { text, control } => start_of_instruction(text, control)?,
            LinePrefix::Guard(word) => (SiteKind::Guard, word.len()),
            LinePrefix::Operands { opcode, modifiers, tokens } => operand(before, tokens, opcode, modifiers)?,
        };
        let following = match context {
            SiteKind::Control => rest_of_control(before, &text[column..]),
            _ => text[column..].bytes().take_while(|&byte| is_word(byte)).count(),
        };
        Some(Self { chunk, word: at - begun..at + following, context })
    }

    /// Returns the operand at an offset, and the index of its chunk. The offset may also be in a number
    /// or after a dot. `None` outside of operands.
    pub(crate) fn operand_at(sass: &SassView, offset: usize) -> Option<(usize, OperandSite)> {
        let LineSite { chunk, text, column, .. } = LineSite::at(sass, offset)?;
        let before = text.get(..column)?;
        let parsed = Listing::parse(before);
        match LinePrefix::read(before, first_tokens(&parsed))? {
            LinePrefix::Operands { opcode, modifiers, tokens } => {
                let (index, _) = commas(tokens);
                Some((chunk, OperandSite { opcode, modifiers, tokens: tokens.to_vec(), index }))
            }
            LinePrefix::Opcode { .. } | LinePrefix::Guard(_) => None,
        }
    }
}

/// A cursor position on a line that can hold an instruction.
struct LineSite<'a> {
    chunk: usize,
    /// Byte offset in the complete text.
    at: usize,
    /// Text of the line. `column` is the byte offset in the line.
    text: &'a str,
    column: usize,
}

impl<'a> LineSite<'a> {
    /// Returns the position at an offset. An offset past the end of a line is moved to the end. `None`
    /// if the line cannot contain an instruction.
    fn at(sass: &'a SassView, offset: usize) -> Option<Self> {
        let place = sass.line_at(offset)?;
        let LineAt { index, chunk, line, start } = place;
        let text = place.text();
        let ending = usize::from(chunk.lines()[line].ending);
        if ending > 0 && offset >= start + text.len() + ending {
            // The offset is on the empty line after the last line ending.
            let place = Self { chunk: index, at: sass.listing().len(), text: "", column: 0 };
            return (!is_in_block(chunk, line + 1)).then_some(place);
        }
        let column = (offset - start).min(text.len());
        let is_code = !is_foreign(place.kind()) && !is_in_block(chunk, line);
        is_code.then_some(Self { chunk: index, at: start + column, text, column })
    }
}

fn first_tokens(listing: &Listing) -> &[Token] {
    listing.chunks().first().map_or(&[], |chunk| chunk.line_tokens(0))
}

/// True for lines that never contain an instruction.
fn is_foreign(kind: LineKind) -> bool {
    matches!(
        kind,
        LineKind::Opaque
            | LineKind::Mapping
            | LineKind::Data
            | LineKind::Header
            | LineKind::Word
            | LineKind::Directive
    )
}

/// True if a line is in an inline-code block or a mapping block, judging by the preceding line.
fn is_in_block(chunk: &Chunk, line: usize) -> bool {
    line.checked_sub(1).is_some_and(|above| chunk.lines()[above].leads_into_block())
}

/// Text of a line up to the cursor, if it ends inside an instruction.
enum LinePrefix<'a> {
    /// Ends with the start of an opcode, which may be empty. `control` is true if nothing precedes the
    /// opcode.
    Opcode {
        text: &'a str,
        control: bool,
    },
    /// Ends with the start of a guard's predicate.
    Guard(&'a str),
    Operands {
        opcode: String,
        modifiers: Vec<String>,
        tokens: &'a [Token],
    },
}

impl<'a> LinePrefix<'a> {
    fn read(line: &'a str, tokens: &'a [Token]) -> Option<Self> {
        let leads = tokens.iter().take_while(|token| leads_instruction(token, line)).count();
        let (lead, rest) = tokens.split_at(leads);
        if rest.iter().any(|token| ends_instruction(token, line)) {
            return None;
        }
        let text = line[lead.last().map_or(0, Token::end)..].trim_start();
        let (text, guarded) = match text.strip_prefix('@') {
            None => (text, false),
            Some(guard) => {
                let guard = guard.trim_start_matches('!');
                let Some((_, text)) = guard.split_once([' ', '\t']) else {
                    return is_words(guard).then_some(Self::Guard(guard));
                };
                (text.trim_start(), true)
            }
        };
        let Some(end) = text.find([' ', '\t']) else {
            return Some(Self::Opcode { text, control: lead.is_empty() && !guarded });
        };
        let mut words = text[..end].split('.').map(str::to_owned);
        let opcode = words.next().filter(|word| is_opcode(word))?;
        let mnemonic = tokens.iter().position(|token| token.kind == TokenKind::Mnemonic)?;
        let body = &tokens[mnemonic + 1..];
        let modifiers = body.iter().take_while(|token| token.kind == TokenKind::Modifier).count();
        Some(Self::Operands { opcode, modifiers: words.collect(), tokens: &body[modifiers..] })
    }
}

/// True if a token ends an instruction: the `;`, the closing brace of a pair, or a token that can only
/// follow or replace an instruction.
fn ends_instruction(token: &Token, line: &str) -> bool {
    use TokenKind::{Comment, Directive, DualClose, Error, LifeRange, Punct, Targets, Word};
    match token.kind {
        Word | LifeRange | Directive | Targets | DualClose => true,
        Comment => !token.text(line).starts_with("/*"),
        Error => token.text(line).starts_with('/'),
        Punct => token.value == u32::from(b';'),
        _ => false,
    }
}

/// True for tokens that precede an instruction: an address, a control code, the opening brace of a
/// pair, or a closed comment.
fn leads_instruction(token: &Token, line: &str) -> bool {
    match token.kind {
        TokenKind::Address | TokenKind::Control | TokenKind::DualOpen => true,
        TokenKind::Comment => token.text(line).starts_with("/*") && token.text(line).ends_with("*/"),
        _ => false,
    }
}

fn start_of_instruction(text: &str, control: bool) -> Option<(SiteKind, usize)> {
    if is_words(text) {
        return Some((SiteKind::Instruction { control }, text.len()));
    }
    if let Some((opcode, modifiers)) = text.split_once('.') {
        let mut taken: Vec<String> = modifiers.split('.').map(str::to_owned).collect();
        let begun = taken.pop().unwrap_or_default();
        let is_one = is_opcode(opcode) && is_words(&begun);
        return is_one.then_some((SiteKind::Modifier { opcode: opcode.to_owned(), taken }, begun.len()));
    }
    let begins = text.starts_with("T:")
        || text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '['));
    (control && begins && text.bytes().all(is_of_control)).then_some((SiteKind::Control, text.len()))
}

fn operand(
    before: &str,
    tokens: &[Token],
    opcode: String,
    modifiers: Vec<String>,
) -> Option<(SiteKind, usize)> {
    let (index, depth) = commas(tokens);
    let is_part = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'$');
    let word_len = before.bytes().rev().take_while(|&byte| is_part(byte)).count();
    let (head, word) = before.split_at(before.len() - word_len);
    if head.ends_with("`(") || word.starts_with('.') && !head.ends_with([']', '|', ')']) {
        return Some((SiteKind::Label, word_len));
    }
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let is_special = word.starts_with("SR");
    if let Some((register, suffix)) = word.rsplit_once('.')
        && !is_special
    {
        let is_register =
            register.starts_with(['R', 'U']) || register.is_empty() || register.contains(char::is_numeric);
        let context = SiteKind::RegisterSuffix { opcode, in_brackets: depth > 0 };
        return (is_register && !register.starts_with('P')).then_some((context, suffix.len()));
    }
    let end = before.len() - word_len;
    let tokens = tokens.iter().copied().filter(|token| token.end() <= end).collect();
    let site = OperandSite { opcode, modifiers, tokens, index };
    Some((SiteKind::Operand(site), word_len))
}

/// Number of commas between operands, and number of brackets that are open at the end.
fn commas(tokens: &[Token]) -> (usize, usize) {
    let (mut commas, mut depth) = (0, 0_usize);
    for token in tokens.iter().filter(|token| token.kind == TokenKind::Punct) {
        match token.value as u8 {
            b'[' | b'(' | b'{' => depth += 1,
            b']' | b')' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => commas += 1,
            _ => {}
        }
    }
    (commas, depth)
}

/// Returns the number of bytes after the cursor that belong to the control code at the cursor,
/// including a bracket that the editor closed automatically. A code without brackets ends at the
/// cursor.
fn rest_of_control(before: &str, following: &str) -> usize {
    let is_open = before.rfind('[').is_some_and(|open| !before[open..].contains(']'));
    let rest = following.bytes().take_while(|&byte| is_of_control(byte)).count();
    if is_open && following[rest..].starts_with(']') { rest + 1 } else { 0 }
}

fn is_of_control(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-' | b'[')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_words(text: &str) -> bool {
    text.bytes().all(is_word)
}

fn is_opcode(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_uppercase()) && is_words(word)
}

impl OperandSite {
    /// Returns the tokens of each operand. The last operand is cut off at the cursor.
    pub(super) fn operands(&self) -> Vec<&[Token]> {
        let mut depth = 0_u32;
        let splits = |token: &Token| {
            if token.kind == TokenKind::Punct {
                match token.value as u8 {
                    b'[' | b'(' | b'{' => depth += 1,
                    b']' | b')' | b'}' => depth = depth.saturating_sub(1),
                    b',' => return depth == 0,
                    _ => {}
                }
            }
            false
        };
        self.tokens.split(splits).collect()
    }

    /// Returns the index of the operand's role, derived from the preceding operands and the operand's own tokens. If
    /// the operand has no tokens yet, returns the next mandatory role, otherwise the next optional role. `None` if no
    /// role is left.
    pub(crate) fn role(&self, roles: &[OperandRole]) -> Option<usize> {
        let operands = self.operands();
        let (last, before) = operands.split_last()?;
        if !last.is_empty() {
            return *model::operand_roles(operands.iter().copied(), roles).last()?;
        }
        let taken = model::operand_roles(before.iter().copied(), roles);
        let next = taken.iter().flatten().max().map_or(0, |taken| taken + 1);
        (next..roles.len()).find(|&role| !roles[role].optional).or((next < roles.len()).then_some(next))
    }
}
