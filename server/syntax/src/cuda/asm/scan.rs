//! The `asm` statements of a text.

use super::{Block, Literal, Operand, Template};
use std::ops::Range;

/// Returns the `asm` statements of an item's text, in order. One that is not closed is none.
pub(in crate::cuda) fn scan(text: &str) -> Box<[Block]> {
    if memchr::memmem::find(text.as_bytes(), b"asm").is_none() {
        return Box::default();
    }
    let mut scan = Scan { text, bytes: text.as_bytes(), at: 0 };
    let mut blocks = Vec::new();
    let mut depth = 0_u32;
    while let Some(byte) = scan.next_code() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b'"' => {
                scan.string();
                continue;
            }
            b'\'' => {
                scan.character();
                continue;
            }
            _ if is_name(byte) => {
                let start = scan.at;
                let word = scan.word();
                if matches!(word, "asm" | "__asm" | "__asm__") {
                    let behind = scan.at;
                    match scan.block(start, depth) {
                        Some(block) => blocks.push(block),
                        None => scan.at = behind,
                    }
                } else if matches!(word, "R" | "u8R" | "uR" | "UR" | "LR") && scan.peek() == Some(b'"') {
                    scan.raw_string();
                }
                continue;
            }
            _ => {}
        }
        scan.at += 1;
    }
    for block in &mut blocks {
        block.open_names = Template::read(text, block).map_or_else(Box::default, |read| read.open_names());
    }
    blocks.into()
}

/// A part of the statement, between colons.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Code,
    Outputs,
    Inputs,
    Rest,
}

