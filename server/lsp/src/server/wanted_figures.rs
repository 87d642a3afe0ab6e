//! Launches whose full figures are wanted, in their order.

use ide::LensOf;
use tokio::time::Instant;
use tower_lsp_server::ls_types::{Position, Uri};

/// Launches whose full figures are wanted.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// The last is the next.
    pub(super) waiting: Vec<Wanted>,
    pub(super) is_under_way: bool,
}

/// A launch, or a kernel with all its launches, in one version of a document.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) uri: Uri,
    pub(super) opening: u64,
    pub(super) version: i32,
    pub(super) place: Place,
    pub(super) asked: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    Lens(usize, LensOf),
    Kernel(Position),
}

impl Wanted {
    /// Whether both are the same launch in the same version of a document.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let of = |own: &Self| (own.opening, own.version, own.place);
        of(self) == of(other) && self.uri == other.uri
    }

    /// Whether the launch is of this version of the document.
    pub(super) fn is_of(&self, opening: u64, version: i32) -> bool {
        (opening, version) == (self.opening, self.version)
    }
}
