//! Tags of a cache: the sectors that each line holds, and their arrival cycle.

use machine::Pipeline;

/// A set-associative cache that replaces the least recently used line.
#[derive(Debug)]
pub(super) struct Cache {
    sets: Vec<Vec<CacheLine>>,
    ways: usize,
    clock: u64,
}

#[derive(Debug, Clone, Copy)]
struct CacheLine {
    address: u64,
    /// Mask of the sectors that are present or in flight.
    sectors: u8,
    /// Cycle in which the last of the sectors arrives.
    ready: u64,
    used: u64,
}

impl Cache {
    /// Creates a cache of `bytes` bytes. A cache of 0 bytes never hits.
    pub(super) fn new(bytes: u32, line_bytes: u32, ways: u32) -> Self {
        let lines = bytes / line_bytes.max(1);
        let ways = ways.max(1);
        Self { sets: vec![Vec::new(); (lines / ways) as usize], ways: ways as usize, clock: 0 }
    }

    /// Creates an SM's L1 cache with `bytes` bytes for data.
    pub(super) fn l1(figures: &Pipeline, bytes: u32) -> Self {
        Self::new(bytes, figures.l1.line_bytes.value, figures.l1.ways.value)
    }

    fn set(&mut self, line: u64) -> Option<&mut Vec<CacheLine>> {
        // Addresses that are powers of two apart must not share a set.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15; // Source: the golden ratio of 2^64
        let hash = (line ^ line >> 17).wrapping_mul(SPREAD) >> 32;
        let sets = self.sets.len();
        if sets == 0 { None } else { self.sets.get_mut(hash as usize % sets) }
    }

    /// Drops all lines.
    pub(super) fn clear(&mut self) {
        self.sets.iter_mut().for_each(Vec::clear);
    }

    /// Looks up sectors of a line. Returns the mask of the missing sectors, and the arrival cycle of hits
    /// that are still in flight, if any.
    pub(super) fn look_up(&mut self, line: u64, sectors: u8, now: u64) -> (u8, Option<u64>) {
        self.clock += 1;
        let clock = self.clock;
        let Some(found) = self.set(line).and_then(|set| set.iter_mut().find(|known| known.address == line))
        else {
            return (sectors, None);
        };
        found.used = clock;
        let pending = (found.sectors & sectors != 0 && found.ready > now).then_some(found.ready);
        (sectors & !found.sectors, pending)
    }

    /// Inserts sectors of a line that arrive at `ready`.
    pub(super) fn fill(&mut self, line: u64, sectors: u8, ready: u64) {
        self.clock += 1;
        let (clock, ways) = (self.clock, self.ways);
        let Some(set) = self.set(line) else { return };
        if let Some(known) = set.iter_mut().find(|known| known.address == line) {
            known.sectors |= sectors;
            known.ready = known.ready.max(ready);
            known.used = clock;
            return;
        }
        let new = CacheLine { address: line, sectors, ready, used: clock };
        if set.len() < ways {
            set.push(new);
        } else if let Some(oldest) = set.iter_mut().min_by_key(|known| known.used) {
            *oldest = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_is_found_once_it_was_filled() {
        let mut cache = Cache::new(4 * 128, 128, 4);
        assert_eq!(cache.look_up(7, 0b0011, 0), (0b0011, None));
        cache.fill(7, 0b0011, 100);
        assert_eq!(cache.look_up(7, 0b0111, 50), (0b0100, Some(100)));
        assert_eq!(cache.look_up(7, 0b0011, 100), (0, None));
    }

    #[test]
    fn the_line_used_longest_ago_gives_way() {
        let mut cache = Cache::new(2 * 128, 128, 2);
        cache.fill(1, 1, 0);
        cache.fill(2, 1, 0);
        cache.look_up(1, 1, 0);
        cache.fill(3, 1, 0);
        assert_eq!(cache.look_up(1, 1, 0).0, 0);
        assert_eq!(cache.look_up(2, 1, 0).0, 1);
        assert_eq!(cache.look_up(3, 1, 0).0, 0);
    }

    #[test]
    fn a_cache_of_nothing_finds_nothing() {
        let mut cache = Cache::new(0, 128, 4);
        cache.fill(1, 1, 0);
        assert_eq!(cache.look_up(1, 1, 0), (1, None));
    }
}
