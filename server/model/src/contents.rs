//! Memory contents that a launch states: the numbers that loads return when warps are executed.

use std::cell::RefCell;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// Contents of the memory that a pointer points to.
#[derive(Debug, Clone, PartialEq)]
pub enum Contents {
    /// Numbers that are computed from their positions.
    Generated { element: Element, numbers: Numbers },
    /// The bytes of a file in the range `elements`. Memory after this range is unknown.
    Stored { file: DataFile, elements: Range<usize> },
}

/// The bytes of a file, shared by all launches that name the file. Two files are equal if their lengths and the hashes
/// of their bytes are equal.
#[derive(Clone)]
pub struct DataFile {
    bytes: Arc<[u8]>,
    hash: u64,
}

impl DataFile {
    /// Creates the file, and computes the hash of its bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Self { bytes: bytes.into(), hash: hasher.finish() }
    }

    /// Returns all bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl PartialEq for DataFile {
    fn eq(&self, other: &Self) -> bool {
        (self.hash, self.bytes.len()) == (other.hash, other.bytes.len())
    }
}

/// Prints the size and the hash of the bytes. The key of a stored prediction contains the debug text of its launch, so
/// files with different bytes must print different texts.
impl fmt::Debug for DataFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes {:016x}", self.bytes.len(), self.hash)
    }
}

/// Type of the elements of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Size in bytes: 1, 2, 4 or 8.
    pub bytes: u32,
    /// True for floats of 4 or 8 bytes.
    pub is_float: bool,
}

/// Rule that gives each element of an array its number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Numbers {
    /// Independent numbers, all equally likely: from `low` up to but not including `high`.
    Range { low: f64, high: f64 },
    /// The whole numbers below `count`, each once, in pseudo-random order. The memory holds `count` elements.
    Permutation { count: u64 },
    /// `count` numbers in ascending order, the first `low` and the last `high`. The steps are as uneven as those of sorted
    /// random numbers.
    Sorted { low: f64, high: f64, count: u64 },
    /// Independent numbers from a normal distribution.
    Normal { mean: f64, deviation: f64 },
    /// Independent whole numbers below `count`. The n-th one is `1 / n^exponent` times as likely as the first.
    Zipf { exponent: f64, count: u64 },
    /// The same number everywhere.
    Constant(f64),
}

impl Contents {
    /// Returns what a load of 1, 2 or 4 bytes at a byte offset reads, in the low bits; the other bits are undefined.
    /// `None` for memory after the end of a file. `seed` differs between arrays.
    pub(crate) fn load(&self, offset: u64, bytes: u32, seed: u64) -> Option<u32> {
        match self {
            Self::Generated { element, numbers } => {
                Some(element.word(numbers, offset & !3, seed) >> (8 * (offset & 3)))
            }
            Self::Stored { file, elements } => {
                let start = elements.start.checked_add(usize::try_from(offset).ok()?)?;
                let end = start.checked_add(bytes as usize).filter(|end| *end <= elements.end)?;
                let read = file.bytes.get(start..end)?;
                Some(read.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
            }
        }
    }
}

impl Element {
    /// Returns the 32-bit word at a byte offset, which is a multiple of 4.
    fn word(self, numbers: &Numbers, offset: u64, seed: u64) -> u32 {
        let bytes = u64::from(self.bytes.clamp(1, 8));
        if bytes == 8 {
            let whole = self.bits(numbers.at(offset / 8, seed));
            return (whole >> (8 * (offset % 8))) as u32;
        }
        (0..4 / bytes).fold(0, |word, part| {
            let element = self.bits(numbers.at(offset / bytes + part, seed)) as u32;
            word | (element & (u32::MAX >> (32 - 8 * bytes))) << (8 * bytes * part)
        })
    }

