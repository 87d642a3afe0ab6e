//! The forms in which `warplens check` writes what it found.

pub(super) mod github;
pub(super) mod json;
pub(super) mod sarif;
pub(super) mod text;

#[cfg(test)]
mod tests;
