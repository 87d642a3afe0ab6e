//! The versions of the text and of the build flags that code was compiled from.

use ide::StatedBuild;

/// Text version and build settings that the code of a text depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) version: i32,
    pub(crate) build: (u16, bool, StatedBuild),
}
