//! Inline code of maxas: `[+ ... +]`, which is replaced by its result, and `[- ... -]`, which is only
//! executed.
//!
//! The assembler runs inline code before it reads the text. Inline code may therefore span several lines and
//! occur among operands or inside a word. The code and all text that it may generate are opaque.

use super::block::{Block, Inline};
use super::cursor::{Body, Cursor};
use super::scan::{self, find};
use crate::sass::TokenKind;

/// Inline code at the start of a text.
#[derive(Clone, Copy)]
pub(super) struct InlineStart {
    pub kind: Inline,
    /// Number of bytes up to the end of `+]` or `-]`; `None` if the end is on another line.
    pub length: Option<usize>,
}

/// Length of `[+` and one more byte, the minimum for inline code.
const SHORTEST: usize = 3; // limit: set by the notation of maxas

/// Returns the inline code at the start of a text. `None` for any other bracket: an address, or a control
/// code in CuAssembler's older form (`[-R--:B...`).
///
/// If the code continues on the next line, its `[+` is followed by a blank, by the end of the line or, where
/// no address can occur, by a word.
pub(super) fn starts_inline(text: &[u8], is_first: bool) -> Option<InlineStart> {
    let kind = match text {
        [b'[', b'+', ..] => Inline::Result,
        [b'[', b'-', ..] => Inline::Silent,
        _ => return None,
    };
    if let Some(length) = kind.length(text, SHORTEST) {
        return Some(InlineStart { kind, length: Some(length) });
    }
    // `[-R2` and `[+0x4` are unfinished addresses.
    let is_code =
        text.get(2).is_none_or(|&byte| scan::is_space(byte) || is_first && byte.is_ascii_lowercase());
    is_code.then_some(InlineStart { kind, length: None })
}

/// True if inline code starts at the current position.
pub(super) fn is_inline(cursor: &Cursor<'_>) -> bool {
    starts_inline(cursor.rest(), false).is_some()
}

/// Reads the remaining line, with its inline code, as opaque text.
pub(super) fn opaque_rest(cursor: &mut Cursor<'_>) {
    let rest = cursor.rest();
    let mut at = 0;
    while let Some(bracket) = find(&rest[at..], b"[") {
        at += bracket;
        match starts_inline(&rest[at..], false) {
            Some(InlineStart { length: Some(length), .. }) => at += length,
            Some(InlineStart { kind, length: None }) => return open_inline(cursor, kind),
            None => at += 1,
        }
    }
    cursor.push_rest(TokenKind::Opaque);
}

/// Reads the remaining line as inline code that continues on the next line.
pub(super) fn open_inline(cursor: &mut Cursor<'_>, kind: Inline) {
    cursor.push_rest(TokenKind::Opaque);
    cursor.opened = Some(kind);
}

/// Reads a word that contains inline code: `[+ size() +]x<4*16>`, `c[+ $n +]y0`. Its kind is unknown.
pub(super) fn inline_word(cursor: &mut Cursor<'_>) {
    let Some(InlineStart { kind, length }) = starts_inline(cursor.rest(), false) else { return };
    let Some(length) = length else { return open_inline(cursor, kind) };
    let end = cursor.at + inline_length(cursor.rest()).max(length);
    while may_take_back(cursor) {
        cursor.at = cursor.tokens.pop().map_or(cursor.at, |token| token.start.into());
    }
    cursor.push(TokenKind::Opaque, end - cursor.at, 0);
}

/// True if the last token ends directly before the current position and belongs to an operand's word.
fn may_take_back(cursor: &Cursor<'_>) -> bool {
    let is_operand = cursor.body.tokens().is_some_and(|(mnemonic, _)| cursor.next() as usize > mnemonic + 1);
    is_operand
        && cursor.tokens.last().is_some_and(|token| {
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
            is_word && token.end() == cursor.at
        })
}

/// Makes an unreadable line opaque if it contains inline code, because only the code determines the line's
/// contents. Returns true if the line was made opaque.
pub(super) fn forgive(cursor: &mut Cursor<'_>, block: Block) -> bool {
    let starts = cursor.line.iter().take_while(|&&byte| scan::is_space(byte)).count();
    let line = &cursor.line[starts..];
    let is_inside = matches!(block, Block::Inline(_));
    let has_inline =
        || memchr::memchr_iter(b'[', line).any(|at| starts_inline(&line[at..], at == 0).is_some());
    if !is_inside && !has_inline() {
        return false;
    }
    cursor.tokens.truncate(cursor.first);
    cursor.error = None;
    cursor.body = Body::EMPTY;
    cursor.at = starts;
    if is_inside {
        cursor.push_rest(TokenKind::Opaque);
    } else {
        opaque_rest(cursor);
    }
    true
}

/// Length in bytes of the inline code at the start of a text, including the word that it is part of. 0 if no
/// inline code starts there, or if it does not end on this line.
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

/// Number of bytes from `<` to the matching `>`.
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

    /// The kinds of a text's lines. Panics if the text has errors.
    fn kinds(text: &str) -> Vec<LineKind> {
        let listing = Listing::parse(text);
        for chunk in listing.chunks() {
            assert_eq!(chunk.errors(), [], "{text}");
        }
        listing.chunks().iter().flat_map(|chunk| chunk.lines().iter().map(|line| line.kind)).collect()
    }

    /// The opaque tokens and modifiers on the first line.
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
        // Neither the opcode nor the number of instructions is known.
        assert_eq!(kinds("--:-:-:-:1 [+ convert() +] R0, R0;"), [LineKind::Opaque]);
        assert_eq!(kinds("--:-:-:-:1 @[+ guard() +] MOV R0, R0;"), [LineKind::Opaque]);
    }

    #[test]
    fn brackets_that_begin_no_code_are_read_as_before() {
        let lines = |text: &str| Listing::parse(text).chunks()[0].errors().len();
        assert_eq!(lines("      [-R--:B------:R-:W-:-:S02]  /*0008*/  MOV R1, R2 ;\n"), 0);
        assert_eq!(kinds("--:-:-:-:1 LDS R0, [-0x4];\n--:-:-:-:5 EXIT;\n")[1], LineKind::Instruction);
        // An unfinished address opens no inline code.
        let listing = Listing::parse("--:-:-:-:1 LDS R0, [-R2\n--:-:-:-:5 EXIT;\n");
        assert_eq!(listing.chunks()[0].lines()[1].kind, LineKind::Instruction);
        assert_eq!(lines("--:-:-:-:1 MOV R0 R1 |;;; x\n"), 1, "a slip is an error outside of inline code");
    }
}
