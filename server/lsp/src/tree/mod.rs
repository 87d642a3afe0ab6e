//! The top-down tree as text and as pictures.

pub(crate) mod boxes;
pub(crate) mod dot;
mod lines;
pub(crate) mod mermaid;
pub(crate) mod svg;
pub(crate) mod words;
