//! Editor support for launch files: completion, hovers, semantic tokens and quick fixes.

pub(crate) mod complete;
mod cursor;
pub(crate) mod fixes;
pub(crate) mod hover;
mod keys;
pub(crate) mod semantic;
#[cfg(test)]
mod tests;

/// A kernel in an open document, which a launch can refer to by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownKernel {
    /// The name as spelled in the document.
    pub(crate) raw: String,
    /// [`Self::raw`], demangled if it was mangled.
    pub(crate) readable: String,
}
