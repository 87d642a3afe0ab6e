//! Coalescing of values into the same registers: phi operands, vector elements, and old values under a
//! guarded write.

mod spans;

use super::ir::{Body, Kind, NOWHERE, NodeId, ValueId};
use super::live_ranges::LiveRanges;
use rustc_hash::FxHashSet;
use spans::{Spans, Words};
use std::borrow::Cow;
use syntax::stop;

/// An index into [`Webs::words`].
pub(super) type Web = u32;

/// Assignment of values to webs.
#[derive(Debug, Default)]
pub(super) struct Webs {
    /// Web of each value, and the word offset of the value in the web.
    pub of: Vec<(Web, u8)>,
    /// Number of consecutive registers of each web; 0 for a predicate.
    pub words: Vec<u8>,
}

impl Webs {
    /// Adds a web of `words` registers that holds none of the function's values.
    pub(super) fn new_web(&mut self, words: u8) -> Web {
        self.words.push(words);
        self.words.len() as Web - 1
    }
}

struct Joiner<'a> {
    body: &'a Body,
    lives: &'a LiveRanges,
    /// Leader of each value, and the word offset of the value relative to the leader. The leader represents
    /// the web.
    leaders: Vec<(ValueId, i16)>,
    /// Live spans of each leader's web.
    spans: Vec<Spans>,
    /// Web of each leader, and the word offset of the leader in the web.
    places: Vec<(Web, i16)>,
    /// Leader of each web.
    heads: Vec<ValueId>,
    words: Vec<u8>,
    /// Pairs of webs that interfere if the second web is placed at this word of the first. Webs only grow, so the
    /// interference remains.
    clashes: FxHashSet<(Web, Web, u8)>,
}

/// Assigns values to webs.
pub(super) fn webs(body: &Body, lives: &LiveRanges) -> Webs {
    let values = 0..body.values.len() as ValueId;
    let mut joiner = Joiner {
        body,
        lives,
        leaders: values.clone().map(|value| (value, 0)).collect(),
        spans: values.clone().map(Spans::One).collect(),
        places: values.clone().map(|value| (value, 0)).collect(),
        heads: values.clone().collect(),
        words: body.values.iter().map(|value| value.words).collect(),
        clashes: FxHashSet::default(),
    };
    for block in &body.blocks {
        for (step, &id) in block.nodes.iter().enumerate() {
            stop::check_at(step);
            joiner.parts(id);
        }
    }
    for block in &body.blocks {
        for (step, &id) in block.nodes.iter().enumerate() {
            stop::check_at(step);
            joiner.previous(id);
            joiner.phi(id);
        }
    }
    let of = values.map(|value| joiner.place(value)).map(|(web, start)| (web, start as u8)).collect();
    Webs { of, words: joiner.words }
}

