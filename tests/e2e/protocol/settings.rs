//! Settings take effect while the server runs, and invalid settings leave the previous settings in force.

use crate::client::{Client, everything};
use crate::folder::Folder;
use crate::texts::{ONE, listing};
use serde_json::{Value, json};
use std::time::Duration;

const PUBLISH: &str = "textDocument/publishDiagnostics";

fn refreshing() -> Value {
    json!({"workspace": {"inlayHint": {"refreshSupport": true}, "codeLens": {"refreshSupport": true}}})
}

fn all_off() -> Value {
    json!({"hints": {"latency": false, "issueCycle": false, "dualIssue": false}})
}

fn hints(client: &mut Client) -> usize {
    let within = json!({"textDocument": {"uri": ONE}, "range": everything()});
    client.call("textDocument/inlayHint", within).as_array().map_or(0, Vec::len)
}

fn set(client: &mut Client, settings: Value) {
    client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
}

#[test]
fn hints_are_switched_off_and_on_without_a_restart() {
    let mut client = Client::ready(refreshing()).ignoring(PUBLISH);
    client.open(ONE, &listing(3));
    let before = hints(&mut client);
    assert!(before > 0);
    set(&mut client, json!({"warplens": all_off()}));
    let (id, _) = client.asked("workspace/inlayHint/refresh");
    client.answer(&id, Value::Null);
    assert_eq!(hints(&mut client), 0);
    set(&mut client, json!({"warplens": {"hints": {"latency": true}}}));
    client.asked("workspace/inlayHint/refresh");
    let latency_alone = hints(&mut client);
    assert!(0 < latency_alone, "{latency_alone}");
    // The same settings again change nothing and trigger no refresh.
    set(&mut client, json!({"warplens": {"hints": {"latency": true}}}));
    assert_eq!(hints(&mut client), latency_alone);
}

/// A client keeps the answer that arrives last. An answer computed with the previous settings would therefore
/// stay on the client's screen.
#[test]
fn what_is_under_way_is_answered_with_the_settings_of_its_end() {
    let slow = json!({"warplensTest": {"slowOn": "slow", "slowMillis": 500}});
    let mut client = Client::with_options(json!({}), slow).ignoring(PUBLISH);
    client.open(ONE, &format!("{}// slow\n", listing(3)));
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": ONE}}));
    set(&mut client, json!({"warplens": {"codeLens": false}}));
    assert_eq!(client.response(lenses), Ok(json!([])));
}

#[test]
fn options_hold_until_settings_name_the_same() {
    let mut client = Client::with_options(json!({}), all_off()).ignoring(PUBLISH);
    client.open(ONE, &listing(3));
    assert_eq!(hints(&mut client), 0);
    set(&mut client, json!({"warplens": {"codeLens": false}}));
    assert_eq!(hints(&mut client), 0);
    let document = json!({"textDocument": {"uri": ONE}});
    assert_eq!(client.call("textDocument/codeLens", document), json!([]));
    set(&mut client, json!({"warplens": {"hints": {"latency": true}}}));
    assert!(hints(&mut client) > 0);
}

#[test]
fn a_client_that_answers_questions_is_asked() {
    let mut capabilities = refreshing();
    capabilities["workspace"]["configuration"] = json!(true);
    capabilities["workspace"]["didChangeConfiguration"] = json!({"dynamicRegistration": true});
    let mut client = Client::ready(capabilities).ignoring(PUBLISH);
    let (id, registrations) = client.asked("client/registerCapability");
    assert_eq!(registrations["registrations"][0]["method"], "workspace/didChangeConfiguration");
    client.answer(&id, Value::Null);
    client.open(ONE, &listing(3));
    let (early, items) = client.asked("workspace/configuration");
    assert_eq!(items["items"][0]["section"], "warplens");
    set(&mut client, Value::Null);
    let (late, _) = client.asked("workspace/configuration");
    client.answer(&late, json!([all_off()]));
    client.asked("workspace/inlayHint/refresh");
    assert_eq!(hints(&mut client), 0);
    // The answer to the earlier request arrives last, and is out of date.
    client.answer(&early, json!([{}]));
    assert_eq!(hints(&mut client), 0);
}

#[test]
fn settings_that_make_no_sense_are_said_and_the_others_taken() {
    let mut client = Client::with_options(json!({}), json!({"gpu": 3})).ignoring(PUBLISH);
    let message = client.notification("window/showMessage");
    assert!(
        message["message"].as_str().is_some_and(|text| text.starts_with("settings: `gpu`: ")),
        "{message}"
    );
    client.open(ONE, &listing(3));
    assert!(hints(&mut client) > 0);
    set(&mut client, json!({"warplens": {"gpu": "nope", "hints": all_off()["hints"]}}));
    let message = client.notification("window/showMessage");
    assert!(
        message["message"].as_str().is_some_and(|text| text.contains("h100-sxm")),
        "it lists the known: {message}"
    );
    assert_eq!(hints(&mut client), 0, "the other settings are in force");
}

