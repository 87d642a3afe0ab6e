//! Places of a listing's instructions in a profile.

/// The instructions of a listing in a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    /// The number in the profile of each instruction of the listing; `None` where that has no such one.
    pub of: Vec<Option<usize>>,
    /// The profile is of this code and no other.
    pub is_same: bool,
}
