//! The PTX in the strings of an `asm` statement, with the source position of each byte.

use super::{Block, Literal};
use std::ops::Range;

/// PTX code of a statement as the compiler passes it to the assembler, with `%0`, `%1`, ... in place of
/// registers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    pub text: String,
    /// Operands that occur in the code, in order.
    pub registers: Vec<Register>,
    pub problems: Vec<Problem>,
    /// True if `%` introduces an operand. This is so if the statement has operands, or is half typed and its
    /// code names an operand.
    pub names_operands: bool,
    /// Range in the item for each byte of the PTX code.
    places: Vec<(u32, u32)>,
}

/// An occurrence of an operand in the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    pub operand: u32,
    /// Range in the code.
    pub range: Range<u32>,
}

/// A `%` that the compiler does not accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: InvalidPercent,
    /// Range in the item.
    pub place: Range<u32>,
}

/// Kind of an invalid `%`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidPercent {
    /// No operand has this number.
    Number(u32),
    /// `%[x]`, whether or not an operand has this name.
    Name { is_known: bool },
    /// A letter followed by a digit: `%p1`.
    Modifier,
    /// `%` at the end of the code.
    End,
    /// `%%` in a statement without operands, in which `%` needs no escape.
    Doubled,
}

impl Template {
    /// Reads the strings of a statement. `None` if a string is unknown or invalid.
    pub fn read(item: &str, block: &Block) -> Option<Self> {
        if !block.is_whole {
            return None;
        }
        Self::of_strings(item, block, false)
    }

    /// Reads the strings of a statement that may be half typed. Unknown strings are skipped, and invalid
    /// escapes stay as written.
    pub fn read_half_typed(item: &str, block: &Block) -> Self {
        Self::of_strings(item, block, true).unwrap_or_default()
    }

    fn of_strings(item: &str, block: &Block, may_be_half_typed: bool) -> Option<Self> {
        let mut raw = Self::default();
        for literal in &block.literals {
            raw.literal(item, literal, may_be_half_typed)?;
        }
        raw.percents(item, block, may_be_half_typed)
    }

    /// Returns the byte range in the item for a byte range in the PTX code.
    pub fn place(&self, range: &Range<u32>) -> Range<u32> {
        let last = self.places.len().saturating_sub(1);
        let start = self.places.get((range.start as usize).min(last)).map_or(0, |place| place.0);
        // A position past the code maps to the code's end.
        let end = self.places.get((range.end.max(1) as usize - 1).min(last)).map_or(start, |place| place.1);
        if range.start as usize > last { end..end } else { start..end.max(start) }
    }

    /// Offset in the PTX code for a byte of the item; `None` outside of the strings.
    pub fn byte_at(&self, item: u32) -> Option<u32> {
        let at = self.places.iter().position(|place| place.0 <= item && item < place.1)?;
        Some(at as u32)
    }

    /// Converts a byte offset in the item to a byte offset in the code. The byte may also be at either end of a string.
    /// `None` if the byte is inside the spelling of one character.
    pub fn bytes_before(&self, item: u32) -> Option<u32> {
        let before = self.places.partition_point(|place| place.1 <= item);
        self.places.get(before).is_none_or(|place| item <= place.0).then_some(before as u32)
    }

    fn push(&mut self, text: &str, place: Range<u32>) {
        self.text.push_str(text);
        self.places.extend(std::iter::repeat_n((place.start, place.end), text.len()));
    }

    fn literal(&mut self, item: &str, literal: &Literal, may_be_half_typed: bool) -> Option<()> {
        let mut at = literal.range.start;
        let source = item.get(literal.range.start as usize..literal.range.end as usize)?;
        let mut rest = source;
        let mut word = [0; 4];
        while let Some(char) = rest.chars().next() {
            let escaped = if char == '\\' && !literal.is_raw { Some(escape(&rest[1..])) } else { None };
            let (meant, length) = match escaped {
                Some(Some((meant, length))) => (meant, 1 + length),
                Some(None) if !may_be_half_typed => return None,
                _ => (Some(char), char.len_utf8()),
            };
            let end = at + length as u32;
            if let Some(meant) = meant {
                self.push(meant.encode_utf8(&mut word), at..end);
            }
            (rest, at) = (&rest[length..], end);
        }
        Some(())
    }

