//! Copies: of values that a block hands on to the next, and of words.

use super::super::coalescing::Web;
use super::super::ir::{Arg, Kind, Value};
use super::{Line, Out, Selector};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Target, source, and the statement that the copy is for.
type Copy = (Value, Value, u32);

impl Selector<'_> {
    /// Turns the phis of the next blocks into copies, each as soon as its value is defined and the old one is dead.
    pub(super) fn leave_block(&mut self, block: usize) {
        let copies = self.copies(block);
        let (order, ring) = self.in_turn(&copies);
        let mut touched = touched(&self.lines);
        let mut early: Vec<(usize, Vec<Line>)> = Vec::with_capacity(order.len());
        for (to, from, origin) in order {
            let start = self.lines.len();
            self.copy(to, from, origin);
            let own = self.lines.split_off(start);
            let webs = [self.webs.of[to as usize].0, self.webs.of[from as usize].0];
            let known = webs.iter().filter_map(|web| touched.get(web).copied()).max();
            let place = known.unwrap_or(start);
            touched.extend(webs.map(|web| (web, place)));
            early.push((place, own));
        }
        early.sort_by_key(|&(place, _)| place);
        let lines = std::mem::take(&mut self.lines);
        let mut early = early.into_iter().peekable();
        for (place, line) in lines.into_iter().enumerate() {
            while let Some((_, own)) = early.next_if(|&(at, _)| at <= place) {
                self.lines.extend(own);
            }
            self.lines.push(line);
        }
        self.lines.extend(early.flat_map(|(_, own)| own));
        self.turn(&ring);
    }

    /// Returns the copies in order, each before those that write what it reads, and apart from them the copies in a
    /// ring, of which none can come first.
    fn in_turn(&self, copies: &[Copy]) -> (Vec<Copy>, Vec<Copy>) {
        let web = |value: Value| self.webs.of[value as usize].0;
        let mut readers: FxHashMap<Web, u32> = FxHashMap::default();
        let mut writers: FxHashMap<Web, Vec<usize>> = FxHashMap::default();
        for (at, &(to, from, _)) in copies.iter().enumerate() {
            if web(to) != web(from) {
                *readers.entry(web(from)).or_default() += 1;
            }
            writers.entry(web(to)).or_default().push(at);
        }
        let is_free =
            |readers: &FxHashMap<Web, u32>, web: Web| readers.get(&web).is_none_or(|&count| count == 0);
        let mut free: Vec<usize> =
            (0..copies.len()).filter(|&at| is_free(&readers, web(copies[at].0))).collect();
        let mut is_listed = vec![false; copies.len()];
        let mut order = Vec::with_capacity(copies.len());
        while let Some(at) = free.pop() {
            if std::mem::replace(&mut is_listed[at], true) {
                continue;
            }
            order.push(copies[at]);
            let (to, from) = (web(copies[at].0), web(copies[at].1));
            if to != from
                && let Some(count) = readers.get_mut(&from)
            {
                *count -= 1;
                if *count == 0 {
                    free.extend(writers.get(&from).into_iter().flatten());
                }
            }
        }
        let ring = copies.iter().zip(&is_listed).filter(|(_, listed)| !**listed).map(|(&copy, _)| copy);
        (order, ring.collect())
    }

    /// Values and where they go at a block's end.
    fn copies(&self, block: usize) -> Vec<Copy> {
        let mut copies = Vec::new();
        for &next in self.body.flow.successors(block as u32) {
            let Some(at) = self.body.flow.predecessors(next).iter().position(|&from| from as usize == block)
            else {
                continue;
            };
            for &id in &self.body.blocks[next as usize].nodes {
                let node = &self.body.nodes[id as usize];
                if node.kind != Kind::Phi {
                    break;
                }
                let (to, from) = (node.results[0], node.args[at].value);
                let same = self.webs.of[to as usize] == self.webs.of[from as usize];
                if !same && self.body.node_of(from).kind != Kind::Undefined {
                    copies.push((to, from, node.origin));
                }
            }
        }
        copies
    }

    /// Copies in a ring: by way of other registers.
    fn turn(&mut self, copies: &[Copy]) {
        let mut spares = Vec::with_capacity(copies.len());
        for &(to, from, origin) in copies {
            let words = self.body.words(to);
            let spare = self.webs.new_web(words);
            self.copy_words((spare, 0), Arg::plain(from), 0..words.max(1), origin);
            spares.push(spare);
        }
        for (&(to, _, origin), spare) in copies.iter().zip(spares) {
            let (web, start) = self.webs.of[to as usize];
            for word in 0..self.body.words(to).max(1) {
                let (target, source) = (self.place(web, start + word), self.place(spare, word));
                self.move_word(origin, target, vec![source]);
            }
        }
    }

    pub(super) fn copy(&mut self, to: Value, from: Value, origin: u32) {
        let words = 0..self.body.words(to).max(1);
        self.copy_words(self.webs.of[to as usize], Arg::plain(from), words, origin);
    }

    /// Some words of a value to registers in a row.
    pub(super) fn copy_words(&mut self, (web, first): (Web, u8), from: Arg, words: Range<u8>, origin: u32) {
        for (word, place) in words.zip(first..) {
            let target = self.place(web, place);
            let source = self.operand(from, word, true);
            self.move_word(origin, target, source.unwrap_or_else(|| vec![Out::text("RZ")]));
        }
    }

    fn move_word(&mut self, origin: u32, target: Out, source: Vec<Out>) {
        if !matches!(target, Out::Predicate(_)) {
            return self.emit(origin, Vec::new(), "MOV", &[vec![target], source]);
        }
        let mut pieces = vec![Out::text("PLOP3.LUT "), target, Out::text(", PT, ")];
        pieces.extend(source);
        pieces.push(Out::text(", PT, PT, PT, 0x80, 0x8"));
        self.push(origin, pieces);
    }
}

/// Returns the index after the last line that names each web.
fn touched(lines: &[Line]) -> FxHashMap<Web, usize> {
    let mut touched = FxHashMap::default();
    for (at, line) in lines.iter().enumerate() {
        for piece in &line.pieces {
            if let Out::General(web, _) | Out::Predicate(web) = piece {
                touched.insert(*web, at + 1);
            }
        }
    }
    touched
}
