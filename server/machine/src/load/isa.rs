//! The opcode tables under `data/isa`: one set of rows for all architectures, cut to each one's range.

use super::table::{self, ClassName};
use super::text::{DataError, Text};
use crate::Source;
use crate::isa::{Flow, Isa, MemorySpace, Opcode, OperandRole, RegisterCount, RoleKind};
use crate::operations::{OperationKind, Operations, Peak, Per};
use serde::Deserialize;
use std::collections::HashSet;

/// The tables, checked.
#[derive(Debug, Clone)]
pub(super) struct IsaTables {
    opcodes: Vec<(Range, Opcode)>,
    /// Opcode (empty: any), modifier, meaning.
    modifiers: Vec<ModifierRow>,
    special_registers: Vec<(Range, SpecialRegisterRow)>,
    operations: Vec<(Range, Operations)>,
}

/// First and last architecture that has a row, both included.
#[derive(Debug, Clone, Copy)]
struct Range {
    from: u16,
    to: Option<u16>,
}

impl Range {
    fn holds(self, sm: u16) -> bool {
        self.from <= sm && self.to.is_none_or(|to| sm <= to)
    }
}

#[derive(Debug, Clone, Deserialize)]
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

#[derive(Debug, Clone, Deserialize)]
struct ModifierRow {
    opcode: String,
    modifier: String,
    meaning: String,
}

#[derive(Debug, Clone, Deserialize)]
struct SpecialRegisterRow {
    register: String,
    from: u16,
    to: Option<u16>,
    meaning: String,
}

#[derive(Debug, Clone, Deserialize)]
struct OperationsRow {
    opcode: String,
    from: u16,
    to: Option<u16>,
    kind: OperationKind,
    operations: u32,
    per: Per,
    peak: Option<Peak>,
    source: Source,
}

impl IsaTables {
    pub(super) fn read(
        opcodes: Text<'_>,
        modifiers: Text<'_>,
        special_registers: Text<'_>,
        operations: Text<'_>,
        classes: &[ClassName],
    ) -> Result<Self, DataError> {
        let header = ["opcode", "from", "to", "class", "operands", "memory", "flow", "summary"];
        let mut forms: Vec<(Range, Opcode)> = Vec::new();
        for (line, row) in table::rows::<OpcodeRow>(opcodes, &header)? {
            let range = Range { from: row.from, to: row.to };
            forms.push((range, opcode(row, classes).map_err(|expected| opcodes.error(line, expected))?));
        }
        let header = ["opcode", "modifier", "meaning"];
        let rows = table::rows::<ModifierRow>(modifiers, &header)?.into_iter().map(|(_, row)| row);
        let header = ["register", "from", "to", "meaning"];
        let registers = table::rows::<SpecialRegisterRow>(special_registers, &header)?;
        let header = ["opcode", "from", "to", "kind", "operations", "per", "peak", "source"];
        let computing = table::rows::<OperationsRow>(operations, &header)?;
        Ok(Self {
            operations: computing
                .into_iter()
                .map(|(_, row)| (Range { from: row.from, to: row.to }, row.into()))
                .collect(),
            opcodes: forms,
            modifiers: rows.collect(),
            special_registers: registers
                .into_iter()
                .map(|(_, row)| (Range { from: row.from, to: row.to }, row))
                .collect(),
        })
    }

    /// The instruction set of one architecture.
    pub(super) fn of(&self, sm: u16) -> Isa {
        self.set(self.forms(sm), |range| range.holds(sm))
    }

    /// The instruction set of a compute capability that another one's architecture covers: its own forms, and those of the
    /// other that it has none instead of.
    pub(super) fn covered(&self, sm: u16, by: u16) -> Isa {
        let names: HashSet<_> = self.forms(sm).map(|form| (&form.mnemonic, &form.requires)).collect();
        let others = self.forms(by).filter(|form| !names.contains(&(&form.mnemonic, &form.requires)));
        self.set(self.forms(sm).chain(others), |range| range.holds(sm) || range.holds(by))
    }

