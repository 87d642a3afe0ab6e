//! A form of an instruction: its modifiers in order, its operands, and the required version and target.

use super::{FormBinding, Operand, Target, TargetRange, Version};
use std::sync::Arc;

/// One form of an instruction.
#[derive(Debug, Clone)]
pub struct Form {
    /// Opcode and the modifiers that belong to its name: `cp.async.bulk`.
    pub name: Box<str>,
    /// Slots in the order of the manual, at most 60. Slots of the name are first.
    pub slots: Box<[Slot]>,
    /// Number of leading slots that belong to the name. Their order is fixed.
    pub fixed: usize,
    /// Ranges of slots that may be omitted together. `(2, 4)` is slots 2 and 3.
    pub(super) optional: Box<[(usize, usize)]>,
    /// In text order.
    pub operands: Box<[Operand]>,
    pub need: Need,
    /// Words with requirements of their own, in addition to those of the form.
    pub(super) words_need: Arc<[(Box<str>, Need)]>,
}

/// The position of one modifier.
#[derive(Debug, Clone)]
pub struct Slot {
    /// Name used by operands and checks: `T` for the type, `S` for the source's type, `V` for the vector,
    /// otherwise the slot's set or word.
    pub name: Box<str>,
    /// Words that the slot accepts, without dots.
    pub words: Arc<[Box<str>]>,
}

/// Version and target that a module must declare to use a form or a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The oldest PTX version.
    pub ptx: Version,
    /// Ranges of targets. At least one must contain the module's target.
    pub targets: Box<[TargetRange]>,
}

impl Need {
    /// True if a module of this version and target may use the form or the word.
    pub fn is_met(&self, version: Version, target: Target) -> bool {
        version >= self.ptx && self.targets.iter().any(|range| range.holds(target))
    }
}

impl Slot {
    /// True if the slot accepts this word, given without its dot.
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|have| **have == *word)
    }
}

impl Form {
    /// The first word of the name: `cp`.
    pub fn opcode(&self) -> &str {
        self.name.split_once('.').map_or(&*self.name, |(opcode, _)| opcode)
    }

    /// True if a module for this version and target may use the form.
    pub fn exists_on(&self, version: Version, target: Target) -> bool {
        self.need.is_met(version, target)
    }

    /// Returns the first requirement that the module does not meet: that of the form (without a word),
    /// otherwise that of a word (with the word). `None` if all are met.
    pub fn lacks(
        &self,
        bound: &FormBinding<'_>,
        version: Version,
        target: Target,
    ) -> Option<(Option<&str>, &Need)> {
        if !self.need.is_met(version, target) {
            return Some((None, &self.need));
        }
        let lacking = |(word, need): &&(Box<str>, Need)| bound.has(word) && !need.is_met(version, target);
        self.words_need.iter().find(lacking).map(|(word, need)| (Some(&**word), need))
    }

    /// True if a module for this version and target may use the word in this form.
    pub fn word_exists_on(&self, word: &str, version: Version, target: Target) -> bool {
        self.words_need.iter().all(|(have, need)| **have != *word || need.is_met(version, target))
    }

    /// True if the slot may be omitted.
    pub fn is_optional(&self, slot: usize) -> bool {
        self.optional.iter().any(|(first, end)| (*first..*end).contains(&slot))
    }
}
