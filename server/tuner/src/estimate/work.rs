//! The work of a launch, and the time for the work.

use super::{Figures, Limit};

/// Work that determines the time of a launch. [`Self::products`] to [`Self::l2_bytes`] are per block and iteration of
/// its main loop, which multiplies one tile.
#[derive(Debug)]
pub(crate) struct Work {
    /// Number of blocks of the launch.
    pub(crate) blocks: f64,
    /// Number of kernel launches: one more if the output must be zeroed first.
    pub(crate) launches: f64,
    /// Resident blocks per SM.
    pub(crate) resident_blocks: f64,
    /// Warps per block.
    pub(crate) warps: f64,
    /// Number of iterations of a block's main loop.
    pub(crate) passes: f64,
    pub(crate) products: Products,
    /// Number of warp instructions.
    pub(crate) issue: f64,
    /// Number of shared-memory wavefronts.
    pub(crate) wavefronts: f64,
    /// Number of cache lines that go through the L1 cache.
    pub(crate) lines: f64,
    /// Number of bytes that the L2 cache delivers.
    pub(crate) l2_bytes: f64,
    /// Bytes that the launch transfers between DRAM and the L2 cache.
    pub(crate) dram_bytes: f64,
    /// Fraction of the iterations whose loads reach DRAM.
    pub(crate) missed: f64,
    pub(crate) fragments: Fragments,
    pub(crate) stages: Stages,
    /// Number of rounds in which groups of threads add their sums after the main loop.
    pub(crate) rounds: f64,
    /// Number of 32-bit words of sums per thread.
    pub(crate) sums: f64,
    pub(crate) stored: OutputTraffic,
    /// Number of sequential accesses to the L2 cache until a thread has written its sums.
    pub(crate) round_trips: f64,
}

/// Multiplications of an iteration, and the number of multiplications that an SM starts per cycle.
#[derive(Debug)]
pub(crate) struct Products {
    pub(crate) operations: f64,
    /// Operations that an SM with all of its resident blocks starts per cycle.
    pub(crate) rate: f64,
    /// Operations that an SM with one block starts per cycle.
    pub(crate) rate_alone: f64,
}

/// Path of fragments from shared memory to the multiplying units.
#[derive(Debug)]
pub(crate) enum Fragments {
    /// Warps load the fragments of each step of an iteration into registers while they multiply the fragments of the
    /// previous step.
    Loaded { steps: f64 },
    /// The units read shared memory while they multiply.
    Streamed,
}

/// Waits of an iteration other than for its products. They apply to a block that is alone on its SM.
#[derive(Debug)]
pub(crate) struct Stages {
    /// Number of tiles whose loads overlap the products; 0 if an iteration must load its own tile first.
    pub(crate) ahead: f64,
    /// Barriers per iteration that delay only the products. Loads in flight overlap these barriers.
    pub(crate) inner_barriers: f64,
    /// Barriers per iteration that neither products nor loads overlap.
    pub(crate) outer_barriers: f64,
    /// True if the first fragments of a tile are read only after the last barrier. Their latency is then
    /// exposed.
    pub(crate) refills: bool,
}

/// A block's output, in units of the L2 cache's rate.
#[derive(Debug)]
pub(crate) enum OutputTraffic {
    Sectors(f64),
    Atomics(f64),
    /// Bytes, at the rate of loads.
    Bytes(f64),
}

/// The time of a launch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Time {
    pub(crate) cycles: f64,
    pub(crate) limit: Limit,
}

impl Work {
    /// Returns the time by equations (2) and (3). The blocks of an SM share the throughput of its components.
    /// Each wave of resident blocks takes at least the latency of a block.
    pub(crate) fn time(&self, figures: &Figures) -> Time {
        let of_sm = (self.blocks / figures.sms).ceil();
        let turns = (of_sm / self.resident_blocks).ceil();
        let parts = self.parts(figures);
        let throughput = of_sm * either(&parts.map(|(_, cycles)| cycles));
        let latency = turns * self.latency(figures);
        let dram = self.dram_bytes / figures.dram_bytes;
        let limit = if dram > throughput.max(latency) {
            Limit::Dram
        } else if latency > throughput {
            Limit::Latency
        } else {
            let most = parts.iter().max_by(|one, other| one.1.total_cmp(&other.1));
            most.map_or(Limit::Issue, |(limit, _)| *limit)
        };
        Time { cycles: figures.launch * self.launches + either(&[throughput, latency, dram]), limit }
    }

    /// Cycles for which a block occupies each component of an SM without contention.
    fn parts(&self, figures: &Figures) -> [(Limit, f64); 5] {
        let Self { passes, products, .. } = self;
        // Groups add their sums through shared memory.
        let reduced = self.rounds * self.warps * self.sums;
        [
            (Limit::Products, passes * products.operations / products.rate),
            (Limit::Issue, passes * self.issue / figures.sub_cores),
            (Limit::SharedMemory, (passes * self.wavefronts + reduced) * figures.wavefront),
            (Limit::L1Cache, passes * self.lines * figures.line),
            (Limit::L2Cache, self.l2_cycles(figures, passes * self.l2_bytes) + self.stored_cycles(figures)),
        ]
    }

