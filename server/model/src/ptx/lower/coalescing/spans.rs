//! Live spans of the values of a web, by word. Comparing two webs takes time proportional to the size of the
//! smaller web.

use super::super::ir::{Body, ValueId};
use super::super::live_ranges::{LiveRanges, ProgramPoint};
use std::collections::BTreeMap;

/// Live spans of the values of a web.
#[derive(Debug)]
pub(super) enum Spans {
    /// A single value, whose segments are in [`LiveRanges`].
    One(ValueId),
    Many(Box<Words>),
    /// The spans were moved to another web.
    Taken,
}

/// Live spans of a web, separate for each of its 32-bit words.
#[derive(Debug, Default, Clone)]
pub(super) struct Words {
    words: Vec<Layers>,
    count: usize,
}

/// Spans of one word, in layers of disjoint spans. A value and its element are in different layers.
#[derive(Debug, Default, Clone)]
struct Layers(Vec<BTreeMap<ProgramPoint, (ProgramPoint, ValueId)>>);

impl Words {
    pub(super) fn from_value(value: ValueId, body: &Body, lives: &LiveRanges) -> Self {
        let mut words = Self::default();
        for word in 0..body.words(value).max(1) {
            for &(from, to) in &lives.segments[value as usize] {
                words.add(usize::from(word), (from, to), value);
            }
        }
        words
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    fn add(&mut self, word: usize, span: (ProgramPoint, ProgramPoint), value: ValueId) {
        if self.words.len() <= word {
            self.words.resize_with(word + 1, Layers::default);
        }
        self.words[word].add(span, value);
        self.count += 1;
    }

    /// True if a span of `self` overlaps a span of `others`, shifted by `up` words, and the values of the two
    /// spans differ. `same` returns true if a value of `self` and a value of `others` may share their registers.
    pub(super) fn clash(&self, others: &Self, up: isize, same: impl Fn(ValueId, ValueId) -> bool) -> bool {
        others.spans().any(|(word, span, other)| {
            let own = word.checked_add_signed(up).and_then(|word| self.words.get(word));
            own.is_some_and(|own| own.meeting(span).any(|value| !same(value, other)))
        })
    }

    /// Adds the spans of `others`, shifted up by `up` words.
    pub(super) fn extend(&mut self, others: &Self, up: usize) {
        for (word, span, value) in others.spans() {
            self.add(word + up, span, value);
        }
    }

    /// Moves all spans up by `up` words.
    pub(super) fn lift(&mut self, up: usize) {
        self.words.splice(0..0, std::iter::repeat_with(Layers::default).take(up));
    }

    fn spans(&self) -> impl Iterator<Item = (usize, (ProgramPoint, ProgramPoint), ValueId)> {
        self.words.iter().enumerate().flat_map(|(word, layers)| {
            let all = layers.0.iter().flatten();
            all.map(move |(&from, &(to, value))| (word, (from, to), value))
        })
    }
}

impl Layers {
    fn add(&mut self, (from, to): (ProgramPoint, ProgramPoint), value: ValueId) {
        let is_free = |layer: &BTreeMap<ProgramPoint, (ProgramPoint, ValueId)>| {
            !layer.contains_key(&from) && meeting(layer, (from, to)).next().is_none()
        };
        let free = self.0.iter().position(is_free).unwrap_or_else(|| {
            self.0.push(BTreeMap::new());
            self.0.len() - 1
        });
        self.0[free].insert(from, (to, value));
    }

    fn meeting(&self, span: (ProgramPoint, ProgramPoint)) -> impl Iterator<Item = ValueId> {
        self.0.iter().flat_map(move |layer| meeting(layer, span))
    }
}

/// Returns the values of a layer whose spans overlap the given span. The spans of a layer are disjoint: among
/// the spans that start earlier, only the last can overlap.
fn meeting(
    layer: &BTreeMap<ProgramPoint, (ProgramPoint, ValueId)>,
    (from, to): (ProgramPoint, ProgramPoint),
) -> impl Iterator<Item = ValueId> {
    let before = layer.range(..from).next_back();
    let within = layer.range(from..to.max(from));
    before
        .into_iter()
        .chain(within)
        .filter(move |&(&start, &(end, _))| start < to && from < end)
        .map(|(_, &(_, value))| value)
}