/// Settings with three mistakes, and the expected message for each; `latency` is valid.
fn wrong() -> (Value, [&'static str; 3]) {
    let settings = json!({
        "modell": "paper",
        "codeLens": "yes",
        "hints": {"latency": false, "issueCycles": false},
    });
    let said = [
        "unknown setting `modell`; did you mean `model`?",
        "`codeLens`: expected true or false, not \"yes\"",
        "unknown setting `hints.issueCycles`; did you mean `hints.issueCycle`?",
    ];
    (settings, said)
}

#[test]
fn wrong_settings_are_named_however_they_come() {
    let (settings, said) = wrong();
    let says = |message: Value| {
        let text = message["message"].as_str().expect("a text").to_owned();
        assert!(said.iter().all(|part| text.contains(part)) && !text.contains('\n'), "{text}");
        assert!(text.starts_with("settings: ") && text.matches("settings: ").count() == 1, "{text}");
    };
    let right = |client: &mut Client| {
        client.open(ONE, &listing(3));
        let tips = tooltips(client);
        assert!(
            !tips.contains("can be used") && hints(client) > 0,
            "latencies are off, issue cycles on: {tips}"
        );
    };
    let mut client = Client::with_options(json!({}), settings.clone()).ignoring(PUBLISH);
    says(client.notification("window/showMessage"));
    right(&mut client);

    for sent in [json!({"warplens": settings}), settings.clone()] {
        let mut client = Client::ready(json!({})).ignoring(PUBLISH);
        set(&mut client, sent);
        says(client.notification("window/showMessage"));
        right(&mut client);
        // Settings of other programs, and settings that only editors use, are not reported.
        set(&mut client, json!({"editor": {"tabSize": 4}, "python": {}}));
        set(
            &mut client,
            json!({"warplens": {"server": {"path": ""}, "trace": {"server": "off"}, "hints": []}}),
        );
        assert!(hints(&mut client) > 0);
    }

    let capabilities = json!({"workspace": {"configuration": true}});
    let mut client = Client::ready(capabilities).ignoring(PUBLISH);
    let (id, _) = client.asked("workspace/configuration");
    client.answer(&id, json!([settings]));
    says(client.notification("window/showMessage"));
    right(&mut client);
}

fn in_folder(folder: &Folder) -> Client {
    let capabilities = json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
    let mut client = Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": capabilities,
    }))
    .ignoring(PUBLISH);
    let (id, registrations) = client.asked("client/registerCapability");
    let registration = &registrations["registrations"][0];
    assert_eq!(registration["method"], "workspace/didChangeWatchedFiles");
    assert_eq!(registration["registerOptions"]["watchers"][0]["globPattern"], "**/warplens.toml");
    client.answer(&id, Value::Null);
    client
}

fn file_changed(client: &mut Client, folder: &Folder) {
    let change = json!({"uri": format!("{}/warplens.toml", folder.uri()), "type": 2});
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": [change]}));
}

/// The tooltips of all hints, which name the GPU.
fn tooltips(client: &mut Client) -> String {
    let within = json!({"textDocument": {"uri": ONE}, "range": everything()});
    client.call("textDocument/inlayHint", within).to_string()
}

#[test]
fn the_file_at_the_root_is_read_and_watched() {
    let folder = Folder::new("watched");
    folder.write("gpu = \"h200\"\n");
    let mut client = in_folder(&folder);
    client.open(ONE, &listing(3));
    let h200 = tooltips(&mut client);
    assert!(h200.contains("H200"), "{h200}");

    folder.write("gpu = \"h100-pcie\"\n");
    file_changed(&mut client, &folder);
    let pcie = tooltips(&mut client);
    assert!(pcie.contains("PCIe"), "{pcie}");

    // A file with errors is reported once, and the previous launches stay in force.
    for bad in
        ["gpu = 3\n", "gpu = \"h100-pcie\"\n[[launch]]\nblock = [1, 1, 1]\n", "gpu = \"nope\"\n", "= \n"]
    {
        folder.write(bad);
        file_changed(&mut client, &folder);
        let message = client.notification("window/showMessage");
        let text = message["message"].as_str().unwrap_or_default();
        assert!(text.starts_with("warplens.toml") && !text.contains('\n'), "{text}");
        assert_eq!(tooltips(&mut client), pcie);
    }

    std::fs::remove_file(folder.file("warplens.toml")).expect("it was written");
    file_changed(&mut client, &folder);
    assert!(!tooltips(&mut client).contains("PCIe"));
}

#[test]
fn a_bad_file_at_the_start_is_said_once() {
    let folder = Folder::new("bad");
    folder.write("gpu = 3\n");
    let mut client = in_folder(&folder);
    client.notification("window/showMessage");
    client.open(ONE, &listing(3));
    assert!(hints(&mut client) > 0);
    assert_eq!(client.count_within("window/showMessage", Duration::from_millis(300)), 0);
}
