//! Matches an instruction to a form by its modifiers.
//!
//! ptxas accepts the modifiers after an instruction's name in any order, provided that modifiers that could
//! fill the same slots (types, the two spaces of a copy, two layouts) keep their order. This module does the
//! same. [`FormBinding::in_order`] is true if the order is that of the manual.

use super::{Form, Slot};

/// The word in each slot of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormBinding<'f> {
    slots: Box<[Option<&'f str>]>,
    names: Box<[&'f str]>,
    /// False if ptxas accepts the order but the manual specifies another order.
    pub in_order: bool,
}

impl<'f> FormBinding<'f> {
    /// The word in the slot with this name: `f32` in `T`. `None` if the slot is empty or does not exist.
    pub fn word(&self, slot: &str) -> Option<&'f str> {
        let mut named = self.names.iter().zip(&*self.slots).filter(|(name, _)| **name == slot);
        named.find_map(|(_, word)| *word)
    }

    /// True if the instruction has the modifier.
    pub fn has(&self, word: &str) -> bool {
        self.slots.iter().flatten().any(|have| *have == word)
    }

    /// The words, by slot.
    pub fn slots(&self) -> &[Option<&'f str>] {
        &self.slots
    }
}

/// Reason why an instruction does not match a form, or any form of its opcode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch<'f> {
    /// Index of the rejected modifier; the number of modifiers if a required modifier is missing.
    pub at: usize,
    pub kind: MismatchKind,
    /// Words that were possible at this position, without dots.
    pub possible: Vec<&'f str>,
}

/// Reason why a modifier matches no form or is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MismatchKind {
    /// No form of the opcode has such a modifier.
    Unknown,
    /// The opcode has such a modifier, but not after the previous ones or not in this position.
    Misplaced,
    /// A required modifier is missing.
    Missing,
    /// The modifier is repeated, and ptxas ignores the second one. The instruction has no other error.
    Repeated,
    /// The modifier has no meaning on the instruction, and ptxas ignores it. The instruction has no other
    /// error.
    Ignored,
}

/// Groups of modifiers whose members must be in the order of the manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ModifierOrder {
    Types,
    /// The destination space of a copy, and its source space.
    Spaces,
    /// Memory layouts of two matrices.
    Layouts,
}

impl Slot {
    fn row(&self) -> Option<ModifierOrder> {
        match &*self.name {
            "T" | "S" | "A" | "B" | "C" | "D" | "E" => Some(ModifierOrder::Types),
            "P" | "Q" => Some(ModifierOrder::Spaces),
            "K" | "L" => Some(ModifierOrder::Layouts),
            _ => None,
        }
    }
}

