//! The queue of launches whose full figures are requested.

use ide::LensSubject;
use tokio::time::Instant;
use tower_lsp_server::ls_types::{Position, Uri};

/// Launches whose full figures are wanted.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// Waiting launches; the last one is simulated next.
    pub(crate) waiting: Vec<WantedFigure>,
    pub(crate) is_under_way: bool,
}

/// A requested launch, or a kernel with all its launches, in one version of a document.
#[derive(Debug, Clone)]
pub(crate) struct WantedFigure {
    pub(crate) uri: Uri,
    pub(crate) opening: u64,
    pub(crate) version: i32,
    pub(crate) place: FigureSubject,
    pub(crate) asked: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FigureSubject {
    Lens(usize, LensSubject),
    Kernel(Position),
}

impl WantedFigure {
    /// True if both are the same launch in the same version of a document.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let of = |own: &Self| (own.opening, own.version, own.place);
        of(self) == of(other) && self.uri == other.uri
    }

    /// True if the launch belongs to this version of the document.
    pub(crate) fn is_of(&self, opening: u64, version: i32) -> bool {
        (opening, version) == (self.opening, self.version)
    }
}
