//! The features of PTX: one file or folder for each.

mod allowed;
mod blocks;
pub(crate) mod complete;
pub(crate) mod cost;
pub(crate) mod findings;
pub(crate) mod fixes;
pub(crate) mod folds;
pub(crate) mod format;
pub(crate) mod hover;
pub(crate) mod launch;
mod line_map;
mod lines;
pub(crate) mod links;
pub(crate) mod navigate;
mod needs;
pub(crate) mod relations;
pub(crate) mod rename;
mod roles;
pub(crate) mod selection;
pub(crate) mod semantic;
pub(crate) mod signature;
mod source;
mod subject;
pub(crate) mod symbols;
mod values;
pub(crate) mod view;

pub use line_map::{LineMap, MappedFunction};
pub use source::{PtxFunction, PtxSource};
