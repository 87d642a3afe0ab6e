//! Tests of lazily computed texts: tooltips of hints, and lenses of long listings.

use crate::client::{Client, everything, range};
use crate::texts::{FIRST_ADDITION, ONE, listing};
use serde_json::{Value, json};
use std::fmt::Write;

fn lazy() -> Value {
    json!({"textDocument": {"inlayHint": {"resolveSupport": {"properties": ["tooltip"]}}}})
}

fn hints(client: &mut Client) -> Vec<Value> {
    let within = json!({"textDocument": {"uri": ONE}, "range": everything()});
    client.call("textDocument/inlayHint", within).as_array().cloned().unwrap_or_default()
}

#[test]
fn a_tooltip_comes_when_it_is_looked_at() {
    let mut eager = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    eager.open(ONE, &listing(5));
    let expected = hints(&mut eager);
    let mut client = Client::start(&["lsp"]).ignoring("textDocument/publishDiagnostics");
    let greeting = json!({"processId": null, "rootUri": null, "capabilities": lazy()});
    let result = client.call("initialize", greeting);
    assert_eq!(result["capabilities"]["inlayHintProvider"], json!({"resolveProvider": true}));
    client.notify("initialized", json!({}));
    client.open(ONE, &listing(5));
    let sent = hints(&mut client);
    assert!(sent.len() > 8 && sent.len() == expected.len());
    for (sent, expected) in sent.iter().zip(&expected) {
        assert!(sent.get("tooltip").is_none(), "{sent}");
        let resolved = client.call("inlayHint/resolve", sent.clone());
        assert_eq!(resolved["tooltip"], expected["tooltip"]);
        assert_eq!(resolved["label"], expected["label"]);
        assert_eq!(resolved["position"], sent["position"]);
    }
}

#[test]
fn a_hint_of_another_version_is_unchanged() {
    let mut client = Client::ready(lazy()).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, &listing(5));
    let sent = hints(&mut client);
    client.change(ONE, 2, json!([{"range": range((FIRST_ADDITION, 0), (FIRST_ADDITION, 0)), "text": "\n"}]));
    assert_eq!(client.call("inlayHint/resolve", sent[3].clone()), sent[3]);
    client.close(ONE);
    assert_eq!(client.call("inlayHint/resolve", sent[3].clone()), sent[3]);
    let foreign = json!({"position": {"line": 0, "character": 0}, "label": "x", "data": {"uri": 3}});
    assert_eq!(client.call("inlayHint/resolve", foreign.clone()), foreign);
}

/// A text of kernels that all differ.
fn kernels(count: usize, additions: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        let kernel = listing(additions).replace("saxpy", &format!("saxpy_{number}"));
        let _ = write!(text, "{}", kernel.replace("0x1, RZ", &format!("{number:#x}, RZ")));
    }
    text
}

fn lenses(client: &mut Client) -> Vec<Value> {
    let document = json!({"textDocument": {"uri": ONE}});
    client.call("textDocument/codeLens", document).as_array().cloned().unwrap_or_default()
}

#[test]
fn lenses_of_a_long_listing_say_nothing_until_they_are_looked_at() {
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, &kernels(3, 4));
    let short = lenses(&mut client);
    assert_eq!(short.len(), 3);
    assert!(short.iter().all(|lens| lens["command"]["title"].is_string()), "{short:?}");
    // A lens that already has a title is not resolved. Resolving such a lens returns it unchanged.
    assert_eq!(client.call("codeLens/resolve", short[1].clone()), short[1]);

    client.change(ONE, 2, json!([{"text": kernels(150, 100)}]));
    let long = lenses(&mut client);
    assert_eq!(long.len(), 150);
    assert!(long.iter().all(|lens| lens.get("command").is_none()), "{}", long[0]);
    let resolved = client.call("codeLens/resolve", long[149].clone());
    assert_eq!(resolved["range"], long[149]["range"]);
    let title = resolved["command"]["title"].as_str().unwrap_or_default();
    assert!(title.contains("occupancy"), "{resolved}");

    client.change(ONE, 3, json!([{"range": range((0, 0), (0, 0)), "text": "\n"}]));
    assert_eq!(client.call("codeLens/resolve", long[149].clone()), long[149], "another version's");
}
