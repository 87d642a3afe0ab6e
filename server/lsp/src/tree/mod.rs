//! The top-down tree in the forms that people look at: lines, and pictures.

pub(crate) mod boxes;
pub(crate) mod dot;
pub(crate) mod mermaid;
pub(crate) mod svg;
pub(crate) mod words;
