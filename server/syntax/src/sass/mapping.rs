//! `<REGISTER_MAPPING>` of maxas and KeplerAs: the registers that a source assigns to names.

use super::{Chunk, LineKind, TokenKind};
use std::collections::BTreeMap;
use std::fmt;

/// The registers that a chunk's mappings assign to names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegisterMapping {
    names: BTreeMap<Box<str>, MappedRegisters>,
    highest: Option<u16>,
    /// True if inline code generates additional mappings.
    pub is_partial: bool,
}

/// The registers assigned to a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MappedRegisters {
    One(u16),
    /// One of several registers, chosen by the assembler.
    OneOf(Box<[u16]>),
}

/// Prints `R12`, or `one of R0-R3, R8`.
impl fmt::Display for MappedRegisters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registers = match self {
            Self::One(register) => return write!(f, "R{register}"),
            Self::OneOf(registers) => registers,
        };
        f.write_str("one of ")?;
        let runs = registers.chunk_by(|one, next| one.checked_add(1) == Some(*next));
        for (at, run) in runs.enumerate() {
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            let comma = if at == 0 { "" } else { ", " };
            if run.len() == 1 {
                write!(f, "{comma}R{first}")?;
            } else {
                write!(f, "{comma}R{first}-R{last}")?;
            }
        }
        Ok(())
    }
}

/// Maximum number of registers per thread. Mappings with higher indices are ignored.
const MAX: u16 = 256; // Source: register operands have eight bits

impl RegisterMapping {
    /// Reads the mappings of a chunk. Malformed lines are skipped.
    pub fn read(chunk: &Chunk) -> Self {
        let mut mapping = Self::default();
        let mut is_inside = false;
        for (index, line) in chunk.lines().iter().enumerate() {
            match line.kind {
                LineKind::Directive => {
                    let tag = chunk.line_text(index).trim_start();
                    if let Some(name) = tag.strip_prefix('<') {
                        is_inside = name.starts_with("REGISTER_MAPPING");
                    }
                }
                LineKind::Opaque if is_inside => mapping.is_partial = true,
                LineKind::Mapping if is_inside => mapping.line(chunk, index),
                _ => {}
            }
        }
        mapping
    }

    /// The registers assigned to a name; `None` for an unmapped name. The name of a row (`x` for `x<0-3>`) maps to the
    /// row's first register.
    pub fn get(&self, name: &str) -> Option<&MappedRegisters> {
        self.names.get(name)
    }

    /// The highest register in any mapping; `None` if there are no mappings.
    pub fn highest(&self) -> Option<u16> {
        self.highest
    }

    /// Reads `0-63 ~ blk, ldx<0|2>[1]`, `80 : zOffset` or `96 = i00, I00`.
    fn line(&mut self, chunk: &Chunk, index: usize) {
        let text = chunk.line_text(index);
        let tokens = chunk.line_tokens(index);
        self.is_partial |= tokens.iter().any(|token| token.kind == TokenKind::Opaque);
        let comment = tokens.iter().find(|token| token.kind == TokenKind::Comment);
        let text = &text[..comment.map_or(text.len(), |token| token.start.into())];
        let Some((numbers, kind, names)) =
            text.find([':', '~', '=']).map(|at| (&text[..at], text.as_bytes()[at], &text[at + 1..]))
        else {
            return;
        };
        let Some(numbers) = registers(numbers) else { return };
        self.highest = self.highest.max(numbers.iter().copied().max());
        let mut next = numbers.iter();
        for name in names.split(',').flat_map(spelled_out) {
            let mapped = match kind {
                b'~' => MappedRegisters::OneOf(numbers.clone().into()),
                b'=' => MappedRegisters::One(numbers[0]),
                _ => match next.next() {
                    Some(register) => MappedRegisters::One(*register),
                    None => return,
                },
            };
            if let Some(row) = name.row {
                self.names.entry(row.into()).or_insert_with(|| mapped.clone());
            }
            self.names.insert(name.whole.into(), mapped);
        }
    }
}

/// Reads a list of register indices: `0-3, 8`. `None` for other text.
fn registers(text: &str) -> Option<Vec<u16>> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let mut ends = part.split('-').map(|end| end.trim().parse::<u16>().ok().filter(|end| *end < MAX));
        let first = ends.next()??;
        let last = ends.next().unwrap_or(Some(first))?;
        all.extend(first..=last);
    }
    (!all.is_empty()).then_some(all)
}

/// A mapped name, and the name of its row.
struct MappedName {
    whole: String,
    row: Option<String>,
}

/// Expands `x<0-2|5>y[1]` to `x0y`, `x1y`, `x2y`, `x5y`. The number in brackets is a preferred bank.
fn spelled_out(name: &str) -> Vec<MappedName> {
    let name = name.split('[').next().unwrap_or(name).trim();
    let Some((before, rest)) = name.split_once('<') else {
        let whole = name.to_owned();
        return if whole.is_empty() { Vec::new() } else { vec![MappedName { whole, row: None }] };
    };
    let Some((numbers, following)) = rest.split_once('>') else { return Vec::new() };
    let mut all = Vec::new();
    for part in numbers.split('|') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.trim(), last.trim());
        let Some((from, to)) = first.parse::<u16>().ok().zip(last.parse::<u16>().ok()) else { return all };
        // Numbers keep the width of the first number: `<00-03>` is 00, 01, 02, 03.
        let width = first.len();
        for number in from..=to.min(from.saturating_add(MAX)) {
            let whole = format!("{before}{number:0width$}{following}");
            all.push(MappedName { whole, row: Some(format!("{before}{following}")) });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sass::Listing;

    fn mapping(text: &str) -> RegisterMapping {
        let text = format!("<REGISTER_MAPPING>\n{text}\n</REGISTER_MAPPING>\n--:-:-:-:5 EXIT;\n");
        RegisterMapping::read(&Listing::parse(&text).chunks()[0])
    }

    fn said(mapping: &RegisterMapping, name: &str) -> String {
        mapping.get(name).map_or_else(|| "nothing".to_owned(), ToString::to_string)
    }

    #[test]
    fn names_map_to_the_registers_in_their_row() {
        let mapping = mapping(
            "  0-3, 8 : a, x<0-2>y // three\n 9 = b, c\n 3,2,11 : cx<00|02|10>y1\n 12-14,16 ~ t, u<0|2>[1]\n",
        );
        let names = ["a", "x0y", "x2y", "xy", "b", "c", "cx02y1", "cx10y1", "t", "u2", "u1"];
        let expected = [
            "R0",
            "R1",
            "R3",
            "R1",
            "R9",
            "R9",
            "R2",
            "R11",
            "one of R12-R14, R16",
            "one of R12-R14, R16",
            "nothing",
        ];
        assert_eq!(names.map(|name| said(&mapping, name)), expected);
        assert_eq!((mapping.highest(), mapping.is_partial), (Some(16), false));
    }

    #[test]
    fn what_is_no_mapping_is_passed_over() {
        let mapping = mapping("x : y\n 5-70000 : z\n 1 : a, b\n[+ more() +]\n 7-4 : q");
        assert_eq!((said(&mapping, "a"), said(&mapping, "b")), ("R1".to_owned(), "nothing".to_owned()));
        assert_eq!((mapping.highest(), mapping.is_partial), (Some(1), true));
        let constants = "<CONSTANT_MAPPING>\n 40 : c[0x0][0x140]\n</CONSTANT_MAPPING>\n--:-:-:-:5 EXIT;\n";
        assert_eq!(RegisterMapping::read(&Listing::parse(constants).chunks()[0]), RegisterMapping::default());
    }
}
