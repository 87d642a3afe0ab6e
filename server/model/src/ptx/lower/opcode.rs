//! Opcodes of a function, one entry per spelling, with the properties that passes query.

use super::ir::Kind;
use super::operation::Operation;
use super::types::Type;
use machine::ptx::{Expansion, Expansions, SideEffect};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// An index into [`Opcodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct OpcodeId(u32);

/// An opcode with its modifiers. Modifiers without effect are omitted.
#[derive(Debug)]
pub(super) struct Opcode {
    /// Spelling in the format of `expansion.csv`: `mad.lo.s32`.
    pub spelling: Box<str>,
    pub operation: Operation,
    pub ty: Type,
    pub kind: Kind,
    pub comparison: Option<Comparison>,
    /// First state space that a memory access names; `None` for other instructions.
    pub space: Option<Space>,
    /// Number of vector elements that are loaded or stored; 1 for a scalar.
    pub elements: u8,
    /// True if the memory that the instruction reads does not change while the kernel runs.
    pub is_invariant: bool,
    /// Expansion into SASS steps; `None` if no expansion is known for the architecture.
    pub expansion: Option<Arc<Expansion>>,
    /// Expansion of an atomic operation whose old value is unused: a reduction.
    pub reduction: Option<Arc<Expansion>>,
}

/// Relation that a comparison tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    /// A strict relation: `<`, `>`.
    Strict,
    /// A non-strict relation: `<=`, `>=`.
    Wide,
}

/// State space that a memory access names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Shared,
    Global,
    Constant,
    Parameter,
    Local,
}

impl Opcode {
    fn decode(spelling: &str, expansions: &Expansions, sm: u16) -> Self {
        let (opcode, rest) = spelling.split_once('.').unwrap_or((spelling, ""));
        let words: Vec<&str> = rest.split('.').filter(|word| !word.is_empty()).collect();
        let operation = Operation::decode(opcode, &words);
        let reduces = spelling.strip_prefix("atom.").map(|rest| format!("red.{rest}"));
        let is_access = matches!(opcode, "ld" | "st" | "atom" | "red" | "cp");
        Self {
            operation,
            ty: Type::from_name(words.last().copied().unwrap_or_default()),
            kind: kind(expansions, opcode, operation, &words),
            comparison: comparison(operation, &words),
            space: words.iter().find_map(|word| space(word)).filter(|_| is_access),
            elements: words.iter().find_map(|word| elements(word)).unwrap_or(1),
            is_invariant: words.contains(&"nc"),
            expansion: expansions.find(spelling, sm).cloned(),
            reduction: reduces.and_then(|spelling| expansions.find(&spelling, sm).cloned()),
            spelling: spelling.into(),
        }
    }

    /// Returns the modifiers without the opcode: `ftz.f32` for `add.ftz.f32`.
    pub(super) fn words(&self) -> &str {
        self.spelling.split_once('.').map_or("", |(_, words)| words)
    }

    /// True if the result of the comparison is combined with a predicate.
    pub(super) fn is_joined(&self) -> bool {
        self.words().split('.').any(|word| matches!(word, "and" | "or" | "xor"))
    }

    /// Returns the result of comparing a value with itself. `None` if the result is unknown, such as for a
    /// float that may be NaN.
    pub(super) fn holds_of_same(&self) -> Option<bool> {
        match self.comparison? {
            _ if self.is_joined() => None,
            Comparison::Strict | Comparison::NotEqual => Some(false),
            Comparison::Equal | Comparison::Wide => (!self.ty.is_float()).then_some(true),
        }
    }

    /// True if the opcode expands to several steps. Later steps read the operands again: the result then
    /// needs a separate register.
    pub(super) fn reads_on(&self) -> bool {
        self.expansion.as_ref().is_some_and(|expansion| expansion.steps.len() > 1)
    }
}

fn kind(expansions: &Expansions, opcode: &str, operation: Operation, words: &[&str]) -> Kind {
    match expansions.does(opcode) {
        SideEffect::Acts => Kind::Effect,
        SideEffect::Loads if words.contains(&"volatile") => Kind::Effect,
        SideEffect::Loads => Kind::Load,
        // Instructions of a carry chain must stay in order.
        SideEffect::Computes if words.contains(&"cc") => Kind::Effect,
        SideEffect::Computes => Kind::Pure(operation),
    }
}

