//! Tests of the server's diagnostics about itself: trace, log file, state.

use crate::client::{Client, everything};
use crate::folder::Folder;
use crate::texts::{ONE, listing};
use serde_json::{Value, json};
use std::time::Duration;

const TRACE: &str = "$/logTrace";

fn hover(client: &mut Client) {
    let at = json!({"textDocument": {"uri": ONE}, "position": {"line": 5, "character": 36}});
    client.call("textDocument/hover", at);
}

#[test]
fn a_trace_is_switched_on_and_off() {
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, &listing(3));
    hover(&mut client);
    client.notify("$/setTrace", json!({"value": "messages"}));
    hover(&mut client);
    let line = client.notification(TRACE);
    assert!(line["message"].as_str().is_some_and(|text| text.starts_with("textDocument/hover answered in ")));
    assert!(line.get("verbose").is_none());
    client.notify("$/setTrace", json!({"value": "verbose"}));
    hover(&mut client);
    let change = client.notification(TRACE);
    assert!(change["message"].as_str().is_some_and(|text| text.starts_with("$/setTrace taken")), "{change}");
    let line = client.notification(TRACE);
    assert!(line["verbose"].as_str().is_some_and(|text| text.starts_with("id ") && text.ends_with("done")));
    client.notify("$/setTrace", json!({"value": "off"}));
    hover(&mut client);
    assert_eq!(client.count_within(TRACE, Duration::from_millis(100)), 0);
}

#[test]
fn a_log_file_has_every_message_and_every_failure() {
    let folder = Folder::new("log");
    let path = folder.file("server.log");
    let mut client = Client::start(&["lsp", "--log-file", path.to_str().expect("a plain name")]);
    let options = json!({"warplensTest": {"panicOn": "boom"}});
    let greeting = json!({
        "processId": null, "rootUri": null, "capabilities": {}, "initializationOptions": options,
        "clientInfo": {"name": "an editor", "version": "7"},
    });
    client.call("initialize", greeting);
    client.notify("initialized", json!({}));
    let mut client = client.ignoring("textDocument/publishDiagnostics");
    client.open(ONE, &format!("{}// boom\n", listing(3)));
    client.fail("textDocument/inlayHint", json!({"textDocument": {"uri": ONE}, "range": everything()}));
    client.notification("window/logMessage");
    assert_eq!(client.shut_down(), 0);
    let text = std::fs::read_to_string(&path).expect("the log was written");
    for expected in [
        "for an editor 7",
        "TRACE textDocument/didOpen taken",
        "TRACE textDocument/inlayHint answered",
        "the analysis of",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn a_log_that_cannot_be_written_is_an_error_at_the_start() {
    let folder = Folder::new("no-log");
    let path = folder.file("missing/server.log");
    let mut client = Client::start(&["lsp", "--log-file", path.to_str().expect("a plain name")]);
    assert_eq!(client.exit_code(), 2);
}

#[test]
fn the_state_is_logged_without_the_text() {
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, &listing(3));
    client.call("textDocument/inlayHint", json!({"textDocument": {"uri": ONE}, "range": everything()}));
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"warplens": {"missRatio": 0.25}}}));
    let state = client.call("workspace/executeCommand", json!({"command": "warplens.dumpState"}));
    assert_eq!(state["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(state["settings"]["missRatio"], 0.25);
    assert!(state["modelsComputed"].as_u64() >= Some(1), "{state}");
    let document = &state["documents"][0];
    assert_eq!((&document["uri"], &document["version"]), (&json!(ONE), &json!(1)));
    assert_eq!(document["bytes"], listing(3).len());
    assert!(document["gpu"].as_str().is_some_and(|gpu| gpu.contains("sm_90")), "{state}");
    assert!(!state.to_string().contains("IADD3"), "{state}");
    if cfg!(target_os = "linux") {
        assert!(state["memory"]["residentBytes"].as_u64() > Some(1 << 20), "{state}");
    }
    let unknown: Value = json!({"command": "nobody.knows"});
    assert_eq!(client.fail("workspace/executeCommand", unknown), -32602);
}
