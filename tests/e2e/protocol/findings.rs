//! Findings: pushed by themselves, for the version that is open, and never twice.

use crate::client::{Client, range};
use crate::texts::{COLUMN, FIRST_ADDITION, ONE, OTHER, listing};
use serde_json::{Value, json};
use std::time::Duration;

/// Longer than the longest pause before the model is asked.
const A_WHILE: Duration = Duration::from_millis(900);
const PUBLISH: &str = "textDocument/publishDiagnostics";

fn able() -> Value {
    json!({"textDocument": {"publishDiagnostics": {"versionSupport": true, "relatedInformation": true}}})
}

/// The change that makes the first addition's opcode unknown, and the one that undoes it.
fn misspell() -> Value {
    json!([{"range": range((FIRST_ADDITION, COLUMN), (FIRST_ADDITION, COLUMN + 5)), "text": "FROB7"}])
}

fn correct() -> Value {
    json!([{"range": range((FIRST_ADDITION, COLUMN), (FIRST_ADDITION, COLUMN + 5)), "text": "IADD3"}])
}

fn codes(findings: &Value) -> Vec<&str> {
    findings["diagnostics"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|found| found["code"].as_str())
        .collect()
}

/// The last findings of a document once all has gone quiet.
fn settled(client: &mut Client, uri: &str) -> Value {
    let mut last = client.findings(uri);
    client.count_within(PUBLISH, A_WHILE);
    while client.count_within(PUBLISH, Duration::ZERO) > 0 {
        last = client.findings(uri);
    }
    last
}

#[test]
fn a_finding_appears_with_its_version_and_goes_with_the_cause() {
    let mut client = Client::ready(able());
    client.open(ONE, &listing(3));
    let clean = settled(&mut client, ONE);
    assert_eq!(clean["version"], 1);
    assert!(!codes(&clean).contains(&"unknown-opcode"), "{clean}");

    client.change(ONE, 2, misspell());
    let found = settled(&mut client, ONE);
    assert_eq!(found["version"], 2);
    let unknown =
        found["diagnostics"].as_array().into_iter().flatten().find(|found| found["code"] == "unknown-opcode");
    let unknown = unknown.unwrap_or_else(|| panic!("{found}"));
    assert_eq!(unknown["source"], "warplens");
    assert_eq!(unknown["range"]["start"], json!({"line": FIRST_ADDITION, "character": COLUMN}));

    client.change(ONE, 3, correct());
    let gone = settled(&mut client, ONE);
    assert_eq!(gone["version"], 3);
    assert_eq!(gone["diagnostics"], clean["diagnostics"]);
}

#[test]
fn versions_are_for_clients_that_take_them() {
    let mut client = Client::ready(json!({}));
    client.open(ONE, &listing(3));
    let found = settled(&mut client, ONE);
    assert!(found.get("version").is_none_or(Value::is_null), "{found}");
}

#[test]
fn the_same_list_is_not_sent_again() {
    let mut client = Client::ready(able());
    client.open(ONE, &listing(3));
    settled(&mut client, ONE);
    client.change(ONE, 2, json!([{"range": range((0, 0), (0, 0)), "text": ""}]));
    assert_eq!(client.count_within(PUBLISH, A_WHILE), 0);
}

#[test]
fn no_version_is_spoken_of_that_is_over() {
    let mut client = Client::ready(able());
    client.open(ONE, &listing(200));
    client.findings(ONE);
    let mut last = 1;
    for version in 2..200 {
        client.change(ONE, version, if version % 2 == 0 { misspell() } else { correct() });
    }
    // The last list is like no other: it stands one line below.
    client.change(ONE, 200, misspell());
    client.change(ONE, 202, json!([{"range": range((0, 0), (0, 0)), "text": "\n"}]));
    client.call("warplens/viewText", json!({"uri": ONE}));
    client.count_within(PUBLISH, A_WHILE);
    while client.count_within(PUBLISH, Duration::ZERO) > 0 {
        let found = client.findings(ONE);
        let version = found["version"].as_i64().expect("a version");
        assert!(version >= last, "{version} after {last}");
        // Odd versions are correct, even ones are not.
        assert_eq!(codes(&found).contains(&"unknown-opcode"), version % 2 == 0, "{found}");
        last = version;
    }
    assert_eq!(last, 202);
}

#[test]
fn closing_takes_the_findings_away_and_nothing_comes_after() {
    let mut client = Client::ready(able());
    client.open(OTHER, &listing(3));
    settled(&mut client, OTHER);
    client.open(ONE, &listing(3));
    client.change(ONE, 2, misspell());
    let found = settled(&mut client, ONE);
    assert!(codes(&found).contains(&"unknown-opcode"), "{found}");
    client.change(ONE, 3, json!([{"range": range((0, 0), (0, 0)), "text": "\n"}]));
    client.close(ONE);
    let mut last = client.findings(ONE);
    client.count_within(PUBLISH, A_WHILE);
    while client.count_within(PUBLISH, Duration::ZERO) > 0 {
        last = client.findings(ONE);
    }
    assert_eq!(last["diagnostics"], json!([]));
}
