//! Conversion of items and calls, shared by the three requests of the call hierarchy.

use crate::server::documents::work::View;
use crate::server::handlers::kind::NoReply;
use crate::server::transport::position::PositionConverter;
use ide::{Analysis, CallItem, CallSite, Cancelled};
use tower_lsp_server::ls_types::{CallHierarchyItem, Range, SymbolKind, Uri};

pub(super) fn item(item: CallItem, uri: Uri, places: &mut PositionConverter<'_>) -> CallHierarchyItem {
    CallHierarchyItem {
        name: item.name,
        kind: if item.is_kernel { SymbolKind::FUNCTION } else { SymbolKind::METHOD },
        tags: None,
        detail: item.detail,
        uri,
        range: places.range(&item.range),
        selection_range: places.range(&item.selection),
        data: None,
    }
}

/// Calls to or from the function of an item. `make` receives the caller or callee, and the locations of the
/// calls.
pub(super) fn calls<T>(
    view: &View,
    item: &CallHierarchyItem,
    ask: fn(&Analysis, usize) -> Result<Vec<CallSite>, Cancelled>,
    make: fn(CallHierarchyItem, Vec<Range>) -> T,
) -> Result<Option<Vec<T>>, NoReply> {
    let places = &mut view.places();
    let offset = places.offset(item.selection_range.start);
    let calls = ask(&view.analysis, offset)?.into_iter().map(|site| {
        let ranges = site.calls.iter().map(|call| places.range(call)).collect();
        make(self::item(site.item, view.uri.clone(), places), ranges)
    });
    Ok(Some(calls.collect()))
}
