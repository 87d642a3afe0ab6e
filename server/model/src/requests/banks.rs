//! Which bank and which row of shared memory a lane's bytes are in.

use super::shared::Shape;
use super::{LANES, Request, SharedKind, lanes_of};
use machine::Arch;

/// The banks of shared memory as one access sees them: it takes as many neighbouring banks as its lanes' bytes do, so a
/// place is such a set of banks. All numbers are powers of two, kept as their logarithms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Banks {
    /// Of the bytes in a place.
    place_bits: u32,
    /// Of the places in a row.
    places_bits: u32,
    /// Of the bytes in a row: what all banks deliver at once.
    row_bits: u32,
    /// Of the banks in a place.
    wide_bits: u32,
}

impl Banks {
    /// For lanes of so many bytes. `None` where a number is no power of two, or a lane's bytes take more than all banks.
    pub(super) fn of(arch: &Arch, bytes: u32) -> Option<Self> {
        let bits = |number: u32| number.is_power_of_two().then(|| number.trailing_zeros());
        let bank_bits = bits(arch.resources.shared_banks.value)?;
        let width_bits = bits(arch.resources.shared_bank_width.value)?;
        let word_bits = bits(arch.requests.shared_word.value)?;
        let place_bits = bits(bytes)?.max(word_bits);
        Some(Self {
            place_bits,
            places_bits: (bank_bits + word_bits).checked_sub(place_bits).filter(|bits| *bits <= 5)?,
            row_bits: bank_bits + width_bits,
            wide_bits: place_bits - word_bits,
        })
    }

    /// Logarithm of the bytes that all banks deliver at once.
    pub(super) fn row_bits(self) -> u32 {
        self.row_bits
    }

    /// Row and place in one number, and the place. Two addresses are served together where the rows are the same or the
    /// places are not.
    pub(super) fn place(self, address: u64) -> (u64, usize) {
        let place = (address >> self.place_bits) & ((1 << self.places_bits) - 1);
        (address >> self.row_bits << self.places_bits | place, place as usize)
    }

    /// The first bank of a place.
    fn bank(self, place: usize) -> u8 {
        (place << self.wide_bits) as u8
    }
}

/// How often each place is asked for, as a table of lists: fixed arrays, no allocation.
pub(super) struct Asked {
    counts: [u8; LANES],
    /// The last entry of each place's list, plus one.
    heads: [u8; LANES],
    /// The entry before it, plus one.
    before: [u8; LANES],
    keys: [u64; LANES],
    used: u8,
    largest: u64,
}

impl Asked {
    pub(super) fn new() -> Self {
        Self {
            counts: [0; LANES],
            heads: [0; LANES],
            before: [0; LANES],
            keys: [0; LANES],
            used: 0,
            largest: 0,
        }
    }

    /// One more for a place: each row once if `merges`, else each time. Gives how many it has now.
    pub(super) fn add(&mut self, (key, place): (u64, usize), merges: bool) -> u32 {
        // What is larger than all before it is new: then nobody has to look. Most requests ascend.
        let is_new = self.used == 0 || key > self.largest;
        if merges && !is_new && self.has(key, place) {
            return u32::from(self.counts[place]);
        }
        self.largest = self.largest.max(key);
        let entry = usize::from(self.used);
        self.keys[entry] = key;
        self.before[entry] = self.heads[place];
        self.used += 1;
        self.heads[place] = self.used;
        self.counts[place] += 1;
        u32::from(self.counts[place])
    }

    fn has(&self, key: u64, place: usize) -> bool {
        let mut at = self.heads[place];
        while let Some(entry) = at.checked_sub(1).map(usize::from) {
            if self.keys[entry] == key {
                return true;
            }
            at = self.before[entry];
        }
        false
    }
}

/// A request drawn over the banks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BankPicture {
    /// The first bank that each lane's bytes are in.
    pub first_bank: [u8; LANES],
    /// Banks that a lane's bytes take, from its first one on.
    pub banks_per_lane: u8,
    /// Where in its bank each lane's word is: lanes of one bank are served together where this is the same.
    pub row: [u64; LANES],
    /// The lanes that go together in the group with the busiest bank, one bit each.
    pub group: u32,
    /// The busiest bank; the first of equals.
    pub bank: u8,
    /// The lanes of that group that ask for it, one bit each.
    pub lanes: u32,
    /// The wavefronts that it costs: different words, or, where equal words are not merged, lanes.
    pub words: u32,
}

/// Which word of which bank each lane wants, and which lanes share the busiest bank.
///
/// Lanes that take no part have bank and row 0. `None` as for [`shared`](super::shared).
pub fn banks(arch: &Arch, kind: SharedKind, bytes: u32, request: &Request) -> Option<BankPicture> {
    let shape = Shape::of(arch, kind, bytes, request)?;
    let mut picture = BankPicture {
        first_bank: [0; LANES],
        banks_per_lane: 1 << shape.banks.wide_bits,
        row: [0; LANES],
        group: 0,
        bank: 0,
        lanes: 0,
        words: 0,
    };
    for group in shape.groups() {
        let mut asked = Asked::new();
        let mut lanes = [0_u32; LANES];
        for lane in lanes_of(group) {
            let address = request.addresses[lane];
            let (key, place) = shape.banks.place(address);
            picture.first_bank[lane] = shape.banks.bank(place);
            picture.row[lane] = address >> shape.banks.row_bits;
            lanes[place] |= 1 << lane;
            asked.add((key, place), shape.merges_words);
        }
        for (place, &count) in asked.counts.iter().enumerate() {
            if u32::from(count) > picture.words {
                picture.words = u32::from(count);
                picture.bank = shape.banks.bank(place);
                picture.lanes = lanes[place];
                picture.group = group;
            }
        }
    }
    Some(picture)
}
