//! One form of an instruction: its modifiers in order, its operands, and the version and target that it needs.

use super::{Bound, Operand, Target, TargetRange, Version};
use std::sync::Arc;

/// One form of an instruction.
#[derive(Debug, Clone)]
pub struct Form {
    /// Opcode and the modifiers that belong to its name: `cp.async.bulk`.
    pub name: Box<str>,
    /// In the order of the manual, at most 60. Those of the name come first.
    pub slots: Box<[Slot]>,
    /// Number of leading slots that belong to the name; their order is fixed.
    pub fixed: usize,
    /// Slots that may be left out together, from the first to before the second: `(2, 4)`.
    pub(super) optional: Box<[(usize, usize)]>,
    /// In text order.
    pub operands: Box<[Operand]>,
    pub need: Need,
    /// Needs of words that exceed those of the form.
    pub(super) words_need: Arc<[(Box<str>, Need)]>,
}

/// The position of one modifier.
#[derive(Debug, Clone)]
pub struct Slot {
    /// Name that operands and checks use: `T` the type, `S` the source's type, `V` the vector, else its set or word.
    pub name: Box<str>,
    /// Words that the slot accepts, without dots.
    pub words: Arc<[Box<str>]>,
}

/// Version and target that a module must declare to use a form or a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The oldest PTX version.
    pub ptx: Version,
    /// One of these must contain the target.
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

    /// Returns the need that this module does not meet: that of the form, or else that of a word, together with the
    /// word.
    pub fn lacks(
        &self,
        bound: &Bound<'_>,
        version: Version,
        target: Target,
    ) -> Option<(Option<&str>, &Need)> {
        if !self.need.is_met(version, target) {
            return Some((None, &self.need));
        }
        let lacking = |(word, need): &&(Box<str>, Need)| bound.has(word) && !need.is_met(version, target);
        self.words_need.iter().find(lacking).map(|(word, need)| (Some(&**word), need))
    }

    /// False if this module may not use the word in this form.
    pub fn word_exists_on(&self, word: &str, version: Version, target: Target) -> bool {
        self.words_need.iter().all(|(have, need)| **have != *word || need.is_met(version, target))
    }

    /// True if the slot may be left out.
    pub fn is_optional(&self, slot: usize) -> bool {
        self.optional.iter().any(|(first, end)| (*first..*end).contains(&slot))
    }
}
