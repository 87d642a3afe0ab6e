//! Positions of a listing's instructions in a profile.

/// Positions in a profile of a listing's instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    /// Per instruction of the listing, its index in the profile; `None` if the profile lacks it.
    pub of: Vec<Option<usize>>,
    /// True if the profile is of exactly this code.
    pub is_same: bool,
}
