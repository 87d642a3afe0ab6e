//! A view that records the simulation between two instructions.

use crate::Cancel;
use model::pipeline::views::{PipePressure, Region, StallReasons};
use model::pipeline::{Code, Issue, View};
use std::collections::BTreeSet;

/// Records the issues from the first issue of one instruction to the last issue of another instruction.
/// Stops the simulation if the query is cancelled.
pub(crate) struct RegionRecorder<'a> {
    pub region: Region,
    /// Stall reasons within the region. Stalls of the first instruction precede the region and are not
    /// counted.
    pub stalls: StallReasons,
    pub pressure: PipePressure<'a>,
    /// Instructions that issued in the region.
    pub seen: BTreeSet<u32>,
    pub issues: u64,
    /// The first issues of the region, at most `max_steps`.
    pub steps: Vec<Issue>,
    max_steps: usize,
    last: u32,
    cancel: &'a Cancel,
    looked: u64,
}

/// Number of issues between two checks of the cancel token.
const LOOK: u64 = 4096; // limit: cheap next to the issues between two

impl<'a> RegionRecorder<'a> {
    /// Creates a recorder. `rounds` is the number of times that each warp runs the path between the two instructions;
    /// only the last run is timed.
    pub(crate) fn new(
        code: &'a Code,
        (first, last): (u32, u32),
        rounds: u32,
        warps: u32,
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            region: Region::new(first, last, rounds, warps),
            stalls: StallReasons::default(),
            pressure: PipePressure::new(code),
            seen: BTreeSet::new(),
            issues: 0,
            steps: Vec::new(),
            max_steps: 0,
            last,
            cancel,
            looked: 0,
        }
    }

    /// Returns this recorder with a limit of `max_steps` recorded issues.
    pub(crate) fn with_steps(self, max_steps: usize) -> Self {
        Self { max_steps, ..self }
    }
}

impl View for RegionRecorder<'_> {
    fn issued(&mut self, issue: &Issue) -> bool {
        let was_inside = self.region.holds(issue);
        self.region.issued(issue);
        if self.region.holds(issue) {
            if was_inside {
                self.stalls.issued(issue);
            }
            // The last instruction occupies its pipe only after the end of the region.
            if issue.inst != self.last {
                self.pressure.issued(issue);
            }
            self.seen.insert(issue.inst);
            self.issues += 1;
            if self.steps.len() < self.max_steps {
                self.steps.push(*issue);
            }
        }
        self.looked += 1;
        !(self.looked.is_multiple_of(LOOK) && self.cancel.is_cancelled())
    }
}
