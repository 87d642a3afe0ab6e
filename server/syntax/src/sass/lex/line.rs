//! Lines that are no instruction: comments, encodings, labels, directives, headers, and the assemblers' blocks.

use super::scan::find;
use super::{Block, Lexer, control_text, scan};
use crate::sass::{LineKind, TokenKind};

impl Lexer<'_> {
    /// A line that starts with a slash: an address, an encoding, or a comment.
    pub(super) fn slash(&mut self) -> LineKind {
        let rest = self.rest();
        if let Ok((after, address)) = scan::address(rest) {
            self.push(TokenKind::Address, rest.len() - after.len(), address);
            return self.after_address();
        }
        if self.take(TokenKind::Word, scan::encoded_word).is_some() {
            self.trailing();
            return LineKind::Word;
        }
        if let Some(name) = section_name(rest) {
            let start = self.at;
            self.at += name.start;
            self.tokens_around(start, name.len());
            return LineKind::Header;
        }
        if rest.starts_with(b"/*") {
            if !self.comment() {
                return LineKind::Error;
            }
            self.skip_spaces();
            return match self.peek() {
                None => LineKind::Comment,
                Some(b'/') => self.slash(),
                Some(b'@' | b'{' | b'A'..=b'Z') => self.instruction(),
                Some(_) => {
                    self.trailing();
                    LineKind::Comment
                }
            };
        }
        if self.comment() { LineKind::Comment } else { LineKind::Error }
    }

    /// `//---- .text.name ----`: the dashes are comment, the name a label.
    fn tokens_around(&mut self, start: usize, name: usize) {
        let at = self.at;
        self.at = start;
        // Form feeds before the name belong to the comment.
        let dashes = self.line[start..at].iter().rposition(|&byte| !scan::is_space(byte));
        self.push(TokenKind::Comment, dashes.map_or(0, |last| last + 1), 0);
        self.at = at;
        self.push(TokenKind::Label, name, 0);
        self.skip_spaces();
        self.push_rest(TokenKind::Comment);
    }

    /// Reads what may follow an address: an instruction, or bytes of a data section.
    fn after_address(&mut self) -> LineKind {
        self.skip_spaces();
        match self.peek() {
            Some(b'.') => {
                self.directive();
                LineKind::Data
            }
            None => LineKind::Comment,
            // CuAssembler prints nothing here for padding; a comment may be alone on a line.
            Some(b'/') if self.rest().starts_with(b"//") => {
                self.trailing();
                LineKind::Comment
            }
            Some(b'/') if !self.is_inner_comment() => {
                self.trailing();
                LineKind::Comment
            }
            Some(b'[') => self.bracket(),
            Some(_) => self.instruction(),
        }
    }

    /// Takes the comment or encoding that starts here; false if there is no such token or it never ends.
    pub(super) fn comment(&mut self) -> bool {
        let rest = self.rest();
        if self.take(TokenKind::Word, scan::encoded_word).is_some() {
            return true;
        }
        if rest.starts_with(b"// |") || rest.starts_with(b"// +--") {
            self.push_rest(TokenKind::LifeRange);
        } else if rest.starts_with(b"//") || rest.starts_with(b"#") {
            self.push_rest(TokenKind::Comment);
        } else if rest.starts_with(b"/*") {
            if let Some(end) = find(&rest[2..], b"*/") {
                self.push(TokenKind::Comment, end + 4, 0);
            } else {
                self.fail("expected `*/` at the end of the comment");
                return false;
            }
        } else {
            self.fail("expected a comment after `/`");
            return false;
        }
        true
    }

    pub(super) fn hash_comment(&mut self) -> LineKind {
        let rest = self.rest();
        let kernel = b"# Kernel:";
        if rest.starts_with(kernel) {
            self.push(TokenKind::Directive, kernel.len(), 0);
            self.skip_spaces();
            let name = scan::symbol_length(self.rest());
            if name > 0 {
                self.push(TokenKind::Label, name, 0);
                self.skip_spaces();
                self.push_rest(TokenKind::Comment);
                return LineKind::Header;
            }
        }
        self.push_rest(TokenKind::Comment);
        LineKind::Comment
    }

    /// `[B------:R-:W-:Y:S08]` before an instruction, or inline code (`[- perl -]`).
    pub(super) fn bracket(&mut self) -> LineKind {
        if self.take(TokenKind::Control, control_text::cuassembler).is_some() {
            return self.after_control();
        }
        self.inline_line().unwrap_or_else(|| {
            self.fail("expected a control code such as `[B--2---:R0:W-:Y:S08]`");
            LineKind::Instruction
        })
    }

    /// An instruction with a control code of maxas or KeplerAs; `None` if the line has no such code here.
    pub(super) fn controlled(&mut self) -> Option<LineKind> {
        let has_code = self.take(TokenKind::Control, control_text::maxas).is_some()
            || self.take(TokenKind::Control, control_text::kepleras).is_some();
        has_code.then(|| self.after_control())
    }

    fn after_control(&mut self) -> LineKind {
        self.skip_spaces();
        let rest = self.rest();
        if let Ok((after, address)) = scan::address(rest) {
            self.push(TokenKind::Address, rest.len() - after.len(), address);
            self.skip_spaces();
        }
        match self.peek() {
            None => {
                self.fail("expected an instruction after the control code");
                LineKind::Instruction
            }
            Some(_) => self.instruction(),
        }
    }

    /// `.L_x_0:` or `.section …`.
    pub(super) fn dot(&mut self) -> LineKind {
        if self.label() {
            return LineKind::Label;
        }
        self.directive();
        LineKind::Directive
    }

    /// A symbol followed by `:` and nothing but a comment.
    fn label(&mut self) -> bool {
        let rest = self.rest();
        let Ok((after, name)) = scan::symbol(rest) else { return false };
        if after.first() != Some(&b':')
            || matches!(after.get(1), Some(byte) if !matches!(byte, b' ' | b'\t' | b'/' | b'#'))
        {
            return false;
        }
        if !matches!(after[1..].trim_ascii_start().first(), None | Some(b'/' | b'#')) {
            return false;
        }
        self.push(TokenKind::Label, name.len(), 0);
        self.push(TokenKind::Punct, 1, u32::from(b':'));
        self.trailing();
        true
    }

    /// A directive and its arguments, which are taken as they are.
    fn directive(&mut self) {
        let name = 1 + scan::symbol_length(&self.rest()[1..]);
        if name == 1 {
            // The row of dots that ends a function in cuobjdump's listings.
            return if self.rest().iter().all(|&byte| byte == b'.') {
                self.push_rest(TokenKind::Comment);
            } else {
                self.fail("expected a directive's name after `.`");
            };
        }
        if self.rest().trim_ascii_end().iter().all(|&byte| byte == b'.') {
            return self.push_rest(TokenKind::Comment);
        }
        self.push(TokenKind::Directive, name, 0);
        self.arguments();
    }

    fn arguments(&mut self) {
        loop {
            self.skip_spaces();
            let rest = self.rest();
            match self.peek() {
                None => return,
                Some(b'/') if matches!(rest.get(1), Some(b'/' | b'*')) => {
                    if !self.comment() {
                        return;
                    }
                }
                Some(b'"') => self.string(0),
                Some(b'@') if rest.get(1) == Some(&b'"') => self.string(1),
                Some(b'`') => self.push(TokenKind::Punct, 1, u32::from(b'`')),
                Some(byte @ (b',' | b'(' | b')')) => self.push(TokenKind::Punct, 1, u32::from(byte)),
                Some(_) => {
                    let len = rest
                        .iter()
                        .take_while(|byte| !matches!(byte, b' ' | b'\t' | b',' | b'"' | b'(' | b')' | b'`'));
                    self.push(TokenKind::Name, len.count().max(1), 0);
                }
            }
            if self.error.is_some() {
                return;
            }
        }
    }

    /// A quoted text; `prefix` bytes precede the quote.
    fn string(&mut self, prefix: usize) {
        let body = &self.rest()[prefix + 1..];
        let mut escaped = false;
        let end = body.iter().position(|&byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        match end {
            Some(end) => self.push(TokenKind::String, prefix + end + 2, 0),
            None => self.fail("expected `\"` at the end of the text"),
        }
    }

    /// A line that starts with a letter, a digit or a dash: a control code, a label, a header or an instruction.
    pub(super) fn word_line(&mut self) -> LineKind {
        if let Some(kind) = self.controlled() {
            return kind;
        }
        if self.label() {
            return LineKind::Label;
        }
        if let Some(kind) = self.cuobjdump_header() {
            return kind;
        }
        match self.peek() {
            Some(b'A'..=b'Z') => self.instruction(),
            Some(b'-' | b'0'..=b'9') => {
                self.fail("expected a control code such as `01:-:2:Y:5` or `T:G:D:S:04`");
                LineKind::Instruction
            }
            _ => {
                self.fail("expected an instruction, a label, a directive or a comment");
                LineKind::Error
            }
        }
    }

    /// The lines that cuobjdump prints around functions: `Function : name`, `code for sm_90`, `arch = sm_90`, resource usage.
    fn cuobjdump_header(&mut self) -> Option<LineKind> {
        let rest = self.rest();
        if rest.starts_with(b"Function : ") || rest.starts_with(b"code for ") {
            let words = if rest[0] == b'F' { b"Function :".len() } else { b"code for".len() };
            self.push(TokenKind::Directive, words, 0);
            self.skip_spaces();
            self.push_rest(TokenKind::Label);
            return Some(LineKind::Header);
        }
        let fatbin = rest.starts_with(b"Fatbin ") || rest.starts_with(b"====");
        let usage = rest.starts_with(b"Resource usage:")
            || rest.starts_with(b"Common:")
            || rest.starts_with(b"GLOBAL:")
            || rest.starts_with(b"REG:")
            || (rest.starts_with(b"Function ") && rest.trim_ascii_end().ends_with(b":"));
        // `host = linux`, `compile_size = 64bit`, `code version = [1,7]`.
        let field = rest[0].is_ascii_lowercase() && find(rest, b" = ").is_some();
        let lone = matches!(rest.trim_ascii_end(), b"compressed" | b"has debug info");
        if fatbin || usage || field || lone {
            self.push_rest(TokenKind::Directive);
            return Some(if rest.starts_with(b"Fatbin ") { LineKind::Header } else { LineKind::Directive });
        }
        None
    }

    /// `<REGISTER_MAPPING>`, `</CODE>`, `<INCLUDE file="…"/>`.
    pub(super) fn tag(&mut self) -> (LineKind, Block) {
        let rest = self.rest();
        let Some(end) = rest.iter().position(|&byte| byte == b'>') else {
            self.fail("expected `>` at the end of the tag");
            return (LineKind::Error, Block::None);
        };
        let inside = &rest[1..end];
        self.push(TokenKind::Directive, end + 1, 0);
        self.trailing();
        if inside.ends_with(b"/") || inside.starts_with(b"/") {
            return (LineKind::Directive, Block::None);
        }
        let name = inside.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_').count();
        let is = |tags: &[&str]| tags.iter().any(|tag| inside[..name].eq_ignore_ascii_case(tag.as_bytes()));
        let block = if is(&["CODE"]) {
            Block::Code
        } else if is(&["COMMENT"]) {
            Block::Comment
        } else if is(&["REGISTER_MAPPING", "CONSTANT_MAPPING", "PARAMS", "REGS", "CONSTS", "SMEM"]) {
            Block::Mapping
        } else {
            Block::None
        };
        (LineKind::Directive, block)
    }

    /// A line of a block in another language, or the tag that ends it.
    pub(super) fn opaque(&mut self, block: Block) -> (LineKind, Block) {
        let rest = self.rest();
        let end: &[u8] = if block == Block::Code { b"</code" } else { b"</comment" };
        if rest.get(..end.len()).is_some_and(|start| start.eq_ignore_ascii_case(end)) {
            return self.tag();
        }
        if rest.is_empty() {
            return (LineKind::Blank, block);
        }
        self.push_rest(TokenKind::Opaque);
        (LineKind::Opaque, block)
    }

    /// A line of a mapping block: what it maps is the assembler's own language.
    pub(super) fn mapping(&mut self) -> (LineKind, Block) {
        match self.peek() {
            None => (LineKind::Blank, Block::Mapping),
            Some(b'<') => self.tag(),
            Some(b'#') => (self.hash_comment(), Block::Mapping),
            Some(b'[') if self.is_inline() => {
                self.opaque_rest();
                (LineKind::Opaque, Block::Mapping)
            }
            Some(b'/') => {
                let ended = self.comment();
                self.map_entry();
                (if ended { LineKind::Comment } else { LineKind::Error }, Block::Mapping)
            }
            Some(_) => {
                self.map_entry();
                (LineKind::Mapping, Block::Mapping)
            }
        }
    }

    /// `0-63 ~ blk, ldx<0|2>[1]` or `param_C[0] : c[0x0][0x140]`.
    fn map_entry(&mut self) {
        loop {
            self.skip_spaces();
            let rest = self.rest();
            match self.peek() {
                None => return,
                Some(b'#') => return self.push_rest(TokenKind::Comment),
                Some(b'/') if rest.starts_with(b"//") => return self.push_rest(TokenKind::Comment),
                Some(byte) if scan::is_word(byte) => {
                    let len = scan::word_length(rest);
                    self.push(TokenKind::Name, len, 0);
                }
                Some(b'[') if self.is_inline() => self.inline_word(),
                Some(byte) if byte.is_ascii_punctuation() => self.push(TokenKind::Punct, 1, u32::from(byte)),
                Some(_) => return self.fail("expected registers, `:` or `~`, and names"),
            }
        }
    }
}

/// The section's name in `//--------------------- .text.name --------------------------`, as a range of `line`.
fn section_name(line: &[u8]) -> Option<std::ops::Range<usize>> {
    let after = line.strip_prefix(b"//")?.trim_ascii_start();
    let dashes = after.iter().take_while(|&&byte| byte == b'-').count();
    if dashes < 10 {
        return None;
    }
    let middle = after[dashes..].trim_ascii_start();
    let start = line.len() - middle.len();
    let name = scan::symbol_length(middle);
    let tail = middle[name..].trim_ascii();
    (name > 0 && tail.len() >= 10 && tail.iter().all(|&byte| byte == b'-')).then_some(start..start + name)
}
