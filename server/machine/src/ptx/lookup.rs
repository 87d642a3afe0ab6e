//! Lookups in the table.

use super::behaviour::Behaviour;
use super::costly::CostlyInstruction;
use super::form::Form;
use super::limit::{Limit, Values};
use super::load;
use super::matching::FormBinding;
use super::page::{self, Page};
use super::table::Ptx;
use super::target::{Target, Version};
use super::types::Type;
use super::vocabulary::{Directive, SpecialRegister};
use crate::Known;
use std::sync::{Arc, LazyLock};

impl Ptx {
    /// Returns the built-in tables. They are read once, and later calls share them.
    ///
    /// # Panics
    ///
    /// Never in a build whose tests pass, because the tests read the same bytes.
    pub fn builtin() -> Arc<Self> {
        static PTX: LazyLock<Arc<Ptx>> =
            LazyLock::new(|| Arc::new(load::builtin().expect("the tests load the same files")));
        PTX.clone()
    }

    /// All forms of an opcode (`add`, `cp`, `tcgen05`), in table order; empty for an unknown opcode.
    pub fn instruction(&self, opcode: &str) -> &[Form] {
        self.by_opcode.get(opcode).map_or(&[], |range| &self.forms[range.clone()])
    }

    /// Every form of every instruction.
    pub fn forms(&self) -> &[Form] {
        &self.forms
    }

    /// Every opcode, in no particular order.
    pub fn opcodes(&self) -> impl Iterator<Item = &str> {
        self.by_opcode.keys().map(|name| &**name)
    }

    /// The special register with this name, with its percent sign and without component: `%tid`, `%envreg7`.
    pub fn special_register(&self, name: &str) -> Option<&SpecialRegister> {
        self.special_registers.get(name)
    }

    /// Every special register, in no particular order.
    pub fn special_registers(&self) -> impl Iterator<Item = &SpecialRegister> {
        self.special_registers.values()
    }

    /// The directive with this name, with its dot: `.maxntid`.
    pub fn directive(&self, name: &str) -> Option<&Directive> {
        self.directives.get(name)
    }

    /// Every directive, in no particular order.
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        self.directives.values()
    }

    /// The page of an instruction such as `cp.async.bulk.tensor` or, if missing, of the longest prefix of its
    /// name with a page.
    pub fn page(&self, name: &str) -> Option<Page> {
        page::longest(name)
    }

    /// Returns a sentence with the meaning of a modifier (without its dot): on the instruction with this name,
    /// otherwise on a prefix of the name, otherwise on any instruction. `None` if the modifier is
    /// self-explanatory.
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

    /// The type with this name, without its dot: `u32`.
    pub fn type_of(&self, word: &str) -> Option<&Type> {
        self.types.get(word)
    }

    /// The constants that an operand of a form accepts. `None` if every constant is accepted.
    pub fn limit(&self, bound: &FormBinding<'_>, form: &Form, operand: &str) -> Option<&Values> {
        let is_of = |limit: &&Limit| {
            *limit.operand == *operand
                && load::is_beginning(&limit.name, &form.name)
                && limit.word.split('+').all(|word| word.is_empty() || bound.has(word))
        };
        self.limits.iter().find(is_of).map(|limit| &limit.values)
    }

    /// Every type with its name, in no particular order.
    pub fn types(&self) -> impl Iterator<Item = (&str, &Type)> {
        self.types.iter().map(|(name, ty)| (&**name, ty))
    }

    /// Every known `.target` word (`sm_90a`) in ascending order, with the PTX version that introduced it.
    pub fn targets(&self) -> impl Iterator<Item = (Target, Version)> {
        self.targets.iter().copied()
    }

    /// Returns an instruction's control flow and the spread of its results over threads, by its opcode and its
    /// modifiers without dots. An instruction that is not in the table behaves like arithmetic.
    pub fn behaviour(&self, opcode: &str, modifiers: &[&str]) -> Behaviour {
        let rows = self.behaviours.get(opcode).map_or(&[][..], Vec::as_slice);
        let found = rows.iter().rev().find(|row| row.fits(modifiers));
        found.map(|row| row.behaviour).unwrap_or_default()
    }

    /// Returns the reason why an instruction with this opcode and these modifiers (without dots) is costly;
    /// `None` for other instructions.
    pub fn costly<'m>(
        &self,
        opcode: &str,
        modifiers: &(impl Iterator<Item = &'m str> + Clone),
    ) -> Option<&CostlyInstruction> {
        let rows = self.costly.get(opcode)?;
        let has = |word: &str| modifiers.clone().any(|have| have == word);
        rows.iter().find(|row| row.words.iter().all(|word| has(word)))
    }

    /// Maximum number of bytes of static shared memory that a kernel may declare; `None` if the table lacks it.
    pub fn static_shared_bytes(&self) -> Option<&Known<u32>> {
        self.static_shared_bytes.as_ref()
    }
}