    /// Returns a number as an element of this type, in the low bits. For an integer type, the number is rounded down.
    fn bits(self, number: f64) -> u64 {
        match self {
            Self { is_float: true, bytes: 8 } => number.to_bits(),
            Self { is_float: true, .. } => u64::from((number as f32).to_bits()),
            Self { .. } => (number.floor() as i64).cast_unsigned(),
        }
    }
}

impl Numbers {
    /// Returns the number of the element at `index`. Arrays with different seeds get different random numbers.
    fn at(&self, index: u64, seed: u64) -> f64 {
        let random = mixed(index ^ seed.rotate_left(32));
        match *self {
            Self::Range { low, high } => low + (high - low) * share(random),
            Self::Permutation { count } => permuted(index % count.max(1), count.max(1), seed) as f64,
            Self::Sorted { low, high, count } => {
                let steps = count.saturating_sub(1).max(1);
                low + (high - low) * sorted_share(index.min(steps), steps, seed)
            }
            Self::Normal { mean, deviation } => {
                let (first, second) = (share(random).max(f64::MIN_POSITIVE), share(mixed(random)));
                // Box and Muller's method.
                mean + deviation * (-2.0 * first.ln()).sqrt() * (std::f64::consts::TAU * second).cos()
            }
            Self::Zipf { exponent, count } => zipf(share(random), exponent, count),
            Self::Constant(number) => number,
        }
    }
}

/// Number of steps per group of sorted numbers. The first and the last number of each group are fixed in advance, so
/// that any number can be computed from the steps of its group alone.
const STEPS: u64 = 64; // limit: time

/// A group of steps (its index, the number of all steps, and the seed), and the running sums of the group's steps as
/// shares of their total.
type StepSums = ((u64, u64, u64), Vec<f64>);

/// Returns where the sorted number at `index` lies between the first and the last, 0 to 1, if there are `steps` steps.
/// Steps are exponentially distributed, as between sorted random numbers.
fn sorted_share(index: u64, steps: u64, seed: u64) -> f64 {
    thread_local! {
        // Neighbours are mostly asked for together.
        static LAST: RefCell<StepSums> = const { RefCell::new(((0, 0, 0), Vec::new())) };
    }
    let group = index / STEPS;
    let first = group * STEPS;
    let length = STEPS.min(steps - first);
    if length == 0 {
        return 1.0;
    }
    LAST.with_borrow_mut(|(known, sums)| {
        let key = (group, steps, seed);
        if *known != key || sums.is_empty() {
            *known = key;
            let step = |at: u64| -(1.0 - share(mixed(at ^ seed.rotate_left(32)))).ln();
            sums.clear();
            sums.extend((first..first + length).scan(0.0, |sum, at| {
                *sum += step(at);
                Some(*sum)
            }));
            let total = sums.last().copied().unwrap_or(1.0).max(f64::MIN_POSITIVE);
            for sum in sums.iter_mut() {
                *sum /= total;
            }
        }
        let before = (index - first).checked_sub(1).and_then(|at| sums.get(at as usize)).copied();
        (first as f64 + length as f64 * before.unwrap_or(0.0)) / steps as f64
    })
}

/// Inverts the continuous approximation of Zipf's distribution: returns the number whose cumulative probability
/// is `share`.
fn zipf(share: f64, exponent: f64, count: u64) -> f64 {
    let last = count.max(1) as f64 + 1.0;
    let power = 1.0 - exponent;
    let place = if power.abs() < 1e-9 {
        last.powf(share)
    } else {
        (1.0 + share * (last.powf(power) - 1.0)).powf(1.0 / power)
    };
    (place.floor() - 1.0).clamp(0.0, last - 2.0)
}

/// Returns the number at `index` in a pseudo-random permutation of the numbers below `count`: a Feistel network
/// over an even number of bits, repeated until the result is below `count`.
fn permuted(index: u64, count: u64, seed: u64) -> u64 {
    const ROUNDS: u64 = 4; // limit: four rounds leave no pattern
    let bits = (64 - (count - 1).max(1).leading_zeros()).next_multiple_of(2).max(2);
    let (half, mask) = (bits / 2, (1_u64 << (bits / 2)) - 1);
    let mut number = index;
    loop {
        let (mut left, mut right) = (number >> half, number & mask);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ mixed(right ^ (seed + round) << 40) & mask);
        }
        number = left << half | right;
        if number < count {
            return number;
        }
    }
}

/// Converts 64 random bits to a number from 0 up to but not including 1.
fn share(random: u64) -> f64 {
    (random >> 11) as f64 / (1_u64 << 53) as f64
}

