//! The version of a text and of its build that compiled code is of.

use ide::StatedBuild;

/// What the code of a text depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) version: i32,
    pub(crate) build: (u16, bool, StatedBuild),
}
