//! Help with the text of a launches file: proposals, descriptions, colours, and fixes of what is wrong in it.

pub(crate) mod complete;
mod cursor;
pub(crate) mod fixes;
pub(crate) mod hover;
mod keys;
pub(crate) mod semantic;
#[cfg(test)]
mod tests;

/// A kernel of a document that an editor has open, which a launch may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownKernel {
    /// The name as its document has it.
    pub(crate) raw: String,
    /// [`Self::raw`], demangled if it was mangled.
    pub(crate) readable: String,
}
