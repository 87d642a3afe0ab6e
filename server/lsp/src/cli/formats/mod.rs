//! The output formats of `warplens check`.

pub(super) mod github;
pub(super) mod json;
pub(super) mod sarif;
pub(super) mod text;

#[cfg(test)]
mod tests;