impl Joiner<'_> {
    fn parts(&mut self, id: NodeId) {
        let node = &self.body.nodes[id as usize];
        let Some(&result) = node.results.first() else { return };
        match node.kind {
            Kind::Part(at) => {
                self.join(node.args[0].value, result, at);
            }
            Kind::Pack => {
                let mut at = 0_u8;
                for arg in &node.args {
                    self.join(result, arg.value, at);
                    at = at.saturating_add(self.body.words(arg.value));
                }
            }
            _ => {}
        }
    }

    fn previous(&mut self, id: NodeId) {
        let node = &self.body.nodes[id as usize];
        for (&result, &previous) in node.results.iter().zip(&node.previous) {
            self.join_either(result, previous);
        }
    }

    fn phi(&mut self, id: NodeId) {
        let node = &self.body.nodes[id as usize];
        if node.kind != Kind::Phi {
            return;
        }
        let result = node.results[0];
        for arg in node.args.iter().filter(|arg| arg.value != result) {
            self.join_either(result, arg.value);
        }
    }

    fn join_either(&mut self, one: ValueId, other: ValueId) {
        let _ = self.join(one, other, 0) || self.join(other, one, 0);
    }

    /// Merges the web of `part` into the web of `whole`, with `part` at word `at` of `whole`. Returns false
    /// if the webs interfere or the placement is not possible.
    fn join(&mut self, whole: ValueId, part: ValueId, at: u8) -> bool {
        let is_somewhere = |value: ValueId| self.body.node_of(value).block != NOWHERE;
        if !is_somewhere(whole) || !is_somewhere(part) {
            return false;
        }
        let (web, start) = self.place(whole);
        let (other, inner) = self.place(part);
        let place = start + i16::from(at) - inner;
        if web == other {
            return place == 0;
        }
        // Register rows grow only at their end: this preserves alignment.
        let Ok(place) = u8::try_from(place) else { return false };
        let (width, own) = (self.words[other as usize], self.words[web as usize]);
        if (width == 0) != (own == 0) || place + width > own.max(width) {
            return false;
        }
        let alignment = width.next_power_of_two().max(1);
        if !place.is_multiple_of(alignment) || self.clashes.contains(&(web, other, place)) {
            return false;
        }
        if self.clash(web, other, place) {
            self.clashes.insert((web, other, place));
            return false;
        }
        self.unite(web, other, place);
        self.words[web as usize] = own.max(place + width);
        true
    }

    /// Returns the web of a value, and the word offset of the value in the web.
    fn place(&mut self, value: ValueId) -> (Web, i16) {
        let mut way = Vec::new();
        let mut at = value;
        while self.leaders[at as usize].0 != at {
            way.push(at);
            at = self.leaders[at as usize].0;
        }
        // Path compression from the leader down: each visited value then refers to the leader directly.
        let mut start = 0;
        for &passed in way.iter().rev() {
            start += self.leaders[passed as usize].1;
            self.leaders[passed as usize] = (at, start);
        }
        let (web, first) = self.places[at as usize];
        (web, first + start)
    }

    /// Returns the word offset of a value in its web, without path compression.
    fn start(&self, value: ValueId) -> i16 {
        let mut start = 0;
        let mut at = value;
        while self.leaders[at as usize].0 != at {
            start += self.leaders[at as usize].1;
            at = self.leaders[at as usize].0;
        }
        start + self.places[at as usize].1
    }

    /// True if the webs interfere when `other` is placed at word `place` of `web`: two different values would be
    /// in one register at the same point.
    fn clash(&self, web: Web, other: Web, place: u8) -> bool {
        let up = i16::from(place);
        let (one, two) = (self.heads[web as usize], self.heads[other as usize]);
        let same = |left: ValueId, right: ValueId| {
            self.is_same(left, self.start(left) as u8, right, (self.start(right) + up) as u8)
        };
        let whole = |head: ValueId| match self.spans[head as usize] {
            Spans::One(value) => Cow::Owned(Words::from_value(value, self.body, self.lives)),
            Spans::Many(ref words) => Cow::Borrowed(&**words),
            Spans::Taken => Cow::Owned(Words::default()),
        };
        if let (&Spans::One(left), &Spans::One(right)) =
            (&self.spans[one as usize], &self.spans[two as usize])
        {
            let (from, to) = (self.start(left), self.start(right) + up);
            let words = |value: ValueId| i16::from(self.body.words(value).max(1));
            let overlap = from < to + words(right) && to < from + words(left);
            return overlap && !same(left, right) && self.lives.interfere(left, right);
        }
        let (one, two) = (whole(one), whole(two));
        if one.len() < two.len() {
            two.clash(&one, -isize::from(up), |right, left| same(left, right))
        } else {
            one.clash(&two, isize::from(up), same)
        }
    }

    /// Merges web `other` into `web` at word `place`. The larger web absorbs the spans of the smaller web.
    fn unite(&mut self, web: Web, other: Web, place: u8) {
        let heads = [self.heads[web as usize], self.heads[other as usize]];
        let [one, two] =
            heads.map(|head| match std::mem::replace(&mut self.spans[head as usize], Spans::Taken) {
                Spans::One(value) => Box::new(Words::from_value(value, self.body, self.lives)),
                Spans::Many(words) => words,
                Spans::Taken => Box::default(),
            });
        let [head, led] = heads;
        let up = usize::from(place);
        let (spans, head, led) = if one.len() < two.len() {
            let mut spans = two;
            spans.lift(up);
            spans.extend(&one, 0);
            (spans, led, head)
        } else {
            let mut spans = one;
            spans.extend(&two, up);
            (spans, head, led)
        };
        // Word offsets of both leaders in the merged web.
        let start = |head: ValueId| {
            let (own, start) = self.places[head as usize];
            if own == other { start + i16::from(place) } else { start }
        };
        let (start, led_start) = (start(head), start(led));
        self.leaders[led as usize] = (head, led_start - start);
        self.places[head as usize] = (web, start);
        self.heads[web as usize] = head;
        self.spans[head as usize] = Spans::Many(spans);
    }

    /// True if one value is an element of the other, and both occupy the same registers when they start at
    /// words `from` and `to`.
    fn is_same(&self, left: ValueId, from: u8, right: ValueId, to: u8) -> bool {
        let holds = |whole: ValueId, start: u8, part: ValueId, place: u8| {
            let node = self.body.node_of(part);
            let is_part =
                matches!(node.kind, Kind::Part(at) if node.args[0].value == whole && start + at == place);
            let packed = self.body.node_of(whole);
            let mut at = start;
            let is_packed = packed.kind == Kind::Pack
                && packed.args.iter().any(|arg| {
                    let here = at;
                    at = at.saturating_add(self.body.words(arg.value));
                    arg.value == part && here == place
                });
            is_part || is_packed
        };
        holds(left, from, right, to) || holds(right, to, left, from)
    }
}
