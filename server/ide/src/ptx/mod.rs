//! Answers about PTX: one file for each feature.

mod allowed;
mod answers;
mod blocks;
mod complete;
mod cost;
mod findings;
mod fixes;
mod folds;
mod format;
mod hover;
mod line_map;
mod lines;
mod links;
mod memo;
mod navigate;
mod needs;
mod rename;
mod roles;
mod selection;
mod semantic;
mod signature;
mod source;
mod subject;
mod symbols;
mod text;
mod values;
mod view;

pub(crate) use cost::{ESTIMATED, Origin, Placed, doubts, lowered, main_of};
pub use line_map::{LineMap, MappedFunction};
pub(crate) use memo::Memo;
pub use source::{PtxFunction, PtxSource};
pub(crate) use text::Text;
pub(crate) use view::View;
