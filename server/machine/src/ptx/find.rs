//! Finds the forms that match an instruction.

use super::form::Form;
use super::matching::{FormBinding, Mismatch, MismatchKind, further};
use super::table::Ptx;
use super::target::{Target, Version};

impl Ptx {
    /// The forms that match an instruction's modifiers, in table order. They differ in their operands.
    ///
    /// `Err` states the modifier that the form with the longest match rejects. `None` for an unknown opcode.
    pub fn find<'f>(
        &'f self,
        opcode: &str,
        modifiers: &[&str],
    ) -> Option<Result<Vec<(&'f Form, FormBinding<'f>)>, Mismatch<'f>>> {
        let forms = self.instruction(opcode);
        if forms.is_empty() {
            return None;
        }
        let mut found = Vec::new();
        let mut worst: Option<Mismatch<'f>> = None;
        for form in forms {
            match form.matches(modifiers) {
                Ok(bound) => found.push((form, bound)),
                Err(mismatch) => worst = Some(worst.map_or(mismatch.clone(), |have| further(have, mismatch))),
            }
        }
        match worst {
            Some(mismatch) if found.is_empty() => Some(Err(self.judged(opcode, modifiers, mismatch))),
            _ => Some(Ok(found)),
        }
    }

    /// Determines the kind of a mismatch from all forms of the opcode. A modifier that ptxas ignores is
    /// reported only if there is no other error.
    fn judged<'f>(&'f self, opcode: &str, modifiers: &[&str], mut mismatch: Mismatch<'f>) -> Mismatch<'f> {
        let forms = self.instruction(opcode);
        let is_known = |word: &str| forms.iter().any(|form| form.slots.iter().any(|slot| slot.has(word)));
        if let Some(at) = modifiers.iter().position(|word| !is_known(word)) {
            let is_ignored = self.is_ignored(modifiers[at]);
            mismatch.kind = if is_ignored { MismatchKind::Ignored } else { MismatchKind::Unknown };
            if at != mismatch.at {
                mismatch.possible = self.possible_next(opcode, &modifiers[..at], None);
            }
            mismatch.at = at;
        } else if mismatch.kind == MismatchKind::Unknown {
            let is_ignored = modifiers.get(mismatch.at).is_some_and(|word| self.is_ignored(word));
            mismatch.kind = if is_ignored { MismatchKind::Ignored } else { MismatchKind::Misplaced };
        }
        if matches!(mismatch.kind, MismatchKind::Repeated | MismatchKind::Ignored) {
            let mut others = modifiers.to_vec();
            others.remove(mismatch.at);
            if let Some(Err(mut other)) = self.find(opcode, &others) {
                other.at += usize::from(other.at >= mismatch.at);
                return other;
            }
        }
        mismatch
    }

    /// True for a word that ptxas silently ignores in positions where the word has no meaning.
    pub fn is_ignored(&self, word: &str) -> bool {
        self.ignored.iter().any(|ignored| **ignored == *word)
    }

    /// True for a word that ptxas accepts twice.
    pub fn is_repeatable(&self, word: &str) -> bool {
        self.repeatable.iter().any(|repeatable| **repeatable == *word)
    }

    /// The modifiers (without dots) that may follow these modifiers, without duplicates, in table order. If
    /// `module` is given, only modifiers that are available in its version and target.
    pub fn possible_next<'f>(
        &'f self,
        opcode: &str,
        modifiers: &[&str],
        module: Option<(Version, Target)>,
    ) -> Vec<&'f str> {
        let mut words: Vec<&'f str> = Vec::new();
        for form in self.instruction(opcode) {
            if module.is_some_and(|(version, target)| !form.exists_on(version, target)) {
                continue;
            }
            for word in form.next_words(modifiers).unwrap_or_default() {
                let may = module.is_none_or(|(version, target)| form.word_exists_on(word, version, target));
                if may && !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        words
    }
}