impl Form {
    /// Binds each modifier (without dots) to its slot.
    pub fn matches<'f>(&'f self, modifiers: &[&str]) -> Result<FormBinding<'f>, Mismatch<'f>> {
        let mut taken: Vec<Option<&'f str>> = vec![None; self.slots.len()];
        let mut last = 0;
        let mut in_order = true;
        for (at, modifier) in modifiers.iter().enumerate() {
            let place = if at < self.fixed { at..at + 1 } else { self.fixed..self.slots.len() };
            // Slots in order have priority, so that an optional slot in front takes no word of a later slot.
            let following = place.clone().filter(|slot| *slot >= last);
            let before = place.filter(|slot| *slot < last);
            let keeps_order = |slot: usize| {
                let row = self.slots[slot].row();
                row.is_none()
                    || (slot + 1..self.slots.len())
                        .all(|later| taken[later].is_none() || self.slots[later].row() != row)
            };
            let fits = |slot: &usize| {
                taken[*slot].is_none() && self.slots[*slot].has(modifier) && keeps_order(*slot)
            };
            let Some(slot) = following.chain(before).find(fits) else {
                let kind = self.why_not(modifier, &taken);
                return Err(Mismatch { at, kind, possible: self.open(&taken, at) });
            };
            in_order &= slot >= last;
            last = last.max(slot + 1);
            let word = self.slots[slot].words.iter().find(|word| ***word == **modifier);
            taken[slot] = word.map(|word| &**word);
        }
        match self.missing(&taken) {
            Some(slot) => {
                let possible = self.slots[slot].words.iter().map(|word| &**word).collect();
                Err(Mismatch { at: modifiers.len(), kind: MismatchKind::Missing, possible })
            }
            None => Ok(FormBinding {
                slots: taken.into(),
                names: self.slots.iter().map(|slot| &*slot.name).collect(),
                in_order,
            }),
        }
    }

    /// Reason why a modifier matches no open slot.
    fn why_not(&self, modifier: &str, taken: &[Option<&str>]) -> MismatchKind {
        // Type slots have one-letter names. An extra type is never ignored.
        let is_again = |slot: usize| {
            let have = &self.slots[slot];
            taken[slot] == Some(modifier)
                && (have.name.len() > 1
                    || matches!(have.row(), Some(ModifierOrder::Spaces | ModifierOrder::Layouts)))
        };
        if (self.fixed..self.slots.len()).any(is_again) {
            MismatchKind::Repeated
        } else if self.slots.iter().any(|slot| slot.has(modifier)) {
            MismatchKind::Misplaced
        } else {
            MismatchKind::Unknown
        }
    }

    /// An empty slot that must be filled: the slot is not optional, or its group is partly filled.
    fn missing(&self, taken: &[Option<&str>]) -> Option<usize> {
        let empty = |range: std::ops::Range<usize>| range.clone().all(|slot| taken[slot].is_none());
        (0..self.slots.len()).find(|slot| {
            let left_out =
                |(first, end): &(usize, usize)| (*first..*end).contains(slot) && empty(*first..*end);
            taken[*slot].is_none() && !self.optional.iter().any(left_out)
        })
    }

    /// Words of the slots that are still open for the modifier with index `at`, in slot order.
    fn open<'f>(&'f self, taken: &[Option<&str>], at: usize) -> Vec<&'f str> {
        let slots: Vec<usize> = if at < self.fixed {
            vec![at]
        } else {
            (self.fixed..self.slots.len()).filter(|slot| taken[*slot].is_none()).collect()
        };
        slots.into_iter().flat_map(|slot| self.slots[slot].words.iter().map(|word| &**word)).collect()
    }

    /// Words that may come next in the order of the manual; `None` if the modifiers are not a prefix of this form.
    pub(super) fn next_words<'f>(&'f self, modifiers: &[&str]) -> Option<Vec<&'f str>> {
        let mut places: u64 = self.skipped(1);
        for modifier in modifiers {
            let mut next = 0;
            for slot in (0..self.slots.len()).filter(|slot| places & (1 << slot) != 0) {
                if self.slots[slot].has(modifier) {
                    next |= 1 << (slot + 1);
                }
            }
            places = self.skipped(next);
            if places == 0 {
                return None;
            }
        }
        let open = (0..self.slots.len()).filter(|slot| places & (1 << slot) != 0);
        Some(open.flat_map(|slot| self.slots[slot].words.iter().map(|word| &**word)).collect())
    }

    /// Returns these positions, and all positions reachable from them by skipping optional slots.
    fn skipped(&self, mut places: u64) -> u64 {
        loop {
            let before = places;
            for (first, end) in &*self.optional {
                if places & (1 << first) != 0 {
                    places |= 1 << end;
                }
            }
            if places == before {
                return places;
            }
        }
    }
}

/// Returns the mismatch at the later modifier. Merges both mismatches if they are at the same modifier.
pub(super) fn further<'f>(have: Mismatch<'f>, other: Mismatch<'f>) -> Mismatch<'f> {
    if have.at != other.at {
        return if have.at > other.at { have } else { other };
    }
    let kind = if have.kind == MismatchKind::Unknown { other.kind } else { have.kind };
    let mut possible = have.possible;
    for word in other.possible {
        if !possible.contains(&word) {
            possible.push(word);
        }
    }
    Mismatch { at: have.at, kind, possible }
}
