//! Accesses of registers that may still be in flight.

use super::implied::GuardSet;
use crate::Guard;
use crate::in_flight::{self, Event, SCOREBOARDS};

/// An instruction's write or late read of a register, seen from a later point of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InFlightAccess {
    /// Number of the register in [`Registers`](crate::dataflow::Registers).
    pub(super) register: u32,
    pub(super) event: Event,
    /// True for a register that is read at a fixed time.
    pub(super) is_uniform: bool,
    /// True for the last register that an operand names.
    pub(super) is_last: bool,
    /// Issue cycle on the clock of the current block; negative for an issue before the block.
    pub(super) issued: i32,
    /// For each scoreboard, the operation whose end implies the end of this access: the access's own operation,
    /// or a later operation in the same queue.
    pub(super) signals: [Option<Signal>; SCOREBOARDS],
    /// Guard of the instruction; `None` if the instruction has no guard or the predicate was overwritten
    /// since.
    pub(super) guard: Option<Guard>,
    /// Guards that `guard` implies, without guards whose predicate was overwritten since.
    pub(super) implied: GuardSet,
    /// Number of instructions that wait for scoreboards from the start of the current block to the issue; negative
    /// for an issue before the block.
    pub(super) waits: i32,
}

/// An operation that sets a scoreboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signal {
    /// Issue cycle on the clock of the current block.
    pub(super) issued: i32,
    /// Number of operations on the scoreboard from the start of the current block to this one; negative for an
    /// operation before the block.
    pub(super) ordinal: i32,
    /// Minimum cycles from the operation's issue until its end.
    pub(super) least: i32,
}

impl InFlightAccess {
    pub(super) fn is_signalled(&self) -> bool {
        self.signals.iter().any(Option::is_some)
    }

    /// Returns the scoreboards that signal the end of this access, one bit each.
    pub(super) fn scoreboards(&self) -> u8 {
        let set = (0..SCOREBOARDS).filter(|&scoreboard| self.signals[scoreboard].is_some());
        set.fold(0, |mask, scoreboard| mask | 1 << scoreboard)
    }

    /// True if no lane executes both this access and an instruction under `guard`.
    pub(super) fn excludes(&self, guard: Option<Guard>) -> bool {
        let opposite = guard.map(|guard| Guard { negated: !guard.negated, ..guard });
        opposite.is_some_and(|opposite| self.guard == Some(opposite) || self.implied.contains(opposite))
    }

    /// True if a guard is known to hold where the access executes.
    pub(super) fn is_guarded(&self) -> bool {
        self.guard.is_some() || !self.implied.is_empty()
    }
}

impl in_flight::InFlight for InFlightAccess {
    fn key(&self) -> (u32, Event) {
        (self.register, self.event)
    }

    /// Merges the states of one access on two paths: keeps the later issue and the later signals.
    fn join(&self, other: &Self) -> Self {
        let mut both = *self;
        both.issued = self.issued.max(other.issued);
        both.waits = self.waits.max(other.waits);
        for (signal, other) in both.signals.iter_mut().zip(other.signals) {
            // If one path lacks the signal, the scoreboard does not signal the access.
            *signal = signal.zip(other).map(|(own, other)| Signal {
                issued: own.issued.max(other.issued),
                ordinal: own.ordinal.max(other.ordinal),
                least: own.least.min(other.least),
            });
        }
        if self.guard != other.guard {
            both.guard = None;
        }
        both.implied = self.implied.intersection(other.implied);
        both
    }
}
