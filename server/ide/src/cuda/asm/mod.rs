//! `asm` statements: language features for the PTX in their strings.

mod at_cursor;
mod complete;
mod findings;
mod hover;
mod navigate;
mod operand;
mod signature;

pub(crate) use complete::{completions, page};
pub(crate) use findings::{findings, fixes};
pub(crate) use hover::hover;
pub(crate) use navigate::{definitions, references};
pub(crate) use signature::signature;

use super::view::CudaView;
use syntax::cuda::PlacedItem;

fn text_of<'a>(view: &CudaView<'a>, placed: &PlacedItem) -> &'a str {
    view.text.text().get(placed.range(&(0..placed.item.length))).unwrap_or_default()
}
