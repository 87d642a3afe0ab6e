//! Shared-memory bank conflicts, summed over instructions, for profiles that have no conflict counters for the whole
//! launch.

use super::count::opcode_of;
use profile::Launch;

/// Per-instruction metrics: wavefronts, and wavefronts without conflicts.
const WAVEFRONTS: &str = "memory_l1_wavefronts_shared";
const IDEAL: &str = "memory_l1_wavefronts_shared_ideal";

/// Source of the figures.
pub(super) const SOURCE: &str =
    "memory_l1_wavefronts_shared - memory_l1_wavefronts_shared_ideal, by instruction";

/// Kind of an access to shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Load,
    Store,
    /// Any other access, such as an atomic operation or a copy.
    Other,
}

/// Sums over the accesses of a kind.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Conflicts {
    /// Total number of wavefronts. `extra` is the number of wavefronts that conflicts add.
    pub(super) wavefronts: f64,
    pub(super) extra: f64,
    /// Number of accesses that warps executed.
    pub(super) requests: f64,
}

/// The sums for a kind of access; `None` if the profile has no such accesses, or no wavefront counts for
/// them.
pub(super) fn conflicts(launch: &Launch, kind: Access) -> Option<Conflicts> {
    let own = &launch.instructions;
    let mut sum = Conflicts::default();
    for (offset, wavefronts) in own.counts(WAVEFRONTS) {
        let at = own.offsets().binary_search(&offset).ok()?;
        if access(launch, at) == kind {
            sum.wavefronts += wavefronts;
            sum.extra += (wavefronts - own.count(IDEAL, at)?).max(0.0);
            sum.requests += own.count("inst_executed", at)?;
        }
    }
    (sum.requests > 0.0).then_some(sum)
}

/// The kind of an instruction's access, determined from its text. If the profile has no text, determined from the
/// access type in the report.
fn access(launch: &Launch, at: usize) -> Access {
    let own = &launch.instructions;
    if let Some(opcode) = own.text(at).and_then(opcode_of) {
        return match opcode.split('.').next() {
            Some("LDS") => Access::Load,
            Some("STS") => Access::Store,
            _ => Access::Other,
        };
    }
    // The values that Nsight Compute 2025.3 labels `Load` and `Store` in a report.
    match own.count("memory_access_type", at) {
        Some(2.0) => Access::Load,
        Some(4.0) => Access::Store,
        _ => Access::Other,
    }
}
