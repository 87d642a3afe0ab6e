//! The conversion of an item, which the three requests of the call hierarchy share.

use crate::server::position::Places;
use ide::CallItem;
use tower_lsp_server::ls_types::{CallHierarchyItem, SymbolKind, Uri};

pub(super) fn item(item: CallItem, uri: Uri, places: &mut Places<'_>) -> CallHierarchyItem {
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
