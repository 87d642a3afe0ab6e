//! What is watched of the code that builds leave.

use super::cubin_index::Wanted;

/// What watches the folders of the patterns, and the patterns.
#[derive(Debug, Default)]
pub(super) struct Cubins {
    pub(super) wanted: Vec<Wanted>,
    pub(super) watcher: Option<notify::RecommendedWatcher>,
    /// A folder of the patterns was not there when watching began.
    pub(super) waits_for_folder: bool,
    /// An update is asked for and has not begun.
    pub(super) is_due: bool,
    /// Whether the client is asked for documents of the languages that builds alone tell of.
    pub(super) asking: Asking,
    /// The same for Python, where a `[tune]` names a Triton kernel.
    pub(super) asking_triton: Asking,
}

/// A question to the client, which may be spoken to from `initialized` on, and is asked once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Asking {
    #[default]
    TooEarly,
    May,
    Done,
}

impl Cubins {
    /// True where somebody names code, and the client may be asked for its sources.
    pub(super) fn are_wanted(&self) -> bool {
        self.asking == Asking::May && !self.wanted.is_empty()
    }
}