struct Scan<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl<'t> Scan<'t> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn starts_with(&self, what: &[u8]) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(what))
    }

    /// Goes to the next byte that is no blank and in no comment.
    fn next_code(&mut self) -> Option<u8> {
        loop {
            let byte = self.peek()?;
            if self.starts_with(b"//") {
                self.line();
            } else if self.starts_with(b"/*") {
                let rest = &self.bytes[self.at + 2..];
                self.at = memchr::memmem::find(rest, b"*/").map_or(self.bytes.len(), |end| self.at + end + 4);
            } else if byte.is_ascii_whitespace() || byte == b'\\' {
                self.at += 1;
            } else {
                return Some(byte);
            }
        }
    }

    /// Goes to the end of the line; a backslash there joins the next one to it.
    fn line(&mut self) {
        while let Some(length) = memchr::memchr(b'\n', &self.bytes[self.at..]) {
            let end = self.at + length;
            let is_joined = self.bytes[..end].trim_ascii_end().ends_with(b"\\")
                && self.text[..end].rfind('\\').is_some_and(|at| at >= self.at);
            self.at = end + 1;
            if !is_joined {
                return;
            }
        }
        self.at = self.bytes.len();
    }

    fn word(&mut self) -> &'t str {
        let start = self.at;
        while self.peek().is_some_and(is_name) {
            self.at += 1;
            // `16'384` is one number.
            let is_number = self.bytes[start].is_ascii_digit();
            if is_number
                && self.peek() == Some(b'\'')
                && self.bytes.get(self.at + 1).copied().is_some_and(is_name)
            {
                self.at += 1;
            }
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Reads the string at the quote here; `None` where it is not closed on its line.
    fn string(&mut self) -> Option<Literal> {
        let range = self.quoted(b'"')?;
        Some(Literal { range, is_raw: false })
    }

    fn character(&mut self) {
        self.quoted(b'\'');
    }

    fn quoted(&mut self, quote: u8) -> Option<Range<u32>> {
        self.at += 1;
        let start = self.at;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => {
                    // A line that is joined to the next, with either end.
                    let is_return = self.starts_with(b"\r\n");
                    self.at = (self.at + 1 + usize::from(is_return)).min(self.bytes.len());
                }
                b'\n' => return None,
                _ if byte == quote => return Some(start as u32..self.at as u32 - 1),
                _ => {}
            }
        }
        None
    }

    /// Reads `"mark(…)mark"` at the quote here.
    fn raw_string(&mut self) -> Option<Literal> {
        const LONGEST_MARK: usize = 16;
        let quote = self.at;
        self.at += 1;
        let open = memchr::memchr(b'(', &self.bytes[self.at..]).filter(|length| *length <= LONGEST_MARK)?;
        let mark = &self.bytes[self.at..self.at + open];
        let end = [b")", mark, b"\""].concat();
        let start = self.at + open + 1;
        let length = memchr::memmem::find(&self.bytes[start..], &end)?;
        self.at = start + length + end.len();
        debug_assert!(quote < start, "the mark stands between them");
        Some(Literal { range: start as u32..(start + length) as u32, is_raw: true })
    }

    /// Reads a string in any notation where one stands; `Some(None)` for one that is not closed.
    #[expect(clippy::option_option, reason = "no string is something else than a broken one")]
    fn any_string(&mut self) -> Option<Option<Literal>> {
        match self.next_code()? {
            b'"' => Some(self.string()),
            b'R' if self.bytes.get(self.at + 1) == Some(&b'"') => {
                self.at += 1;
                Some(self.raw_string())
            }
            _ => None,
        }
    }

    /// Reads the statement whose keyword stands at `start` and ends here; `None` where it is none, or not closed.
    fn block(&mut self, start: usize, depth: u32) -> Option<Block> {
        let mut is_volatile = false;
        let mut is_whole = true;
        while self.next_code()? != b'(' {
            match self.word() {
                "volatile" | "__volatile__" | "__volatile" => is_volatile = true,
                "inline" | "__inline__" => {}
                // Jumps to labels of C++.
                "goto" => is_whole = false,
                _ => return None,
            }
        }
        self.at += 1;
        let mut literals = Vec::new();
        let mut operands = Vec::new();
        let mut section = Section::Code;
        loop {
            match self.next_code()? {
                b')' => break,
                b':' => {
                    self.at += 1;
                    section = match section {
                        Section::Code => Section::Outputs,
                        Section::Outputs => Section::Inputs,
                        _ => Section::Rest,
                    };
                }
                b'#' => {
                    is_whole = false;
                    self.line();
                }
                b',' if section != Section::Code => self.at += 1,
                _ => match section {
                    Section::Code => {
                        if let Some(literal) = self.any_string() {
                            literals.push(literal?);
                        } else {
                            is_whole = false;
                            self.piece()?;
                        }
                    }
                    Section::Rest => {
                        if self.any_string().is_none() {
                            self.piece()?;
                        }
                    }
                    Section::Outputs | Section::Inputs => {
                        let before = self.at;
                        if let Some(operand) = self.operand(section == Section::Outputs) {
                            operands.push(operand);
                        } else {
                            is_whole = false;
                            self.at = before;
                            self.piece()?;
                        }
                    }
                },
            }
        }
        self.at += 1;
        let end = self.at;
        // Half-typed ones lack their end; the text of a macro may.
        is_whole &= !literals.is_empty() && self.next_code().is_none_or(|byte| byte == b';');
        self.at = end;
        Some(Block {
            range: start as u32..end as u32,
            is_volatile,
            literals: literals.into(),
            operands: operands.into(),
            is_whole,
            depth,
            open_names: Box::default(),
        })
    }

    /// Reads `[name] "constraint"(value)`.
    fn operand(&mut self, is_output: bool) -> Option<Operand> {
        let mut name = None;
        if self.next_code()? == b'[' {
            self.at += 1;
            self.next_code()?;
            let start = self.at;
            self.word();
            name = Some(start as u32..self.at as u32);
            if self.next_code()? != b']' {
                return None;
            }
            self.at += 1;
            self.next_code()?;
        }
        let constraint = self.any_string()??.range;
        if self.next_code()? != b'(' {
            return None;
        }
        let start = self.at + 1;
        self.piece()?;
        Some(Operand { is_output, name, constraint, value: start as u32..self.at as u32 - 1 })
    }

    /// Passes over one piece of code: what stands in parentheses, a word, a string, a sign. `None` where it does not end, or
    /// where nothing stands that such a statement holds.
    fn piece(&mut self) -> Option<()> {
        let mut open = Vec::new();
        loop {
            match self.next_code()? {
                byte @ (b'(' | b'[' | b'{') => {
                    open.push(byte);
                    self.at += 1;
                }
                byte @ (b')' | b']' | b'}') => {
                    let fits = matches!((open.pop()?, byte), (b'(', b')') | (b'[', b']') | (b'{', b'}'));
                    if !fits {
                        return None;
                    }
                    self.at += 1;
                }
                // It ends before; a lambda alone holds statements.
                b';' if !open.contains(&b'{') => return None,
                b'"' => {
                    self.string()?;
                }
                b'\'' => self.character(),
                b'#' => self.line(),
                byte if is_name(byte) => {
                    self.word();
                }
                _ => self.at += 1,
            }
            if open.is_empty() {
                return Some(());
            }
        }
    }
}
