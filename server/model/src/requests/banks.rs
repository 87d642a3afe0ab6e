//! Banks and rows of shared memory that hold each lane's bytes.

use super::numbers::{Numbers, is_monotone, step, varying_bits};
use super::shared::Shape;
use super::{LANES, Request, SharedKind, lanes_of};
use machine::Arch;

/// Layout of the shared memory banks for one access width: a place is the set of adjacent banks that a lane's bytes
/// occupy. All numbers are powers of two, stored as their logarithms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Banks {
    place_bytes: u32,
    row_places: u32,
    /// Size of a row, which all banks deliver at once.
    row_bytes: u32,
    /// Number of banks of a place.
    place_width: u32,
}

impl Banks {
    /// Returns the layout for lanes of `bytes` bytes. `None` if a number is not a power of two, or if a lane's bytes
    /// need more than all banks.
    pub(super) fn new(arch: &Arch, bytes: u32) -> Option<Self> {
        let bits = |number: u32| number.is_power_of_two().then(|| number.trailing_zeros());
        let bank_bits = bits(arch.resources.shared_banks.value)?;
        let width_bits = bits(arch.resources.shared_bank_width.value)?;
        let word_bits = bits(arch.requests.shared_word.value)?;
        let place_bytes = bits(bytes)?.max(word_bits);
        let row_places = (bank_bits + word_bits).checked_sub(place_bytes)?;
        let row_bytes = bank_bits + width_bits;
        (row_bytes < u32::BITS && 1_usize << row_places <= LANES).then_some(Self {
            place_bytes,
            row_places,
            row_bytes,
            place_width: place_bytes - word_bits,
        })
    }

    /// Returns the bytes that all banks deliver at once.
    pub(super) fn row_bytes(self) -> u32 {
        1 << self.row_bytes
    }

    /// Returns row and place as one number. Addresses with one place are served together only if their rows are equal.
    fn key(self, address: u64) -> u64 {
        let place = (address >> self.place_bytes) & ((1 << self.row_places) - 1);
        address >> self.row_bytes << self.row_places | place
    }

    fn place(self, key: u64) -> usize {
        (key & ((1 << self.row_places) - 1)) as usize % LANES
    }

    /// Returns the first bank of a place.
    fn bank(self, place: usize) -> u8 {
        (place << self.place_width) as u8
    }

    /// Counts the requests for each place: each row once if `merges`, else each request.
    fn asked(self, addresses: &[u64], merges: bool) -> [u8; LANES] {
        let mut keys = [0; LANES];
        for (key, address) in keys.iter_mut().zip(addresses) {
            *key = self.key(*address);
        }
        let keys = &keys[..addresses.len()];
        let mut counts = [0; LANES];
        if !merges {
            for &key in keys {
                counts[self.place(key)] += 1;
            }
        } else if is_monotone(keys) {
            let is_new = |at: usize| at == 0 || keys[at] != keys[at - 1];
            for (at, &key) in keys.iter().enumerate() {
                counts[self.place(key)] += u8::from(is_new(at));
            }
        } else {
            // A linked list of the rows of each place: its last entry, and the entry before each, all plus one.
            let (mut last, mut before) = ([0_u8; LANES], [0_u8; LANES]);
            for (at, &key) in keys.iter().enumerate() {
                let place = self.place(key);
                let mut entry = last[place];
                while entry != 0 && keys[usize::from(entry) - 1] != key {
                    entry = before[usize::from(entry) - 1];
                }
                if entry == 0 {
                    before[at] = last[place];
                    last[place] = at as u8 + 1;
                    counts[place] += 1;
                }
            }
        }
        counts
    }

    /// Returns the wavefronts of a group of lanes.
    pub(super) fn passes(self, addresses: &[u64], merges: bool) -> u32 {
        if merges && varying_bits(addresses) >> self.row_bytes == 0 {
            return 1;
        }
        let is_plain = self.place_bytes + self.row_places == self.row_bytes;
        let step = step(addresses).filter(|step| is_plain && step.trailing_zeros() >= self.place_bytes);
        if let Some(step) = step.filter(|step| *step != 0) {
            // The places repeat after this many lanes.
            let round = 1 << self.row_places.saturating_sub((step >> self.place_bytes).trailing_zeros());
            return (addresses.len() as u32).div_ceil(round);
        }
        self.asked(addresses, merges).into_iter().max().map_or(0, u32::from)
    }
}

/// The lanes of a request on the banks of shared memory, for drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BankPicture {
    /// The first bank of each lane's bytes.
    pub first_bank: [u8; LANES],
    /// Number of banks that a lane's bytes occupy, from its first one on.
    pub banks_per_lane: u8,
    /// Row of each lane's word within its bank: lanes with the same bank and row are served together.
    pub row: [u64; LANES],
    /// The lanes of the group with the busiest bank, one bit each.
    pub group: u32,
    /// The busiest bank; the first one of several.
    pub bank: u8,
    /// The lanes of that group that access it, one bit each.
    pub lanes: u32,
    /// The wavefronts that it costs: the number of different words or, if equal words are not merged, of lanes.
    pub words: u32,
}

/// Returns the bank and the row of each lane, and the lanes that share the busiest bank.
///
/// Inactive lanes have bank and row 0. `None` as for [`shared`](fn@super::shared).
pub fn banks(arch: &Arch, kind: SharedKind, bytes: u32, request: &Request) -> Option<BankPicture> {
    let shape = Shape::new(arch, kind, bytes, request)?;
    let mut picture = BankPicture {
        first_bank: [0; LANES],
        banks_per_lane: 1 << shape.banks.place_width,
        row: [0; LANES],
        group: 0,
        bank: 0,
        lanes: 0,
        words: 0,
    };
    for group in shape.groups() {
        let mut lanes = [0_u32; LANES];
        for lane in lanes_of(group) {
            let address = request.addresses[lane];
            let place = shape.banks.place(shape.banks.key(address));
            picture.first_bank[lane] = shape.banks.bank(place);
            picture.row[lane] = address >> shape.banks.row_bytes;
            lanes[place] |= 1 << lane;
        }
        let asked = shape.banks.asked(Numbers::from_lanes(request, group).as_slice(), shape.merges_words);
        for (place, &count) in asked.iter().enumerate() {
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
