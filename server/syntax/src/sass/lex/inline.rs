//! Inline code of maxas: `[+ … +]`, which is replaced by its result, and `[- … -]`, which only runs.
//!
//! The assembler runs it before it reads the text, so it may occur anywhere: over whole lines, among an instruction's
//! operands, within a word. The code and everything that it may write stay opaque.

use super::scan::find;
use super::{Block, Body, Lexer, scan};
use crate::sass::{LineKind, TokenKind};

/// Inline code that a line leaves open, by its kind and the block around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(in crate::sass) enum Inline {
    /// `[+ … +]`: replaced by the text that the code returns.
    Result,
    /// `[- … -]`: replaced by nothing.
    Silent,
    ResultInMapping,
    SilentInMapping,
}

/// The inline code that a text starts with.
#[derive(Clone, Copy)]
struct Found {
    kind: Inline,
    /// Bytes up to the end of `+]` or `-]`; `None` where another line has it.
    length: Option<usize>,
}

/// Bytes of `[+` and of one more, which every inline code has.
const SHORTEST: usize = 3;

impl Inline {
    const fn end(self) -> &'static [u8] {
        match self {
            Self::Result | Self::ResultInMapping => b"+]",
            Self::Silent | Self::SilentInMapping => b"-]",
        }
    }

    /// The block that contains the code.
    const fn outer(self) -> Block {
        match self {
            Self::Result | Self::Silent => Block::None,
            Self::ResultInMapping | Self::SilentInMapping => Block::Mapping,
        }
    }

    /// The same kind of inline code within that block.
    pub(super) fn within(self, block: Block) -> Self {
        match self {
            Self::Result if block == Block::Mapping => Self::ResultInMapping,
            Self::Silent if block == Block::Mapping => Self::SilentInMapping,
            kind => kind,
        }
    }

    /// Bytes up to the end of the code. `opened` bytes of the text are its beginning.
    fn length(self, text: &[u8], opened: usize) -> Option<usize> {
        let end = find(text.get(opened..)?, self.end())?;
        Some(opened + end + self.end().len())
    }
}

/// `None` where the bracket is another: an address, or a control code of CuAssembler's older form (`[-R--:B…`).
///
/// Code that continues on the next line has a blank or nothing after its `[+`, or, where no address can occur, a word.
fn starts_inline(text: &[u8], is_first: bool) -> Option<Found> {
    let kind = match text {
        [b'[', b'+', ..] => Inline::Result,
        [b'[', b'-', ..] => Inline::Silent,
        _ => return None,
    };
    if let Some(length) = kind.length(text, SHORTEST) {
        return Some(Found { kind, length: Some(length) });
    }
    // `[-R2` and `[+0x4` are half of an address.
    let is_code =
        text.get(2).is_none_or(|&byte| scan::is_space(byte) || is_first && byte.is_ascii_lowercase());
    is_code.then_some(Found { kind, length: None })
}

