//! The time of a launch by what one of its blocks takes.

use super::Limit;

/// Cycles of each part of an SM that a block takes were nothing else there, and those from its start to its end were it alone.
pub(crate) struct Taken<const PARTS: usize> {
    pub(crate) parts: [(Limit, f64); PARTS],
    pub(crate) latency: f64,
}

impl<const PARTS: usize> Taken<PARTS> {
    /// The limiting part and the cycles of this many blocks on an SM, in this many turns, next to `dram` cycles of DRAM.
    pub(crate) fn running(&self, blocks: f64, turns: f64, dram: f64) -> (Limit, f64) {
        let most = self.parts.iter().max_by(|one, other| one.1.total_cmp(&other.1));
        let throughput = blocks * either(&self.parts.map(|(_, cycles)| cycles));
        let latency = turns * self.latency;
        let limit = if dram > throughput.max(latency) {
            Limit::Dram
        } else if latency > throughput {
            Limit::Latency
        } else {
            most.map_or(Limit::Issue, |(limit, _)| *limit)
        };
        (limit, either(&[throughput, latency, dram]))
    }
}

/// A maximum that grows where several are near it, as then they do not always overlap: the third norm.
pub(crate) fn either(cycles: &[f64]) -> f64 {
    cycles.iter().map(|cycles| cycles * cycles * cycles).sum::<f64>().cbrt()
}
