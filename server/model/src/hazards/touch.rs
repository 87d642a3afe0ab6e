//! A touch of a register that may still be in flight.

use crate::Guard;
use crate::in_flight::{self, Event, SCOREBOARDS};

/// An instruction's write or late read of a register, seen from a later place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InFlightAccess {
    /// Number of the register in [`Registers`](crate::dataflow::Registers).
    pub(super) register: u32,
    pub(super) event: Event,
    /// True for a register that is read at a fixed time.
    pub(super) is_uniform: bool,
    /// The last register of what an operand names.
    pub(super) is_last: bool,
    /// The cycle of its issue on the clock of the block that is walked; before its first instruction it is negative.
    pub(super) issued: i32,
    /// The operations on each scoreboard whose end says that the touch is over: its own, or a later one of the same line.
    pub(super) signals: [Option<Signal>; SCOREBOARDS],
    /// The guard of its instruction: `None` where it has none or the predicate was written again.
    pub(super) guard: Option<Guard>,
    /// Guards that hold too where that one did, likewise.
    pub(super) implied: [Option<Guard>; 2],
    /// Instructions with waits up to its issue, on the count of the block that is walked.
    pub(super) waits: i32,
}

/// An operation that sets a scoreboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signal {
    /// The cycle of its issue, on the clock of the block that is walked.
    pub(super) issued: i32,
    /// Operations that had set the scoreboard before, on the count of the block that is walked.
    pub(super) ordinal: i32,
    /// The least cycles from its issue until it ends.
    pub(super) least: i32,
}

impl InFlightAccess {
    pub(super) fn is_signalled(&self) -> bool {
        self.signals.iter().any(Option::is_some)
    }

    /// One bit each.
    pub(super) fn scoreboards(&self) -> u8 {
        let set = (0..SCOREBOARDS).filter(|&scoreboard| self.signals[scoreboard].is_some());
        set.fold(0, |mask, scoreboard| mask | 1 << scoreboard)
    }

    /// True if no lane executes both this access and an instruction under `guard`.
    pub(super) fn excludes(&self, guard: Option<Guard>) -> bool {
        self.guards().any(|own| are_disjoint(Some(own), guard))
    }

    /// All guards that hold where the access executes.
    pub(super) fn guards(&self) -> impl Iterator<Item = Guard> {
        self.guard.into_iter().chain(self.implied.into_iter().flatten())
    }
}

impl in_flight::InFlight for InFlightAccess {
    fn key(&self) -> (u32, Event) {
        (self.register, self.event)
    }

    /// The later issue counts, and the later signal.
    fn join(&self, other: &Self) -> Self {
        let mut both = *self;
        both.issued = self.issued.max(other.issued);
        both.waits = self.waits.max(other.waits);
        for (signal, other) in both.signals.iter_mut().zip(other.signals) {
            // On a way without it, the scoreboard says nothing of the touch.
            *signal = signal.zip(other).map(|(own, other)| Signal {
                issued: own.issued.max(other.issued),
                ordinal: own.ordinal.max(other.ordinal),
                least: own.least.min(other.least),
            });
        }
        if self.guard != other.guard {
            both.guard = None;
        }
        for (implied, other) in both.implied.iter_mut().zip(other.implied) {
            *implied = implied.filter(|_| *implied == other);
        }
        both
    }
}

/// True if the guards are opposite, so that no lane executes instructions under both.
fn are_disjoint(one: Option<Guard>, other: Option<Guard>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.predicate == other.predicate && one.negated != other.negated,
        _ => false,
    }
}