/// Mixes the bits of a number (the finaliser of splitmix64).
pub(crate) fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const INTEGERS: Element = Element { bytes: 4, is_float: false };

    fn words(numbers: Numbers, element: Element, count: u64) -> Vec<u32> {
        let contents = Contents::Generated { element, numbers };
        (0..count).filter_map(|word| contents.load(4 * word, 4, 7)).collect()
    }

    #[test]
    fn memory_after_the_end_of_a_file_is_unknown() {
        let file = DataFile::new((0..20).collect());
        let held = Contents::Stored { file: file.clone(), elements: 4..17 };
        assert_eq!(held.load(0, 4, 7), Some(0x0706_0504));
        assert_eq!(held.load(5, 2, 7), Some(0x0a09));
        assert_eq!((held.load(12, 1, 7), held.load(13, 1, 7)), (Some(16), None));
        assert_eq!((held.load(12, 4, 7), held.load(12, 2, 7)), (None, None));
        assert_eq!((held.load(u64::MAX, 1, 7), held.load(u64::MAX - 8, 4, 7)), (None, None));
        let short = Contents::Stored { file: DataFile::new(vec![1]), elements: 0..8 };
        assert_eq!((short.load(0, 1, 7), short.load(1, 1, 7)), (Some(1), None));
    }

    #[test]
    fn files_are_equal_if_their_bytes_are() {
        let file = DataFile::new(vec![1, 2, 3]);
        assert_eq!(file, DataFile::new(vec![1, 2, 3]));
        assert_ne!(file, DataFile::new(vec![1, 2, 4]));
        assert_ne!(format!("{file:?}"), format!("{:?}", DataFile::new(vec![1, 2, 4])));
    }

    #[test]
    fn a_permutation_has_each_number_once() {
        for count in [1, 2, 5, 64, 1000] {
            let numbers = words(Numbers::Permutation { count }, INTEGERS, count);
            let all: BTreeSet<u32> = numbers.iter().copied().collect();
            assert_eq!(all, (0..count as u32).collect(), "{count}");
            let still = numbers.iter().zip(0..).filter(|&(number, at)| *number == at).count();
            assert!(still <= 4 || count < 5, "{count}: {still} numbers are in their place");
        }
    }

    #[test]
    fn a_range_is_filled_evenly() {
        let numbers = words(Numbers::Range { low: 10.0, high: 20.0 }, INTEGERS, 10_000);
        for number in 10..20 {
            let times = numbers.iter().filter(|&&own| own == number).count();
            assert!((900..1100).contains(&times), "{number}: {times}");
        }
        assert!(numbers.iter().all(|number| (10..20).contains(number)));
    }

    #[test]
    fn sorted_numbers_ascend_from_low_to_high() {
        let numbers = words(Numbers::Sorted { low: 0.0, high: 5000.0, count: 1000 }, INTEGERS, 1001);
        assert!(numbers.is_sorted());
        assert_eq!((numbers[0], numbers[1000]), (0, 5000));
        let steps: BTreeSet<u32> = numbers.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.len() > 5, "{steps:?}");
    }

    #[test]
    fn small_elements_share_a_word_and_large_ones_have_two() {
        let bytes = words(Numbers::Range { low: 0.0, high: 4.0 }, Element { bytes: 1, is_float: false }, 64);
        assert!(bytes.iter().flat_map(|word| word.to_le_bytes()).all(|byte| byte < 4));
        let long = words(Numbers::Constant(-2.0), Element { bytes: 8, is_float: false }, 4);
        assert_eq!(long, [u32::MAX - 1, u32::MAX, u32::MAX - 1, u32::MAX]);
        let doubles = words(Numbers::Constant(1.5), Element { bytes: 8, is_float: true }, 2);
        assert_eq!(doubles, [0, 0x3ff8_0000]);
    }

    #[test]
    fn distributions_have_their_shape() {
        let floats = Element { bytes: 4, is_float: true };
        let normal: Vec<f64> = words(Numbers::Normal { mean: 3.0, deviation: 2.0 }, floats, 20_000)
            .iter()
            .map(|bits| f64::from(f32::from_bits(*bits)))
            .collect();
        let mean = normal.iter().sum::<f64>() / 20_000.0;
        let square = normal.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!((mean - 3.0).abs() < 0.06 && (square.sqrt() - 2.0).abs() < 0.06, "{mean} {square}");
        let zipf = words(Numbers::Zipf { exponent: 1.0, count: 1000 }, INTEGERS, 20_000);
        let times = |number: u32| zipf.iter().filter(|&&own| own == number).count();
        assert!(times(0) > 3 * times(5) && times(5) > times(200), "{} {} {}", times(0), times(5), times(200));
        assert!(zipf.iter().all(|&number| number < 1000));
    }
}
