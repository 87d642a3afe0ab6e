//! View of a CUDA document for queries.

use crate::engine::cancel::Cancel;
use crate::engine::context::Context;
use crate::engine::cuda_text::CudaText;
use crate::engine::target::Target;
use model::cuda::SourceSpan;
use std::ops::Range;
use std::sync::Arc;
use syntax::cuda::{FIRST_INCLUDED, Function, PlacedItem};

/// A version of a CUDA document, with the settings and the cancellation token of the request.
pub(crate) struct CudaView<'a> {
    pub text: &'a CudaText,
    pub context: &'a Arc<Context>,
    pub cancel: &'a Cancel,
}

impl<'a> CudaView<'a> {
    /// Returns the GPU that figures are computed for.
    pub(crate) fn target_gpu(&self) -> Target {
        Target::for_module(&self.context.machine, &self.context.wish, None)
    }

    /// Returns the kernels with a body: item index, item with its position, and function.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = (u32, &'a PlacedItem, &'a Function)> + use<'a> {
        let items = self.text.unit().items.iter().zip(0_u32..);
        items.filter_map(|(placed, at)| match &placed.item.kind {
            syntax::cuda::ItemKind::Function(function) if function.is_kernel() && function.body.is_some() => {
                Some((at, placed, function))
            }
            _ => None,
        })
    }

    /// Converts a place within an item to a byte range of the document.
    pub(crate) fn range(&self, place: SourceSpan) -> Range<usize> {
        self.text.unit().items.get(place.item as usize).map_or(0..0, |placed| placed.range(&place.range()))
    }

    /// True if a place is in this text, not in a header.
    pub(crate) fn is_own(place: SourceSpan) -> bool {
        place.item < FIRST_INCLUDED
    }

    /// Name of the file that contains a place, if it is a header.
    pub(crate) fn header_of(&self, place: SourceSpan) -> Option<&'a str> {
        let at = place.item.checked_sub(FIRST_INCLUDED)?;
        Some(self.text.unit().included()?.header_of(at as usize)?)
    }

    /// True if a line that overlaps the place has a syntax error.
    pub(crate) fn is_broken(&self, place: SourceSpan) -> bool {
        let Some(placed) = self.text.unit().items.get(place.item as usize) else { return true };
        if placed.item.errors.is_empty() {
            return false;
        }
        let lines = lines_of(self.text.text(), &self.range(place));
        placed.item.errors.iter().any(|error| {
            let error = placed.range(error);
            error.start <= lines.end && lines.start <= error.end
        })
    }
}

/// Returns the byte range of the whole lines that a range overlaps, without the last line break.
pub(crate) fn lines_of(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |length| range.end + length);
    start..end
}
