//! The opcode tables under `data/isa`. All architectures share one set of rows, and each row states the
//! architectures to which it applies.

use super::table::{self, ClassName};
use super::text::{DataError, Text};
use crate::any_of;
use crate::isa::{Flow, Isa, MemorySpace, Opcode, OperandRole, RegisterCount, RoleKind};
use crate::operations::Operations;
use crate::spelling::{OperandKind, OperandKinds, Spelling};
use serde::Deserialize;
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// The parsed and validated tables.
#[derive(Debug, Clone)]
pub(super) struct IsaTables {
    opcodes: Vec<(Range, Opcode)>,
    /// Opcode (empty: any), modifier, meaning.
    modifiers: Vec<[String; 3]>,
    /// Name and meaning.
    special_registers: Vec<(Range, [String; 2])>,
    operations: Vec<(Range, Operations)>,
    /// Mnemonic, with the modifiers and operands that may follow it on the architectures of the range.
    spellings: Vec<(Range, String, Spelling)>,
}

/// First and last architecture to which a row applies, inclusive.
type Range = RangeInclusive<u16>;

#[derive(Deserialize)]
struct OpcodeRow {
    opcode: String,
    from: u16,
    to: Option<u16>,
    class: String,
    operands: String,
    memory: String,
    flow: String,
    summary: String,
}

/// A row of `spellings.csv`: modifiers and operands that may follow an opcode on the architectures `from` to `to`.
#[derive(Deserialize)]
struct SpellingRow {
    opcode: String,
    from: u16,
    to: Option<u16>,
    modifiers: String,
    operands: String,
    suffixes: String,
    complete: String,
}

impl SpellingRow {
    const HEADER: [&str; 7] = ["opcode", "from", "to", "modifiers", "operands", "suffixes", "complete"];

    fn read(self) -> Result<(String, Spelling), String> {
        let words = |text: &str| text.split_whitespace().map(Into::into).collect();
        // `R RIC R | R P R`: rows of operands. `-` is a row without operands.
        let rows = self.operands.split('|').filter(|row| !row.trim().is_empty());
        let rows = rows.map(|row| row.split_whitespace().filter(|word| *word != "-").map(kinds).collect());
        let spelling = Spelling {
            modifiers: words(&self.modifiers),
            suffixes: words(&self.suffixes),
            operands: rows.collect::<Result<_, _>>()?,
            is_complete: match &*self.complete {
                "" => false,
                "yes" => true,
                other => return Err(format!("column `complete`: `yes` or nothing, not `{other}`")),
            },
        };
        Ok((self.opcode, spelling))
    }
}

/// Parses the operand kinds that a position accepts: `RIC`.
fn kinds(word: &str) -> Result<OperandKinds, String> {
    let mut kinds = OperandKinds::default();
    for letter in word.chars() {
        let kind = OperandKind::of_letter(letter);
        kinds.insert(
            kind.ok_or_else(|| format!("column `operands`: letters of operands' kinds, not `{word}`"))?,
        );
    }
    Ok(kinds)
}