impl Lexer<'_> {
    /// Whether inline code starts here.
    pub(super) fn is_inline(&self) -> bool {
        starts_inline(self.rest(), false).is_some()
    }

    /// A line that starts with inline code, if this one does.
    pub(super) fn inline_line(&mut self) -> Option<LineKind> {
        let Found { kind, length } = starts_inline(self.rest(), true)?;
        match length {
            Some(length) => self.push(TokenKind::Opaque, length, 0),
            None => self.open_inline(kind),
        }
        Some(self.behind_inline())
    }

    /// A line within inline code that another line began.
    pub(super) fn inside_inline(&mut self, kind: Inline) -> (LineKind, Block) {
        let block = Block::Inline(kind);
        if self.peek().is_none() {
            return (LineKind::Blank, block);
        }
        let Some(length) = kind.length(self.rest(), 0) else {
            self.push_rest(TokenKind::Opaque);
            return (LineKind::Opaque, block);
        };
        self.push(TokenKind::Opaque, length, 0);
        (self.behind_inline(), kind.outer())
    }

    /// Reads what follows inline code at the start of a line: an instruction with its own control code, which does not
    /// depend on the inline code, or opaque text.
    fn behind_inline(&mut self) -> LineKind {
        self.skip_spaces();
        match self.peek() {
            None => LineKind::Opaque,
            Some(b'/' | b'#') => {
                self.trailing();
                LineKind::Opaque
            }
            Some(_) => {
                if let Some(kind) = self.controlled() {
                    kind
                } else {
                    self.opaque_rest();
                    LineKind::Opaque
                }
            }
        }
    }

    /// Takes the rest of the line as it is, with the inline code in it.
    pub(super) fn opaque_rest(&mut self) {
        let rest = self.rest();
        let mut at = 0;
        while let Some(bracket) = find(&rest[at..], b"[") {
            at += bracket;
            match starts_inline(&rest[at..], false) {
                Some(Found { length: Some(length), .. }) => at += length,
                Some(Found { kind, length: None }) => return self.open_inline(kind),
                None => at += 1,
            }
        }
        self.push_rest(TokenKind::Opaque);
    }

    /// Takes the rest of the line as inline code that goes on in the next one.
    fn open_inline(&mut self, kind: Inline) {
        self.push_rest(TokenKind::Opaque);
        self.opened = Some(kind);
    }

    /// Takes a word that inline code is part of: `[+ size() +]x<4*16>`, `c[+ $n +]y0`. Nothing says what it is.
    pub(super) fn inline_word(&mut self) {
        let Some(Found { kind, length }) = starts_inline(self.rest(), false) else { return };
        let Some(length) = length else { return self.open_inline(kind) };
        let end = self.at + inline_length(self.rest()).max(length);
        while self.may_take_back() {
            self.at = self.tokens.pop().map_or(self.at, |token| token.start.into());
        }
        self.push(TokenKind::Opaque, end - self.at, 0);
    }

    /// Whether the last token ends right before the current position and is part of a word among the operands.
    fn may_take_back(&self) -> bool {
        let is_operand = self.body.tokens().is_some_and(|(mnemonic, _)| self.next() as usize > mnemonic + 1);
        is_operand
            && self.tokens.last().is_some_and(|token| {
                let is_word = matches!(
                    token.kind,
                    TokenKind::Register
                        | TokenKind::UniformRegister
                        | TokenKind::Predicate
                        | TokenKind::UniformPredicate
                        | TokenKind::Barrier
                        | TokenKind::Scoreboard
                        | TokenKind::Name
                        | TokenKind::ConstantBank
                        | TokenKind::Keyword
                        | TokenKind::Integer
                        | TokenKind::Float
                        | TokenKind::Opaque
                );
                is_word && token.end() == self.at
            })
    }

    /// Makes a line opaque that could not be read and has inline code in it: only the code knows what the line says.
    /// Answers whether it did.
    pub(super) fn forgive(&mut self, block: Block) -> bool {
        let starts = self.line.iter().take_while(|&&byte| scan::is_space(byte)).count();
        let line = &self.line[starts..];
        let is_inside = matches!(block, Block::Inline(_));
        let has_inline =
            || memchr::memchr_iter(b'[', line).any(|at| starts_inline(&line[at..], at == 0).is_some());
        if !is_inside && !has_inline() {
            return false;
        }
        self.tokens.truncate(self.first);
        self.error = None;
        self.body = Body::EMPTY;
        self.at = starts;
        if is_inside {
            self.push_rest(TokenKind::Opaque);
        } else {
            self.opaque_rest();
        }
        true
    }
}

/// Length in bytes of the inline code at the start of a text and of the word that it continues in; 0 if none starts
/// there or it does not end on this line.
pub(super) fn inline_length(text: &[u8]) -> usize {
    let Some(mut end) = starts_inline(text, false).and_then(|found| found.length) else { return 0 };
    loop {
        let rest = &text[end..];
        end += match starts_inline(rest, false).and_then(|found| found.length) {
            Some(length) => length,
            None if rest.starts_with(b"x<") => match bracketed(&rest[1..]) {
                Some(length) => 1 + length,
                None => return end,
            },
            None => match scan::word_length(rest) {
                0 => return end,
                word => word,
            },
        };
    }
}

