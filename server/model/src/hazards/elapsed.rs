//! Guaranteed elapsed cycles, including the time that waits add.
//!
//! Stall counts always elapse. A wait may take no time: if another warp has delayed this warp, the awaited
//! result may already be complete. A wait therefore adds time only for instructions that issued no later than
//! the awaited instruction, whose latency begins with its own issue.

use crate::Inst;
use crate::in_flight::WINDOW;
use machine::{Class, min_latency, min_latency_off};

/// The clock that counts the time between two instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// Stall counts only, on which new code must rely.
    Stalls,
    /// Stall counts, and waits for instructions that issued at or after the first instruction of the pair.
    /// Handwritten code relies on such waits, as does compiled code before Volta.
    StallsAndWaits,
}

/// Time that a wait guarantees to have passed since the issue of the awaited instruction.
#[derive(Debug, Clone, Copy)]
struct Credit {
    /// Issue cycle of the awaited instruction.
    issued: i32,
    /// Guaranteed cycles beyond the stall counts.
    gain: i32,
}

/// The clock of a block. Cycle 0 is the block's first issue.
#[derive(Debug)]
pub(super) struct Clock {
    time: Time,
    /// Current cycle by stall counts.
    now: i32,
    credits: Vec<Credit>,
}

impl Clock {
    pub(super) fn new(time: Time) -> Self {
        Self { time, now: 0, credits: Vec::new() }
    }

    pub(super) fn restart(&mut self) {
        self.now = 0;
        self.credits.clear();
    }

    /// Returns the current cycle by stall counts only.
    pub(super) fn now(&self) -> i32 {
        self.now
    }

    pub(super) fn stall(&mut self, cycles: i32) {
        self.now += cycles;
    }

    /// Returns the cycles that a wait for everything in flight takes: `held`, or 1 if only stall counts are timed.
    pub(super) fn drained(&self, held: i32) -> i32 {
        if self.time == Time::Stalls { 1 } else { held }
    }

    /// Records a wait for an instruction that issued at `issued` and takes at least `min_latency` cycles.
    /// If the instruction issued before the block, no time is added, because its order relative to
    /// instructions of other blocks is unknown.
    pub(super) fn waited(&mut self, issued: i32, min_latency: i32) {
        let gain = issued.saturating_add(min_latency) - self.now;
        if self.time == Time::Stalls || issued < 0 || gain <= 0 {
            return;
        }
        let oldest = self.now - WINDOW as i32;
        self.credits
            .retain(|credit| credit.issued >= oldest && (credit.issued > issued || credit.gain > gain));
        if !self.credits.iter().any(|credit| credit.issued >= issued && credit.gain >= gain) {
            self.credits.push(Credit { issued, gain });
        }
    }

    /// Returns the minimum number of cycles that have passed since an issue at `issued`.
    pub(super) fn since(&self, issued: i32) -> i32 {
        let counting = self.credits.iter().filter(|credit| credit.issued >= issued);
        self.now - issued + counting.map(|credit| credit.gain).max().unwrap_or(0)
    }
}

/// Returns the minimum cycles from an instruction's issue until a wait for its result (`is_write`) or its
/// sources can end, even if the guard is false. 0 if unknown.
pub(super) fn min_wait(inst: &Inst, class: Option<&Class>, is_write: bool, sm: u16) -> i32 {
    let class = class.filter(|class| is_write && !class.latency.is_fixed());
    let known = class.and_then(|class| match inst.guard {
        Some(_) => min_latency_off(sm),
        None => min_latency(&class.name, sm),
    });
    known.map_or(0, |cycles| i32::try_from(cycles).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(time: Time) -> Clock {
        let mut clock = Clock::new(time);
        clock.stall(10);
        clock
    }

    #[test]
    fn a_wait_counts_for_what_issued_before_the_awaited_instruction() {
        let mut clock = clock(Time::StallsAndWaits);
        clock.waited(8, 20);
        assert_eq!((clock.since(7), clock.since(8)), (3 + 18, 2 + 18));
    }

    #[test]
    fn a_wait_for_an_older_instruction_gives_nothing() {
        let mut clock = clock(Time::StallsAndWaits);
        clock.waited(4, 20);
        assert_eq!(clock.since(5), 5);
    }

    #[test]
    fn stall_counts_alone_know_no_waits() {
        let mut clock = clock(Time::Stalls);
        clock.waited(8, 20);
        assert_eq!(clock.since(5), 5);
    }

    #[test]
    fn what_issued_before_the_block_and_what_is_over_give_nothing() {
        let mut clock = clock(Time::StallsAndWaits);
        clock.waited(-1, 40);
        clock.waited(1, 9);
        assert_eq!((clock.since(-3), clock.since(1)), (13, 9));
    }

    #[test]
    fn the_longest_of_several_waits_counts() {
        let mut clock = clock(Time::StallsAndWaits);
        clock.waited(6, 30);
        clock.waited(9, 8);
        assert_eq!((clock.since(6), clock.since(7)), (4 + 26, 3 + 7));
    }
}
