//! Expansions of PTX instructions as ptxas generates them: rows of SASS with placeholders for the operands.

use super::alternative::{self, Alternative, Alternatives};
use super::load;
use super::spacing::{self, Spacing};
use crate::load::{DataError, Text, rows};
use crate::{InOrder, Source};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

/// The rows of `expansion.csv`, keyed by the instruction without the neutral words of `lowering.csv`.
#[derive(Debug, Default)]
pub struct Expansions {
    rows: FxHashMap<Box<str>, Vec<OnArchitectures>>,
    /// For each opcode, its effect, and the modifiers that do not change its SASS.
    lowering: FxHashMap<Box<str>, (SideEffect, Vec<Box<str>>)>,
    alternatives: Alternatives,
    spacing: Vec<Spacing>,
}

/// A row, and the architectures to which it applies.
type OnArchitectures = (RangeInclusive<u16>, Arc<Expansion>);

/// Effect of an instruction other than writing its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideEffect {
    /// No other effect. The instruction may be removed if its results are unused.
    Computes,
    /// The result depends on when the instruction executes, as for a memory load. The instruction may be
    /// removed if its results are unused.
    Loads,
    /// The instruction has an effect that other threads see, or depends on other threads.
    Acts,
}

/// A row of `expansion.csv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    pub steps: Box<[Step]>,
    pub source: Source,
}

/// One SASS instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The guard predicate, and true if it is negated.
    pub guard: Option<(Slot, bool)>,
    pub mnemonic: Box<str>,
    pub operands: Box<[Box<[Piece]>]>,
}

/// A fragment of an operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(Box<str>),
    Slot(Slot),
}

/// A placeholder for a register, a constant or an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    pub name: Name,
    /// True for the upper half of a pair.
    pub high: bool,
    /// Source modifier: negation (`-x`), complement (`~x`), predicate negation (`!p`) or absolute value (`|x|`).
    pub sign: Sign,
}

/// Modifiers of a source operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Sign {
    pub minus: bool,
    /// `~` of a word, `!` of a predicate.
    pub not: bool,
    pub absolute: bool,
}

/// Operand of the PTX instruction, or temporary register of the expansion, that fills a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Name {
    /// `d`: the first result. `e`: the second result, a predicate.
    Result(u8),
    /// `a`, `b`, `c`, `x`, `y`, `z`: sources in text order, except addresses.
    Read(u8),
    /// `m`, `n`: the contents of brackets.
    Address(u8),
    /// Temporaries. `t0`: a word; `w0`: a pair; `q0`: a predicate; `u0`: a uniform word; `v0`: a uniform predicate.
    Word(u8),
    Pair(u8),
    Predicate(u8),
    Uniform(u8),
    UniformPredicate(u8),
    /// `g`: the descriptor of global memory, a pair of uniform registers.
    Descriptor,
    /// `l`: the branch target.
    Target,
}

impl Expansions {
    /// Returns the built-in table, which is read once.
    ///
    /// # Panics
    ///
    /// Never in a build whose tests pass, because the tests read the same bytes.
    pub fn builtin() -> Arc<Self> {
        static EXPANSIONS: LazyLock<Arc<Expansions>> = LazyLock::new(|| {
            Arc::new(read(load::expansion_tables()).expect("the tests load the same files"))
        });
        EXPANSIONS.clone()
    }

    /// The row for an instruction, such as `add.s32`, on an architecture. `None` if no expansion was
    /// observed.
    pub fn find(&self, spelling: &str, sm: u16) -> Option<&Arc<Expansion>> {
        let rows = self.rows.get(spelling)?;
        rows.iter().find(|(range, _)| range.contains(&sm)).map(|(_, row)| row)
    }

    /// Returns the alternatives to a SASS instruction with this mnemonic on an architecture.
    pub fn instead_of(&self, mnemonic: &str, sm: u16) -> impl Iterator<Item = &Alternative> {
        let rows = self.alternatives.get(mnemonic).into_iter().flatten();
        rows.filter(move |(range, _)| range.contains(&sm)).map(|(_, row)| row)
    }

    /// Returns the queues whose instructions ptxas spaces apart on an architecture, each with the spacing in
    /// cycles.
    pub fn spacing(&self, sm: u16) -> Vec<(InOrder, u32)> {
        let rows = self.spacing.iter().filter(|row| row.range.contains(&sm));
        rows.map(|row| (row.queue, row.cycles)).collect()
    }

