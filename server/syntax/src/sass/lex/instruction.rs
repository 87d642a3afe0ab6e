//! Lexer for an instruction: guard, mnemonic with modifiers, operands, and trailing text after the `;`.

use super::comment::{comment, is_inner_comment, targets, trailing};
use super::cursor::Cursor;
use super::inline::{inline_length, inline_word, is_inline};
use super::scan::{self, find, is_word, symbol_length, word_length};
use crate::sass::{LineKind, Token, TokenKind};

/// The modifier that keeps an operand in the reuse cache for the next instruction.
const REUSE: &[u8] = b"reuse";

/// Reads an instruction from the current position, including dual-issue braces.
pub(super) fn instruction(cursor: &mut Cursor<'_>) -> LineKind {
    while is_inner_comment(cursor) && comment(cursor) {
        cursor.skip_spaces();
    }
    if cursor.peek() == Some(b'{') {
        cursor.push(TokenKind::DualOpen, 1, 0);
        cursor.skip_spaces();
    }
    if cursor.peek() == Some(b'@') {
        guard(cursor);
    }
    if cursor.error.is_none() {
        let named = mnemonic(cursor);
        if named {
            operands(cursor);
        }
        cursor.end_body();
        if named {
            after_operands(cursor);
        }
    }
    LineKind::Instruction
}

fn guard(cursor: &mut Cursor<'_>) {
    cursor.push(TokenKind::At, 1, 0);
    if cursor.peek() == Some(b'!') {
        cursor.push(TokenKind::Punct, 1, u32::from(b'!'));
    }
    match register(cursor.rest()) {
        Some((kind @ (TokenKind::Predicate | TokenKind::UniformPredicate), index, len)) => {
            cursor.push(kind, len, index);
        }
        _ => return cursor.fail("expected a guard predicate such as `@P0` or `@!UP1`"),
    }
    cursor.skip_spaces();
}

fn mnemonic(cursor: &mut Cursor<'_>) -> bool {
    let len = word_length(cursor.rest());
    if len == 0 || !cursor.rest()[0].is_ascii_uppercase() {
        cursor.fail("expected an instruction");
        return false;
    }
    cursor.body.mnemonic = cursor.next();
    cursor.push(TokenKind::Mnemonic, len, 0);
    match inline_length(cursor.rest()) {
        0 => {}
        len => cursor.push(TokenKind::Modifier, len, 0),
    }
    modifiers(cursor);
    // Disassemblers print `CCTL.QRY1[R0]` for Kepler and Maxwell.
    if cursor.peek().is_some_and(|next| !matches!(next, b' ' | b'\t' | b';' | b'}' | b'[')) {
        cursor.fail("expected a space, a modifier or `;` after the opcode");
        return false;
    }
    true
}

/// Reads modifiers, such as `.GE.AND`, directly after the token that they qualify.
fn modifiers(cursor: &mut Cursor<'_>) {
    while cursor.peek() == Some(b'.') {
        let name = &cursor.rest()[1..];
        let mut len = word_length(name);
        while name.get(len) == Some(&b'?') {
            len += 1 + word_length(&name[len + 1..]);
        }
        if name.get(len) == Some(&b'[') {
            len += inline_length(&name[len..]);
        }
        if len == 0 {
            return cursor.fail("expected a modifier after `.`");
        }
        cursor.body.reuses |= len == REUSE.len() && name.starts_with(REUSE);
        cursor.push(TokenKind::Modifier, 1 + len, 0);
    }
}

