//! Scanner for the `asm` statements of a source text.

use super::{Block, Literal, Operand, Template};
use std::ops::Range;

/// Returns the `asm` statements of an item's text, in order. Unclosed statements are skipped.
pub(in crate::cuda) fn scan(text: &str) -> Box<[Block]> {
    if memchr::memmem::find(text.as_bytes(), b"asm").is_none() {
        return Box::default();
    }
    let mut scan = Scan::new(text);
    let mut blocks = Vec::new();
    while let Some(start) = scan.next_statement() {
        let following = scan.at;
        let mut block = scan.begin(start);
        match scan.block(&mut block) {
            Some(()) => blocks.push(block),
            None => scan.at = following,
        }
    }
    for block in &mut blocks {
        block.open_names = Template::read(text, block).map_or_else(Box::default, |read| read.open_names());
    }
    blocks.into()
}

/// Returns the `asm` statement that has byte `byte` of the text in one of its code strings; `None` if there is no such
/// statement. A half-typed statement may lack more strings, operands or its end. An unclosed string ends at the end of
/// its line.
pub(super) fn scan_at(text: &str, byte: u32) -> Option<Block> {
    memchr::memmem::find(text.as_bytes(), b"asm")?;
    let mut scan = Scan { may_be_half_typed: true, ..Scan::new(text) };
    while let Some(start) = scan.next_statement().filter(|start| *start < byte as usize) {
        let following = scan.at;
        let mut block = scan.begin(start);
        let is_closed = scan.block(&mut block).is_some();
        block.range.end = block.range.end.max(scan.at as u32);
        if block.literals.iter().any(|literal| literal.range.start <= byte && byte <= literal.range.end) {
            return Some(block);
        }
        if !is_closed {
            scan.at = following;
        }
    }
    None
}

