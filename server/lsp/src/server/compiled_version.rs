//! The version of a text and of its build that compiled code is of.

use ide::StatedBuild;

/// What the code of a text depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) version: i32,
    pub(super) build: (u16, bool, StatedBuild),
}
