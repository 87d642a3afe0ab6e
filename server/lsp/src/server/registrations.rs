//! Registrations with the client: for settings and files, for `warplens.toml`, and for documents in languages that
//! other servers serve. For documents of other servers, only requests that show costs are registered; for CUDA, also
//! requests that are answered inside the strings of `asm` statements.

use super::code::cubin_watch::RequestState;
use super::handlers::{self, semantic_tokens};
use super::session::Session;
use super::transport::client_features::ClientFeatures;
use super::transport::uris::SCHEMES;
use super::workspace::root::FILE;
use ide::{Language, SHARED, SharedLanguage};
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{
    CodeActionKind, DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, Registration,
    ServerCapabilities, TextDocumentSyncKind,
};

/// Registers with the client for changes of files and settings, and for documents and requests that need a
/// registration. Omits registrations that the client does not support.
pub(super) fn register(session: &Session) {
    let mut registrations = Vec::new();
    if session.connection.features().registers_watching {
        let watchers =
            vec![FileSystemWatcher { glob_pattern: GlobPattern::String(format!("**/{FILE}")), kind: None }];
        registrations.push(Registration {
            id: "launches".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: serde_json::to_value(DidChangeWatchedFilesRegistrationOptions { watchers })
                .ok(),
        });
    }
    // A client that requests only costs opens the documents without a registration.
    let sends_shared = session.connection.facts().costs_only;
    if sends_shared {
        registrations.extend(registrations_of_strings(session.connection.features()));
    }
    if session.connection.features().registers_documents {
        registrations.extend(launch_file_registrations(session.connection.features()));
        if !sends_shared {
            registrations.extend(shared_registrations(session.connection.features(), true));
        }
    }
    if session.connection.features().registers_configuration {
        registrations.push(Registration {
            id: "settings".to_owned(),
            method: "workspace/didChangeConfiguration".to_owned(),
            register_options: Some(serde_json::json!({"section": "warplens"})),
        });
    }
    if registrations.is_empty() {
        return;
    }
    let client = session.connection.client();
    tokio::spawn(async move { client.register_capability(registrations).await });
}

/// Registers for documents in languages that the server does not compile, once a `warplens.toml` has a `cubins`
/// pattern. Registers for Python once a `warplens.toml` names a Triton kernel to tune. Sends each registration once.
pub(super) fn register_sources(session: &Session) {
    let mut left_code = session.code.lock();
    let are_wanted = left_code.are_wanted();
    let is_triton = left_code.asking_triton == RequestState::May && session.workspace.lock().tunes_triton();
    if are_wanted {
        left_code.asking = RequestState::Done;
    }
    if is_triton {
        left_code.asking_triton = RequestState::Done;
    }
    let (sources, triton) = (left_code.asking, left_code.asking_triton);
    drop(left_code);
    if !session.connection.features().registers_documents || session.connection.facts().costs_only {
        return;
    }
    let mut registrations = Vec::new();
    if are_wanted {
        registrations = shared_registrations(session.connection.features(), false);
        if triton == RequestState::Done && !is_triton {
            registrations = without_triton(registrations, session.connection.features());
        }
    } else if is_triton && sources != RequestState::Done {
        registrations = registrations_of_triton(session.connection.features());
    }
    if !registrations.is_empty() {
        let client = session.connection.client();
        tokio::spawn(async move { client.register_capability(registrations).await });
    }
}

/// A request's method, and the member of the server capabilities that announces it.
type Offered = (&'static str, &'static str);

/// Requests that show costs.
const COSTS: [Offered; 5] = [
    ("textDocument/hover", "hoverProvider"),
    ("textDocument/codeLens", "codeLensProvider"),
    ("textDocument/inlayHint", "inlayHintProvider"),
    ("textDocument/codeAction", "codeActionProvider"),
    ("textDocument/diagnostic", "diagnosticProvider"),
];

/// Requests that are answered inside the strings of `asm` statements.
const STRINGS: [Offered; 5] = [
    ("textDocument/completion", "completionProvider"),
    ("textDocument/signatureHelp", "signatureHelpProvider"),
    ("textDocument/definition", "definitionProvider"),
    ("textDocument/references", "referencesProvider"),
    ("textDocument/documentHighlight", "documentHighlightProvider"),
];

/// Trigger characters in CUDA, by the capability that offers the request. They precede a modifier, an operand and a
/// guard. Only a few characters are used, because C++ is full of punctuation: a blank, which triggers signatures in
/// PTX, would make clients query the C++ server, too.
const TRIGGERS: [(&str, &[&str]); 2] =
    [("completionProvider", &[".", "%", "@"]), ("signatureHelpProvider", &[","])];

/// The server capabilities for documents that another server serves, too.
fn offers(client: &ClientFeatures) -> Value {
    let mut offered = serde_json::to_value(handlers::costs_and_strings(client)).unwrap_or_default();
    for (provider, characters) in TRIGGERS {
        offered[provider]["triggerCharacters"] = json!(characters);
    }
    offered
}

