//! Long work is reported, as progress and in the server's status, and can be stopped.

use crate::client::{Client, everything};
use crate::texts::{ONE, OTHER, listing};
use serde_json::{Value, json};
use std::time::Duration;

const CONTENT_MODIFIED: i64 = -32801;

fn slow(capabilities: Value, millis: u64) -> Client {
    let options = json!({"warplensTest": {"slowOn": "slow", "slowMillis": millis}});
    let mut client = Client::with_options(capabilities, options).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, &format!("{}// slow\n", listing(3)));
    client
}

fn hints(client: &mut Client, uri: &str) -> i64 {
    client.request("textDocument/inlayHint", json!({"textDocument": {"uri": uri}, "range": everything()}))
}

fn showing() -> Value {
    json!({"window": {"workDoneProgress": true}})
}

fn telling() -> Value {
    json!({"experimental": {"serverStatusNotification": true}})
}

/// Accepts the creation of a progress, and reads its beginning.
fn begun(client: &mut Client) -> Value {
    let (id, created) = client.asked("window/workDoneProgress/create");
    client.answer(&id, Value::Null);
    let begin = client.notification("$/progress");
    assert_eq!(begin["token"], created["token"]);
    assert_eq!(begin["value"]["kind"], "begin");
    assert_eq!(begin["value"]["cancellable"], true);
    assert!(begin["value"]["message"].as_str().is_some_and(|text| text.contains("one.sass")), "{begin}");
    created["token"].clone()
}

#[test]
fn work_that_takes_long_shows_its_beginning_and_its_end() {
    let mut client = slow(showing(), 700);
    let id = hints(&mut client, ONE);
    let token = begun(&mut client);
    assert_ne!(client.response(id).expect("it ends by itself"), json!([]));
    let end = client.notification("$/progress");
    assert_eq!(end, json!({"token": token, "value": {"kind": "end"}}));
}

#[test]
fn quick_work_is_not_spoken_of() {
    let mut client = slow(showing(), 0);
    for _ in 0..20 {
        let id = hints(&mut client, ONE);
        client.response(id).expect("it is quick");
    }
    assert_eq!(client.count_within("window/workDoneProgress/create", Duration::from_millis(500)), 0);
}

#[test]
fn cancelling_the_progress_stops_the_work() {
    let mut client = slow(showing(), 600_000);
    let ids = [hints(&mut client, ONE), hints(&mut client, ONE)];
    let token = begun(&mut client);
    client.notify("window/workDoneProgress/cancel", json!({"token": "somebody else's"}));
    client.notify("window/workDoneProgress/cancel", json!({"token": 7}));
    client.notify("window/workDoneProgress/cancel", json!({"token": token}));
    for id in ids {
        assert_eq!(client.response(id), Err(CONTENT_MODIFIED));
    }
    assert_eq!(client.notification("$/progress")["value"]["kind"], "end");
}

#[test]
fn a_client_that_never_answers_holds_nothing_up() {
    let mut client = slow(showing(), 500);
    let id = hints(&mut client, ONE);
    client.asked("window/workDoneProgress/create");
    client.response(id).expect("it ends by itself");
    client.change(ONE, 2, json!([{"text": listing(3)}]));
    let id = hints(&mut client, ONE);
    client.response(id).expect("it is quick");
    assert_eq!(client.shut_down(), 0);
}

/// The next status notification.
fn status(client: &mut Client) -> Value {
    client.notification("experimental/serverStatus")
}

#[test]
fn the_status_names_the_gpu_of_the_document_last_asked_about() {
    let mut client = slow(telling(), 0);
    let mut reported = status(&mut client);
    if reported["message"] == "" {
        reported = status(&mut client);
    }
    assert_eq!((&reported["health"], &reported["quiescent"]), (&json!("ok"), &json!(true)));
    assert!(reported["message"].as_str().is_some_and(|text| text.contains("H100")), "{reported}");
    client.open(OTHER, &listing(3).replace("sm_90", "sm_75").replace("SM90", "SM75"));
    let reported = status(&mut client);
    assert!(reported["message"].as_str().is_some_and(|text| text.contains("sm_75")), "{reported}");
    let id = hints(&mut client, ONE);
    client.response(id).expect("it is quick");
    let reported = status(&mut client);
    assert!(reported["message"].as_str().is_some_and(|text| text.contains("H100")), "{reported}");
    // An unchanged status is not reported again.
    let id = hints(&mut client, ONE);
    client.response(id).expect("it is quick");
    assert_eq!(client.count_within("experimental/serverStatus", Duration::from_millis(300)), 0);
}

#[test]
fn the_status_says_what_is_wrong_and_when_it_is_mended() {
    let mut client = slow(telling(), 0).ignoring("window/showMessage");
    let set = |client: &mut Client, gpu: &str| {
        client.notify("workspace/didChangeConfiguration", json!({"settings": {"warplens": {"gpu": gpu}}}));
    };
    set(&mut client, "nope");
    let mut reported = status(&mut client);
    while reported["health"] == "ok" {
        reported = status(&mut client);
    }
    assert_eq!(reported["health"], "warning");
    assert!(reported["message"].as_str().is_some_and(|text| text.contains("nope")), "{reported}");
    set(&mut client, "h200");
    let reported = status(&mut client);
    assert_eq!(reported["health"], "ok");
    assert!(reported["message"].as_str().is_some_and(|text| text.contains("H200")), "{reported}");
}

#[test]
fn the_status_says_when_long_work_is_under_way() {
    let mut client = slow(telling(), 700);
    let id = hints(&mut client, ONE);
    let mut reported = status(&mut client);
    while reported["quiescent"] == true {
        reported = status(&mut client);
    }
    client.response(id).expect("it ends by itself");
    assert_eq!(status(&mut client)["quiescent"], true);
}
