//! Active lanes of a warp, and lanes whose activity is unknown.

use crate::cuda::values::lanes::LaneCondition;

/// Active mask of a warp, with the lanes whose activity is uncertain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaneMask {
    /// Mask of the active lanes, including lanes whose activity is uncertain.
    active: u32,
    /// Mask of all lanes of the warp.
    whole: u32,
    /// Mask of the lanes whose activity is unknown individually.
    doubt: u32,
    /// Mask of the lanes whose activity is unknown, but the same for all of them: either all or none are
    /// active.
    maybe: u32,
    /// Mask of the lanes whose activity depends on a condition that usually holds for few lanes.
    few: u32,
    /// Number of unknown conditions under which the lanes are active.
    conditions: u32,
}

impl LaneMask {
    /// Creates a mask in which all lanes of a warp are active.
    pub(crate) const fn new(whole: u32) -> Self {
        Self { active: whole, whole, doubt: 0, maybe: 0, few: 0, conditions: 0 }
    }

    pub(crate) const fn active(self) -> u32 {
        self.active
    }

    pub(crate) const fn whole(self) -> u32 {
        self.whole
    }

    /// Returns the mask of the lanes whose activity is unknown individually.
    pub(crate) const fn doubt(self) -> u32 {
        self.doubt
    }

    /// Returns the mask of all lanes with unknown activity, whether marked active or not.
    pub(crate) const fn unsure(self) -> u32 {
        self.doubt | self.maybe
    }

    /// True unless the active lanes depend on an unknown condition that usually holds for few lanes.
    pub(crate) const fn may_be_many(self) -> bool {
        self.few & self.active == 0
    }

    /// Marks active lanes as depending on an unknown condition that usually holds for few lanes.
    pub(crate) const fn add_few(&mut self, lanes: u32) {
        self.few |= lanes & self.active;
    }

    /// Returns the mask of the active lanes whose activity is uncertain.
    pub(crate) const fn unsure_active(self) -> u32 {
        self.unsure() & self.active
    }

    /// Returns the number of unknown conditions under which the lanes are active.
    pub(crate) const fn conditions(self) -> u32 {
        self.conditions
    }

    pub(crate) const fn set_active(&mut self, lanes: u32) {
        self.active = lanes;
    }

    /// Deactivates all lanes that are not in `lanes`.
    pub(crate) const fn retain(&mut self, lanes: u32) {
        self.active &= lanes;
    }

    /// Marks active lanes as individually uncertain.
    pub(crate) const fn add_doubt(&mut self, lanes: u32) {
        self.doubt |= lanes & self.active;
        self.conditions += (lanes & self.active != 0) as u32;
    }

    /// Marks the active lanes for which a condition is unknown as uncertain: jointly if the condition is equal in all
    /// lanes, otherwise individually.
    pub(crate) const fn add_unknown(&mut self, truth: LaneCondition) {
        let unknown = truth.unknown & self.active;
        self.conditions += (unknown != 0) as u32;
        if truth.is_shared {
            self.maybe |= unknown;
        } else {
            self.doubt |= unknown;
        }
    }
}
