//! Tests of tokens as edits of the previous answer, for clients that support such edits.

use crate::client::{Client, range};
use crate::texts::{COLUMN, FIRST_ADDITION, ONE, OTHER, listing};
use serde_json::{Value, json};

fn ready() -> Client {
    let capabilities = json!({"textDocument": {"semanticTokens": {
        "requests": {"range": true, "full": {"delta": true}},
        "tokenTypes": [], "tokenModifiers": [], "formats": ["relative"],
    }}});
    let mut client = Client::start(&["lsp"]).ignoring("textDocument/publishDiagnostics");
    let greeting = json!({"processId": null, "rootUri": null, "capabilities": capabilities});
    let result = client.call("initialize", greeting);
    assert_eq!(result["capabilities"]["semanticTokensProvider"]["full"], json!({"delta": true}));
    client.notify("initialized", json!({}));
    client.open(ONE, &listing(200));
    client
}

fn full(client: &mut Client) -> (Vec<u64>, Value) {
    let mut tokens = client.call("textDocument/semanticTokens/full", json!({"textDocument": {"uri": ONE}}));
    (numbers(&tokens["data"]), tokens["resultId"].take())
}

fn delta(client: &mut Client, uri: &str, previous: &Value) -> Value {
    let parameters = json!({"textDocument": {"uri": uri}, "previousResultId": previous});
    client.call("textDocument/semanticTokens/full/delta", parameters)
}

fn numbers(data: &Value) -> Vec<u64> {
    data.as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
}

/// Applies the edits of an answer to the previous list.
fn edited(mut data: Vec<u64>, answer: &Value) -> Vec<u64> {
    for edit in answer["edits"].as_array().expect("edits") {
        let start = edit["start"].as_u64().expect("a start") as usize;
        let end = start + edit["deleteCount"].as_u64().expect("a count") as usize;
        data.splice(start..end, numbers(&edit["data"]));
    }
    data
}

#[test]
fn an_edit_costs_the_tokens_of_its_line() {
    let mut client = ready();
    let (first, id) = full(&mut client);
    assert!(first.len() > 5000, "{}", first.len());

    let change = range((FIRST_ADDITION + 20, COLUMN), (FIRST_ADDITION + 20, COLUMN + 5));
    client.change(ONE, 2, json!([{"range": change, "text": "MOV32I"}]));
    let answer = delta(&mut client, ONE, &id);
    let sent: usize = answer["edits"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|edit| {
            edit["data"].as_array().map_or(0, Vec::len) + edit["deleteCount"].as_u64().unwrap_or(0) as usize
        })
        .sum();
    assert!((1..100).contains(&sent), "{answer}");
    let second = edited(first, &answer);

    client.change(ONE, 3, json!([{"range": range((3, 0), (3, 0)), "text": "// a comment\n"}]));
    let answer = delta(&mut client, ONE, &answer["resultId"]);
    let third = edited(second, &answer);

    // The text has not changed, so the answer has no edits.
    let answer = delta(&mut client, ONE, &answer["resultId"]);
    assert_eq!(answer["edits"], json!([]));
    assert_eq!(full(&mut client).0, third);
}

#[test]
fn an_answer_that_is_not_known_any_more_is_not_built_upon() {
    let mut client = ready();
    let (first, id) = full(&mut client);
    let (_, later) = full(&mut client);
    assert_ne!(id, later);
    for previous in [id, json!("nonsense"), json!("")] {
        assert_eq!(numbers(&delta(&mut client, ONE, &previous)["data"]), first);
    }
    client.close(ONE);
    client.open(ONE, &listing(3));
    assert!(delta(&mut client, ONE, &later)["data"].is_array());
    assert_eq!(delta(&mut client, OTHER, &later), json!({"data": []}), "not open");
}
