//! Tests from `initialize` to `exit`, with messages in the wrong state.

use crate::client::Client;
use crate::texts::{ONE, listing};
use serde_json::{Value, json};

const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_REQUEST: i64 = -32600;
const INVALID_PARAMS: i64 = -32602;
const NOT_INITIALIZED: i64 = -32002;

#[test]
fn the_server_names_itself_and_what_it_can_do() {
    for arguments in [["lsp"], ["--stdio"]] {
        let mut client = Client::start(&arguments);
        let result =
            client.call("initialize", json!({"processId": null, "rootUri": null, "capabilities": {}}));
        assert_eq!(result["serverInfo"]["name"], "warplens");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        let capabilities = &result["capabilities"];
        assert_eq!(capabilities["textDocumentSync"]["change"], 2, "incremental");
        assert_eq!(capabilities["textDocumentSync"]["openClose"], true);
        assert_eq!(capabilities["semanticTokensProvider"]["range"], true);
        assert_eq!(capabilities["semanticTokensProvider"]["full"], true);
        for provider in ["hover", "inlayHint", "documentSymbol", "foldingRange"] {
            assert_eq!(capabilities[format!("{provider}Provider")], true, "{provider}");
        }
        assert!(capabilities["codeLensProvider"].is_object());
        client.notify("initialized", json!({}));
        assert_eq!(client.shut_down(), 0);
    }
}

#[test]
fn leaving_without_shutdown_is_exit_code_1() {
    let mut exits = Client::ready(json!({}));
    exits.notify("exit", Value::Null);
    assert_eq!(exits.exit_code(), 1);
    let mut vanishes = Client::ready(json!({}));
    assert_eq!(vanishes.exit_code(), 1);
}

#[test]
fn nothing_is_served_too_early_or_too_late() {
    let mut client = Client::start(&["lsp"]);
    let document = json!({"textDocument": {"uri": ONE}});
    assert_eq!(client.fail("textDocument/codeLens", document.clone()), NOT_INITIALIZED);
    let greeting = json!({"processId": null, "rootUri": null, "capabilities": {}});
    client.call("initialize", greeting.clone());
    client.notify("initialized", json!({}));
    assert_eq!(client.fail("initialize", greeting), INVALID_REQUEST);
    client.call("shutdown", Value::Null);
    assert_eq!(client.fail("textDocument/codeLens", document), INVALID_REQUEST);
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code(), 0);
}

#[test]
fn unknown_requests_are_refused_and_unknown_notifications_ignored() {
    let mut client = Client::ready(json!({}));
    let position = json!({"textDocument": {"uri": ONE}, "position": {"line": 0, "character": 0}});
    for method in ["nobody/knows", "$/nobodyKnows", "textDocument/typeDefinition", "workspace/nothing", ""] {
        assert_eq!(client.fail(method, position.clone()), METHOD_NOT_FOUND, "{method}");
    }
    for method in ["nobody/knows", "$/nobodyKnows", "textDocument/willSave", "$/setTrace"] {
        client.notify(method, json!({"value": "off"}));
    }
    assert_eq!(client.call("textDocument/hover", position), Value::Null);
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, &listing(1));
    let text = client.text(ONE);
    for parameters in
        [json!({}), json!([]), json!("x"), json!({"textDocument": {"uri": 1}, "position": {}}), Value::Null]
    {
        assert_eq!(client.fail("textDocument/hover", parameters.clone()), INVALID_PARAMS, "{parameters}");
        client.notify("textDocument/didChange", parameters.clone());
        client.notify("textDocument/didOpen", parameters);
    }
    assert_eq!(client.text(ONE), text);
}

#[test]
fn what_is_no_json_is_answered_and_survived() {
    let mut client = Client::ready(json!({}));
    client.send_body("{\"jsonrpc\":\"2.0\",");
    client.send_body("[1, 2]");
    client.send_body("{}");
    client.send_body("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"textDocument/hover\"}");
    let codes: Vec<i64> = (0..4).map(|_| client.refusal()).collect();
    assert_eq!(codes, [-32700, INVALID_REQUEST, INVALID_REQUEST, INVALID_REQUEST]);
    let document = json!({"textDocument": {"uri": ONE}});
    assert_eq!(client.call("textDocument/codeLens", document), json!([]));
}

#[test]
fn half_a_character_does_not_end_the_server() {
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, "ab");
    // A message as sent by an editor written in JavaScript for a text that ends within a surrogate pair.
    let change =
        r#"{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":1}},"text":"\ud83d"}"#;
    client.send_body(&format!(
        r#"{{"jsonrpc":"2.0","method":"textDocument/didChange","params":{{"textDocument":{{"uri":"{ONE}","version":2}},"contentChanges":[{change}]}}}}"#
    ));
    client.change(ONE, 3, json!([{"range": crate::client::range((0, 2), (0, 3)), "text": "c"}]));
    assert_eq!(client.text(ONE), "a\u{fffd}c");
}

#[test]
fn a_document_that_is_not_open_has_nothing_to_show() {
    let mut client = Client::ready(json!({}));
    client.change(ONE, 2, json!([{"text": "x"}]));
    client.close(ONE);
    let document = json!({"uri": ONE});
    let at = json!({"textDocument": document, "position": {"line": 0, "character": 0}});
    assert_eq!(client.call("textDocument/hover", at), Value::Null);
    let range = crate::client::everything();
    let within = json!({"textDocument": document, "range": range});
    assert_eq!(client.call("textDocument/inlayHint", within.clone()), json!([]));
    assert_eq!(client.call("textDocument/semanticTokens/range", within), json!({"data": []}));
    for method in ["documentSymbol", "foldingRange", "codeLens"] {
        let result = client.call(&format!("textDocument/{method}"), json!({"textDocument": document}));
        assert_eq!(result, json!([]), "{method}");
    }
    assert_eq!(client.call("warplens/viewText", document), Value::Null);
}
