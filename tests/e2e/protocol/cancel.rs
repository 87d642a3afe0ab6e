//! Work whose result is no longer needed ends at once, and the server reports the end.

use crate::client::{Client, everything};
use crate::texts::{ONE, OTHER, listing};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const REQUEST_CANCELLED: i64 = -32800;
const CONTENT_MODIFIED: i64 = -32801;

/// The work takes far longer than a test may, so only cancellation ends the work.
fn slow() -> Client {
    let options = json!({"warplensTest": {"slowOn": "slow", "slowMillis": 600_000}});
    let mut client = Client::with_options(json!({}), options);
    client.open(ONE, &format!("{}// slow\n", listing(3)));
    client
}

fn hints(client: &mut Client) -> i64 {
    client.request("textDocument/inlayHint", json!({"textDocument": {"uri": ONE}, "range": everything()}))
}

#[test]
fn a_cancelled_request_answers_that_it_is() {
    let mut client = slow();
    client.findings(ONE);
    let first = hints(&mut client);
    let second = hints(&mut client);
    client.notify("$/cancelRequest", json!({"id": first}));
    assert_eq!(client.response(first), Err(REQUEST_CANCELLED));
    client.notify("$/cancelRequest", json!({"id": first}));
    client.notify("$/cancelRequest", json!({"id": 4711}));
    client.notify("$/cancelRequest", json!({"id": second}));
    assert_eq!(client.response(second), Err(REQUEST_CANCELLED));
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn cancelled_work_gives_its_thread_back() {
    let mut client = slow();
    client.findings(ONE);
    for _ in 0..100 {
        let id = hints(&mut client);
        client.notify("$/cancelRequest", json!({"id": id}));
        assert_eq!(client.response(id), Err(REQUEST_CANCELLED));
    }
    client.open(OTHER, &listing(1));
    client.findings(OTHER);
    client.call("textDocument/inlayHint", json!({"textDocument": {"uri": OTHER}, "range": everything()}));
}

#[test]
fn an_edit_overtakes_what_is_under_way() {
    let mut client = slow().ignoring("textDocument/publishDiagnostics");
    let overtaken = hints(&mut client);
    client.change(ONE, 2, json!([{"text": listing(3)}]));
    let current = hints(&mut client);
    assert_eq!(client.response(overtaken), Err(CONTENT_MODIFIED));
    let current = client.response(current).expect("nothing has overtaken it");
    assert_ne!(current, json!([]));
}

#[test]
fn closing_a_document_ends_the_work_on_it() {
    let mut client = slow().ignoring("textDocument/publishDiagnostics");
    let start = Instant::now();
    let under_way: Vec<i64> = (0..8).map(|_| hints(&mut client)).collect();
    client.close(ONE);
    for id in under_way {
        assert_eq!(client.response(id), Err(CONTENT_MODIFIED));
    }
    let id = hints(&mut client);
    assert_eq!(client.response(id), Ok(json!([])));
    client.open(ONE, &listing(2));
    let id = hints(&mut client);
    assert_ne!(client.response(id), Ok(json!([])));
    assert!(start.elapsed() < Duration::from_mins(1));
}

#[test]
fn leaving_does_not_wait_for_work() {
    let mut client = slow().ignoring("textDocument/publishDiagnostics");
    let id = hints(&mut client);
    let start = Instant::now();
    client.call("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code(), 0);
    assert!(start.elapsed() < Duration::from_secs(30));
    assert_eq!(client.response(id), Err(REQUEST_CANCELLED));
}
