//! Lanes of a warp that are active, and lanes for which that is unknown.

use crate::cuda::values::lanes::Truth;

/// The active mask of a warp, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaneMask {
    /// Lanes that run.
    active: u32,
    /// All lanes of the warp.
    whole: u32,
    /// Lanes for which it is unknown whether they run.
    doubt: u32,
    /// Lanes for which it is unknown whether they run, although either all or none of them do.
    maybe: u32,
}

impl LaneMask {
    /// A mask in which all lanes of a warp are active.
    pub(crate) const fn new(whole: u32) -> Self {
        Self { active: whole, whole, doubt: 0, maybe: 0 }
    }

    pub(crate) const fn active(self) -> u32 {
        self.active
    }

    pub(crate) const fn whole(self) -> u32 {
        self.whole
    }

    /// Lanes for which it is individually unknown whether they run.
    pub(crate) const fn doubt(self) -> u32 {
        self.doubt
    }

    /// Lanes, active or not, for which it is unknown whether they run.
    pub(crate) const fn unsure(self) -> u32 {
        self.doubt | self.maybe
    }

    /// Active lanes for which it is unknown whether they run.
    pub(crate) const fn unsure_active(self) -> u32 {
        self.unsure() & self.active
    }

    pub(crate) const fn set_active(&mut self, lanes: u32) {
        self.active = lanes;
    }

    /// Stops all lanes but these.
    pub(crate) const fn retain(&mut self, lanes: u32) {
        self.active &= lanes;
    }

    /// Marks active lanes as individually unsure.
    pub(crate) const fn add_doubt(&mut self, lanes: u32) {
        self.doubt |= lanes & self.active;
    }

    /// Marks active lanes with an unknown condition as unsure: together if all lanes share it, else individually.
    pub(crate) const fn add_unknown(&mut self, truth: Truth) {
        let unknown = truth.unknown & self.active;
        if truth.is_shared {
            self.maybe |= unknown;
        } else {
            self.doubt |= unknown;
        }
    }
}