/// Returns the capabilities offered at start to a client that opens only shared documents. Requests for `asm`
/// strings that the client can register dynamically are omitted, because only CUDA has such strings.
pub(super) fn capabilities(client: &ClientFeatures) -> ServerCapabilities {
    let mut offered = offers(client);
    if let Value::Object(offered) = &mut offered {
        let registered = STRINGS.iter().filter(|(method, _)| client.registered_requests.contains(method));
        registered.for_each(|(_, provider)| drop(offered.remove(*provider)));
    }
    serde_json::from_value(offered).unwrap_or_else(|_| handlers::costs(client))
}

/// Registrations for documents in languages that another server serves, too, and for requests about them that the
/// client can register. If `are_read` is true, for the languages that warplens itself parses; otherwise for the
/// languages whose figures come only from cubins.
pub(super) fn shared_registrations(client: &ClientFeatures, are_read: bool) -> Vec<Registration> {
    let offered = offers(client);
    let wanted = SHARED.iter().filter(|shared| matches!(shared.language, Language::Source(_)) != are_read);
    wanted
        .flat_map(|language| {
            let costs = documents(language, &COSTS, client, &offered);
            costs.into_iter().chain(strings_of(language, client, &offered))
        })
        .collect()
}

/// Requests whose answers report on Triton kernels.
const TRITON: [&str; 2] = ["textDocument/codeLens", "textDocument/codeAction"];

/// Registrations for Python documents, with only the requests whose answers report on Triton kernels.
pub(super) fn registrations_of_triton(client: &ClientFeatures) -> Vec<Registration> {
    let offered = offers(client);
    let wanted: Vec<Offered> = COSTS.into_iter().filter(|(method, _)| TRITON.contains(method)).collect();
    let python = SHARED.iter().filter(|shared| shared.name == PYTHON);
    python.flat_map(|language| documents(language, &wanted, client, &offered)).collect()
}

/// Removes from `registrations` the ones that [`registrations_of_triton`] has already made.
pub(super) fn without_triton(registrations: Vec<Registration>, client: &ClientFeatures) -> Vec<Registration> {
    let known: Vec<String> = registrations_of_triton(client).into_iter().map(|own| own.id).collect();
    registrations.into_iter().filter(|own| !known.contains(&own.id)).collect()
}

/// The language of Triton kernels.
const PYTHON: &str = "python";

/// Registrations for the requests that are answered inside the strings of `asm` statements.
pub(super) fn registrations_of_strings(client: &ClientFeatures) -> Vec<Registration> {
    let offered = offers(client);
    SHARED.iter().flat_map(|language| strings_of(language, client, &offered)).collect()
}

fn strings_of(language: &SharedLanguage, client: &ClientFeatures, offered: &Value) -> Vec<Registration> {
    if language.language == Language::Cuda {
        requests(language, &STRINGS, client, offered)
    } else {
        Vec::new()
    }
}

/// Registrations for a language's documents and for the wanted requests about them.
fn documents(
    language: &SharedLanguage,
    wanted: &[Offered],
    client: &ClientFeatures,
    offered: &Value,
) -> Vec<Registration> {
    let changes = json!({ "syncKind": TextDocumentSyncKind::INCREMENTAL });
    let mut all = vec![
        registration(language, "textDocument/didOpen", json!({})),
        registration(language, "textDocument/didChange", changes),
        registration(language, "textDocument/didClose", json!({})),
    ];
    all.extend(requests(language, wanted, client, offered));
    all
}

fn requests(
    language: &SharedLanguage,
    wanted: &[Offered],
    client: &ClientFeatures,
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

/// Registrations for launches files: for the unsaved text of these files, which the client does not send
/// without a registration, and for requests about these files.
fn launch_file_registrations(client: &ClientFeatures) -> Vec<Registration> {
    let registration = |name: &str, mut options: Value| {
        options["documentSelector"] = json!([{"scheme": "file", "pattern": format!("**/{FILE}")}]);
        Registration {
            id: format!("launches-{name}"),
            method: format!("textDocument/{name}"),
            register_options: Some(options),
        }
    };
    let requests = [
        ("hover", json!({})),
        ("codeAction", json!({"codeActionKinds": [CodeActionKind::QUICKFIX]})),
        ("completion", json!({"triggerCharacters": LAUNCH_FILE_TRIGGERS})),
        ("semanticTokens", json!({"legend": semantic_tokens::legend(), "full": true, "range": true})),
    ];
    let is_taken = |name: &str| client.registered_requests.contains(&&*format!("textDocument/{name}"));
    let mut all = vec![
        registration("didOpen", json!({})),
        registration("didChange", json!({"syncKind": TextDocumentSyncKind::INCREMENTAL})),
        registration("didClose", json!({})),
    ];
    let requests = requests.into_iter().filter(|(name, _)| is_taken(name));
    all.extend(requests.map(|(name, options)| registration(name, options)));
    all
}

/// Trigger characters of completion. They precede a table's name, a value and a string.
const LAUNCH_FILE_TRIGGERS: [&str; 5] = ["[", "=", " ", "\"", "."];
