//! Control flow at divergent instructions, determined by measured counts. Over all executions, each side of a
//! branch gets the counted numbers of warps and lanes.

use super::lanes::WARP;

/// Counts of a divergent instruction, per execution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DivergenceCounts {
    /// Share of the lanes that take the branch, 0 to 1.
    pub taken: f64,
    /// Share of the executions in which any lane takes the branch.
    pub warps_taken: f64,
    /// Share of the executions in which any lane does not take the branch.
    pub warps_stay: f64,
    /// Mean number of lanes that reach the instruction.
    pub lanes: f64,
    /// The side that leaves a loop; `None` if the instruction does not end a loop.
    pub ends_loop: Option<ExitSide>,
}

/// The side of a branch that leaves its loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExitSide {
    Taken,
    Stay,
}

/// State of a warp at a divergent instruction.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DivergenceState {
    count: u32,
    /// Number of iterations of the loop since it was entered.
    passes: u64,
    /// Number of iterations that the loop will run.
    trips: u64,
    /// Number of lanes that entered the loop.
    entered: u32,
    /// Rate at which lanes leave the loop: see [`steepness`].
    steepness: f64,
}

/// Step whose multiples modulo 2^32 are evenly distributed.
const GOLDEN_RATIO: u32 = 0x9e37_79b9; // Source: the golden ratio of 2^32

/// Largest trip count. The counts of a loop are incomplete if no counted warp leaves the loop.
const MAX_TRIPS: f64 = 1e6; // limit: incomplete counts must not grow without end

impl DivergenceState {
    /// Returns a number from 0 to 1, evenly distributed over the executions by all warps.
    fn drawn(&mut self, seed: u32) -> f64 {
        let drawn = seed.wrapping_add(self.count.wrapping_mul(GOLDEN_RATIO));
        self.count = self.count.wrapping_add(1);
        f64::from(drawn) / 4_294_967_296.0
    }
}

impl DivergenceCounts {
    /// Returns the mask of the lanes in `open` that take the branch. `seed` differs from warp to warp and from
    /// instruction to instruction.
    pub(super) fn taken(&self, turn: &mut DivergenceState, open: u32, seed: u32) -> u32 {
        match self.ends_loop {
            Some(ExitSide::Taken) => self.leaving(turn, open, seed, 1.0 - self.taken, self.warps_taken),
            Some(ExitSide::Stay) => open & !self.leaving(turn, open, seed, self.taken, self.warps_stay),
            None => self.divided(turn, open, seed),
        }
    }

    /// Returns the mask of the lanes in `open` that take the branch. Of the lanes in `lanes` but not in `open`,
    /// those in `taken` take the branch. Over all `lanes`, the share of lanes that take the branch matches the
    /// counts.
    pub(super) fn rest(
        &self,
        turn: &mut DivergenceState,
        open: u32,
        lanes: u32,
        taken: u32,
        seed: u32,
    ) -> u32 {
        let wanted = self.taken * f64::from(lanes.count_ones()) - f64::from(taken.count_ones());
        let wanted = wanted.clamp(0.0, f64::from(open.count_ones())) + turn.drawn(seed);
        chosen(open, wanted as u32, seed)
    }

    fn divided(&self, turn: &mut DivergenceState, open: u32, seed: u32) -> u32 {
        let drawn = turn.drawn(seed);
        let (all, some) = (1.0 - self.warps_stay, self.warps_taken);
        if drawn < all {
            return open;
        }
        if drawn >= some {
            return 0;
        }
        // The share of lanes that take the branch in warps that diverge.
        let share = ((self.taken - all) / (some - all)).clamp(0.0, 1.0);
        let count = share * f64::from(open.count_ones());
        let rest = (drawn - all) / (some - all);
        chosen(open, ((count + rest) as u32).max(1).min(open.count_ones().max(2) - 1), seed)
    }

    /// Returns the mask of the lanes in `open` that leave a loop in this iteration. Every warp runs about the
    /// mean number of iterations, and the number of lanes falls from iteration to iteration. `goes_on` is the
    /// share of the lanes that stay in the loop; `warps_leave` is the share of the executions in which any lane
    /// leaves.
    fn leaving(
        &self,
        turn: &mut DivergenceState,
        open: u32,
        seed: u32,
        goes_on: f64,
        warps_leave: f64,
    ) -> u32 {
        let warps_go_on =
            if self.ends_loop == Some(ExitSide::Taken) { self.warps_stay } else { self.warps_taken };
        if turn.passes == 0 {
            let trips = (1.0 / (1.0 - warps_go_on).max(f64::MIN_POSITIVE)).min(MAX_TRIPS);
            turn.trips = ((trips + turn.drawn(seed)) as u64).max(1);
            if turn.entered != open.count_ones() {
                turn.entered = open.count_ones();
                turn.steepness = steepness(groups(warps_leave, trips), self.lanes / f64::from(turn.entered));
            }
        }
        turn.passes += 1;
        if turn.passes >= turn.trips || goes_on <= 0.0 {
            turn.passes = 0;
            return open;
        }
        let trips = turn.trips as f64;
        let groups = groups(warps_leave, trips);
        let left = (turn.passes as f64 * groups / trips).floor() / groups;
        let stay = f64::from(turn.entered) * (1.0 - left).powf(turn.steepness);
        let stay = stay.round().max(1.0) as u32;
        chosen(open, open.count_ones().saturating_sub(stay), seed)
    }
}