fn comparison(operation: Operation, words: &[&str]) -> Option<Comparison> {
    Some(match *words.first().filter(|_| operation == Operation::Compare)? {
        "eq" => Comparison::Equal,
        "ne" => Comparison::NotEqual,
        "lt" | "gt" | "lo" | "hi" => Comparison::Strict,
        "le" | "ge" | "ls" | "hs" => Comparison::Wide,
        _ => return None,
    })
}

fn space(word: &str) -> Option<Space> {
    Some(match word {
        "shared" => Space::Shared,
        "global" => Space::Global,
        "const" => Space::Constant,
        "param" => Space::Parameter,
        "local" => Space::Local,
        _ => return None,
    })
}

fn elements(word: &str) -> Option<u8> {
    match word {
        "v2" => Some(2),
        "v4" => Some(4),
        _ => None,
    }
}

/// Opcodes of a function for one architecture.
#[derive(Debug)]
pub(super) struct Opcodes {
    all: Vec<Opcode>,
    ids: FxHashMap<Box<str>, OpcodeId>,
    expansions: Arc<Expansions>,
    sm: u16,
    /// Index of `exit`.
    pub exit: OpcodeId,
}

impl Opcodes {
    /// Creates a table with `exit` and the empty opcode, which non-instruction nodes use.
    pub(super) fn new(expansions: Arc<Expansions>, sm: u16) -> Self {
        let mut opcodes =
            Self { all: Vec::new(), ids: FxHashMap::default(), expansions, sm, exit: OpcodeId::default() };
        opcodes.spelled("");
        opcodes.exit = opcodes.spelled("exit");
        opcodes
    }

    /// Returns the ID of the opcode with this spelling; adds the opcode if it is new.
    pub(super) fn spelled(&mut self, spelling: &str) -> OpcodeId {
        if let Some(&known) = self.ids.get(spelling) {
            return known;
        }
        let id = OpcodeId(self.all.len() as u32);
        self.all.push(Opcode::decode(spelling, &self.expansions, self.sm));
        self.ids.insert(spelling.into(), id);
        id
    }

    /// Returns the opcode of an operation that a pass creates. `words` are the modifiers after the stem.
    pub(super) fn made(&mut self, operation: Operation, words: impl std::fmt::Display) -> OpcodeId {
        let spelling = format!("{}.{words}", operation.stem().unwrap_or_default());
        self.spelled(spelling.trim_end_matches('.'))
    }

    pub(super) fn get(&self, id: OpcodeId) -> &Opcode {
        &self.all[id.0 as usize]
    }

    /// Returns a comparison whose result is combined with a predicate by the logical operation of `logic`.
    pub(super) fn joined(&mut self, compare: OpcodeId, logic: OpcodeId) -> OpcodeId {
        let own = self.get(compare);
        let logic = self.get(logic).spelling.split('.').next().unwrap_or_default();
        let (relation, rest) = own.words().split_once('.').unwrap_or((own.words(), ""));
        let spelling = format!("setp.{relation}.{logic}.{rest}");
        self.spelled(spelling.trim_end_matches('.'))
    }

    /// Returns the opcode of a load of one element that is widened to `elements` elements.
    pub(super) fn widened(&mut self, load: OpcodeId, elements: u8) -> OpcodeId {
        let spelling = &self.get(load).spelling;
        let (space, ty) = spelling.rsplit_once('.').unwrap_or((spelling, ""));
        let spelling = format!("{space}.v{elements}.{ty}");
        self.spelled(&spelling)
    }

    /// Returns the opcode of a vector load that is narrowed to `elements` elements.
    pub(super) fn narrowed(&mut self, load: OpcodeId, elements: u8) -> OpcodeId {
        let vector = format!("v{elements}");
        let words = self.get(load).spelling.split('.').filter_map(|word| match word {
            "v2" | "v4" => (elements > 1).then_some(vector.as_str()),
            word => Some(word),
        });
        let spelling = words.collect::<Vec<_>>().join(".");
        self.spelled(&spelling)
    }
}
