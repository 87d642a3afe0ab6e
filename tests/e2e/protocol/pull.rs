//! Findings for clients that pull them and support refresh requests. For these clients, no findings are
//! pushed.

use crate::client::{Client, range};
use crate::texts::{COLUMN, FIRST_ADDITION, ONE, OTHER, listing};
use serde_json::{Value, json};
use std::time::Duration;

const PUBLISH: &str = "textDocument/publishDiagnostics";
const SERVER_CANCELLED: i64 = -32802;

fn pulling() -> Value {
    json!({
        "textDocument": {"diagnostic": {"dynamicRegistration": false, "codeDescriptionSupport": true}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
        "experimental": {"rulePages": true},
    })
}

fn pull(client: &mut Client, previous: &Value) -> Value {
    let mut parameters = json!({"textDocument": {"uri": ONE}});
    if !previous.is_null() {
        parameters["previousResultId"] = previous.clone();
    }
    client.call("textDocument/diagnostic", parameters)
}

fn misspelt() -> String {
    listing(3).replacen("IADD3", "FROB7", 1)
}

#[test]
fn findings_are_given_when_asked_for_and_not_pushed() {
    let mut client = Client::ready(pulling());
    client.open(ONE, &misspelt());
    let found = pull(&mut client, &Value::Null);
    assert_eq!(found["kind"], "full");
    let item = &found["items"][0];
    assert_eq!(item["code"], "unknown-opcode", "{found}");
    assert_eq!(item["range"]["start"], json!({"line": FIRST_ADDITION, "character": COLUMN}));
    let href = item["codeDescription"]["href"].as_str().unwrap_or_default();
    assert_eq!(href, "warplens-rule:/unknown-opcode.md");
    let page = client.call("warplens/rulePage", json!({"code": "unknown-opcode"}));
    assert!(page["text"].as_str().unwrap_or_default().starts_with("# unknown-opcode"), "{page}");
    let page_text = page["text"].as_str().unwrap_or_default();
    assert!(page_text.contains("\nReported:\n") && !page_text.contains("Fires:"), "{page_text}");
    assert!(page["codes"].as_array().is_some_and(|codes| codes.contains(&json!("bank-conflict"))));
    assert_eq!(client.call("warplens/rulePage", json!({"code": "no-rule"}))["text"], Value::Null);

    let same = pull(&mut client, &found["resultId"]);
    assert_eq!(same, json!({"kind": "unchanged", "resultId": found["resultId"]}));

    // An edit that changes no finding leaves the answer unchanged. An edit that changes a finding has a new
    // answer.
    client.change(ONE, 2, json!([{"range": range((FIRST_ADDITION + 2, COLUMN + 6), (FIRST_ADDITION + 2, COLUMN + 8)), "text": "R2"}]));
    assert_eq!(pull(&mut client, &found["resultId"])["kind"], "unchanged");
    client.change(ONE, 3, json!([{"text": listing(3)}]));
    let clean = pull(&mut client, &found["resultId"]);
    assert_eq!((&clean["kind"], &clean["items"]), (&json!("full"), &json!([])));
    assert_eq!(client.count_within(PUBLISH, Duration::from_millis(600)), 0);
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_setting_that_changes_findings_has_them_asked_for_again() {
    let mut client = Client::ready(pulling());
    client.open(ONE, &misspelt());
    let found = pull(&mut client, &Value::Null);
    let set = |client: &mut Client, settings: Value| {
        client.notify("workspace/didChangeConfiguration", json!({"settings": {"warplens": settings}}));
    };
    // Settings that affect only lenses do not refresh findings.
    set(&mut client, json!({"codeLens": false}));
    assert_eq!(client.count_within("workspace/diagnostic/refresh", Duration::from_millis(300)), 0);
    set(&mut client, json!({"rules": {"unknown-opcode": "off"}}));
    let (id, _) = client.asked("workspace/diagnostic/refresh");
    client.answer(&id, Value::Null);
    assert_eq!(pull(&mut client, &found["resultId"])["items"], json!([]));
}

#[test]
fn a_client_without_refresh_support_gets_pushed_diagnostics() {
    let mut client = Client::start(&["lsp"]);
    let capabilities = json!({"textDocument": {"diagnostic": {"dynamicRegistration": true}}});
    let result =
        client.call("initialize", json!({"processId": null, "rootUri": null, "capabilities": capabilities}));
    assert!(result["capabilities"].get("diagnosticProvider").is_none());
    client.notify("initialized", json!({}));
    client.open(ONE, &misspelt());
    let mut found = client.findings(ONE);
    while found["diagnostics"] == json!([]) {
        found = client.findings(ONE);
    }
    assert!(found["diagnostics"][0].get("codeDescription").is_none(), "a client that cannot show it");
    assert_eq!(client.ignoring(PUBLISH).shut_down(), 0);
}

#[test]
fn an_overtaken_question_is_to_be_asked_again() {
    let options = json!({"warplensTest": {"slowOn": "slow", "slowMillis": 600_000}});
    let mut client = Client::with_options(pulling(), options);
    client.open(ONE, &format!("{}// slow\n", listing(3)));
    let id = client.request("textDocument/diagnostic", json!({"textDocument": {"uri": ONE}}));
    client.change(ONE, 2, json!([{"text": listing(3)}]));
    assert_eq!(client.response(id), Err(SERVER_CANCELLED));
    let nothing = client.call("textDocument/diagnostic", json!({"textDocument": {"uri": OTHER}}));
    assert_eq!(nothing["items"], json!([]), "not open");
}
