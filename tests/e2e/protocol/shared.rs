//! Documents in a language that another server serves get costs and nothing else.

use crate::client::{Client, everything};
use serde_json::{Value, json};

const PUBLISH: &str = "textDocument/publishDiagnostics";

const COLUMN: &str = "file:///column.cu";

/// Reads a tile without padding down its columns, in line 5.
const TEXT: &str = include_str!("../cuda/column.cu");

fn open(client: &mut Client) {
    let document = json!({"uri": COLUMN, "languageId": "cuda-cpp", "version": 1, "text": TEXT});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
}

/// Capabilities of VS Code, as far as they matter for what is registered.
fn registering() -> Value {
    let dynamic = json!({"dynamicRegistration": true});
    json!({
        "textDocument": {
            "synchronization": dynamic, "hover": dynamic, "codeLens": dynamic, "diagnostic": dynamic,
            "completion": dynamic, "definition": dynamic, "rename": dynamic, "formatting": dynamic,
            "inlayHint": {"dynamicRegistration": true, "resolveSupport": {"properties": ["tooltip"]}},
            "codeAction": {
                "dynamicRegistration": true,
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
                "resolveSupport": {"properties": ["edit"]},
            },
        },
        "workspace": {"diagnostics": {"refreshSupport": true}},
    })
}

/// The registrations for documents of CUDA, by their methods.
fn for_cuda(client: &mut Client) -> Vec<(String, Value)> {
    let (id, asked) = client.asked("client/registerCapability");
    client.answer(&id, Value::Null);
    let all = asked["registrations"].as_array().expect("a list");
    let is_for_cuda =
        |one: &&Value| one["registerOptions"]["documentSelector"].to_string().contains("cuda-cpp");
    all.iter()
        .filter(is_for_cuda)
        .map(|one| (one["method"].as_str().unwrap_or_default().to_owned(), one["registerOptions"].clone()))
        .collect()
}

#[test]
fn a_client_that_can_is_asked_for_what_shows_costs_alone() {
    let mut client = Client::ready(registering());
    let registered = for_cuda(&mut client);
    let methods: Vec<&str> =
        registered.iter().map(|(method, _)| method.trim_start_matches("textDocument/")).collect();
    assert_eq!(
        methods,
        ["didOpen", "didChange", "didClose", "hover", "codeLens", "inlayHint", "codeAction", "diagnostic"]
    );
    for (method, options) in &registered {
        let selector = options["documentSelector"].as_array().expect("a selector");
        assert!(selector.contains(&json!({"scheme": "file", "language": "cuda-cpp"})), "{method}: {options}");
        assert!(selector.iter().all(|filter| filter["scheme"] != "git"), "{method}: {options}");
        let resolves = ["textDocument/codeLens", "textDocument/inlayHint", "textDocument/codeAction"];
        assert_eq!(options["resolveProvider"] == true, resolves.contains(&&**method), "{method}: {options}");
    }
    assert_eq!(registered[1].1["syncKind"], 2);
    // VS Code tells lists of findings apart by it.
    assert_eq!(registered[7].1["identifier"], "warplens-cuda");
}

#[test]
fn of_a_client_that_registers_documents_alone_nothing_more_is_asked() {
    let synchronization = json!({"textDocument": {"synchronization": {"dynamicRegistration": true}}});
    let mut client = Client::ready(synchronization);
    let methods: Vec<String> = for_cuda(&mut client).into_iter().map(|(method, _)| method).collect();
    assert_eq!(methods, ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"]);
}

#[test]
fn a_client_that_wants_costs_alone_is_offered_nothing_else() {
    let parameters = json!({
        "processId": null,
        "rootUri": null,
        "capabilities": registering(),
        "initializationOptions": {"costsOnly": true},
    });
    let mut client = Client::start(&["lsp"]);
    let greeted = client.call("initialize", parameters);
    client.notify("initialized", json!({}));
    let offered = greeted["capabilities"].as_object().expect("a table");
    let mut names: Vec<&str> = offered.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "codeActionProvider",
            "codeLensProvider",
            "diagnosticProvider",
            "experimental",
            "hoverProvider",
            "inlayHintProvider",
            "positionEncoding",
            "textDocumentSync",
            "workspace",
        ]
    );
    // It sends the documents by itself.
    assert_eq!(for_cuda(&mut client), []);
}

/// The lenses, the hover of the kernel's name, the hints and the findings.
fn shown(client: &mut Client) -> [Value; 4] {
    let document = json!({"uri": COLUMN});
    let at = json!({"textDocument": document, "position": {"line": 5, "character": 40}});
    let within = json!({"textDocument": document, "range": everything()});
    [
        client.call("textDocument/codeLens", json!({"textDocument": document})),
        client.call("textDocument/hover", at),
        client.call("textDocument/inlayHint", within),
        client.call("textDocument/diagnostic", json!({"textDocument": document}))["items"].clone(),
    ]
}

#[test]
fn cuda_has_lenses_hovers_and_findings_and_is_silent_on_what_its_own_server_says() {
    let mut client = Client::ready(json!({})).ignoring(PUBLISH);
    open(&mut client);
    let [lenses, hover, _, findings] = shown(&mut client);
    let title = lenses[0]["command"]["title"].as_str().unwrap_or_default();
    assert!(title.contains("32 warps a block"), "{lenses}");
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("wavefronts")), "{hover}");
    assert_eq!(
        (&findings[0]["code"], &findings[0]["range"]["start"]["line"]),
        (&json!("bank-conflict"), &json!(5))
    );

    // Where clients ask all servers of a document, an answer without content must not stand before another one's.
    let document = json!({"uri": COLUMN});
    let at = json!({"textDocument": document, "position": {"line": 2, "character": 3}});
    for method in ["completion", "definition", "signatureHelp"] {
        assert_eq!(client.call(&format!("textDocument/{method}"), at.clone()), Value::Null, "{method}");
    }
    let nowhere = json!({"textDocument": document, "position": {"line": 7, "character": 0}});
    assert_eq!(client.call("textDocument/hover", nowhere), Value::Null);
}

#[test]
fn a_language_that_is_left_alone_gets_nothing_until_it_is_not() {
    let options = json!({"leaveAlone": ["cuda"]});
    let mut client = Client::with_options(json!({}), options).ignoring(PUBLISH);
    open(&mut client);
    assert_eq!(shown(&mut client), [json!([]), Value::Null, json!([]), json!([])]);
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"leaveAlone": []}}));
    let [lenses, hover, _, findings] = shown(&mut client);
    assert!(
        lenses[0].is_object() && hover.is_object() && findings[0].is_object(),
        "{lenses} {hover} {findings}"
    );
}