    /// Interprets each `%` of the code. A `%` introduces an operand if the statement has operands.
    fn percents(self, item: &str, block: &Block, may_be_half_typed: bool) -> Option<Self> {
        let is_named = || {
            let mut following = self.text.match_indices('%').map(|(at, _)| self.text.as_bytes().get(at + 1));
            following.any(|byte| byte.is_some_and(|byte| *byte == b'%' || byte.is_ascii_digit()))
        };
        let has_operands = !block.operands.is_empty() || !block.has_all_operands;
        if !(has_operands || may_be_half_typed && is_named()) {
            let doubled: Vec<_> =
                self.text.match_indices("%%").map(|(at, _)| at as u32..at as u32 + 2).collect();
            let problems = doubled
                .iter()
                .map(|range| Problem { kind: InvalidPercent::Doubled, place: self.place(range) });
            return Some(Self { problems: problems.collect(), ..self });
        }
        let mut read = Self { names_operands: true, ..Self::default() };
        let mut rest = &*self.text;
        let mut at = 0_u32;
        while !rest.is_empty() {
            let plain = rest.find('%').unwrap_or(rest.len());
            read.text.push_str(&rest[..plain]);
            read.places.extend(&self.places[at as usize..at as usize + plain]);
            (rest, at) = (&rest[plain..], at + plain as u32);
            if rest.is_empty() {
                break;
            }
            let following = &rest[1..];
            let digits = following.len() - following.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let mut chars = following.chars();
            let (first, second) = (chars.next(), chars.next());
            let place = |length: usize| self.place(&(at..at + length as u32));
            let written = |length: usize| &self.places[at as usize..at as usize + length];
            let length = match first {
                _ if digits > 0 => {
                    let number: u32 = following[..digits].parse().unwrap_or(u32::MAX);
                    if number as usize >= block.operands.len() {
                        read.problems
                            .push(Problem { kind: InvalidPercent::Number(number), place: place(1 + digits) });
                    }
                    read.register(number, written(1 + digits), may_be_half_typed);
                    1 + digits
                }
                Some('[') if may_be_half_typed && !following.contains(']') => {
                    read.push("%", place(1));
                    1
                }
                Some('[') => {
                    let name = following.get(1..following.find(']')?)?;
                    let named = block.operands.iter().position(|operand| {
                        let own = operand.name.as_ref();
                        own.and_then(|own| item.get(own.start as usize..own.end as usize)) == Some(name)
                    });
                    let place = place(name.len() + 3);
                    let kind = InvalidPercent::Name { is_known: named.is_some() };
                    read.problems.push(Problem { kind, place });
                    let operand = named.map_or(u32::MAX, |at| at as u32);
                    read.register(operand, written(name.len() + 3), false);
                    name.len() + 3
                }
                Some('%') => {
                    read.push("%", place(2));
                    2
                }
                // `%=` is a unique number for each statement.
                Some('=') => {
                    read.push("0", place(2));
                    2
                }
                Some(char @ ('{' | '|' | '}')) => {
                    read.push(char.encode_utf8(&mut [0; 4]), place(2));
                    2
                }
                Some(char) if char.is_ascii_alphabetic() => {
                    if second.is_some_and(|second| second.is_ascii_digit()) {
                        read.problems.push(Problem { kind: InvalidPercent::Modifier, place: place(2) });
                    }
                    read.push("%", place(1));
                    1
                }
                Some('_' | '$') => {
                    read.push("%", place(1));
                    1
                }
                _ if may_be_half_typed => {
                    read.push("%", place(1));
                    1
                }
                None => {
                    read.problems.push(Problem { kind: InvalidPercent::End, place: place(1) });
                    1
                }
                Some(_) => return None,
            };
            (rest, at) = (&rest[length..], at + length as u32);
        }
        Some(read)
    }