    /// True if the modifier does not change the SASS of the opcode.
    pub fn is_neutral(&self, opcode: &str, word: &str) -> bool {
        self.lowering.get(opcode).is_some_and(|(_, words)| words.iter().any(|known| **known == *word))
    }

    /// Returns the effect of an opcode. An opcode without a row only computes.
    pub fn does(&self, opcode: &str) -> SideEffect {
        self.lowering.get(opcode).map_or(SideEffect::Computes, |(does, _)| *does)
    }

    /// Every spelling with a row, in no particular order.
    pub fn spellings(&self) -> impl Iterator<Item = &str> {
        self.rows.keys().map(|key| &**key)
    }
}

pub(super) fn read([table, lowering, alternatives, spacing]: [Text<'_>; 4]) -> Result<Expansions, DataError> {
    let mut all = Expansions {
        alternatives: alternative::read(alternatives)?,
        spacing: spacing::read(spacing)?,
        ..Expansions::default()
    };
    let header = ["ptx", "sm", "sass", "source"];
    for (line, (ptx, sm, sass, source)) in rows::<(String, String, String, Source)>(table, &header)? {
        let range = range(table, line, &sm)?;
        for (ptx, sass) in braces(&ptx, &sass) {
            let wrong = || format!("SASS instructions with placeholders for operands, not `{sass}`");
            let steps = steps(&sass).ok_or_else(|| table.error(line, wrong()))?;
            let expansion = Arc::new(Expansion { steps, source: source.clone() });
            let known = all.rows.entry(ptx.clone().into()).or_default();
            let overlaps =
                |other: &RangeInclusive<u16>| other.contains(range.start()) || range.contains(other.start());
            let is_new = !known.iter().any(|(other, _)| overlaps(other));
            table.once(is_new, line, "architecture", &ptx)?;
            known.push((range.clone(), expansion));
        }
    }
    let rows = rows::<(String, SideEffect, String)>(lowering, &["opcode", "does", "neutral"])?;
    for (_, (opcode, does, neutral)) in rows {
        let words = neutral.split_whitespace().map(Into::into).collect();
        all.lowering.insert(opcode.into(), (does, words));
    }
    Ok(all)
}

/// Parses a range of architectures: `75-89`, `90-`.
pub(super) fn range(table: Text<'_>, line: usize, text: &str) -> Result<RangeInclusive<u16>, DataError> {
    let read = || {
        let (from, to) = text.split_once('-')?;
        let to = if to.is_empty() { u16::MAX } else { to.parse().ok()? };
        Some(from.parse().ok()?..=to)
    };
    read().ok_or_else(|| table.error(line, format!("architectures like `75-89`, not `{text}`")))
}

/// Expands braces. A choice in the first braces of the PTX selects the choice at the same index in the first
/// braces of the SASS, and so on for later braces.
fn braces(ptx: &str, sass: &str) -> Vec<(String, String)> {
    let Some((before, words, following)) = first_braces(ptx) else {
        return vec![(ptx.to_owned(), sass.to_owned())];
    };
    let chosen = first_braces(sass);
    let choices = words.split(',').enumerate();
    choices
        .flat_map(|(at, word)| {
            let own = chosen.and_then(|(_, words, _)| words.split(',').nth(at)).unwrap_or_default();
            // The text before the braces is final. Only the text after them is expanded further.
            let sass_of = chosen.map_or(sass, |(_, _, following)| following);
            let sass_before = chosen.map_or("", |(before, _, _)| before);
            braces(following, sass_of)
                .into_iter()
                .map(|(ptx, sass)| (format!("{before}{word}{ptx}"), format!("{sass_before}{own}{sass}")))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn first_braces(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (words, following) = rest.split_once('}')?;
    Some((before, words, following))
}

fn steps(sass: &str) -> Option<Box<[Step]>> {
    sass.split(" ; ").filter(|step| !step.is_empty()).map(step).collect()
}

pub(super) fn step(text: &str) -> Option<Step> {
    let text = text.trim();
    let (guard, text) = match text.strip_prefix('@') {
        Some(rest) => {
            let (guard, rest) = rest.split_once(' ')?;
            let (name, negated) = guard.strip_prefix('!').map_or((guard, false), |name| (name, true));
            (Some((slot(name)?, negated)), rest)
        }
        None => (None, text),
    };
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    let operands = operands.split(", ").filter(|operand| !operand.is_empty()).map(pieces).collect();
    Some(Step { guard, mnemonic: mnemonic.into(), operands })
}

/// Text fragments and slots of an operand. A slot is a word of lower-case letters that names a placeholder.
fn pieces(operand: &str) -> Box<[Piece]> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = operand;
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let word = rest.split(|letter| !is_word(letter)).next().unwrap_or_default();
        match slot(word) {
            // The name of a constant bank is not an operand.
            Some(mut slot) if !rest[word.len()..].starts_with('[') => {
                rest = &rest[word.len()..];
                if let Some(following) = rest.strip_prefix(".hi") {
                    slot.high = true;
                    rest = following;
                }
                if text.ends_with('|') && rest.starts_with('|') {
                    text.pop();
                    rest = &rest[1..];
                    slot.sign.absolute = true;
                }
                match text.pop() {
                    Some('-') => slot.sign.minus = true,
                    Some('~' | '!') => slot.sign.not = true,
                    Some(other) => text.push(other),
                    None => {}
                }
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text).into()));
                }
                pieces.push(Piece::Slot(slot));
            }
            _ => {
                let taken = if word.is_empty() { first.len_utf8() } else { word.len() };
                text.push_str(&rest[..taken]);
                rest = &rest[taken..];
            }
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text.into()));
    }
    pieces.into()
}

