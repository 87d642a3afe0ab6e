//! Derives offsets and sizes of parameters with unstated widths from the words that the code reads.
//!
//! The values determine the number of parameters. A number may have 32 or 64 bits, so each later
//! parameter has two possible offsets. Layouts that contradict the words read by the code, or the words
//! loaded as a pair, are rejected. If several layouts remain, the likeliest layout is used. Parameters
//! whose offset or size differs between the remaining layouts count as doubtful.

use crate::engine::parameters::layout::{ParameterPlace, fits, max_bytes};
use crate::engine::parameters::types::ParamValue;
use model::launch::ConstantReads;
use std::collections::BTreeMap;

/// Offsets and sizes of consecutive parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// Offset and size of each parameter; `None` for the first parameter of unknown size and all later
    /// parameters.
    pub places: Vec<Option<ParameterPlace>>,
    /// Indices of the parameters that the code reads but whose layout remains ambiguous.
    pub doubtful: Vec<usize>,
}

/// A candidate offset and size of a parameter. The previous parameter ends at offset `from`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ParameterCandidate {
    from: u32,
    place: ParameterPlace,
}

impl ParameterCandidate {
    const fn end(self) -> u32 {
        self.place.offset + self.place.bytes
    }
}

/// Values of the parameters, and the code that reads them.
struct Site<'a> {
    values: &'a [ParamValue],
    reads: &'a ConstantReads,
    /// Offset of the first parameter in the constant bank.
    first: u32,
}

/// Number of pointers that Triton appends to the parameters of a kernel: one to the kernel's scratch memory, one to the
/// scratch memory of Triton's profiler.
const HIDDEN_POINTERS: u32 = 2; // Source: the parameters of cubins from Triton 3.6

/// Additional cost of a layout in which the pointers that Triton appends follow the stated parameters, because most
/// listings are from other compilers.
const HIDDEN_COST: u32 = 2; // limit: the same as for a parameter that is not read

/// Cost of the cheapest layout up to a parameter, and the candidate for that parameter.
type CheapestLayout = (u32, ParameterCandidate);

/// Fits a layout of the parameters to the words that the code reads.
pub(super) fn fit(values: &[ParamValue], reads: &ConstantReads, first: u32) -> Layout {
    let known = values.iter().take_while(|value| **value != ParamValue::Unknown).count();
    let site = Site { values: &values[..known], reads, first };
    let mut layout = site.by_code(known == values.len()).unwrap_or_else(|| site.by_value());
    layout.places.resize(values.len(), None);
    layout
}

