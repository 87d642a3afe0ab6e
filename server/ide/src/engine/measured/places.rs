//! Positions of a listing's instructions in a profile.

/// Positions of a listing's instructions in a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    /// Index in the profile of each instruction of the listing. `None` for an instruction that the profile
    /// lacks.
    pub of: Vec<Option<usize>>,
    /// True if the profile was recorded with exactly the code of the listing.
    pub is_same: bool,
}
