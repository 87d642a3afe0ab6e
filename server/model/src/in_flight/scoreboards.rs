//! The scoreboards of a warp.

use machine::Hardware;

pub(crate) use machine::units::SCOREBOARDS;

/// Iterates over the scoreboards of a mask, in ascending order.
pub(crate) fn named(mask: u8) -> impl Iterator<Item = u8> {
    (0..SCOREBOARDS as u8).filter(move |board| mask >> board & 1 == 1)
}

/// The pending operations that each scoreboard counts.
#[derive(Debug)]
pub(crate) struct Scoreboards<T> {
    counted: [Vec<T>; SCOREBOARDS],
    /// Cycles from the issue of an instruction that sets a scoreboard until a wait sees the scoreboard as set; see
    /// [`Hardware`].
    pub(crate) visible: i64,
}

impl<T> Scoreboards<T> {
    pub(crate) fn new() -> Self {
        let visible = Hardware::builtin().scoreboard_visible.value.into();
        Self { counted: Default::default(), visible }
    }

    pub(crate) fn count(&mut self, board: u8, touch: T) {
        self.counted[usize::from(board)].push(touch);
    }

    /// Removes and returns the operations that a scoreboard counts. A wait that is too early to see an operation must
    /// count the operation again.
    pub(crate) fn take(&mut self, board: u8) -> Vec<T> {
        std::mem::take(&mut self.counted[usize::from(board)])
    }

    pub(crate) fn retain(&mut self, board: u8, stays: impl FnMut(&T) -> bool) {
        self.counted[usize::from(board)].retain(stays);
    }

    pub(crate) fn clear(&mut self) {
        self.counted.iter_mut().for_each(Vec::clear);
    }
}