    /// Cycles from start to end of a block that runs without other blocks. The products of each step wait for
    /// fragments, loads wait for the L2 cache or DRAM, and both wait for barriers.
    fn latency(&self, figures: &Figures) -> f64 {
        let Self { passes, products, stages, .. } = self;
        let arrival = figures.l2_latency * (1.0 - self.missed) + figures.dram_latency * self.missed;
        let load = arrival + figures.l1_return;
        let barrier = figures.barrier_of(self.warps);
        let multiplying = products.operations / products.rate_alone;
        let multiplied = match self.fragments {
            Fragments::Loaded { steps } => {
                let issued = self.issue / (figures.sub_cores * figures.busy_sub_cores(self.warps));
                let step = either(&[multiplying.max(issued) / steps, figures.fragments / 2.0]);
                steps * step
            }
            Fragments::Streamed => {
                let shared = self.wavefronts * figures.wavefront;
                multiplying.max(shared).max(self.l2_cycles(figures, self.l2_bytes))
            }
        };
        let multiplied = multiplied + figures.fragments + stages.inner_barriers * barrier;
        let overlapped =
            if stages.ahead > 0.0 { either(&[multiplied, load / stages.ahead]) } else { multiplied + load };
        let refill = if stages.refills { figures.fragments } else { 0.0 };
        let pass = overlapped + stages.outer_barriers * barrier + refill;
        let start = figures.first_instruction + load * figures.first_loads;
        start + passes * pass + self.end(figures, barrier)
    }

    /// Cycles from the last iteration to the end of a block that runs without other blocks.
    fn end(&self, figures: &Figures, barrier: f64) -> f64 {
        // In a round, one group stores its sums and another group loads them.
        let added = self.rounds * (self.sums * 2.0 + 2.0 * barrier) + self.sums;
        let written = match self.stored {
            OutputTraffic::Bytes(_) => self.stored_cycles(figures),
            OutputTraffic::Sectors(_) | OutputTraffic::Atomics(_) => self.round_trips * figures.l2_latency,
        };
        added + written
    }

    /// Cycles that the L2 cache takes to deliver `bytes` to one SM; 0 if its rate is unknown.
    fn l2_cycles(&self, figures: &Figures, bytes: f64) -> f64 {
        let share =
            |rate: f64| (rate / (figures.sms * figures.busy_sms(self.blocks))).min(figures.l2_bytes_of_sm);
        figures.l2_bytes.map_or(0.0, |rate| bytes / share(rate))
    }

    /// Cycles that the L2 cache takes to accept a block's output.
    fn stored_cycles(&self, figures: &Figures) -> f64 {
        let (operations, rate) = match self.stored {
            OutputTraffic::Bytes(bytes) => return self.l2_cycles(figures, bytes),
            OutputTraffic::Sectors(sectors) => (sectors, figures.stored_sectors),
            OutputTraffic::Atomics(operations) => (operations, figures.atomics),
        };
        let share = rate / (figures.sms * figures.busy_sms(self.blocks));
        operations / share.min(figures.l2_bytes_of_sm / figures.sector_bytes)
    }
}

/// The 3-norm, a soft maximum. It exceeds the largest value clearly if other values are near it, because parts of
/// nearly equal length do not always overlap.
fn either(cycles: &[f64]) -> f64 {
    cycles.iter().map(|cycles| cycles * cycles * cycles).sum::<f64>().cbrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Machine;

    fn figures() -> Figures {
        Figures::published(&Machine::builtin().gpu("a100").expect("it is among the parts"))
    }

    /// Blocks of four warps with a thousand passes that do nothing.
    fn idle() -> Work {
        Work {
            blocks: 1080.0,
            launches: 1.0,
            resident_blocks: 2.0,
            warps: 4.0,
            passes: 1000.0,
            products: Products { operations: 0.0, rate: 1.0, rate_alone: 1.0 },
            issue: 0.0,
            wavefronts: 0.0,
            lines: 0.0,
            l2_bytes: 0.0,
            dram_bytes: 0.0,
            missed: 0.0,
            fragments: Fragments::Streamed,
            stages: Stages { ahead: 1.0, inner_barriers: 0.0, outer_barriers: 0.0, refills: false },
            rounds: 0.0,
            sums: 0.0,
            stored: OutputTraffic::Bytes(0.0),
            round_trips: 0.0,
        }
    }

    #[test]
    fn the_slowest_part_is_the_limit() {
        let figures = figures();
        let limit = |work: Work| work.time(&figures).limit;
        let products = |operations| Products { operations, rate: 1.0, rate_alone: 1.0 };
        assert_eq!(limit(idle()), Limit::Latency);
        assert_eq!(limit(Work { products: products(1e4), ..idle() }), Limit::Products);
        assert_eq!(limit(Work { wavefronts: 1e4, ..idle() }), Limit::SharedMemory);
        assert_eq!(limit(Work { l2_bytes: 1e6, ..idle() }), Limit::L2Cache);
        assert_eq!(limit(Work { dram_bytes: 1e13, ..idle() }), Limit::Dram);
    }

    #[test]
    fn blocks_take_turns_and_hide_latency() {
        let figures = figures();
        let cycles = |blocks, resident_blocks| {
            Work { blocks, resident_blocks, ..idle() }.time(&figures).cycles - figures.launch
        };
        // Ten blocks per SM.
        assert!((cycles(1080.0, 2.0) / cycles(108.0, 2.0) - 5.0).abs() < 1e-9);
        assert!((cycles(1080.0, 10.0) / cycles(108.0, 2.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn parts_that_take_as_long_do_not_fully_overlap() {
        assert!((either(&[3.0, 0.0, 0.0]) - 3.0).abs() < 1e-12);
        assert!((either(&[2.0, 2.0]) - 2.0 * 2.0_f64.cbrt()).abs() < 1e-12);
    }
}