impl IsaTables {
    pub(super) fn read(
        opcodes: Text<'_>,
        modifiers: Text<'_>,
        special_registers: Text<'_>,
        operations: Text<'_>,
        spellings: Text<'_>,
        classes: &[ClassName],
    ) -> Result<Self, DataError> {
        let header = ["opcode", "from", "to", "class", "operands", "memory", "flow", "summary"];
        let mut forms: Vec<(Range, Opcode)> = Vec::new();
        for (line, row) in table::rows::<OpcodeRow>(opcodes, &header)? {
            let range = range(row.from, row.to);
            forms.push((range, opcode(row, classes).map_err(|expected| opcodes.error(line, expected))?));
        }
        let modifiers = table::rows(modifiers, &["opcode", "modifier", "meaning"])?;
        let registers = table::rows(special_registers, &["register", "from", "to", "meaning"])?.into_iter();
        let registers = registers.map(|(_, (name, from, to, meaning))| (range(from, to), [name, meaning]));
        let header = ["opcode", "from", "to", "kind", "operations", "per", "peak", "source"];
        let computing = table::rows::<(String, _, _, _, _, _, _, _)>(operations, &header)?.into_iter();
        let operations = computing.map(|(_, (opcode, from, to, kind, count, per, peak, source))| {
            let (mnemonic, requires) = split(&opcode);
            (range(from, to), Operations { mnemonic, requires, kind, count, per, peak, source })
        });
        let mut written = Vec::new();
        for (line, row) in table::rows::<SpellingRow>(spellings, &SpellingRow::HEADER)? {
            let range = range(row.from, row.to);
            let (mnemonic, spelling) = row.read().map_err(|expected| spellings.error(line, expected))?;
            written.push((range, mnemonic, spelling));
        }
        Ok(Self {
            opcodes: forms,
            modifiers: modifiers.into_iter().map(|(_, row)| row).collect(),
            special_registers: registers.collect(),
            operations: operations.collect(),
            spellings: written,
        })
    }

    /// The instruction set of one architecture.
    pub(super) fn own(&self, sm: u16) -> Isa {
        self.set(self.forms(sm), &[sm])
    }

    /// The instruction set of compute capability `sm`, which the architecture `by` covers: the forms of `sm`,
    /// and the forms of `by` whose mnemonic and required modifiers differ from all forms of `sm`.
    pub(super) fn covered(&self, sm: u16, by: u16) -> Isa {
        let names: HashSet<_> = self.forms(sm).map(|form| (&form.mnemonic, &form.requires)).collect();
        let others = self.forms(by).filter(|form| !names.contains(&(&form.mnemonic, &form.requires)));
        self.set(self.forms(sm).chain(others), &[sm, by])
    }

    fn forms(&self, sm: u16) -> impl Iterator<Item = &Opcode> {
        self.opcodes.iter().filter(move |(range, _)| range.contains(&sm)).map(|(_, form)| form)
    }

    /// Builds an instruction set from these forms and from the rows that apply to any of the architectures
    /// `sms`.
    fn set<'a>(&self, forms: impl Iterator<Item = &'a Opcode>, sms: &[u16]) -> Isa {
        let holds = |range: &Range| sms.iter().any(|sm| range.contains(sm));
        let is_near =
            |range: &Range| sms[0] >= INSTRUCTIONS_OF_TODAY && *range.end() >= INSTRUCTIONS_OF_TODAY;
        let mut isa = Isa::new(forms.cloned());
        for [opcode, modifier, meaning] in &self.modifiers {
            let own = isa.modifiers.entry(opcode.as_str().into()).or_default();
            own.insert(modifier.as_str().into(), meaning.as_str().into());
        }
        let registers = self.special_registers.iter().filter(|(range, _)| holds(range));
        let registers = registers.map(|(_, [name, meaning])| (name.as_str().into(), meaning.as_str().into()));
        isa.special_registers = registers.collect();
        let operations = self.operations.iter().filter(|(range, _)| holds(range));
        isa.operations = operations.map(|(_, row)| row.clone()).collect();
        for (range, mnemonic, spelling) in &self.spellings {
            let all = if holds(range) {
                &mut isa.spellings
            } else if is_near(range) {
                &mut isa.near_spellings
            } else {
                continue;
            };
            all.entry(mnemonic.as_str().into()).or_default().add(spelling);
        }
        isa.spellings.values_mut().for_each(Spelling::take_descriptors);
        isa
    }
}

/// First architecture with 128-bit instructions that include their control code. Later architectures have
/// nearly the same instructions.
const INSTRUCTIONS_OF_TODAY: u16 = 70;

fn range(from: u16, to: Option<u16>) -> Range {
    from..=to.unwrap_or(u16::MAX)
}

