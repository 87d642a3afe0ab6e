//! Launch template for the user to complete, with the parameters declared by a PTX entry.

use super::cost;
use crate::kernels::launch::uncounted;
use crate::ptx::view::View;
use crate::{StatedLaunch, StatedParameter};
use model::ptx::SymbolKind;
use syntax::ptx::FunctionKind;

/// Launch template for the entry whose head contains the offset; `None` if a launch is already stated, or if the cost of
/// the entry is not estimated.
pub(crate) fn launch_to_state(view: &View<'_>, offset: usize) -> Option<StatedLaunch> {
    let place = view.place(offset)?;
    let name = place.item.name()?;
    let is_head = place.item.name_token().is_some_and(|token| place.byte <= token.end());
    let is_stated = view
        .context
        .launches
        .as_ref()
        .is_some_and(|file| file.launches_of(name).next().is_some() || file.refused_of(name).is_some());
    if !is_head
        || is_stated
        || place.item.function().is_none_or(|function| function.kind != FunctionKind::Entry)
    {
        return None;
    }
    let asked = cost::asked(view, offset)?;
    let (index, _) = asked.sass.kernels().next()?;
    let launch = uncounted(&asked.sass.kernel(index)).swap_remove(0).0;
    let facts = view.facts(place.item);
    let names = facts.names(place.item);
    let text = |token: u32| place.item.tokens().get(token as usize).map(|token| place.item.token_text(token));
    let declared = names.symbols().iter().filter(|symbol| symbol.kind == SymbolKind::Parameter);
    let parameter = |symbol: &model::ptx::Symbol| {
        let (name, of) = (text(symbol.token)?, symbol.ty.and_then(text).unwrap_or_default());
        // A 64-bit parameter without `.ptr` may also be a number.
        let statement = place.item.statements().get(symbol.statement as usize);
        let words = statement.map(|own| place.item.range(own));
        let words = words.map_or("", |range| &place.item.text()[range.start as usize..range.end as usize]);
        let is_pointer = words.split(',').any(|own| {
            own.contains(".ptr") && own.split_whitespace().any(|word| word.trim_end_matches(')') == name)
        });
        Some(StatedParameter { title: format!("{name}: {of}"), is_pointer, tensor: None })
    };
    Some(StatedLaunch {
        function: name.to_owned(),
        grid: launch.grid,
        block: launch.block,
        parameters: declared.filter_map(parameter).collect(),
        constants: Vec::new(),
    })
}