impl Site<'_> {
    /// Returns the cheapest layout that the code permits; `None` if the code permits no layout.
    /// `is_whole` is true if no parameter of unknown size follows.
    fn by_code(&self, is_whole: bool) -> Option<Layout> {
        // For each parameter: the cheapest layouts, keyed by the offset at which the parameter ends.
        let mut steps: Vec<BTreeMap<u32, CheapestLayout>> = Vec::new();
        let mut edges: Vec<Vec<ParameterCandidate>> = Vec::new();
        let mut ends: BTreeMap<u32, u32> = [(0, 0)].into();
        for value in self.values {
            let mut found = Vec::new();
            let mut step: BTreeMap<u32, CheapestLayout> = BTreeMap::new();
            for (&from, &before) in &ends {
                for edge in self.widths(value, from).into_iter().filter(|edge| self.may_stand(value, *edge)) {
                    found.push(edge);
                    let cost = before + self.cost(value, edge);
                    if step.get(&edge.end()).is_none_or(|known| cost < known.0) {
                        step.insert(edge.end(), (cost, edge));
                    }
                }
            }
            ends = step.iter().map(|(&end, &(cost, _))| (end, cost)).collect();
            steps.push(step);
            edges.push(found);
        }
        let last = ends.iter().filter(|(end, _)| !is_whole || self.may_end(**end));
        let cost = |(end, cost): &(&u32, &u32)| **cost + if self.is_end(**end) { 0 } else { HIDDEN_COST };
        let mut end = last.clone().min_by_key(cost).map(|(&end, _)| end)?;
        let mut alive: Vec<u32> = last.map(|(&end, _)| end).collect();
        let mut places = Vec::new();
        let mut doubtful = Vec::new();
        for (at, step) in steps.iter().enumerate().rev() {
            let (_, chosen) = step[&end];
            let left: Vec<ParameterCandidate> =
                edges[at].iter().copied().filter(|edge| alive.contains(&edge.end())).collect();
            if left.iter().any(|other| self.differs(chosen.place, other.place)) {
                doubtful.push(at);
            }
            alive = left.iter().map(|edge| edge.from).collect();
            places.push(Some(chosen.place));
            end = chosen.from;
        }
        places.reverse();
        doubtful.reverse();
        Some(Layout { places, doubtful })
    }

    /// Derives the layout from the values only. Used if the code contradicts every layout because the stated parameters
    /// are not the kernel's parameters.
    fn by_value(&self) -> Layout {
        let mut end = 0;
        let mut places = Vec::new();
        let mut doubtful = Vec::new();
        for (at, value) in self.values.iter().enumerate() {
            let widths = self.widths(value, end);
            let place = widths.first().map(|edge| edge.place);
            if widths.len() > 1 {
                doubtful.push(at);
            }
            end = place.map_or(end, |place| place.offset + place.bytes);
            places.push(place);
        }
        Layout { places, doubtful }
    }

    /// Returns the candidates for a value after a parameter that ends at offset `from`, likeliest
    /// first.
    fn widths(&self, value: &ParamValue, from: u32) -> Vec<ParameterCandidate> {
        let edge = |bytes: u32| {
            let offset = (self.first + from).next_multiple_of(bytes) - self.first;
            let place = ParameterPlace { offset, bytes };
            ParameterCandidate { from, place }
        };
        let widths: &[u32] = match *value {
            ParamValue::Boolean(_) => &[1],
            ParamValue::Pointer | ParamValue::Holding(_) => &[8],
            ParamValue::Integer(value) if !fits(value, 4) => &[8],
            ParamValue::Integer(_) | ParamValue::Float(_) => &[4, 8],
            ParamValue::Tensor(_) => &[128],
            ParamValue::Unknown => &[],
        };
        let mut edges: Vec<ParameterCandidate> = widths.iter().map(|&bytes| edge(bytes)).collect();
        // An integer narrower than a word is a candidate only if the code loads that width at that
        // offset.
        if let ParamValue::Integer(value) = *value {
            let is_read = |edge: &ParameterCandidate| {
                let ParameterPlace { offset, bytes } = edge.place;
                fits(value, bytes) && self.reads.narrow.contains(&(self.first + offset, bytes))
            };
            edges.extend([1, 2].map(edge).into_iter().filter(is_read));
        }
        edges.retain(|edge| edge.end() <= max_bytes());
        edges
    }

    fn may_stand(&self, value: &ParamValue, edge: ParameterCandidate) -> bool {
        let ParameterPlace { offset, bytes } = edge.place;
        let start = self.first + offset;
        let end = start + bytes;
        // The code must not read words that are only padding between two parameters.
        let padding = (self.first + edge.from).next_multiple_of(4)..start & !3;
        if !padding.is_empty() && self.reads.words.range(padding).next().is_some() {
            return false;
        }
        // A load narrower than a word must start at a parameter's first byte.
        let narrow = self.reads.narrow.range((self.first + edge.from, 0)..(end, 0));
        if narrow.into_iter().any(|&(offset, width)| offset != start || bytes < width) {
            return false;
        }
        let mut pairs = self.reads.pairs.range(start.saturating_sub(7)..end);
        if pairs.any(|&pair| bytes != 8 || pair != start) {
            return false;
        }
        let is_number = matches!(value, ParamValue::Integer(_) | ParamValue::Float(_));
        !(is_number && bytes == 8 && self.reads.singles.contains(&(start + 4)))
    }

    /// True if the code reads no word at or after offset `end`.
    fn is_end(&self, end: u32) -> bool {
        let end = (self.first + end).next_multiple_of(4);
        self.reads.words.range(end..).next().is_none()
    }

    /// True if the stated parameters can end at offset `end`: after it, the code reads at most the pointers that Triton
    /// appends.
    fn may_end(&self, end: u32) -> bool {
        let start = (self.first + end).next_multiple_of(8);
        let after = (self.first + end).next_multiple_of(4);
        let is_pointer = |word: u32| start <= word && self.reads.pairs.contains(&(word & !7));
        self.is_end(end)
            || (self.is_end(start + HIDDEN_POINTERS * 8 - self.first)
                && self.reads.words.range(after..).all(|&word| is_pointer(word)))
    }

    /// Returns the cost of a candidate. Unread parameters and 64-bit numbers cost more, because most
    /// parameters are read and most numbers have 32 bits. A 64-bit number costs still more if its upper
    /// half is read, but not in one load with the lower half.
    fn cost(&self, value: &ParamValue, edge: ParameterCandidate) -> u32 {
        let ParameterPlace { offset, bytes } = edge.place;
        let is_read = !self.read_words(edge.place).is_empty();
        let is_long = matches!(value, ParamValue::Integer(_) | ParamValue::Float(_)) && bytes == 8;
        let start = self.first + offset;
        let is_split =
            is_long && self.reads.words.contains(&(start + 4)) && !self.reads.pairs.contains(&start);
        2 * u32::from(!is_read) + u32::from(is_long) + u32::from(is_split)
    }

    /// Returns the byte offsets in the constant bank of a candidate's words that the code reads.
    fn read_words(&self, place: ParameterPlace) -> Vec<u32> {
        let start = self.first + place.offset;
        self.reads.words.range(start & !3..start + place.bytes).copied().collect()
    }

    /// True if the code would read different values from the two candidates.
    fn differs(&self, one: ParameterPlace, other: ParameterPlace) -> bool {
        let (own, others) = (self.read_words(one), self.read_words(other));
        let is_moved = one.offset != other.offset && !(own.is_empty() && others.is_empty());
        is_moved || own != others
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ParamValue::{Float, Integer, Pointer, Unknown};

    fn reads(words: &[u32], pairs: &[u32], singles: &[u32]) -> ConstantReads {
        let set = |of: &[u32]| of.iter().map(|word| 0x160 + word).collect();
        ConstantReads {
            words: set(words),
            pairs: set(pairs),
            singles: set(singles),
            ..ConstantReads::default()
        }
    }

    fn fitted(values: &[ParamValue], reads: &ConstantReads) -> (Vec<(u32, u32)>, Vec<usize>) {
        let Layout { places, doubtful } = fit(values, reads, 0x160);
        (places.into_iter().flatten().map(|place| (place.offset, place.bytes)).collect(), doubtful)
    }

    #[test]
    fn the_words_that_are_read_tell_widths() {
        let values = [Pointer, Integer(1000), Integer(3)];
        // Two numbers of 32 bits; one of 64 and one of 32; one of 64 whose upper half the code does not read.
        let narrow = fitted(&values, &reads(&[0, 4, 8, 12], &[0], &[12]));
        assert_eq!(narrow, (vec![(0, 8), (8, 4), (12, 4)], vec![]));
        let wide = fitted(&values, &reads(&[0, 4, 8, 12, 16], &[0, 8], &[]));
        assert_eq!(wide, (vec![(0, 8), (8, 8), (16, 4)], vec![]));
        let lower_half = fitted(&values, &reads(&[0, 4, 8, 16], &[0], &[]));
        assert_eq!(lower_half, (vec![(0, 8), (8, 8), (16, 4)], vec![]));
        let double = fitted(&[Float(2.0), Integer(3)], &reads(&[0, 4, 8], &[0], &[]));
        assert_eq!(double, (vec![(0, 8), (8, 4)], vec![]));
    }

    #[test]
    fn more_than_one_way_leaves_a_doubt() {
        let values = [Pointer, Integer(1000), Integer(3)];
        // Two words that were loaded together: two numbers, or one and another that the code does not read.
        let both = fitted(&values, &reads(&[0, 4, 8, 12], &[0], &[]));
        assert_eq!(both, (vec![(0, 8), (8, 4), (12, 4)], vec![1, 2]));
        // The code reads nothing of it, so its width does not matter.
        let unread = fitted(&values, &reads(&[0, 4], &[0], &[]));
        assert_eq!(unread, (vec![(0, 8), (8, 4), (12, 4)], vec![]));
        // The code reads a parameter that is not stated.
        let more = fitted(&values, &reads(&[0, 4, 8, 40], &[0], &[]));
        assert_eq!(more, (vec![(0, 8), (8, 4), (12, 4)], vec![1, 2]));
    }

    #[test]
    fn pointers_that_triton_appends_need_not_be_stated() {
        let values = [Pointer, Integer(2900), Integer(3840), Integer(1216)];
        let found = fitted(&values, &reads(&[0, 4, 8, 12, 16, 24, 28], &[0, 24], &[12]));
        assert_eq!(found, (vec![(0, 8), (8, 4), (12, 4), (16, 4)], vec![]));
    }

    #[test]
    fn after_an_unknown_size_nothing_is_known() {
        let places = fit(&[Integer(1), Unknown, Integer(2)], &reads(&[0, 8, 12], &[], &[]), 0x160).places;
        assert_eq!(places, [Some(ParameterPlace { offset: 0, bytes: 4 }), None, None]);
    }

    #[test]
    fn a_size_below_a_word_is_found_by_its_load() {
        let mut reads = reads(&[0, 4], &[], &[]);
        reads.narrow.extend([(0x160, 1), (0x162, 2)]);
        let values = [Integer(1), Integer(2), Integer(3)];
        assert_eq!(fitted(&values, &reads), (vec![(0, 1), (2, 2), (4, 4)], vec![]));
    }
}
