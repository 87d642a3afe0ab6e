//! Compiled code shown at the lines of its source: CUDA, PTX, or any language that a cubin names.

pub(crate) mod compare;
pub(crate) mod findings;
pub(crate) mod gain;
pub(crate) mod heat;
pub(crate) mod hints;
pub(crate) mod lenses;
mod ptx_lines;
mod read;
#[cfg(test)]
mod tests;
pub(crate) mod view;

pub use ptx_lines::ptx_line_map;