/// Returns the number of groups in which the lanes of a warp leave a loop.
fn groups(warps_leave: f64, trips: f64) -> f64 {
    (warps_leave * trips).round().clamp(1.0, WARP as f64)
}

/// Returns the exponent for which the share of lanes still in the loop has this mean over all iterations.
/// After the n-th group has left, the share is (1 - n / groups) to the power of the exponent.
fn steepness(groups: f64, mean: f64) -> f64 {
    const MAX: f64 = 64.0; // limit: of the bisection; a mean below 1/64 is one lane
    let of = |exponent: f64| {
        let shares = (0..groups as u32).map(|left| (1.0 - f64::from(left) / groups).powf(exponent));
        shares.sum::<f64>() / groups
    };
    if mean >= 1.0 {
        return 0.0;
    }
    let (mut least, mut most) = (0.0, MAX);
    for _ in 0..20 {
        let middle = f64::midpoint(least, most);
        if of(middle) > mean { least = middle } else { most = middle }
    }
    least
}

/// Chooses `count` of the lanes in the mask `of`, spread over the warp.
fn chosen(of: u32, count: u32, seed: u32) -> u32 {
    let mut chosen = 0_u32;
    for number in 0..WARP as u32 {
        // Reversing the five bits of a number spreads neighbouring numbers over the warp.
        let lane = ((number.reverse_bits() >> 27) + seed) % WARP as u32;
        if chosen.count_ones() < count {
            chosen |= of & 1 << lane;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: u32 = u32::MAX;

    fn seeds() -> impl Iterator<Item = u32> {
        (0..1000_u32).map(|warp| warp.wrapping_mul(0x9e37_79b9) ^ 0x1234_5678)
    }

    #[test]
    fn lanes_part_as_often_as_they_were_seen_to() {
        let way =
            DivergenceCounts { taken: 0.3, warps_taken: 0.5, warps_stay: 0.9, lanes: 32.0, ends_loop: None };
        let taken: Vec<u32> =
            seeds().map(|seed| way.taken(&mut DivergenceState::default(), ALL, seed)).collect();
        let share =
            |is: &dyn Fn(u32) -> bool| taken.iter().filter(|lanes| is(**lanes)).count() as f64 / 1000.0;
        assert!((share(&|lanes| lanes != 0) - 0.5).abs() < 0.02);
        assert!((share(&|lanes| lanes != ALL) - 0.9).abs() < 0.02);
        let lanes: u32 = taken.iter().map(|lanes| lanes.count_ones()).sum();
        assert!((f64::from(lanes) / 32_000.0 - 0.3).abs() < 0.02, "{lanes}");
    }

    #[test]
    fn a_loop_runs_as_often_as_it_was_seen_to() {
        // 5.5 iterations, with two groups that leave: half of the lanes leave midway.
        let on = 1.0 - 1.0 / 5.5;
        let way = DivergenceCounts {
            taken: 0.7,
            warps_taken: on,
            warps_stay: 2.0 / 5.5,
            lanes: 24.0,
            ends_loop: Some(ExitSide::Stay),
        };
        let (mut passes, mut lanes) = (0, 0);
        for seed in seeds() {
            let mut turn = DivergenceState::default();
            let mut here = ALL;
            while here != 0 {
                (passes, lanes) = (passes + 1, lanes + here.count_ones());
                here = way.taken(&mut turn, here, seed);
            }
        }
        assert!((f64::from(passes) / 1000.0 - 5.5).abs() < 0.05, "{passes}");
        assert!((f64::from(lanes) / f64::from(passes) - 24.0).abs() < 1.5, "{lanes} in {passes}");
    }

    #[test]
    fn the_counts_of_a_loop_without_end_end_it() {
        let way = DivergenceCounts {
            taken: 1.0,
            warps_taken: 1.0,
            warps_stay: 0.0,
            lanes: 32.0,
            ends_loop: Some(ExitSide::Stay),
        };
        let mut turn = DivergenceState::default();
        let passes = (0..2_000_000).take_while(|_| way.taken(&mut turn, ALL, 0) != 0).count();
        assert_eq!(passes, 999_999);
    }
}
