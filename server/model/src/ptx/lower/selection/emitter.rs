//! Emits instructions, with guards and alternatives, and copies of words.

use super::alternative;
use super::instruction::{Fragment, MachineInstruction, written};
use crate::ptx::lower::coalescing::{Web, Webs};
use crate::ptx::lower::ir::{Arg, Body, ValueId};
use crate::ptx::lower::live_ranges::LiveRanges;
use machine::ptx::Expansions;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// State of the emission of a block: the instructions so far, and the constants in registers.
pub(super) struct Emitter<'a> {
    pub body: &'a Body,
    pub lives: &'a LiveRanges,
    /// Values of each web.
    pub values: Vec<Vec<ValueId>>,
    pub webs: &'a mut Webs,
    pub expansions: &'a Expansions,
    pub sm: u16,
    /// First architecture whose disassembly marks addresses as 64 bits wide.
    pub first_wide_addresses: u32,
    pub lines: Vec<MachineInstruction>,
    /// Constants that are already in registers in this block, with their webs.
    pub constants: FxHashMap<(u64, u8), Web>,
    /// Guard of the entire block: the predicate, and whether it is negated.
    pub guard: Option<(ValueId, bool)>,
}

impl Emitter<'_> {
    /// Emits an instruction, together with an equivalent instruction on another pipe if there is one.
    pub(super) fn emit(
        &mut self,
        origin: u32,
        guard: Vec<Fragment>,
        mnemonic: &str,
        operands: &[Vec<Fragment>],
    ) {
        let mut pieces = guard.clone();
        pieces.extend(written(mnemonic, operands));
        let instead = alternative::instead(self.expansions, self.sm, mnemonic, operands);
        let other = instead.map(|instead| guard.into_iter().chain(instead).collect());
        self.push(origin, pieces);
        if let Some(last) = self.lines.last_mut().filter(|_| self.guard.is_none()) {
            last.other = other;
        }
    }

    pub(super) fn push(&mut self, origin: u32, mut pieces: Vec<Fragment>) {
        let is_guarded = matches!(pieces.first(), Some(Fragment::Text(text)) if text.starts_with('@'));
        if let Some(guard) = self.guard.filter(|_| !is_guarded) {
            pieces.splice(0..0, self.guarded(guard));
        }
        self.lines.push(MachineInstruction { pieces, other: None, origin });
    }

    /// Returns the guard prefix of an instruction.
    pub(super) fn guarded(&self, guard: (ValueId, bool)) -> Vec<Fragment> {
        let register = self.operand(Arg::guard(guard), 0, true).unwrap_or_default();
        [Fragment::text("@")].into_iter().chain(register).chain([Fragment::text(" ")]).collect()
    }

    pub(super) fn place(&self, web: Web, word: u8) -> Fragment {
        if self.webs.words[web as usize] == 0 {
            Fragment::Predicate(web)
        } else {
            Fragment::General(web, word)
        }
    }

    pub(super) fn copy(&mut self, to: ValueId, from: ValueId, origin: u32) {
        let words = 0..self.body.words(to).max(1);
        self.copy_words(self.webs.of[to as usize], Arg::plain(from), words, origin);
    }

    /// Copies a range of words of a value to consecutive registers, starting at word `first` of `web`.
    pub(super) fn copy_words(&mut self, (web, first): (Web, u8), from: Arg, words: Range<u8>, origin: u32) {
        for (word, place) in words.zip(first..) {
            let target = self.place(web, place);
            let source = self.operand(from, word, true);
            self.move_word(origin, target, source.unwrap_or_else(|| vec![Fragment::text("RZ")]));
        }
    }

    pub(super) fn move_word(&mut self, origin: u32, target: Fragment, source: Vec<Fragment>) {
        if !matches!(target, Fragment::Predicate(_)) {
            return self.emit(origin, Vec::new(), "MOV", &[vec![target], source]);
        }
        let mut pieces = vec![Fragment::text("PLOP3.LUT "), target, Fragment::text(", PT, ")];
        pieces.extend(source);
        pieces.push(Fragment::text(", PT, PT, 0x80, 0x8"));
        self.push(origin, pieces);
    }
}
