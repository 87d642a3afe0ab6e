//! Banks and rows of shared memory that hold the bytes of each lane.

use super::numbers::{LaneNumbers, is_monotone, step, varying_bits};
use super::shared::Shape;
use super::{LANES, Request, SharedKind, lanes_of};
use machine::Arch;

/// Layout of the shared memory banks for one access width. A bank group (`place` in names) is the set of
/// adjacent banks that the bytes of one lane occupy. All fields are powers of two, stored as base-2
/// logarithms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Banks {
    place_bytes: u32,
    row_places: u32,
    /// Size of a row in bytes. All banks together deliver one row per wavefront.
    row_bytes: u32,
    /// Number of banks per bank group.
    place_width: u32,
}

impl Banks {
    /// Returns the layout for accesses of `bytes` bytes per lane. `None` if `bytes` or a bank parameter of
    /// the architecture is not a power of two, if the access of one lane is wider than all banks, or if a row
    /// has more bank groups than a warp has lanes.
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

    /// Returns the number of bytes that all banks deliver in one wavefront.
    pub(super) fn row_bytes(self) -> u32 {
        1 << self.row_bytes
    }

    /// Combines the row and the bank group of an address into one number. One wavefront serves two addresses
    /// in the same bank group only if their rows are equal.
    fn key(self, address: u64) -> u64 {
        let place = (address >> self.place_bytes) & ((1 << self.row_places) - 1);
        address >> self.row_bytes << self.row_places | place
    }

    fn place(self, key: u64) -> usize {
        (key & ((1 << self.row_places) - 1)) as usize % LANES
    }

    /// Returns the index of the first bank of a bank group.
    fn bank(self, place: usize) -> u8 {
        (place << self.place_width) as u8
    }

    /// Counts the lanes that access each bank group. If `merges` is true, lanes that access the same row of a bank
    /// group count once.
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
            // A linked list of the rows of each bank group. `last` is the tail of each list, and `before` is
            // the predecessor of each entry. Entries are stored as index plus one; 0 ends a list.
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

    /// Returns the number of wavefronts that a group of lanes takes.
    pub(super) fn passes(self, addresses: &[u64], merges: bool) -> u32 {
        if merges && varying_bits(addresses) >> self.row_bytes == 0 {
            return 1;
        }
        let is_plain = self.place_bytes + self.row_places == self.row_bytes;
        let step = step(addresses).filter(|step| is_plain && step.trailing_zeros() >= self.place_bytes);
        if let Some(step) = step.filter(|step| *step != 0) {
            // The same bank groups recur after this many lanes.
            let round = 1 << self.row_places.saturating_sub((step >> self.place_bytes).trailing_zeros());
            return (addresses.len() as u32).div_ceil(round);
        }
        self.asked(addresses, merges).into_iter().max().map_or(0, u32::from)
    }
}

/// Mapping of a request's lanes to shared memory banks, for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BankPicture {
    /// First bank that each lane accesses.
    pub first_bank: [u8; LANES],
    /// Number of consecutive banks that each lane accesses, starting at `first_bank`.
    pub banks_per_lane: u8,
    /// Row of each lane's word. One wavefront can serve all lanes with the same bank and row.
    pub row: [u64; LANES],
    /// Mask of the active lanes in the group with the busiest bank. A group is a set of lanes that are served
    /// together.
    pub group: u32,
    /// Busiest bank; the first bank if several are equally busy.
    pub bank: u8,
    /// Mask of the lanes of `group` that access `bank`.
    pub lanes: u32,
    /// Number of wavefronts that the lanes of `group` take because of `bank`: its distinct words, or its lanes if
    /// lanes with the same word are not merged.
    pub words: u32,
}

/// Returns the bank and the row of each lane's access, and the lanes that access the busiest bank.
///
/// Inactive lanes have bank and row 0. Returns `None` under the same conditions as
/// [`shared`](fn@super::shared).
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
        let asked = shape.banks.asked(LaneNumbers::from_lanes(request, group).as_slice(), shape.merges_words);
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
