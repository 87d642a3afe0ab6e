//! An instruction: guard, mnemonic with modifiers, operands, and the rest after the `;`.

use super::Lexer;
use super::inline::inline_length;
use super::scan::{self, find, is_word, symbol_length, word_length};
use crate::sass::{LineKind, Token, TokenKind};

/// The modifier that keeps an operand for the next instruction.
const REUSE: &[u8] = b"reuse";

impl Lexer<'_> {
    /// Reads an instruction from here on, dual-issue braces included.
    pub(super) fn instruction(&mut self) -> LineKind {
        while self.is_inner_comment() && self.comment() {
            self.skip_spaces();
        }
        if self.peek() == Some(b'{') {
            self.push(TokenKind::DualOpen, 1, 0);
            self.skip_spaces();
        }
        if self.peek() == Some(b'@') {
            self.guard();
        }
        if self.error.is_none() {
            let named = self.mnemonic();
            if named {
                self.operands();
            }
            self.end_body();
            if named {
                self.after_operands();
            }
        }
        LineKind::Instruction
    }

    fn guard(&mut self) {
        self.push(TokenKind::At, 1, 0);
        if self.peek() == Some(b'!') {
            self.push(TokenKind::Punct, 1, u32::from(b'!'));
        }
        match register(self.rest()) {
            Some((kind @ (TokenKind::Predicate | TokenKind::UniformPredicate), index, len)) => {
                self.push(kind, len, index);
            }
            _ => return self.fail("expected a guard predicate such as `@P0` or `@!UP1`"),
        }
        self.skip_spaces();
    }

    fn mnemonic(&mut self) -> bool {
        let len = word_length(self.rest());
        if len == 0 || !self.rest()[0].is_ascii_uppercase() {
            self.fail("expected an instruction");
            return false;
        }
        self.body.mnemonic = self.next();
        self.push(TokenKind::Mnemonic, len, 0);
        match inline_length(self.rest()) {
            0 => {}
            len => self.push(TokenKind::Modifier, len, 0),
        }
        self.modifiers();
        // Disassemblers print `CCTL.QRY1[R0]` for Kepler and Maxwell.
        if self.peek().is_some_and(|next| !matches!(next, b' ' | b'\t' | b';' | b'}' | b'[')) {
            self.fail("expected a space, a modifier or `;` after the opcode");
            return false;
        }
        true
    }

    /// `.GE.AND`, directly after what they modify.
    fn modifiers(&mut self) {
        while self.peek() == Some(b'.') {
            let name = &self.rest()[1..];
            let mut len = word_length(name);
            while name.get(len) == Some(&b'?') {
                len += 1 + word_length(&name[len + 1..]);
            }
            if name.get(len) == Some(&b'[') {
                len += inline_length(&name[len..]);
            }
            if len == 0 {
                return self.fail("expected a modifier after `.`");
            }
            self.body.reuses |= len == REUSE.len() && name.starts_with(REUSE);
            self.push(TokenKind::Modifier, 1 + len, 0);
        }
    }

    /// Reads operands up to `;`, to the `}` of a pair, or to where something of another kind begins.
    fn operands(&mut self) {
        let mut open = Brackets::default();
        loop {
            self.skip_spaces();
            let Some(next) = self.peek() else { break };
            match next {
                b';' | b'#' => break,
                b'}' if !open.is_in_brace() => break,
                b'/' if self.is_inner_comment() => _ = self.comment(),
                b'/' if matches!(self.rest().get(1), Some(b'/' | b'*')) => break,
                b'&' | b'?' => {
                    self.end_body();
                    self.annotation();
                }
                b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => self.name(),
                b'0'..=b'9' => self.number(),
                b'`' => self.label_reference(),
                b'.' => self.dotted(),
                b'(' if self.rest().get(1) == Some(&b'*') => {
                    if find(self.rest(), b"*)").is_some() {
                        self.end_body();
                    }
                    self.targets();
                }
                b'[' if self.is_inline() => self.inline_word(),
                b'[' | b'(' | b'{' => {
                    open.open(next);
                    self.punct(next);
                }
                b']' | b')' | b'}' => {
                    if !open.close(next) {
                        return self.fail("expected an opening bracket before this one");
                    }
                    self.punct(next);
                }
                b',' | b'-' | b'+' | b'!' | b'~' | b'|' | b':' | b'*' | b'/' | b'<' | b'>' | b'=' | b'%'
                | b'@' => {
                    self.punct(next);
                }
                _ => return self.fail("expected an operand"),
            }
            if self.error.is_some() {
                return;
            }
            // Most operands are followed by a comma and one blank.
            if self.peek() == Some(b',') {
                self.punct(b',');
                self.at += usize::from(self.peek() == Some(b' '));
            }
        }
        if open.depth > 0 && self.opened.is_none() {
            self.note(self.at.saturating_sub(1), self.at, "expected a closing bracket");
        }
    }

    /// Whether the instruction continues after the comment here.
    pub(super) fn is_inner_comment(&self) -> bool {
        let rest = self.rest();
        let Some(inside) = rest.strip_prefix(b"/*") else { return false };
        scan::encoded_word(rest).is_err()
            && find(inside, b"*/").is_some_and(|end| {
                !matches!(inside[end + 2..].trim_ascii_start().first(), None | Some(b'/' | b'#'))
            })
    }

    fn punct(&mut self, byte: u8) {
        self.push(TokenKind::Punct, 1, u32::from(byte));
    }

    /// A register, a special register, a keyword or a name.
    fn name(&mut self) {
        let rest = self.rest();
        if let Some((kind, index, len)) = register(rest) {
            self.push(kind, len, index);
            return self.modifiers();
        }
        let len = word_length(rest);
        let word = &rest[..len];
        if word.starts_with(b"SR_") || word == b"SRZ" {
            let mut dotted = len;
            while rest.get(dotted) == Some(&b'.') {
                dotted += 1 + word_length(&rest[dotted + 1..]);
            }
            return self.push(TokenKind::SpecialRegister, dotted, 0);
        }
        let followed_by_bracket = rest.get(len) == Some(&b'[');
        let kind = match word {
            b"c" | b"cx" if followed_by_bracket => TokenKind::ConstantBank,
            b"desc" | b"gdesc" | b"idesc" | b"tmem" | b"a" if followed_by_bracket => TokenKind::Keyword,
            b"CC" | b"PR" | b"UPR" => TokenKind::StateRegister,
            b"INF" | b"QNAN" | b"SNAN" | b"NAN" => TokenKind::Float,
            _ => TokenKind::Name,
        };
        // A mangled name may hold a `$` or a `.L` after its first word.
        if kind == TokenKind::Name && rest.get(len) == Some(&b'$') {
            return self.push(TokenKind::Label, symbol_length(rest), 0);
        }
        self.push(kind, len.max(1), 0);
        self.modifiers();
    }

    /// `0x1f`, `1.5`, `2D`, `32@lo(symbol)`, `4x<16*64>`.
    fn number(&mut self) {
        let rest = self.rest();
        if let Ok((after, value)) = scan::hexadecimal(rest)
            && !after.first().copied().is_some_and(is_word)
        {
            self.push(TokenKind::Integer, rest.len() - after.len(), value);
            return self.modifiers();
        }
        if rest.starts_with(b"0x") && !rest.starts_with(b"0x<") {
            return self.fail("expected hexadecimal digits after `0x`");
        }
        let mut len = scan::digits_length(rest);
        // Most numbers are plain.
        if matches!(rest.get(len), Some(b'.' | b'e' | b'E')) {
            let Ok((_, text)) = scan::decimal(rest) else { return self.fail("expected a number") };
            len = text.len();
        }
        let (text, after) = rest.split_at(len);
        match after.first() {
            Some(b'@') => {
                let name = word_length(&after[1..]);
                self.push(TokenKind::Keyword, len + 1 + name, 0);
                if self.peek() == Some(b'(') {
                    self.label_in_parentheses();
                }
            }
            Some(b'x') if after.get(1) == Some(&b'<') => self.computed(len + 1),
            Some(&byte) if is_word(byte) => {
                let name = word_length(after);
                self.push(TokenKind::Name, len + name, 0);
            }
            _ if text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => {
                self.push(TokenKind::Float, len, 0);
            }
            _ => {
                let value = text.iter().fold(0_u32, |value, digit| {
                    value.wrapping_mul(10).wrapping_add(u32::from(digit.wrapping_sub(b'0')))
                });
                self.push(TokenKind::Integer, len, value);
                self.modifiers();
            }
        }
    }

    /// `4x<16*64 + 00>`: an expression of the assembler's own language.
    fn computed(&mut self, prefix: usize) {
        let rest = self.rest();
        let mut depth = 0_u32;
        for (index, &byte) in rest.iter().enumerate().skip(prefix) {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.push(TokenKind::Opaque, index + 1, 0);
            }
        }
        self.fail("expected `>` after the expression");
    }

    /// `` `(.L_x_0) ``.
    fn label_reference(&mut self) {
        self.punct(b'`');
        if self.peek() == Some(b'(') {
            self.label_in_parentheses();
        } else {
            self.fail("expected `(label)` after the backtick");
        }
    }

    fn label_in_parentheses(&mut self) {
        self.punct(b'(');
        let mut depth = 0_u32;
        let closes = |byte: &u8| {
            depth += u32::from(*byte == b'(');
            let closes = *byte == b')' && depth == 0;
            depth -= u32::from(*byte == b')' && depth > 0);
            closes
        };
        let Some(end) = self.rest().iter().position(closes) else {
            return self.fail("expected `)` after the label");
        };
        let close = self.at + end;
        self.skip_spaces();
        let inside = self.line[self.at..close].iter().rposition(|&byte| !scan::is_space(byte));
        let Some(last) = inside else {
            return self.fail("expected a label between the parentheses");
        };
        self.push(TokenKind::Label, last + 1, 0);
        self.skip_spaces();
        self.punct(b')');
    }

    /// `.L_x_0`, named without a backtick, or the modifiers of `|R1|` and `c[0x0] [0x160]`.
    fn dotted(&mut self) {
        let before = self.tokens.last();
        if before.is_some_and(|token| {
            token.kind == TokenKind::Punct && matches!(token.value as u8, b'|' | b']' | b')')
        }) {
            return self.modifiers();
        }
        match symbol_length(self.rest()) {
            0 | 1 => self.fail("expected a label or a modifier after `.`"),
            len => self.push(TokenKind::Label, len, 0),
        }
    }

    /// `(*"BRANCH_TARGETS .L_x_28"*)`.
    fn targets(&mut self) {
        match find(self.rest(), b"*)") {
            Some(end) => self.push(TokenKind::Targets, end + 2, 0),
            None => self.fail("expected `*)`"),
        }
    }

    /// `&req={1,0}`, `?trans4`: a word without spaces.
    fn annotation(&mut self) {
        let len = self.rest().iter().take_while(|byte| !matches!(byte, b' ' | b'\t' | b';')).count();
        self.push(TokenKind::Schedule, len, 0);
    }

    /// `;`, the brace that ends a pair, and what the tools print after them.
    fn after_operands(&mut self) {
        if !self.end_of_instruction() && self.opened.is_none() {
            let end = self.tokens.last().map_or(self.at, Token::end);
            self.note(end.saturating_sub(1), end, "expected `;`");
        }
        self.trailing();
    }

    fn end_of_instruction(&mut self) -> bool {
        let mut ended = false;
        loop {
            self.skip_spaces();
            match self.peek() {
                Some(b';') => self.punct(b';'),
                Some(b'}') => self.push(TokenKind::DualClose, 1, 0),
                _ => return ended,
            }
            ended = true;
        }
    }

    /// Comments, encodings and tables after an instruction, a label or a directive.
    pub(super) fn trailing(&mut self) {
        loop {
            self.skip_spaces();
            match self.peek() {
                None => return,
                Some(b'/' | b'#') => {
                    if !self.comment() {
                        return;
                    }
                }
                Some(b'(') if self.rest().starts_with(b"(*") => self.targets(),
                Some(b'[') => self.opaque_rest(),
                Some(_) => return self.fail("expected the end of the line after `;`"),
            }
        }
    }
}

/// The register that a text starts with: its kind, its index and its bytes. `None` where the word is another.
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

/// Brackets opened so far, innermost in the lowest two bits.
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
    fn an_address_may_stand_right_behind_the_opcode() {
        let text = "        /*0008*/              @P0 CCTL.E.QRY1[R0+0x10];      /* 0x7b80000000000002 */\n";
        let listing = Listing::parse(text);
        let chunk = &listing.chunks()[0];
        let instruction = &chunk.instructions()[0];
        assert_eq!((chunk.mnemonic(instruction), chunk.operands(instruction).count()), ("CCTL", 1));
        assert!(chunk.errors().is_empty());
    }
}
