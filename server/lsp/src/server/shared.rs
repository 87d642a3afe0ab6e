//! Documents in languages that other servers serve: clients are asked for them, and for what costs are shown by, alone.

use super::abilities::Abilities;
use super::table;
use ide::{Language, SHARED, SharedLanguage};
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{Registration, TextDocumentSyncKind, Uri};

/// Requests that show costs, each with the member of the capabilities that offers it.
const REQUESTS: [(&str, &str); 5] = [
    ("textDocument/hover", "hoverProvider"),
    ("textDocument/codeLens", "codeLensProvider"),
    ("textDocument/inlayHint", "inlayHintProvider"),
    ("textDocument/codeAction", "codeActionProvider"),
    ("textDocument/diagnostic", "diagnosticProvider"),
];

/// Schemes of documents that people write. Others show earlier versions beside them, whose findings nobody can mend.
const SCHEMES: [&str; 2] = ["file", "untitled"];

/// Returns whether people write the document: it is no earlier version, and nothing that was made of another document.
pub(super) fn is_written(uri: &Uri) -> bool {
    SCHEMES.contains(&uri.scheme().as_str())
}

/// Asks for the documents of shared languages, and for those of the requests that the client takes a registration for: of the
/// languages that are read, or of those that only the code of a build tells of.
pub(super) fn registrations(client: &Abilities, are_read: bool) -> Vec<Registration> {
    let offered = serde_json::to_value(table::costs(client)).unwrap_or_default();
    let wanted = SHARED.iter().filter(|shared| matches!(shared.language, Language::Source(_)) != are_read);
    wanted.flat_map(|language| of_language(language, client, &offered)).collect()
}

fn of_language(language: &SharedLanguage, client: &Abilities, offered: &Value) -> Vec<Registration> {
    let filter = |id| SCHEMES.map(|scheme| json!({ "scheme": scheme, "language": id }));
    let selector: Vec<Value> = language.ids.iter().flat_map(filter).collect();
    let registration = |method: &str, mut options: Value| {
        options["documentSelector"] = selector.clone().into();
        let id = format!("{}-{}", language.name, method.trim_start_matches("textDocument/"));
        Registration { id, method: method.to_owned(), register_options: Some(options) }
    };
    let mut all = vec![
        registration("textDocument/didOpen", json!({})),
        registration("textDocument/didChange", json!({ "syncKind": TextDocumentSyncKind::INCREMENTAL })),
        registration("textDocument/didClose", json!({})),
    ];
    let requests = REQUESTS.iter().filter(|(method, _)| client.registered_requests.contains(method));
    all.extend(requests.filter_map(|(method, provider)| {
        let mut options = match &offered[*provider] {
            Value::Object(options) => Value::Object(options.clone()),
            Value::Bool(true) => json!({}),
            _ => return None,
        };
        // VS Code keeps a list of findings for each identifier.
        if let Some(identifier) = options.get_mut("identifier") {
            *identifier = format!("warplens-{}", language.name).into();
        }
        Some(registration(method, options))
    }));
    all
}