/// Splits an opcode into its mnemonic and its modifiers, without dots.
fn split(opcode: &str) -> (Box<str>, Box<[Box<str>]>) {
    let mut words = opcode.split('.');
    (words.next().unwrap_or_default().into(), words.map(Into::into).collect())
}

fn opcode(row: OpcodeRow, classes: &[ClassName]) -> Result<Opcode, String> {
    let (mnemonic, requires) = split(&row.opcode);
    if mnemonic.is_empty() {
        return Err("a value in column `opcode`".into());
    }
    if row.to.is_some_and(|to| to < row.from) {
        return Err(format!("column `to` to be empty or at least {}", row.from));
    }
    let class = table::class_id(classes, &row.class)
        .ok_or_else(|| format!("column `class`: a class of classes.csv, not `{}`", row.class))?;
    Ok(Opcode {
        mnemonic,
        requires,
        class,
        operands: row.operands.split_whitespace().map(role).collect::<Result<_, _>>()?,
        memory: memory(&row.memory)?,
        flow: flow(&row.flow)?,
        summary: row.summary.into(),
    })
}

/// Parses `W2`, `Rw`, `P?`: an operand's kind, its register count, and whether the operand may be missing.
fn role(word: &str) -> Result<OperandRole, String> {
    let expected = || {
        format!(
            "column `operands`: W R B P Q A T or O, then a count or one of w c l h d lo up, then `?` if optional; not `{word}`"
        )
    };
    let (rest, optional) = word.strip_suffix('?').map_or((word, false), |rest| (rest, true));
    let mut letters = rest.chars();
    let kind = match letters.next().ok_or_else(expected)? {
        'W' => RoleKind::Write,
        'R' => RoleKind::Read,
        'B' => RoleKind::ReadWrite,
        'P' => RoleKind::WritePredicate,
        'Q' => RoleKind::ReadPredicate,
        'A' => RoleKind::Address,
        'T' => RoleKind::Target,
        'O' => RoleKind::Other,
        _ => return Err(expected()),
    };
    let registers = match letters.as_str() {
        "" => RegisterCount::Fixed(1),
        "w" => RegisterCount::ByWidth,
        "c" => RegisterCount::Components,
        "l" => RegisterCount::FirstComponents,
        "h" => RegisterCount::LaterComponents,
        "d" => RegisterCount::Coordinates,
        "lo" => RegisterCount::LowerWords,
        "up" => RegisterCount::UpperWords,
        digits => match digits.parse() {
            Ok(count) if count > 0 => RegisterCount::Fixed(count),
            _ => return Err(expected()),
        },
    };
    Ok(OperandRole { kind, registers, optional })
}

fn memory(word: &str) -> Result<Option<MemorySpace>, String> {
    const SPACES: [(&str, MemorySpace); 8] = [
        ("shared", MemorySpace::Shared),
        ("global", MemorySpace::Global),
        ("local", MemorySpace::Local),
        ("constant", MemorySpace::Constant),
        ("generic", MemorySpace::Generic),
        ("texture", MemorySpace::Texture),
        ("surface", MemorySpace::Surface),
        ("tensor", MemorySpace::Tensor),
    ];
    named("memory", &SPACES, word)
}

fn flow(word: &str) -> Result<Flow, String> {
    const FLOWS: [(&str, Flow); 5] = [
        ("branch", Flow::Branch),
        ("indirect", Flow::IndirectBranch),
        ("call", Flow::Call),
        ("exit", Flow::Exit),
        ("barrier", Flow::Barrier),
    ];
    named("flow", &FLOWS, word).map(Option::unwrap_or_default)
}

/// Returns the value with this name; `None` for an empty column, an error for an unknown name.
fn named<T: Copy>(column: &str, values: &[(&str, T)], word: &str) -> Result<Option<T>, String> {
    let known = values.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    if known.is_some() || word.is_empty() {
        return Ok(known);
    }
    let possible = any_of(["empty"].into_iter().chain(values.iter().map(|(name, _)| *name)));
    Err(format!("column `{column}`: {possible}; not `{word}`"))
}