/// Reads operands up to `;`, to the `}` of a pair, or to a token that cannot be part of an operand.
fn operands(cursor: &mut Cursor<'_>) {
    let mut open = Brackets::default();
    loop {
        cursor.skip_spaces();
        let Some(next) = cursor.peek() else { break };
        match next {
            b';' | b'#' => break,
            b'}' if !open.is_in_brace() => break,
            b'/' if is_inner_comment(cursor) => _ = comment(cursor),
            b'/' if matches!(cursor.rest().get(1), Some(b'/' | b'*')) => break,
            b'&' | b'?' => {
                cursor.end_body();
                annotation(cursor);
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => name(cursor),
            b'0'..=b'9' => number(cursor),
            b'`' => label_reference(cursor),
            b'.' => dotted(cursor),
            b'(' if cursor.rest().get(1) == Some(&b'*') => {
                if find(cursor.rest(), b"*)").is_some() {
                    cursor.end_body();
                }
                targets(cursor);
            }
            b'[' if is_inline(cursor) => inline_word(cursor),
            b'[' | b'(' | b'{' => {
                open.open(next);
                cursor.punct(next);
            }
            b']' | b')' | b'}' => {
                if !open.close(next) {
                    return cursor.fail("expected an opening bracket before this one");
                }
                cursor.punct(next);
            }
            b',' | b'-' | b'+' | b'!' | b'~' | b'|' | b':' | b'*' | b'/' | b'<' | b'>' | b'=' | b'%'
            | b'@' => {
                cursor.punct(next);
            }
            _ => return cursor.fail("expected an operand"),
        }
        if cursor.error.is_some() {
            return;
        }
        // A comma and one blank follow most operands.
        if cursor.peek() == Some(b',') {
            cursor.punct(b',');
            cursor.at += usize::from(cursor.peek() == Some(b' '));
        }
    }
    if open.depth > 0 && cursor.opened.is_none() {
        cursor.note(cursor.at.saturating_sub(1), cursor.at, "expected a closing bracket");
    }
}

/// A register, a special register, a keyword or a name.
fn name(cursor: &mut Cursor<'_>) {
    let rest = cursor.rest();
    if let Some((kind, index, len)) = register(rest) {
        cursor.push(kind, len, index);
        return modifiers(cursor);
    }
    let len = word_length(rest);
    let word = &rest[..len];
    if word.starts_with(b"SR_") || word == b"SRZ" {
        let mut dotted = len;
        while rest.get(dotted) == Some(&b'.') {
            dotted += 1 + word_length(&rest[dotted + 1..]);
        }
        return cursor.push(TokenKind::SpecialRegister, dotted, 0);
    }
    let followed_by_bracket = rest.get(len) == Some(&b'[');
    let kind = match word {
        b"c" | b"cx" if followed_by_bracket => TokenKind::ConstantBank,
        b"desc" | b"gdesc" | b"idesc" | b"tmem" | b"a" if followed_by_bracket => TokenKind::Keyword,
        b"CC" | b"PR" | b"UPR" => TokenKind::StateRegister,
        b"INF" | b"QNAN" | b"SNAN" | b"NAN" => TokenKind::Float,
        _ => TokenKind::Name,
    };
    // A mangled name may contain a `$` or a `.L` after its first word.
    if kind == TokenKind::Name && rest.get(len) == Some(&b'$') {
        return cursor.push(TokenKind::Label, symbol_length(rest), 0);
    }
    cursor.push(kind, len.max(1), 0);
    modifiers(cursor);
}

/// Reads `0x1f`, `1.5`, `2D`, `32@lo(symbol)`, `4x<16*64>`.
fn number(cursor: &mut Cursor<'_>) {
    let rest = cursor.rest();
    if let Ok((after, value)) = scan::hexadecimal(rest)
        && !after.first().copied().is_some_and(is_word)
    {
        cursor.push(TokenKind::Integer, rest.len() - after.len(), value);
        return modifiers(cursor);
    }
    if rest.starts_with(b"0x") && !rest.starts_with(b"0x<") {
        return cursor.fail("expected hexadecimal digits after `0x`");
    }
    let mut len = scan::digits_length(rest);
    // Most numbers are plain integers.
    if matches!(rest.get(len), Some(b'.' | b'e' | b'E')) {
        let Ok((_, text)) = scan::decimal(rest) else { return cursor.fail("expected a number") };
        len = text.len();
    }
    let (text, after) = rest.split_at(len);
    match after.first() {
        Some(b'@') => {
            let name = word_length(&after[1..]);
            cursor.push(TokenKind::Keyword, len + 1 + name, 0);
            if cursor.peek() == Some(b'(') {
                label_in_parentheses(cursor);
            }
        }
        Some(b'x') if after.get(1) == Some(&b'<') => computed(cursor, len + 1),
        Some(&byte) if is_word(byte) => {
            let name = word_length(after);
            cursor.push(TokenKind::Name, len + name, 0);
        }
        _ if text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => {
            cursor.push(TokenKind::Float, len, 0);
        }
        _ => {
            let value = text.iter().fold(0_u32, |value, digit| {
                value.wrapping_mul(10).wrapping_add(u32::from(digit.wrapping_sub(b'0')))
            });
            cursor.push(TokenKind::Integer, len, value);
            modifiers(cursor);
        }
    }
}

/// Reads an assembler expression, `4x<16*64 + 00>`, as one opaque token. `prefix` is the number of bytes up
/// to and including the `x`.
fn computed(cursor: &mut Cursor<'_>, prefix: usize) {
    let rest = cursor.rest();
    let mut depth = 0_u32;
    for (index, &byte) in rest.iter().enumerate().skip(prefix) {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return cursor.push(TokenKind::Opaque, index + 1, 0);
        }
    }
    cursor.fail("expected `>` after the expression");
}

/// Reads `` `(.L_x_0) ``.
fn label_reference(cursor: &mut Cursor<'_>) {
    cursor.punct(b'`');
    if cursor.peek() == Some(b'(') {
        label_in_parentheses(cursor);
    } else {
        cursor.fail("expected `(label)` after the backtick");
    }
}

