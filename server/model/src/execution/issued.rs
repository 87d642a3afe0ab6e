//! Records of the instructions that a warp has run.

/// An instruction that a warp has run.
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssuedInstruction {
    pub inst: u32,
    /// Mask of the lanes of the group that ran the instruction.
    pub lanes: u32,
    /// Mask of the lanes for which the guard is true or may be true.
    pub active: u32,
    /// True if execution does not continue at the next instruction in the text.
    pub jumps: bool,
    /// Memory access of the instruction.
    pub access: AccessState,
    /// True if the loop's trip count is a guess, because neither the launch nor the code states the count.
    pub is_guessed: bool,
    /// True if the branch outcome or the active lanes depended on memory contents.
    pub is_undecided: bool,
    /// True if the branch outcome was assumed, from a loop's stated trip count or because slow paths are
    /// rare.
    pub is_assumed: bool,
}

impl IssuedInstruction {
    /// Returns the record of an instruction without effects.
    pub(super) const fn idle(inst: u32, lanes: u32, active: u32) -> Self {
        Self {
            inst,
            lanes,
            active,
            jumps: false,
            access: AccessState::Nothing,
            is_guessed: false,
            is_undecided: false,
            is_assumed: false,
        }
    }
}

/// Consecutive idle instructions that a warp has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleRun {
    pub first: u32,
    pub count: u32,
    /// Mask of the lanes of the group that ran the instructions. All these lanes are active.
    pub lanes: u32,
}

/// Memory access of an instruction that was run, and whether its addresses are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessState {
    Nothing,
    /// No lane was active.
    Off,
    /// The addresses are known; [`Warp::request`](super::Warp::request) returns them.
    Known,
    Unknown,
}
