//! Documents in languages that other servers serve: clients are asked for them, for what costs are shown by, and of CUDA for what
//! answers in the strings of `asm` statements.

use super::transport::client_capabilities::Abilities;
use super::table;
use ide::{Language, SHARED, SharedLanguage};
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{Registration, ServerCapabilities, TextDocumentSyncKind, Uri};

/// A request, with the member of the capabilities that offers it.
type Offered = (&'static str, &'static str);

/// Requests that show costs.
const COSTS: [Offered; 5] = [
    ("textDocument/hover", "hoverProvider"),
    ("textDocument/codeLens", "codeLensProvider"),
    ("textDocument/inlayHint", "inlayHintProvider"),
    ("textDocument/codeAction", "codeActionProvider"),
    ("textDocument/diagnostic", "diagnosticProvider"),
];

/// Requests that answer in the strings of `asm` statements.
const STRINGS: [Offered; 5] = [
    ("textDocument/completion", "completionProvider"),
    ("textDocument/signatureHelp", "signatureHelpProvider"),
    ("textDocument/definition", "definitionProvider"),
    ("textDocument/references", "referencesProvider"),
    ("textDocument/documentHighlight", "documentHighlightProvider"),
];

/// Characters that have a client ask in CUDA, by the member that offers the request. They are few, as C++ is full of them: those
/// before a modifier, an operand and a guard. A blank, which PTX's signatures are asked for at, would have clients ask the
/// C++ server, too.
const TRIGGERS: [(&str, &[&str]); 2] =
    [("completionProvider", &[".", "%", "@"]), ("signatureHelpProvider", &[","])];

/// Schemes of documents that people write. Others show earlier versions for comparison, whose findings cannot be fixed.
const SCHEMES: [&str; 2] = ["file", "untitled"];

/// Returns whether people write the document: it is no earlier version, and nothing that was made of another document.
pub(super) fn is_written(uri: &Uri) -> bool {
    SCHEMES.contains(&uri.scheme().as_str())
}

/// The requests that shared documents have, as members of the capabilities.
fn offers(client: &Abilities) -> Value {
    let mut offered = serde_json::to_value(table::costs_and_strings(client)).unwrap_or_default();
    for (provider, characters) in TRIGGERS {
        offered[provider]["triggerCharacters"] = json!(characters);
    }
    offered
}

/// Returns what is offered from the start to a client that has shared documents alone. What it takes a registration for it is not:
/// only CUDA has strings of `asm` statements.
pub(super) fn capabilities(client: &Abilities) -> ServerCapabilities {
    let mut offered = offers(client);
    if let Value::Object(offered) = &mut offered {
        let registered = STRINGS.iter().filter(|(method, _)| client.registered_requests.contains(method));
        registered.for_each(|(_, provider)| drop(offered.remove(*provider)));
    }
    serde_json::from_value(offered).unwrap_or_else(|_| table::costs(client))
}

/// Asks for the documents of shared languages, and for those of the requests that the client takes a registration for: of the
/// languages that are read, or of those that only the code of a build reports on.
pub(super) fn registrations(client: &Abilities, are_read: bool) -> Vec<Registration> {
    let offered = offers(client);
    let wanted = SHARED.iter().filter(|shared| matches!(shared.language, Language::Source(_)) != are_read);
    wanted
        .flat_map(|language| {
            let mut all = documents(language);
            all.extend(requests(language, &COSTS, client, &offered));
            all.extend(strings_of(language, client, &offered));
            all
        })
        .collect()
}

/// Requests whose answers report on Triton kernels.
const TRITON: [&str; 2] = ["textDocument/codeLens", "textDocument/codeAction"];

/// Asks for Python's documents, and only for the requests whose answers report on Triton kernels.
pub(super) fn registrations_of_triton(client: &Abilities) -> Vec<Registration> {
    let offered = offers(client);
    let wanted: Vec<Offered> = COSTS.into_iter().filter(|(method, _)| TRITON.contains(method)).collect();
    let python = SHARED.iter().filter(|shared| shared.name == PYTHON);
    python
        .flat_map(|language| {
            let mut all = documents(language);
            all.extend(requests(language, &wanted, client, &offered));
            all
        })
        .collect()
}

/// Takes those out of the registrations that were asked for when a `[tune]` was found for Triton.
pub(super) fn beside_triton(registrations: Vec<Registration>, client: &Abilities) -> Vec<Registration> {
    let known: Vec<String> = registrations_of_triton(client).into_iter().map(|own| own.id).collect();
    registrations.into_iter().filter(|own| !known.contains(&own.id)).collect()
}

/// The language of Triton kernels.
const PYTHON: &str = "python";

/// Asks for the requests that answer in the strings of `asm` statements alone.
pub(super) fn registrations_of_strings(client: &Abilities) -> Vec<Registration> {
    let offered = offers(client);
    SHARED.iter().flat_map(|language| strings_of(language, client, &offered)).collect()
}

fn strings_of(language: &SharedLanguage, client: &Abilities, offered: &Value) -> Vec<Registration> {
    if language.language == Language::Cuda {
        requests(language, &STRINGS, client, offered)
    } else {
        Vec::new()
    }
}

fn documents(language: &SharedLanguage) -> Vec<Registration> {
    vec![
        registration(language, "textDocument/didOpen", json!({})),
        registration(
            language,
            "textDocument/didChange",
            json!({ "syncKind": TextDocumentSyncKind::INCREMENTAL }),
        ),
        registration(language, "textDocument/didClose", json!({})),
    ]
}

fn requests(
    language: &SharedLanguage,
    wanted: &[Offered],
    client: &Abilities,
    offered: &Value,
) -> Vec<Registration> {
    let wanted = wanted.iter().filter(|(method, _)| client.registered_requests.contains(method));
    let asked = wanted.filter_map(|(method, provider)| {
        let mut options = match &offered[*provider] {
            Value::Object(options) => Value::Object(options.clone()),
            Value::Bool(true) => json!({}),
            _ => return None,
        };
        // VS Code keeps a list of findings for each identifier.
        if let Some(identifier) = options.get_mut("identifier") {
            *identifier = format!("warplens-{}", language.name).into();
        }
        Some(registration(language, method, options))
    });
    asked.collect()
}

fn registration(language: &SharedLanguage, method: &str, mut options: Value) -> Registration {
    let filter = |id| SCHEMES.map(|scheme| json!({ "scheme": scheme, "language": id }));
    options["documentSelector"] = language.ids.iter().flat_map(filter).collect();
    let id = format!("{}-{}", language.name, method.trim_start_matches("textDocument/"));
    Registration { id, method: method.to_owned(), register_options: Some(options) }
}
