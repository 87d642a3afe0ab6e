//! Positions of a listing's instructions in a profile.

/// For a listing's instructions, the corresponding ones in a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    /// Per instruction of the listing, its index in the profile; `None` if the profile lacks it.
    pub of: Vec<Option<usize>>,
    /// True if the profile is of exactly this code.
    pub is_same: bool,
}
