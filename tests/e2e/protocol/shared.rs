//! Documents in a language that another server serves have cost displays and, in strings of `asm` statements,
//! the features of PTX.

use crate::client::{Client, everything};
use serde_json::{Value, json};

const PUBLISH: &str = "textDocument/publishDiagnostics";

const COLUMN: &str = "file:///column.cu";

/// A kernel that reads a tile without padding down its columns, in line 5.
const TEXT: &str = include_str!("../cuda/column.cu");

fn open(client: &mut Client) {
    let document = json!({"uri": COLUMN, "languageId": "cuda-cpp", "version": 1, "text": TEXT});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
}

/// Capabilities of VS Code that affect registrations.
fn registering() -> Value {
    let dynamic = json!({"dynamicRegistration": true});
    json!({
        "textDocument": {
            "synchronization": dynamic, "hover": dynamic, "codeLens": dynamic, "diagnostic": dynamic,
            "completion": dynamic, "definition": dynamic, "rename": dynamic, "formatting": dynamic,
            "signatureHelp": dynamic, "references": dynamic, "documentHighlight": dynamic,
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

/// The registrations for CUDA documents, by method.
fn for_cuda(client: &mut Client) -> Vec<(String, Value)> {
    let (id, asked) = client.asked("client/registerCapability");
    client.answer(&id, Value::Null);
    let all = asked["registrations"].as_array().expect("a list");
    let has_strings =
        |one: &&Value| STRINGS.iter().any(|method| one["method"] == format!("textDocument/{method}"));
    let is_of_launches = |one: &&Value| one["id"].as_str().is_some_and(|id| id.starts_with("launches-"));
    for one in all.iter().filter(has_strings).filter(|one| !is_of_launches(one)) {
        let selector = one["registerOptions"]["documentSelector"].as_array().expect("a selector");
        let is_cuda = |filter: &Value| ["cuda-cpp", "cuda"].iter().any(|id| filter["language"] == *id);
        assert!(selector.iter().all(is_cuda), "other languages have no such strings: {one}");
    }
    let is_for_cuda =
        |one: &&Value| one["registerOptions"]["documentSelector"].to_string().contains("cuda-cpp");
    all.iter()
        .filter(is_for_cuda)
        .map(|one| (one["method"].as_str().unwrap_or_default().to_owned(), one["registerOptions"].clone()))
        .collect()
}

/// Requests that are answered in the strings of `asm` statements.
const STRINGS: [&str; 5] = ["completion", "signatureHelp", "definition", "references", "documentHighlight"];

#[test]
fn a_client_that_can_is_asked_for_costs_and_for_the_strings_of_asm() {
    let mut client = Client::ready(registering());
    let registered = for_cuda(&mut client);
    let methods: Vec<&str> =
        registered.iter().map(|(method, _)| method.trim_start_matches("textDocument/")).collect();
    let costs =
        ["didOpen", "didChange", "didClose", "hover", "codeLens", "inlayHint", "codeAction", "diagnostic"];
    assert_eq!(methods, [&costs[..], &STRINGS].concat());
    for (method, options) in &registered {
        let selector = options["documentSelector"].as_array().expect("a selector");
        assert!(selector.contains(&json!({"scheme": "file", "language": "cuda-cpp"})), "{method}: {options}");
        assert!(selector.iter().all(|filter| filter["scheme"] != "git"), "{method}: {options}");
        let resolves = ["codeLens", "inlayHint", "codeAction", "completion"];
        let resolves = resolves.map(|method| format!("textDocument/{method}"));
        assert_eq!(options["resolveProvider"] == true, resolves.contains(method), "{method}: {options}");
    }
    // Trigger characters are few, since they apply to all C++ text.
    assert_eq!(registered[8].1["triggerCharacters"], json!([".", "%", "@"]));
    assert_eq!(registered[9].1["triggerCharacters"], json!([","]));
    assert_eq!(registered[1].1["syncKind"], 2);
    // VS Code distinguishes lists of findings by this identifier.
    assert_eq!(registered[7].1["identifier"], "warplens-cuda");
}

#[test]
fn of_a_client_that_registers_documents_alone_nothing_more_is_asked() {
    let synchronization = json!({"textDocument": {"synchronization": {"dynamicRegistration": true}}});
    let mut client = Client::ready(synchronization);
    let methods: Vec<String> = for_cuda(&mut client).into_iter().map(|(method, _)| method).collect();
    assert_eq!(methods, ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"]);
}

/// Starts a server for a client that requests only costs, and returns the server's capabilities.
fn with_costs_only(capabilities: &Value) -> (Client, Value) {
    let parameters = json!({
        "processId": null,
        "rootUri": null,
        "capabilities": capabilities,
        "initializationOptions": {"costsOnly": true},
    });
    let mut client = Client::start(&["lsp"]);
    let mut greeted = client.call("initialize", parameters);
    client.notify("initialized", json!({}));
    (client, greeted["capabilities"].take())
}

/// Capabilities that are always offered to a client with `costsOnly`.
const COSTS: [&str; 9] = [
    "codeActionProvider",
    "codeLensProvider",
    "diagnosticProvider",
    "experimental",
    "hoverProvider",
    "inlayHintProvider",
    "positionEncoding",
    "textDocumentSync",
    "workspace",
];

fn names(offered: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = offered.as_object().expect("a table").keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_client_that_wants_costs_alone_is_asked_for_the_strings_of_cuda() {
    let (mut client, offered) = with_costs_only(&registering());
    assert_eq!(names(&offered), COSTS);
    // The client sends the documents without a registration.
    let registered = for_cuda(&mut client);
    let methods: Vec<&str> =
        registered.iter().map(|(method, _)| method.trim_start_matches("textDocument/")).collect();
    assert_eq!(methods, STRINGS);
}

#[test]
fn a_client_that_registers_nothing_is_offered_the_strings_with_the_costs() {
    let able = json!({
        "textDocument": {
            "diagnostic": {},
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
        },
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let (_client, offered) = with_costs_only(&able);
    let strings = STRINGS.map(|method| format!("{method}Provider"));
    let mut all: Vec<&str> = COSTS.into_iter().chain(strings.iter().map(String::as_str)).collect();
    all.sort_unstable();
    assert_eq!(names(&offered), all);
    assert_eq!(offered["completionProvider"]["triggerCharacters"], json!([".", "%", "@"]));
    assert_eq!(offered["signatureHelpProvider"]["triggerCharacters"], json!([","]));
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
    assert!(title.contains("32 warps per block"), "{lenses}");
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("wavefronts")), "{hover}");
    assert_eq!(
        (&findings[0]["code"], &findings[0]["range"]["start"]["line"]),
        (&json!("bank-conflict"), &json!(5))
    );

    // If a client queries all servers for a document, an empty answer must not take precedence over another
    // server's answer.
    let document = json!({"uri": COLUMN});
    let at = json!({"textDocument": document, "position": {"line": 2, "character": 3}});
    for method in STRINGS {
        let asked = if method == "references" { with_declarations(&at) } else { at.clone() };
        assert_eq!(client.call(&format!("textDocument/{method}"), asked), Value::Null, "{method}");
    }
    let nowhere = json!({"textDocument": document, "position": {"line": 7, "character": 0}});
    assert_eq!(client.call("textDocument/hover", nowhere), Value::Null);
}

/// Parameters of a request for references.
fn with_declarations(at: &Value) -> Value {
    let mut asked = at.clone();
    asked["context"] = json!({"includeDeclaration": true});
    asked
}

#[test]
fn strings_of_asm_statements_have_what_ptx_has() {
    const LINES: [&str; 4] = [
        "__global__ void k(unsigned *p) {",
        "  asm volatile(\"{ .reg .b32 t; mov.b32 t, %%la;\\n\"",
        "               \"st.global.u32 [%0], t; }\" :: \"l\"(p + 1));",
        "}",
    ];
    let mut client = Client::ready(json!({})).ignoring(PUBLISH);
    let document = json!({"uri": COLUMN, "languageId": "cuda-cpp", "version": 1, "text": LINES.join("\n")});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    // The position after a part of a line.
    let at = |line: usize, part: &str| {
        let character = LINES[line].find(part).expect("it exists") + part.len();
        json!({"textDocument": {"uri": COLUMN}, "position": {"line": line, "character": character}})
    };
    let place = |line: usize, part: &str, length: usize| {
        let end = LINES[line].find(part).expect("it exists") + part.len();
        json!({"start": {"line": line, "character": end - length}, "end": {"line": line, "character": end}})
    };
    let proposed = client.call("textDocument/completion", at(1, "%%la"));
    let lane = proposed.as_array().expect("a list").iter().find(|item| item["label"] == "%%laneid");
    let lane = lane.expect("it is proposed").clone();
    assert_eq!(lane["textEdit"]["range"], place(1, "%%la", 4));
    assert_eq!(lane["filterText"], Value::Null);
    let resolved = client.call("completionItem/resolve", lane);
    assert!(
        resolved["documentation"]["value"].as_str().is_some_and(|page| page.contains("%laneid")),
        "{resolved}"
    );

    let found = client.call("textDocument/definition", at(2, "[%"));
    assert_eq!(found[0]["range"], place(2, "p + 1", 5), "{found}");
    let found = client.call("textDocument/definition", at(2, "], "));
    assert_eq!(found[0]["range"], place(1, "b32 t", 1), "{found}");
    let ranges = |found: Value| -> Vec<Value> {
        found.as_array().expect("a list").iter().map(|one| one["range"].clone()).collect()
    };
    let names = [place(1, "b32 t", 1), place(1, "mov.b32 t", 1), place(2, "], t", 1)];
    assert_eq!(ranges(client.call("textDocument/references", with_declarations(&at(1, "mov.b32 t")))), names);
    assert_eq!(ranges(client.call("textDocument/documentHighlight", at(1, "mov.b32 t"))), names);
    let help = client.call("textDocument/signatureHelp", at(2, "[%0], "));
    assert_eq!(help["signatures"][0]["label"], "st.global.u32 [a], b", "{help}");
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
