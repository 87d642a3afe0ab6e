//! A panic in the analysis suspends the answers for one document until it changes, without other effects.

use crate::client::{Client, everything};
use crate::texts::{ONE, OTHER, listing};
use serde_json::{Value, json};

const INTERNAL_ERROR: i64 = -32603;

fn faulty(options: Value) -> Client {
    let mut client = Client::with_options(json!({}), json!({"warplensTest": options}))
        .ignoring("textDocument/publishDiagnostics");
    client.open(ONE, &format!("{}// boom\n", listing(3)));
    client.open(OTHER, &listing(3));
    client
}

fn hints(client: &mut Client, uri: &str) -> Result<Value, i64> {
    let id = client
        .request("textDocument/inlayHint", json!({"textDocument": {"uri": uri}, "range": everything()}));
    client.response(id)
}

fn is_served(client: &mut Client, uri: &str) {
    let hints = hints(client, uri).expect("it is served");
    assert_ne!(hints, json!([]));
}

#[test]
fn a_panic_leaves_the_other_documents_served() {
    let mut client = faulty(json!({"panicOn": "boom"}));
    assert_eq!(hints(&mut client, ONE), Err(INTERNAL_ERROR));
    is_served(&mut client, OTHER);

    // The document is suspended, without an error popup and with one line in the log.
    assert_eq!(hints(&mut client, ONE), Ok(json!([])));
    let document = json!({"uri": ONE});
    let at = json!({"textDocument": document, "position": {"line": 4, "character": 36}});
    assert_eq!(client.call("textDocument/hover", at), Value::Null);
    assert_eq!(
        client.call("textDocument/semanticTokens/full", json!({"textDocument": document})),
        json!({"data": []})
    );
    let log = client.notification("window/logMessage");
    assert!(log["message"].as_str().is_some_and(|message| message.contains(ONE)), "{log}");

    // The document is analysed again when it changes, which fails as long as the document contains the cause
    // of the fault.
    client.change(ONE, 2, json!([{"range": crate::client::range((0, 0), (0, 0)), "text": "\n"}]));
    assert_eq!(hints(&mut client, ONE), Err(INTERNAL_ERROR));
    client.notification("window/logMessage");
    client.change(ONE, 3, json!([{"text": listing(4)}]));
    is_served(&mut client, ONE);
    is_served(&mut client, OTHER);
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn an_edit_after_a_panic_is_not_lost() {
    let mut client = faulty(json!({"panicOn": "boom"}));
    assert_eq!(hints(&mut client, ONE), Err(INTERNAL_ERROR));
    client.notification("window/logMessage");
    let text = client.text(ONE);
    let line = text.lines().count() as u32 - 1;
    client.change(ONE, 2, json!([{"range": crate::client::range((line, 3), (line, 7)), "text": "calm"}]));
    assert_eq!(client.text(ONE), text.replace("boom", "calm"));
    is_served(&mut client, ONE);
}

#[test]
fn reopening_ends_the_rest() {
    let mut client = faulty(json!({"panicOn": "boom"}));
    assert_eq!(hints(&mut client, ONE), Err(INTERNAL_ERROR));
    client.notification("window/logMessage");
    client.close(ONE);
    client.open(ONE, &listing(2));
    is_served(&mut client, ONE);
}

#[test]
fn a_panic_in_the_background_is_survived_too() {
    let mut client = faulty(json!({"panicInFindingsOn": "boom"}));
    client.notification("window/logMessage");
    assert_eq!(hints(&mut client, ONE), Ok(json!([])));
    is_served(&mut client, OTHER);
    client.change(ONE, 2, json!([{"text": listing(4)}]));
    is_served(&mut client, ONE);
}

#[test]
fn the_hook_is_inert_by_default() {
    let mut client = faulty(Value::Null);
    is_served(&mut client, ONE);
}