/// A section of the statement, delimited by colons.
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
    /// Number of open braces.
    depth: u32,
    /// True if an unclosed string is accepted. Such a string ends at the end of its line.
    may_be_half_typed: bool,
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, depth: 0, may_be_half_typed: false }
    }

    /// Moves to the end of the next statement keyword and returns the keyword's start.
    fn next_statement(&mut self) -> Option<usize> {
        loop {
            match self.next_code()? {
                b'{' => self.depth += 1,
                b'}' => self.depth = self.depth.saturating_sub(1),
                b'"' => {
                    self.string();
                    continue;
                }
                b'\'' => {
                    self.character();
                    continue;
                }
                byte if is_name(byte) => {
                    let start = self.at;
                    match self.word() {
                        "asm" | "__asm" | "__asm__" => return Some(start),
                        "R" | "u8R" | "uR" | "UR" | "LR" if self.peek() == Some(b'"') => {
                            self.raw_string();
                        }
                        _ => {}
                    }
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Returns an `asm` statement whose keyword starts at byte `start` and ends at the current position. The reader
    /// fills in its strings and operands later.
    fn begin(&self, start: usize) -> Block {
        Block {
            range: start as u32..self.at as u32,
            is_volatile: false,
            literals: Vec::new(),
            operands: Vec::new(),
            is_whole: true,
            has_all_operands: true,
            depth: self.depth,
            open_names: Box::default(),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn starts_with(&self, what: &[u8]) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(what))
    }

    /// Moves to the next byte that is neither blank nor in a comment.
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

    /// Moves to the end of the line, including lines that a trailing backslash joins to it.
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

    /// Reads the string that starts at the current quote; `None` if the string is not closed on its line.
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
                    // A backslash joins the line to the next, with either line ending.
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

    /// Reads the raw string `"mark(...)mark"` that starts at the current quote.
    fn raw_string(&mut self) -> Option<Literal> {
        const LONGEST_MARK: usize = 16; // limit: that of C++
        let quote = self.at;
        self.at += 1;
        let open = memchr::memchr(b'(', &self.bytes[self.at..]).filter(|length| *length <= LONGEST_MARK)?;
        let mark = &self.bytes[self.at..self.at + open];
        let end = [b")", mark, b"\""].concat();
        let start = self.at + open + 1;
        let length = memchr::memmem::find(&self.bytes[start..], &end)?;
        self.at = start + length + end.len();
        debug_assert!(quote < start, "the mark is between them");
        Some(Literal { range: start as u32..(start + length) as u32, is_raw: true })
    }

    /// Reads a string in any notation. `None` if no string starts at the current position, `Some(None)` if
    /// the string is not closed.
    #[expect(clippy::option_option, reason = "no string differs from an unclosed one")]
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

    /// Reads the statement whose keyword ends at the current position; `None` if it is not an `asm` statement
    /// or is not closed.
    fn block(&mut self, block: &mut Block) -> Option<()> {
        while self.next_code()? != b'(' {
            match self.word() {
                "volatile" | "__volatile__" | "__volatile" => block.is_volatile = true,
                "inline" | "__inline__" => {}
                // `asm goto` jumps to C++ labels.
                "goto" => block.is_whole = false,
                _ => return None,
            }
        }
        self.at += 1;
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
                    block.is_whole = false;
                    if self.is_directive() {
                        block.has_all_operands = false;
                        self.line();
                    } else {
                        // `#` makes a string of a macro's argument.
                        self.at += 1;
                    }
                }
                b',' if section != Section::Code => self.at += 1,
                _ => match section {
                    Section::Code => self.code(block)?,
                    Section::Rest => {
                        if self.any_string().is_none() {
                            self.piece()?;
                        }
                    }
                    Section::Outputs | Section::Inputs => {
                        let before = self.at;
                        if let Some(operand) = self.operand(section == Section::Outputs) {
                            block.operands.push(operand);
                        } else {
                            block.is_whole = false;
                            block.has_all_operands = false;
                            self.at = before;
                            self.piece()?;
                        }
                    }
                },
            }
        }
        self.at += 1;
        let end = self.at;
        // Half-typed statements lack the semicolon. Statements in macros may lack it too.
        block.is_whole &= !block.literals.is_empty() && self.next_code().is_none_or(|byte| byte == b';');
        self.at = end;
        block.range.end = end as u32;
        Some(())
    }

    /// Reads a code string, or a macro in place of a code string.
    fn code(&mut self, block: &mut Block) -> Option<()> {
        let start = self.at;
        match self.any_string() {
            Some(Some(literal)) => block.literals.push(literal),
            Some(None) if self.may_be_half_typed => {
                block.is_whole = false;
                let literal = self.open_string(start);
                self.at = literal.range.end as usize;
                block.literals.push(literal);
            }
            Some(None) => return None,
            None => {
                block.is_whole = false;
                self.piece()?;
            }
        }
        Some(())
    }

    /// An unclosed string from `start` to the end of its line.
    fn open_string(&self, start: usize) -> Literal {
        let rest = &self.bytes[start..];
        let is_raw = rest.starts_with(b"R");
        let line = memchr::memchr(b'\n', rest).map_or(rest, |end| &rest[..end]).trim_ascii_end();
        let open = if is_raw { memchr::memchr(b'(', line) } else { Some(0) };
        let first = open.map_or(line.len(), |open| open + 1);
        Literal { range: (start + first) as u32..(start + line.len().max(first)) as u32, is_raw }
    }

    /// True if the `#` at the current position begins a preprocessor directive. Otherwise the `#` belongs to
    /// a macro.
    fn is_directive(&self) -> bool {
        let before = self.text[..self.at].trim_end_matches([' ', '\t']);
        before.is_empty()
            || before.strip_suffix('\n').is_some_and(|above| !above.trim_end_matches('\r').ends_with('\\'))
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

    /// Skips one bracketed group, word, string or symbol. `None` if a group or string is not closed, or if no
    /// token of an `asm` statement starts at the current position.
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
                // A semicolon ends the statement unless it is in the braces of a lambda.
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
