//! The top-down tree in the forms that people look at: lines, and pictures.

pub(crate) mod boxes;
pub(crate) mod dot;
mod lines;
pub(crate) mod mermaid;
pub(crate) mod svg;
pub(crate) mod words;