    fn forms(&self, sm: u16) -> impl Iterator<Item = &Opcode> {
        self.opcodes.iter().filter(move |(range, _)| range.holds(sm)).map(|(_, form)| form)
    }

    fn set<'a>(&self, forms: impl Iterator<Item = &'a Opcode>, holds: impl Fn(Range) -> bool) -> Isa {
        let mut isa = Isa::new(forms.cloned());
        for row in &self.modifiers {
            isa.add_modifier(&row.opcode, &row.modifier, &row.meaning);
        }
        for (range, row) in &self.special_registers {
            if holds(*range) {
                isa.add_special_register(&row.register, &row.meaning);
            }
        }
        let operations = self.operations.iter().filter(|(range, _)| holds(*range));
        isa.operations = operations.map(|(_, row)| row.clone()).collect();
        isa
    }
}

impl From<OperationsRow> for Operations {
    fn from(row: OperationsRow) -> Self {
        let mut words = row.opcode.split('.');
        Self {
            mnemonic: words.next().unwrap_or_default().into(),
            requires: words.map(Into::into).collect(),
            kind: row.kind,
            count: row.operations,
            per: row.per,
            peak: row.peak,
            source: row.source,
        }
    }
}

fn opcode(row: OpcodeRow, classes: &[ClassName]) -> Result<Opcode, String> {
    let mut words = row.opcode.split('.');
    let mnemonic = words.next().filter(|word| !word.is_empty()).ok_or("column `opcode` filled")?;
    if row.to.is_some_and(|to| to < row.from) {
        return Err(format!("column `to` empty or at least {}", row.from));
    }
    let class = table::class_id(classes, &row.class)
        .ok_or_else(|| format!("column `class`: a class of classes.csv, not `{}`", row.class))?;
    Ok(Opcode {
        mnemonic: mnemonic.into(),
        requires: words.map(Into::into).collect(),
        class,
        operands: row.operands.split_whitespace().map(role).collect::<Result<_, _>>()?,
        memory: memory(&row.memory)?,
        flow: flow(&row.flow)?,
        summary: row.summary.into(),
    })
}

/// `W2`, `Rw`, `P?`: what an operand is, how many registers it names, whether it may be missing.
fn role(word: &str) -> Result<OperandRole, String> {
    let expected = || {
        format!(
            "column `operands`: W R B P Q A T or O, then a count or one of w c l h d, then `?` if optional; not `{word}`"
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
        digits => match digits.parse() {
            Ok(count) if count > 0 => RegisterCount::Fixed(count),
            _ => return Err(expected()),
        },
    };
    Ok(OperandRole { kind, registers, optional })
}

fn memory(word: &str) -> Result<Option<MemorySpace>, String> {
    Ok(Some(match word {
        "" => return Ok(None),
        "shared" => MemorySpace::Shared,
        "global" => MemorySpace::Global,
        "local" => MemorySpace::Local,
        "constant" => MemorySpace::Constant,
        "generic" => MemorySpace::Generic,
        "texture" => MemorySpace::Texture,
        "surface" => MemorySpace::Surface,
        "tensor" => MemorySpace::Tensor,
        _ => {
            return Err(format!(
                "column `memory`: empty, shared, global, local, constant, generic, texture, surface or tensor; not \
                 `{word}`"
            ));
        }
    }))
}

fn flow(word: &str) -> Result<Flow, String> {
    Ok(match word {
        "" => Flow::Next,
        "branch" => Flow::Branch,
        "indirect" => Flow::IndirectBranch,
        "call" => Flow::Call,
        "exit" => Flow::Exit,
        "barrier" => Flow::Barrier,
        _ => {
            return Err(format!(
                "column `flow`: empty, branch, indirect, call, exit or barrier; not `{word}`"
            ));
        }
    })
}
