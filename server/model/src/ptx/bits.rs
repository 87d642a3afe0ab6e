//! Sparse bit sets of small numbers, and one row of bits per basic block.

use std::ops::Range;

/// A sparse bit set, stored as its nonzero words in ascending order. Memory use is proportional to the
/// contents, so the rows of many blocks stay small if most blocks have few bits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bits(Vec<(u32, u64)>);

const WORD: u32 = u64::BITS; // limit: the bits of a word

impl Bits {
    pub(super) fn has(&self, bit: u32) -> bool {
        self.find(bit / WORD).is_ok_and(|at| self.0[at].1 >> (bit % WORD) & 1 == 1)
    }

    pub(super) fn set(&mut self, bit: u32) {
        let mask = 1 << (bit % WORD);
        match self.find(bit / WORD) {
            Ok(at) => self.0[at].1 |= mask,
            Err(at) => self.0.insert(at, (bit / WORD, mask)),
        }
    }

    pub(super) fn clear(&mut self, bit: u32) {
        self.clear_range(bit, 1);
    }

    /// Clears `count` bits, starting at bit `first`.
    pub(super) fn clear_range(&mut self, first: u32, count: u32) {
        let bits = first..first + count;
        let words = self.words(&bits);
        for (word, own) in &mut self.0[words.clone()] {
            *own &= !mask(*word, &bits);
        }
        // Only the first and the last word can have bits left.
        if self.0[words.clone()].iter().any(|&(_, own)| own == 0) {
            let mut at = 0;
            self.0.retain(|&(_, own)| {
                at += 1;
                own != 0 || !words.contains(&(at - 1))
            });
        }
    }

    /// Appends the bits of another set within a range. The range must follow all bits of this set.
    pub(super) fn append(&mut self, other: &Self, bits: &Range<u32>) {
        for &(word, own) in &other.0[other.words(bits)] {
            let own = own & mask(word, bits);
            match self.0.last_mut() {
                Some((last, known)) if *last == word => *known |= own,
                _ if own != 0 => self.0.push((word, own)),
                _ => {}
            }
        }
    }

    /// Adds the bits of another set. Returns true if this set changed.
    pub(super) fn unite(&mut self, other: &Self) -> bool {
        let mut at = 0;
        let is_within = other.0.iter().all(|&(word, more)| {
            while self.0.get(at).is_some_and(|&(own, _)| own < word) {
                at += 1;
            }
            self.0.get(at).is_some_and(|&(own, bits)| own == word && more & !bits == 0)
        });
        if is_within {
            return false;
        }
        let mut united = Vec::with_capacity(self.0.len().max(other.0.len()) + 1);
        let (mut own, mut more) = (self.0.iter().copied().peekable(), other.0.iter().copied().peekable());
        loop {
            united.push(match (own.peek(), more.peek()) {
                (Some(one), Some(other)) if one.0 == other.0 => {
                    let both = (one.0, one.1 | other.1);
                    own.next();
                    more.next();
                    both
                }
                (Some(one), Some(other)) if other.0 < one.0 => {
                    let other = *other;
                    more.next();
                    other
                }
                (Some(&one), _) => {
                    own.next();
                    one
                }
                (None, Some(&other)) => {
                    more.next();
                    other
                }
                (None, None) => break,
            });
        }
        self.0 = united;
        true
    }

    /// Iterates over the set bits in ascending order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|&(word, bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(word * WORD + bit)
            })
        })
    }

    /// Returns the number of nonzero words, which determines the memory size of the set.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn find(&self, word: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&word, |&(own, _)| own)
    }

    /// Returns the range of stored words that overlap a range of bits.
    fn words(&self, bits: &Range<u32>) -> Range<usize> {
        if bits.is_empty() {
            return 0..0;
        }
        let start = self.0.partition_point(|&(word, _)| word < bits.start / WORD);
        let count = self.0[start..].partition_point(|&(word, _)| word <= (bits.end - 1) / WORD);
        start..start + count
    }
}

/// Returns the mask of the bits of a word that lie within a range. The range must overlap the word.
fn mask(word: u32, bits: &Range<u32>) -> u64 {
    let from = bits.start.saturating_sub(word * WORD);
    let to = (bits.end - word * WORD).min(WORD);
    let below = |end: u32| if end == WORD { u64::MAX } else { (1 << end) - 1 };
    below(to) & !below(from)
}

/// Returns `count` empty sets.
pub(super) fn rows(count: usize) -> Vec<Bits> {
    vec![Bits::default(); count]
}

/// Returns the total number of nonzero words in some rows.
#[cfg(test)]
pub(super) fn size(rows: &[Bits]) -> usize {
    rows.iter().map(Bits::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn bits(numbers: &[u32]) -> Bits {
        let mut bits = Bits::default();
        for &number in numbers {
            bits.set(number);
        }
        bits
    }

    fn numbers(bits: &Bits) -> Vec<u32> {
        bits.numbers().collect()
    }

    #[test]
    fn a_set_does_as_a_set_does() {
        let mut own = bits(&[500, 3, 64, 63, 127, 128, 9_000]);
        assert_eq!(numbers(&own), [3, 63, 64, 127, 128, 500, 9_000]);
        assert!(own.has(64) && !own.has(65) && !own.has(100_000));
        own.clear_range(63, 66);
        assert_eq!(numbers(&own), [3, 500, 9_000]);
        assert_eq!(own.len(), 3, "empty words are gone");
        own.clear(500);
        own.clear(501);
        assert_eq!(own, bits(&[3, 9_000]));
    }

    #[test]
    fn uniting_says_whether_anything_is_new() {
        let mut own = bits(&[3, 200]);
        assert!(!own.unite(&bits(&[3])));
        assert!(!own.unite(&Bits::default()));
        assert!(own.unite(&bits(&[4, 100, 300])));
        assert_eq!(numbers(&own), [3, 4, 100, 200, 300]);
        assert!(Bits::default().unite(&own));
    }

    #[test]
    fn a_part_is_appended() {
        let from = bits(&[1, 60, 64, 70, 130, 200]);
        let mut part = Bits::default();
        part.append(&from, &(2..66));
        part.append(&from, &(66..66));
        part.append(&from, &(66..131));
        let expected: BTreeSet<u32> = [60, 64, 70, 130].into();
        assert_eq!(part.numbers().collect::<BTreeSet<u32>>(), expected);
        assert_eq!(part, bits(&[60, 64, 70, 130]));
    }
}
