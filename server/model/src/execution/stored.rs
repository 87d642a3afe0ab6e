//! Words that warps store to local and shared memory, and load again.

use super::code::MemoryAccess;
use super::held::loaded;
use super::issued::AccessState;
use super::lanes::Lanes;
use super::one_lane::sign_extend;
use crate::Contents;
use crate::requests::{Request, SharedKind, lanes_of};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Words of a warp's local memory, by address.
#[derive(Debug, Default)]
pub(super) struct LocalWords(FxHashMap<u32, Lanes>);

impl LocalWords {
    /// Stores registers, or loads the stored values into registers. A load returns a value only if its address is known
    /// and the same in all lanes.
    pub(super) fn access(
        &mut self,
        values: &mut [Lanes],
        access: &MemoryAccess,
        (request, accessed): (&Request, AccessState),
        on: u32,
        maybe: u32,
    ) {
        let active = on | maybe;
        if active == 0 {
            return;
        }
        let first = request.addresses[active.trailing_zeros() as usize];
        let same = lanes_of(active).all(|lane| request.addresses[lane] == first);
        let address = (accessed == AccessState::Known && same).then_some(first as u32);
        match address {
            Some(address) if access.loads => {
                for (word, &slot) in (0..).zip(&access.data) {
                    let kept = self.0.get(&address.wrapping_add(4 * word)).copied().unwrap_or(Lanes::UNKNOWN);
                    values[usize::from(slot)].write(&kept, on, maybe);
                }
            }
            Some(address) => {
                for (word, &slot) in (0..).zip(&access.data) {
                    let stored = self.0.entry(address.wrapping_add(4 * word)).or_insert(Lanes::UNKNOWN);
                    stored.write(&values[usize::from(slot)], on, maybe);
                }
            }
            // A store to an unknown address may have overwritten any word.
            None if !access.loads => self.0.clear(),
            None => {}
        }
    }
}

/// Words that the warps of a block store to shared memory, and the tickets that they draw. Clones refer to the same
/// memory. Writes by the TMA unit are not tracked, because programs do not use the same words for both purposes.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedWords {
    words: Rc<RefCell<FxHashMap<u32, Word>>>,
    /// Number of tickets that the block has drawn from each counter, by the counter's address.
    tickets: Rc<RefCell<FxHashMap<u64, u32>>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Word {
    value: u32,
    /// Mask of the bits whose value is known.
    known: u32,
}

impl SharedWords {
    /// Counts a ticket that the block draws from a counter. Returns the number of tickets that it drew before.
    pub(super) fn draw(&self, counter: u64) -> u32 {
        let mut tickets = self.tickets.borrow_mut();
        let drawn = tickets.entry(counter).or_default();
        *drawn += 1;
        *drawn - 1
    }

    /// Marks as unknown the words that a copy, an atomic or a matrix store changes.
    pub(super) fn forget(&self, request: &Request, bytes: u32, accessed: AccessState) {
        let mut words = self.words.borrow_mut();
        match accessed {
            _ if words.is_empty() => {}
            AccessState::Known => {
                for lane in lanes_of(request.active) {
                    let first = request.addresses[lane] as u32 & !3;
                    for word in 0..bytes.div_ceil(4) {
                        words.remove(&first.wrapping_add(4 * word));
                    }
                }
            }
            AccessState::Unknown => words.clear(),
            AccessState::Off | AccessState::Nothing => {}
        }
    }

    /// Copies from global memory to `destination`. Words without stated contents become unknown.
    pub(super) fn copy(
        &self,
        contents: &[Option<Contents>],
        copied: &MemoryAccess,
        source: &Request,
        destination: &Request,
    ) {
        self.forget(destination, copied.bytes, AccessState::Known);
        if contents.is_empty() {
            return;
        }
        let mut words = self.words.borrow_mut();
        for word in 0..copied.bytes / 4 {
            let value = loaded(contents, copied, word.into(), source);
            for lane in lanes_of(destination.active & value.known) {
                let address = (destination.addresses[lane] as u32).wrapping_add(4 * word);
                if address.is_multiple_of(4) {
                    words.insert(address, Word { value: value.values[lane], known: u32::MAX });
                }
            }
        }
    }

    /// Stores registers, or loads the stored values into registers.
    pub(super) fn access(
        &self,
        values: &mut [Lanes],
        access: &MemoryAccess,
        (request, accessed): (&Request, AccessState),
        on: u32,
        maybe: u32,
    ) {
        match access.kind {
            SharedKind::Load | SharedKind::Store if access.data.is_empty() => return,
            SharedKind::Load | SharedKind::Store => {}
            // A row of a matrix has 16 bytes.
            SharedKind::Matrix if !access.loads => return self.forget(request, 16, accessed),
            SharedKind::Matrix | SharedKind::Copy => return,
            SharedKind::Atomic | SharedKind::Increment | SharedKind::CompareAndSwap => {
                return self.forget(request, access.bytes, accessed);
            }
        }
        let mut words = self.words.borrow_mut();
        if accessed != AccessState::Known {
            // A store to an unknown address may have overwritten any word.
            if !access.loads && on | maybe != 0 {
                words.clear();
            }
            return;
        }
        let bits = 8 * access.bytes.min(4);
        let mask = u32::MAX >> (32 - bits.max(1));
        for (word, &slot) in (0..).zip(&access.data) {
            let value = &mut values[usize::from(slot)];
            let mut loaded = Lanes::UNKNOWN;
            // Words without an entry are unknown, and most words are.
            let is_unknown = words.is_empty() && (access.loads || on & value.known == 0);
            for lane in lanes_of(if is_unknown { 0 } else { on | maybe }) {
                let address = (request.addresses[lane] as u32).wrapping_add(4 * word);
                let place = 8 * (address & 3);
                if access.loads {
                    let stored = words.get(&(address & !3)).copied().unwrap_or_default();
                    if stored.known >> place & mask == mask {
                        loaded.values[lane] = sign_extend(stored.value >> place, bits, access.is_signed);
                        loaded.known |= 1 << lane;
                    }
                } else if on & value.known & 1 << lane != 0 {
                    let stored = words.entry(address & !3).or_default();
                    stored.value = stored.value & !(mask << place) | (value.values[lane] & mask) << place;
                    stored.known |= mask << place;
                } else if let Some(stored) = words.get_mut(&(address & !3)) {
                    stored.known &= !(mask << place);
                }
            }
            if access.loads {
                value.write(&loaded, on, maybe);
            }
        }
    }
}