    /// Appends `%n`, where `n` is the operand number `operand`. `written` has the source range of each byte of the
    /// original spelling. If `within` is true and the lengths agree, each byte maps to its own source range, so that a
    /// cursor can be inside the operand. Otherwise each byte maps to the complete spelling.
    fn register(&mut self, operand: u32, written: &[(u32, u32)], within: bool) {
        let start = self.text.len() as u32;
        let spelled = format!("%{operand}");
        if within && spelled.len() == written.len() {
            self.text.push_str(&spelled);
            self.places.extend(written);
        } else if let (Some(first), Some(last)) = (written.first(), written.last()) {
            self.push(&spelled, first.0..last.1);
        }
        self.registers.push(Register { operand, range: start..self.text.len() as u32 });
    }

    /// Number of closing braces in the code without an opening brace.
    pub fn braces_to_open(&self) -> usize {
        let mut depth = 0_usize;
        let mut missing = 0;
        for byte in without_comments(&self.text).bytes() {
            match byte {
                b'{' => depth += 1,
                b'}' if depth == 0 => missing += 1,
                b'}' => depth -= 1,
                _ => {}
            }
        }
        missing
    }

    /// Registers and labels that the code declares outside of its braces, or in braces that it leaves open.
    pub(super) fn open_names(&self) -> Box<[Box<str>]> {
        // Each name with the number of open braces around it.
        let mut found: Vec<(u32, Box<str>)> = Vec::new();
        let mut depth = 0_u32;
        let text = without_comments(&self.text);
        let mut statement = 0;
        for (at, byte) in text.bytes().enumerate() {
            if !matches!(byte, b'{' | b'}' | b';' | b':') {
                continue;
            }
            let own = text[statement..at].trim();
            if byte == b':' && !text[at + 1..].starts_with(':') && !own.contains([' ', '.', ':']) {
                found.push((depth, own.into()));
            } else if byte == b';' && own.starts_with('.') {
                let words = own.split(|c: char| c.is_whitespace() || matches!(c, ',' | '<' | '>' | '['));
                let names = words.filter(|word| !word.is_empty() && !word.starts_with('.'));
                found.extend(names.map(|name| (depth, name.into())));
            }
            match byte {
                b'{' => depth += 1,
                b'}' => {
                    found.retain(|(own, _)| *own < depth || *own == 0);
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            // `::` occurs in modifiers.
            if byte != b':' || !own.contains('.') {
                statement = at + 1;
            }
        }
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// True if the braces of the code match. If false, a block extends over several `asm` statements.
    pub fn is_balanced(&self) -> bool {
        let mut depth = 0_u32;
        for byte in without_comments(&self.text).bytes() {
            match byte {
                b'{' => depth += 1,
                b'}' => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return false,
                },
                _ => {}
            }
        }
        depth == 0
    }
}

/// Reads the escape sequence after a backslash. Returns the character, `None` for a line continuation, and
/// the length of the spelling. `None` if C++ has no such escape sequence.
fn escape(text: &str) -> Option<(Option<char>, usize)> {
    let mut chars = text.chars();
    let escaped = chars.next()?;
    let number = |digits: &str, radix: u32, most: usize| {
        let count = digits.chars().take(most).take_while(|digit| digit.is_digit(radix)).count();
        let value = if count == 0 { 0 } else { u32::from_str_radix(&digits[..count], radix).ok()? };
        Some((char::from_u32(value).filter(char::is_ascii)?, count))
    };
    let meant = match escaped {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'v' => '\x0b',
        'f' => '\x0c',
        'a' => '\x07',
        'b' => '\x08',
        '"' | '\\' | '\'' | '?' => escaped,
        'x' => {
            let (meant, count) = number(chars.as_str(), 16, usize::MAX)?;
            return Some((Some(meant), 1 + count));
        }
        '0'..='7' => {
            let (meant, count) = number(text, 8, 3)?;
            return Some((Some(meant), count));
        }
        // A backslash at the end of a line joins it to the next.
        '\n' => return Some((None, 1)),
        '\r' => return Some((None, 1 + usize::from(chars.as_str().starts_with('\n')))),
        _ => return None,
    };
    Some((Some(meant), 1))
}

fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            kept.push('/');
            1
        };
        rest = &rest[length..];
    }
    kept.push_str(rest);
    kept
}
