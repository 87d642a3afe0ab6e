//! The function at an offset, for answers about single kernels.

use crate::engine::sass_view::SassView;
use crate::ptx::view::View;

/// A hidden listing, and the byte in it that corresponds to a place in the text.
pub(crate) struct Asked {
    pub sass: SassView,
    pub offset: usize,
}

/// The function that holds a place, else the first one after it, else the last; `None` if the module has no function.
pub(crate) fn asked(view: &View<'_>, offset: usize) -> Option<Asked> {
    let bodies = view.bodies();
    let ends_behind = |&&item: &&usize| offset < view.start(item) + view.module.items()[item].text().len();
    let item = *bodies.iter().find(ends_behind).or_else(|| bodies.last())?;
    let hidden = view.cost(item)?;
    let statement = view
        .place(offset)
        .filter(|place| place.index == item)
        .and_then(|place| place.item.statement_at(place.byte));
    let inst = statement.and_then(|statement| hidden.main_instruction(statement));
    let offset = inst.and_then(|inst| hidden.offset_of(inst)).unwrap_or(0);
    Some(Asked { offset, sass: hidden.sass })
}
