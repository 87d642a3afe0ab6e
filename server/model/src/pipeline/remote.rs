//! Accesses to shared memory of other blocks of a cluster, over the network between SMs.

use super::code::cycles;
use machine::Pipeline;

/// An access to shared memory of another block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RemoteRequest {
    pub kind: RemoteKind,
    /// Number of sectors that the lanes access.
    pub sectors: u32,
    /// Number of lanes that access these sectors.
    pub lanes: u32,
    /// True if the lanes access only parts of the sectors.
    pub is_partial: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RemoteKind {
    Load,
    Store,
    Atomic,
}

/// The SM's port to the network between SMs.
#[derive(Debug, Default)]
pub(super) struct Network {
    /// Cycle in which the port is free.
    pub free: f64,
    /// Cycles for which the port was busy.
    pub busy: f64,
    /// Cycle in which all accesses so far are complete.
    pub outstanding: u64,
}

impl Network {
    /// Occupies the port from cycle `now` on. Returns the cycle in which the result of a load or an atomic arrives.
    pub(super) fn access(&mut self, figures: &Pipeline, now: u64, request: RemoteRequest) -> u64 {
        let known = &figures.remote;
        let busy = request.milli(figures) as f64 / 1000.0;
        let start = self.free.max(now as f64);
        self.free = start + busy;
        self.busy += busy;
        let latency = if request.kind == RemoteKind::Atomic { &known.atomic_latency } else { &known.latency };
        let end = (start + busy) as u64 + cycles(latency);
        self.outstanding = self.outstanding.max(end);
        end
    }
}

impl RemoteRequest {
    /// Returns the time for which the request occupies the port, in thousandths of a cycle.
    fn milli(self, figures: &Pipeline) -> u64 {
        let known = &figures.remote;
        let sectors = u64::from(self.sectors);
        match self.kind {
            RemoteKind::Load => (sectors + 1) * cycles(&known.packet_milli),
            RemoteKind::Store => {
                // A packet holds a sector, or half of one that is written in part.
                let packets =
                    if self.is_partial { (2 * sectors).min(self.lanes.into()) } else { sectors + 1 };
                packets * cycles(&known.stored_packet_milli)
            }
            RemoteKind::Atomic => {
                sectors * cycles(&known.atomic_sector_milli)
                    + u64::from(self.lanes) * cycles(&known.atomic_lane_milli)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Machine;

    /// Requests of a warp with their measured cycles in a sequence of such requests, on an H200 (`async/cluster`): kind,
    /// bytes per lane, stride between lanes in bytes, cycles per request.
    const MEASURED: [(RemoteKind, u32, u32, f64); 11] = [
        (RemoteKind::Load, 4, 4, 9.6),
        (RemoteKind::Load, 4, 8, 17.1),
        (RemoteKind::Load, 16, 16, 32.1),
        (RemoteKind::Load, 16, 32, 61.2),
        (RemoteKind::Store, 4, 4, 7.9),
        (RemoteKind::Store, 4, 8, 25.4),
        (RemoteKind::Store, 4, 128, 50.3),
        (RemoteKind::Store, 16, 16, 26.7),
        (RemoteKind::Store, 16, 32, 50.3),
        (RemoteKind::Atomic, 4, 4, 16.3),
        (RemoteKind::Atomic, 4, 8, 29.8),
    ];

    #[test]
    fn requests_occupy_the_port_as_measured() {
        let arch = Machine::builtin().gpu_for_sm(90).arch;
        let figures = arch.pipeline.as_ref().expect("sm_90 is calibrated");
        for (kind, bytes, apart, measured) in MEASURED {
            let sectors = (32 * apart.min(32)).div_ceil(32);
            let request = RemoteRequest { kind, sectors, lanes: 32, is_partial: bytes < apart };
            let computed = request.milli(figures) as f64 / 1000.0;
            assert!((computed / measured - 1.0).abs() < 0.06, "{kind:?} {bytes} {apart}: {computed}");
        }
    }

    #[test]
    fn requests_follow_one_another_at_the_port() {
        let arch = Machine::builtin().gpu_for_sm(90).arch;
        let figures = arch.pipeline.as_ref().expect("sm_90 is calibrated");
        let request = RemoteRequest { kind: RemoteKind::Load, sectors: 16, lanes: 32, is_partial: false };
        let mut network = Network::default();
        let first = network.access(figures, 100, request);
        assert_eq!(network.access(figures, 100, request), first + 32);
        assert_eq!(network.access(figures, 5000, request) - 5000, first - 100);
    }
}