/// Bytes from `<` to the `>` that belongs to it.
fn bracketed(text: &[u8]) -> Option<usize> {
    let mut depth = 0_u32;
    for (index, byte) in text.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::sass::{LineKind, Listing, TokenKind};

    /// The kinds of a text's lines; nothing of it is in error.
    fn kinds(text: &str) -> Vec<LineKind> {
        let listing = Listing::parse(text);
        for chunk in listing.chunks() {
            assert_eq!(chunk.errors(), [], "{text}");
        }
        listing.chunks().iter().flat_map(|chunk| chunk.lines().iter().map(|line| line.kind)).collect()
    }

    /// The opaque tokens and those of modifiers on the first line.
    fn parts(text: &str) -> Vec<String> {
        let listing = Listing::parse(text);
        let chunk = &listing.chunks()[0];
        assert_eq!(chunk.errors(), [], "{text}");
        let is_part = |kind| matches!(kind, TokenKind::Opaque | TokenKind::Modifier);
        let tokens = chunk.line_tokens(0).iter().filter(|token| is_part(token.kind));
        tokens.map(|token| token.text(chunk.line_text(0)).to_owned()).collect()
    }

    #[test]
    fn code_over_lines_is_opaque_and_what_follows_is_read() {
        use LineKind::{Blank, Directive, Instruction, Mapping, Opaque};
        let text = "[-\nour $x = ']';\n\nsub f { return [1, 2]; } -]\n--:-:-:-:1 MOV R0, R1;\n";
        assert_eq!(kinds(text), [Opaque, Opaque, Blank, Opaque, Instruction]);
        let text = "[-our @x = (\n1); -] --:-:-:-:1 MOV R0, R1;\n--:-:-:-:5 EXIT;\n";
        assert_eq!(kinds(text), [Opaque, Instruction, Instruction]);
        let text = "<REGISTER_MAPPING>\n 0 : a\n[+\n return q{\n 1 : b }\n+]\n 2 : c\n[+ more() +]\n 3 : d[+ 1 +]\n\
                    </REGISTER_MAPPING>\n--:-:-:-:1 MOV a, c;\n";
        let expected = [
            Directive,
            Mapping,
            Opaque,
            Opaque,
            Opaque,
            Opaque,
            Mapping,
            Opaque,
            Mapping,
            Directive,
            Instruction,
        ];
        assert_eq!(kinds(text), expected);
        let text = "--:-:-:-:1 MOV R0, [+ f(\n1) +];\n--:-:-:-:5 EXIT;\n";
        assert_eq!(kinds(text), [Instruction, Opaque, Instruction]);
        let listing = Listing::parse(text);
        let goes_on = listing.chunks()[0].lines().iter().map(crate::sass::line::Line::leads_into_inline_code);
        assert_eq!(goes_on.collect::<Vec<_>>(), [true, false, false]);
    }

    #[test]
    fn code_within_a_word_makes_the_word_opaque() {
        let text = "01:-:2:-:1 LDG.E.CI.[+ dtype() +] c[+ $n +]y0, [track + [+ dsize() +]x<2*$W>];";
        assert_eq!(parts(text), [".E", ".CI", ".[+ dtype() +]", "c[+ $n +]y0", "[+ dsize() +]x<2*$W>"]);
        assert_eq!(parts("--:-:-:-:1 LEA R2[- -]1, R0, [+ shift() +], R3;"), ["R2[- -]1", "[+ shift() +]"]);
        assert_eq!(parts("--:-:-:-:1 F2F[+ from() +].F32 R0, R1;"), ["[+ from() +]", ".F32"]);
        // The opcode is not known, nor whether it is one instruction.
        assert_eq!(kinds("--:-:-:-:1 [+ convert() +] R0, R0;"), [LineKind::Opaque]);
        assert_eq!(kinds("--:-:-:-:1 @[+ guard() +] MOV R0, R0;"), [LineKind::Opaque]);
    }

    #[test]
    fn brackets_that_begin_no_code_are_read_as_before() {
        let lines = |text: &str| Listing::parse(text).chunks()[0].errors().len();
        assert_eq!(lines("      [-R--:B------:R-:W-:-:S02]  /*0008*/  MOV R1, R2 ;\n"), 0);
        assert_eq!(kinds("--:-:-:-:1 LDS R0, [-0x4];\n--:-:-:-:5 EXIT;\n")[1], LineKind::Instruction);
        // Half of an address opens nothing.
        let listing = Listing::parse("--:-:-:-:1 LDS R0, [-R2\n--:-:-:-:5 EXIT;\n");
        assert_eq!(listing.chunks()[0].lines()[1].kind, LineKind::Instruction);
        assert_eq!(lines("--:-:-:-:1 MOV R0 R1 |;;; x\n"), 1, "a slip is one where no code stands");
    }
}
