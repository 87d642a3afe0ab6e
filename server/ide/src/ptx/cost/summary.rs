//! Finds the function at an offset, for queries about single kernels.

use crate::engine::sass_view::SassView;
use crate::ptx::view::View;

/// A hidden listing, and the listing offset that corresponds to a PTX offset.
pub(crate) struct ListingPosition {
    pub sass: SassView,
    pub offset: usize,
}

/// Hidden listing of the function around an offset, otherwise of the next function, otherwise of the
/// last function. `None` if the module has no function body, or if the function's cost is not
/// estimated.
pub(crate) fn asked(view: &View<'_>, offset: usize) -> Option<ListingPosition> {
    let bodies = view.bodies();
    let ends_after = |&&item: &&usize| offset < view.start(item) + view.module.items()[item].text().len();
    let item = *bodies.iter().find(ends_after).or_else(|| bodies.last())?;
    let hidden = view.cost(item)?;
    let statement = view
        .place(offset)
        .filter(|place| place.index == item)
        .and_then(|place| place.item.statement_at(place.byte));
    let inst = statement.and_then(|statement| hidden.main_instruction(statement));
    let offset = inst.and_then(|inst| hidden.offset_of(inst)).unwrap_or(0);
    Some(ListingPosition { offset, sass: hidden.sass })
}
