//! PTX as data: every instruction form, special register and directive, with what each needs and what it means.
//!
//! Knows words, not text: a spelled instruction arrives as its opcode and its modifiers without dots.

mod alternative;
mod behaviour;
mod costly;
mod expansion;
mod form;
mod limit;
mod load;
mod matching;
mod operand;
mod page;
mod spacing;
mod target;
#[cfg(test)]
mod tests;
mod types;
mod vocabulary;

pub use alternative::Alternative;
pub use behaviour::{Behaviour, ControlFlow, ResultSpread, Spread, Together};
pub use costly::{CostKind, Costly};
pub use expansion::{Does, Expansion, Expansions, Name, Piece, Sign, Slot as Place, Step};
pub use form::{Form, Need, Slot};
pub use limit::{Limit, Values};
pub use matching::{Bound, Mismatch, MismatchKind};
pub use operand::{Access, Count, Operand, OperandKind, Predicate, Presence, TypeOf};
pub use page::Page;
pub use target::{Feature, Target, TargetRange, Version};
pub use types::{Type, TypeClass};
pub use vocabulary::{Directive, SpecialRegister};

use crate::Known;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// The instruction set of PTX.
#[derive(Debug, Clone, Default)]
pub struct Ptx {
    /// Sorted by opcode; those of one opcode in the order of `instructions.csv`.
    forms: Vec<Form>,
    by_opcode: FxHashMap<Box<str>, Range<usize>>,
    /// Special registers by name with its percent sign: `%tid`.
    special_registers: FxHashMap<Box<str>, SpecialRegister>,
    /// Directives by name with its dot: `.entry`.
    directives: FxHashMap<Box<str>, Directive>,
    /// A sentence for each modifier, by instruction name; those of any instruction under the empty name.
    meanings: FxHashMap<Box<str>, FxHashMap<Box<str>, Box<str>>>,
    /// Words that ptxas passes over: set `ignored` of `sets.csv`.
    ignored: Arc<[Box<str>]>,
    /// Words that ptxas takes twice: set `repeatable` of `sets.csv`.
    repeatable: Arc<[Box<str>]>,
    /// Rows by opcode, in the order of `costly.csv`.
    costly: FxHashMap<Box<str>, Vec<Costly>>,
    static_shared_bytes: Option<Known<u32>>,
    /// Rows by opcode, in the order of `behaviour.csv`.
    behaviours: FxHashMap<Box<str>, Vec<behaviour::Row>>,
    /// Types by name without dot: `u32`.
    types: FxHashMap<Box<str>, Type>,
    limits: Vec<Limit>,
    /// The first PTX version that has a target: `sm_90a`.
    targets: Vec<(Target, Version)>,
}

impl Ptx {
    /// Returns the tables that ship with the program. They are read once; later calls share them.
    ///
    /// # Panics
    ///
    /// Never in a build whose tests pass: they read the same bytes.
    pub fn builtin() -> Arc<Self> {
        static PTX: LazyLock<Arc<Ptx>> =
            LazyLock::new(|| Arc::new(load::builtin().expect("the tests load the same files")));
        PTX.clone()
    }

    /// All forms of an opcode (`add`, `cp`, `tcgen05`), in the order of the table; none for an unknown one.
    pub fn instruction(&self, opcode: &str) -> &[Form] {
        self.by_opcode.get(opcode).map_or(&[], |range| &self.forms[range.clone()])
    }

    /// Every form of every instruction.
    pub fn forms(&self) -> &[Form] {
        &self.forms
    }

    /// Every opcode, in no order.
    pub fn opcodes(&self) -> impl Iterator<Item = &str> {
        self.by_opcode.keys().map(|name| &**name)
    }

    /// The special register of that name, with its percent sign and without component: `%tid`, `%envreg7`.
    pub fn special_register(&self, name: &str) -> Option<&SpecialRegister> {
        self.special_registers.get(name)
    }

    /// Every special register, in no order.
    pub fn special_registers(&self) -> impl Iterator<Item = &SpecialRegister> {
        self.special_registers.values()
    }

    /// The directive of that name, with its dot: `.maxntid`.
    pub fn directive(&self, name: &str) -> Option<&Directive> {
        self.directives.get(name)
    }

    /// Every directive, in no order.
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        self.directives.values()
    }

    /// The prose of an instruction: of `cp.async.bulk.tensor`, else of the longest beginning of it that has a page.
    pub fn page(&self, name: &str) -> Option<Page> {
        page::longest(name)
    }

    /// Returns the meaning of a modifier (without its dot), in a sentence: on the instruction of that name, else on any
    /// that shares its first words, else in general. `None` for one that says all by its name.
    pub fn modifier(&self, name: &str, word: &str) -> Option<&str> {
        let mut prefix = name;
        loop {
            let found = self.meanings.get(prefix).and_then(|words| words.get(word));
            if let Some(meaning) = found {
                return Some(meaning);
            }
            if prefix.is_empty() {
                return None;
            }
            prefix = prefix.rsplit_once('.').map_or("", |(before, _)| before);
        }
    }

    /// The type of that name, without its dot: `u32`.
    pub fn type_of(&self, word: &str) -> Option<&Type> {
        self.types.get(word)
    }

    /// The constants that an operand of a form may be. `None` where nothing limits them.
    pub fn limit(&self, bound: &Bound<'_>, form: &Form, operand: &str) -> Option<&Values> {
        let is_of = |limit: &&Limit| {
            *limit.operand == *operand
                && load::is_beginning(&limit.name, &form.name)
                && (limit.word.is_empty() || bound.has(&limit.word))
        };
        self.limits.iter().find(is_of).map(|limit| &limit.values)
    }

    /// Every type with its name, in no order.
    pub fn types(&self) -> impl Iterator<Item = (&str, &Type)> {
        self.types.iter().map(|(name, ty)| (&**name, ty))
    }

    /// Every `.target` word known (`sm_90a`), with the PTX version that introduced it, in the order of the table.
    pub fn targets(&self) -> impl Iterator<Item = (Target, Version)> {
        self.targets.iter().copied()
    }
}