fn slot(word: &str) -> Option<Slot> {
    let name = match word {
        "d" => Name::Result(0),
        "e" => Name::Result(1),
        "a" => Name::Read(0),
        "b" => Name::Read(1),
        "c" => Name::Read(2),
        "x" => Name::Read(3),
        "y" => Name::Read(4),
        "z" => Name::Read(5),
        "m" => Name::Address(0),
        "n" => Name::Address(1),
        "g" => Name::Descriptor,
        "l" => Name::Target,
        _ => {
            let number = word.get(1..)?.parse().ok()?;
            match word.as_bytes().first()? {
                b't' => Name::Word(number),
                b'w' => Name::Pair(number),
                b'q' => Name::Predicate(number),
                b'u' => Name::Uniform(number),
                b'v' => Name::UniformPredicate(number),
                _ => return None,
            }
        }
    };
    Some(Slot { name, high: false, sign: Sign::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_choose_together() {
        let all = braces("setp.{lt,ge}.{s32,u32}", "ISETP.{LT,GE}{,.U32}.AND d, e, a, b, PT");
        assert_eq!(all.len(), 4);
        assert_eq!(all[1].0, "setp.lt.u32");
        assert_eq!(all[1].1, "ISETP.LT.U32.AND d, e, a, b, PT");
        assert_eq!(all[2].1, "ISETP.GE.AND d, e, a, b, PT");
    }

    #[test]
    fn slots_differ_from_text() {
        let step = step("@!q0 IADD3.X d.hi, ~a.hi, -|b|, RZ, desc[g][m]").unwrap();
        assert_eq!(step.guard.unwrap().0.name, Name::Predicate(0));
        assert!(step.guard.unwrap().1);
        let Piece::Slot(first) = &step.operands[0][0] else { panic!("{step:?}") };
        assert!(first.high && first.name == Name::Result(0));
        let Piece::Slot(second) = &step.operands[1][0] else { panic!("{step:?}") };
        assert!(second.sign.not);
        let Piece::Slot(third) = &step.operands[2][0] else { panic!("{step:?}") };
        assert!(third.sign.minus && third.sign.absolute);
        assert_eq!(step.operands[3][..], [Piece::Text("RZ".into())]);
        assert_eq!(step.operands[4].len(), 5);
    }

    #[test]
    fn the_tables_load_and_every_row_names_a_known_opcode() {
        let all = Expansions::builtin();
        assert!(all.rows.len() > 1000);
        let machine = crate::Machine::builtin();
        for (ptx, rows) in &all.rows {
            for (range, row) in rows {
                let isa = &machine.gpu_for_sm(*range.start()).arch.isa;
                for step in &row.steps {
                    let mnemonic = step.mnemonic.split('.').next().unwrap();
                    assert!(isa.has_mnemonic(mnemonic), "{ptx} on sm_{}: {}", range.start(), step.mnemonic);
                }
            }
        }
    }
}
