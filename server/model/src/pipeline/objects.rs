//! Barrier objects (`mbarrier`) and numbered barriers of the blocks of an SM, and the warps that wait at them.

use crate::execution::Arrival;
use rustc_hash::FxHashMap;

/// Mask of the address bits that select the byte within one block's shared memory. The bits above the mask select the
/// block of the cluster.
///
/// All blocks of a cluster are assumed to behave in the same way at the same time. An arrival at another block's object
/// therefore counts as an arrival at the block's own object.
const OWN: u32 = 0x00ff_ffff; // Source: SASS that ptxas generates for mapa: the block's rank starts at bit 24

/// The barrier objects and numbered barriers of an SM, by block slot.
#[derive(Debug, Default)]
pub(super) struct Objects {
    objects: FxHashMap<(usize, u32), Object>,
    numbered: FxHashMap<(usize, u32), NumberedBarrier>,
}

/// A barrier object in shared memory.
#[derive(Debug, Default)]
struct Object {
    /// Number of arrivals that complete a phase.
    arrivals: i64,
    /// Number of arrivals that the current phase still lacks. `bytes` is the number of bytes that it still expects.
    missing: i64,
    bytes: i64,
    /// Number of the current phase.
    phase: u64,
    /// Cycle in which the last phase was completed.
    completed: u64,
    /// Cycle of the latest arrival in the current phase.
    latest: u64,
    /// Warps that wait for the current phase, each with the parity that it waits for.
    waiting: Vec<(usize, bool)>,
}

/// A barrier of a block with a number, as in `BAR.SYNC 1`.
#[derive(Debug, Default)]
struct NumberedBarrier {
    arrived: u32,
    latest: u64,
    waiting: Vec<usize>,
}

/// Warps that an arrival releases, and the cycle of the release.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ReleasedWarps {
    pub warps: Vec<usize>,
    pub cycle: u64,
}

impl Object {
    /// Completes the current phase if all arrivals and bytes are there. Returns the released warps.
    fn settle(&mut self) -> ReleasedWarps {
        let mut released = ReleasedWarps::default();
        if self.missing > 0 || self.bytes != 0 || self.arrivals == 0 {
            return released;
        }
        self.phase += 1;
        self.completed = self.completed.max(self.latest);
        self.missing = self.arrivals;
        released.cycle = self.completed;
        let phase = self.phase;
        self.waiting.retain(|&(warp, is_odd)| {
            let waits = is_current(phase, is_odd);
            if !waits {
                released.warps.push(warp);
            }
            waits
        });
        released
    }
}

/// True if `phase` has the parity that a wait names, and is therefore not complete.
fn is_current(phase: u64, is_odd: bool) -> bool {
    (phase % 2 == 1) == is_odd
}

impl Objects {
    /// Initialises a barrier object.
    pub(super) fn initialise(&mut self, block: usize, barrier: u32, arrivals: u32) {
        let arrivals = i64::from(arrivals);
        let object = Object { arrivals, missing: arrivals, ..Object::default() };
        self.objects.insert((block, barrier & OWN), object);
    }

    /// Records `arrivals` in cycle `at`, and adds `bytes` to the bytes that the phase still expects. Bytes that arrive
    /// are negative.
    pub(super) fn arrive(
        &mut self,
        block: usize,
        barrier: u32,
        arrivals: u32,
        bytes: i64,
        at: u64,
    ) -> ReleasedWarps {
        let object = self.objects.entry((block, barrier & OWN)).or_default();
        object.missing -= i64::from(arrivals);
        object.bytes += bytes;
        object.latest = object.latest.max(at);
        object.settle()
    }

    /// Records the arrivals of a warp's lanes in cycle `at`. `sign` is 1 if their bytes are expected, and -1 if they are
    /// delivered.
    pub(super) fn arrive_all(&mut self, block: usize, all: &[Arrival], sign: i64, at: u64) -> ReleasedWarps {
        let mut released = ReleasedWarps::default();
        for own in all {
            let more = self.arrive(block, own.barrier, own.count, sign * i64::from(own.bytes), at);
            released.warps.extend(more.warps);
            released.cycle = released.cycle.max(more.cycle);
        }
        released
    }

    /// Returns the cycle in which the phase of the given parity was completed. If the phase is not complete, the warp
    /// is recorded as waiting, and the result is `None`.
    pub(super) fn wait(&mut self, block: usize, barrier: u32, is_odd: bool, warp: usize) -> Option<u64> {
        let object = self.objects.entry((block, barrier & OWN)).or_default();
        if is_current(object.phase, is_odd) {
            object.waiting.push((warp, is_odd));
            return None;
        }
        Some(object.completed)
    }

    /// Counts the arrival of a warp at the numbered barrier `place` (block slot and number). `warp` is `None` if the warp
    /// does not wait. Releases the waiting warps once `expected` warps have arrived.
    pub(super) fn meet(
        &mut self,
        place: (usize, u32),
        warp: Option<usize>,
        expected: u32,
        at: u64,
    ) -> ReleasedWarps {
        let barrier = self.numbered.entry(place).or_default();
        barrier.arrived += 1;
        barrier.latest = barrier.latest.max(at);
        barrier.waiting.extend(warp);
        if barrier.arrived < expected {
            return ReleasedWarps::default();
        }
        let released = ReleasedWarps { warps: std::mem::take(&mut barrier.waiting), cycle: barrier.latest };
        *barrier = NumberedBarrier::default();
        released
    }

    /// Drops all barriers of a block that has ended.
    pub(super) fn end(&mut self, block: usize) {
        if self.objects.is_empty() && self.numbered.is_empty() {
            return;
        }
        self.objects.retain(|&(of, _), _| of != block);
        self.numbered.retain(|&(of, _), _| of != block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_complete_once_all_have_arrived_and_all_bytes_are_there() {
        let mut objects = Objects::default();
        objects.initialise(0, 0x0100_0400, 2);
        assert_eq!(objects.wait(0, 0x400, true, 7), Some(0), "the phase before the first counts as complete");
        assert_eq!(objects.wait(0, 0x400, false, 7), None);
        assert_eq!(objects.arrive(0, 0x400, 1, 64, 10), ReleasedWarps::default());
        assert_eq!(objects.arrive(0, 0x400, 1, 0, 12), ReleasedWarps::default());
        assert_eq!(objects.arrive(0, 0x400, 0, -64, 500), ReleasedWarps { warps: vec![7], cycle: 500 });
        assert_eq!(objects.wait(0, 0x400, false, 7), Some(500));
        assert_eq!(objects.wait(1, 0x400, false, 9), None, "another block has its own object");
    }

    #[test]
    fn a_numbered_barrier_releases_those_that_wait() {
        let mut objects = Objects::default();
        assert_eq!(objects.meet((0, 1), Some(3), 2, 100), ReleasedWarps::default());
        assert_eq!(objects.meet((0, 1), None, 2, 90), ReleasedWarps { warps: vec![3], cycle: 100 });
        assert_eq!(objects.meet((0, 1), Some(4), 2, 200), ReleasedWarps::default());
    }
}