fn label_in_parentheses(cursor: &mut Cursor<'_>) {
    cursor.punct(b'(');
    let mut depth = 0_u32;
    let closes = |byte: &u8| {
        depth += u32::from(*byte == b'(');
        let closes = *byte == b')' && depth == 0;
        depth -= u32::from(*byte == b')' && depth > 0);
        closes
    };
    let Some(end) = cursor.rest().iter().position(closes) else {
        return cursor.fail("expected `)` after the label");
    };
    let close = cursor.at + end;
    cursor.skip_spaces();
    let inside = cursor.line[cursor.at..close].iter().rposition(|&byte| !scan::is_space(byte));
    let Some(last) = inside else {
        return cursor.fail("expected a label between the parentheses");
    };
    cursor.push(TokenKind::Label, last + 1, 0);
    cursor.skip_spaces();
    cursor.punct(b')');
}

/// Reads `.L_x_0`, a label without a backtick, or the modifiers of `|R1|` and `c[0x0] [0x160]`.
fn dotted(cursor: &mut Cursor<'_>) {
    let before = cursor.tokens.last();
    if before.is_some_and(|token| {
        token.kind == TokenKind::Punct && matches!(token.value as u8, b'|' | b']' | b')')
    }) {
        return modifiers(cursor);
    }
    match symbol_length(cursor.rest()) {
        0 | 1 => cursor.fail("expected a label or a modifier after `.`"),
        len => cursor.push(TokenKind::Label, len, 0),
    }
}

/// Reads an annotation. An annotation is a word without spaces: `&req={1,0}`, `?trans4`.
fn annotation(cursor: &mut Cursor<'_>) {
    let len = cursor.rest().iter().take_while(|byte| !matches!(byte, b' ' | b'\t' | b';')).count();
    cursor.push(TokenKind::Schedule, len, 0);
}

/// Reads `;`, the brace that ends a pair, and the annotations and encodings that tools print after an
/// instruction.
fn after_operands(cursor: &mut Cursor<'_>) {
    if !end_of_instruction(cursor) && cursor.opened.is_none() {
        let end = cursor.tokens.last().map_or(cursor.at, Token::end);
        cursor.note(end.saturating_sub(1), end, "expected `;`");
    }
    trailing(cursor);
}

fn end_of_instruction(cursor: &mut Cursor<'_>) -> bool {
    let mut ended = false;
    loop {
        cursor.skip_spaces();
        match cursor.peek() {
            Some(b';') => cursor.punct(b';'),
            Some(b'}') => cursor.push(TokenKind::DualClose, 1, 0),
            _ => return ended,
        }
        ended = true;
    }
}

/// The register at the start of a text: its kind, index, and length in bytes. `None` for other words.
#[inline]
fn register(text: &[u8]) -> Option<(TokenKind, u32, usize)> {
    let (kind, rest) = match text {
        [b'R', rest @ ..] => (TokenKind::Register, rest),
        [b'P', rest @ ..] => (TokenKind::Predicate, rest),
        [b'U', b'R', rest @ ..] => (TokenKind::UniformRegister, rest),
        [b'U', b'P', rest @ ..] => (TokenKind::UniformPredicate, rest),
        [b'B', rest @ ..] => (TokenKind::Barrier, rest),
        [b'S', b'B', rest @ ..] | [b'g', b's', b'b', rest @ ..] => (TokenKind::Scoreboard, rest),
        _ => return None,
    };
    let (after, index) = match (kind, rest) {
        (TokenKind::Register | TokenKind::UniformRegister, [b'Z', after @ ..])
        | (TokenKind::Predicate | TokenKind::UniformPredicate, [b'T', after @ ..]) => {
            (after, Token::ZERO_REGISTER)
        }
        _ => scan::index(rest).ok()?,
    };
    let is_whole = !after.first().copied().is_some_and(is_word);
    is_whole.then_some((kind, index, text.len() - after.len()))
}

/// Stack of open brackets, the innermost in the lowest two bits.
#[derive(Default)]
struct Brackets {
    stack: u64,
    depth: u32,
}

impl Brackets {
    const fn code(byte: u8) -> u64 {
        match byte {
            b'[' | b']' => 1,
            b'(' | b')' => 2,
            _ => 3,
        }
    }

    fn open(&mut self, byte: u8) {
        self.stack = (self.stack << 2) | Self::code(byte);
        self.depth += 1;
    }

    fn close(&mut self, byte: u8) -> bool {
        let fits = self.depth > 0 && self.stack & 3 == Self::code(byte);
        if fits {
            self.stack >>= 2;
            self.depth -= 1;
        }
        fits
    }

    fn is_in_brace(&self) -> bool {
        self.depth > 0 && self.stack & 3 == 3
    }
}

#[cfg(test)]
mod tests {
    use crate::sass::Listing;

    #[test]
    fn an_address_may_follow_the_opcode_directly() {
        let text = "        /*0008*/              @P0 CCTL.E.QRY1[R0+0x10];      /* 0x7b80000000000002 */\n";
        let listing = Listing::parse(text);
        let chunk = &listing.chunks()[0];
        let instruction = &chunk.instructions()[0];
        assert_eq!((chunk.mnemonic(instruction), chunk.operands(instruction).count()), ("CCTL", 1));
        assert!(chunk.errors().is_empty());
    }
}
