//! Atomics at the slices of the L2 cache. A slice serves the atomics on its own addresses one after another.
//!
//! A launch lasts at least as long as its busiest slice is busy. In the simulation, a slice delays no single instruction,
//! because other SMs use the slice at other times than the simulated SM.
//!
//! A slice of an H100 accepts one whole sector per L2 cycle. Other sectors take 1.25 L2 cycles per pass. A pass changes
//! each word at most once, and at most two doubles. Float additions to one word start 3 L2 cycles apart; in the
//! meantime, the slice serves other sectors. Source: measured, 2026-11-23, `launch/scattered`, and 2026-11-30,
//! `async/atomics`.

use rustc_hash::FxHashMap;

/// The operations of one request on one line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Operations {
    /// Number of sectors of which lanes change each byte once.
    pub whole: u32,
    /// Number of passes over the other sectors.
    pub passes: u32,
    /// Maximum number of operations on one word; 0 if no two lanes change the same word.
    pub deepest: u32,
}

/// The operations of an atomic request.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes {
    /// The operations on each line.
    pub operations: Vec<Operations>,
    /// Number of operations on one word that all warps of the launch change.
    pub contended: u32,
    pub is_float: bool,
}

/// SM cycles for which a whole sector, a pass over a sector, or a float addition to a word occupies a slice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rates {
    pub sector: f64,
    pub pass: f64,
    pub float: f64,
}

impl Rates {
    pub(super) fn in_turn(&self, is_float: bool) -> f64 {
        if is_float { self.float } else { self.pass }
    }
}

/// The slices that an SM's atomics reach.
#[derive(Debug)]
pub(super) struct Slices {
    rates: Rates,
    /// The bits of a line's number that select its slice.
    selecting: u64,
    taken: FxHashMap<u64, Slice>,
    /// Cycles for which float additions to one word occupy each line.
    chains: FxHashMap<u64, f64>,
    /// Busy cycles of the busiest slice.
    pub busiest: f64,
}

#[derive(Debug, Clone, Copy)]
struct Slice {
    busy: f64,
    /// The first block that used the slice. `is_shared` is true once another block has used the slice.
    first: u64,
    is_shared: bool,
}

impl Slices {
    pub(super) fn new(rates: Rates, selecting: u64) -> Self {
        Self { rates, selecting, taken: FxHashMap::default(), chains: FxHashMap::default(), busiest: 0.0 }
    }

    /// Occupies the slice of a line for these operations.
    ///
    /// A slice that two blocks of this SM use is assumed to be used by all SMs. This SM then gets only
    /// `share` of the slice's throughput.
    pub(super) fn take(
        &mut self,
        (line, operations): (u64, Operations),
        is_float: bool,
        block: u64,
        share: f64,
    ) {
        let new = Slice { busy: 0.0, first: block, is_shared: false };
        let slice = self.taken.entry(line & self.selecting).or_insert(new);
        slice.is_shared |= slice.first != block;
        let own =
            f64::from(operations.whole) * self.rates.sector + f64::from(operations.passes) * self.rates.pass;
        let times = if slice.is_shared { 1.0 / share } else { 1.0 };
        slice.busy += own * times;
        self.busiest = self.busiest.max(slice.busy);
        if is_float && operations.deepest > 0 {
            let chain = self.chains.entry(line).or_default();
            *chain += f64::from(operations.deepest) * self.rates.float * times;
            self.busiest = self.busiest.max(*chain);
        }
    }

    /// Returns the cycles for which the operations on a word that all warps change occupy the slice.
    pub(super) fn contended(&self, changes: &Changes) -> f64 {
        f64::from(changes.contended) * self.rates.in_turn(changes.is_float)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates { sector: 1.0, pass: 1.25, float: 3.0 };
    /// 32 lanes on one word.
    const ONE_WORD: Operations = Operations { whole: 0, passes: 32, deepest: 32 };

    /// Cycles of the busiest slice after one request of each of these blocks on these lines.
    fn busiest(asked: &[(u64, u64)], operations: Operations, is_float: bool) -> u64 {
        let mut slices = Slices::new(RATES, !3);
        for &(block, line) in asked {
            slices.take((line, operations), is_float, block, 0.5);
        }
        slices.busiest.round() as u64
    }

    #[test]
    fn operations_on_one_word_follow_one_another() {
        assert_eq!(busiest(&[(0, 0)], ONE_WORD, false), 40);
        assert_eq!(busiest(&[(0, 0)], ONE_WORD, true), 96);
        assert_eq!(busiest(&[(0, 0)], Operations { whole: 4, ..Operations::default() }, true), 4);
    }

    #[test]
    fn floats_of_different_words_do_not_wait_for_each_other() {
        let pairs = Operations { whole: 0, passes: 8, deepest: 2 };
        assert_eq!(busiest(&[(0, 0)], pairs, true), busiest(&[(0, 0)], pairs, false));
    }

    #[test]
    fn what_two_blocks_change_all_sms_change() {
        assert_eq!(busiest(&[(0, 0), (0, 0)], ONE_WORD, false), 80);
        assert_eq!(busiest(&[(0, 0), (1, 0)], ONE_WORD, false), 40 + 80);
    }

    #[test]
    fn slices_work_side_by_side() {
        assert_eq!(busiest(&[(0, 0), (0, 3)], ONE_WORD, false), 80);
        assert_eq!(busiest(&[(0, 0), (0, 4)], ONE_WORD, false), 40);
    }
}
