//! Edits take effect in the order in which they were sent, regardless of other requests.

use crate::client::{Client, everything, range};
use crate::texts::{Dice, ONE, OTHER, listing};
use serde_json::{Value, json};
use std::time::Instant;

const CONTENT_MODIFIED: i64 = -32801;

/// The test's copy of the text, with a simple implementation of protocol positions (ASCII only).
struct Mirror(String);

impl Mirror {
    fn position(&self, offset: usize) -> (u32, u32) {
        let before = self.0[..offset].replace("\r\n", " \n").replace('\r', "\n");
        let line = before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (line as u32, (offset - start) as u32)
    }

    /// An offset that a position can express: not within `\r\n`.
    fn place(&self, dice: &mut Dice) -> usize {
        let at = dice.roll(self.0.len() + 1);
        let within = self.0[..at].ends_with('\r') && self.0[at..].starts_with('\n');
        at - usize::from(within)
    }

    /// Replaces up to 20 bytes at a random offset, and returns the change in the protocol's form.
    fn edit(&mut self, dice: &mut Dice, number: usize) -> Value {
        let start = self.place(dice);
        let mut end = (start + dice.roll(20)).min(self.0.len());
        end -= usize::from(self.0[..end].ends_with('\r') && self.0[end..].starts_with('\n'));
        let end = end.max(start);
        let line_ends = ["", "\n", "\r\n", "\r"];
        let text = format!("{number} MOV R{number}, R1 ;{}", line_ends[dice.roll(4)]);
        let change = json!({"range": range(self.position(start), self.position(end)), "text": text});
        self.0.replace_range(start..end, &text);
        change
    }
}

#[test]
fn two_thousand_edits_with_requests_between_them_lose_none() {
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    let mut mirror = Mirror(listing(20));
    let mut dice = Dice(7);
    client.open(ONE, &mirror.0);
    let mut requests = Vec::new();
    for number in 0..2_000 {
        let mut changes = vec![mirror.edit(&mut dice, number)];
        if number % 5 == 0 {
            changes.push(mirror.edit(&mut dice, number));
        }
        client.change(ONE, number as i32 + 2, json!(changes));
        let document = json!({"uri": ONE});
        match number % 7 {
            0 => {
                let within = json!({"textDocument": document, "range": everything()});
                requests.push(client.request("textDocument/inlayHint", within));
            }
            3 => {
                let of = json!({"textDocument": document});
                requests.push(client.request("textDocument/documentSymbol", of));
            }
            5 => {
                let viewed = client.call("warplens/viewText", document);
                assert_eq!(viewed["version"], number + 2);
                assert_eq!(viewed["text"], mirror.0, "after edit {number}");
            }
            _ => {}
        }
    }
    assert_eq!(client.text(ONE), mirror.0);
    let mut answered = 0;
    for id in requests {
        match client.response(id) {
            Ok(_) => answered += 1,
            Err(code) => assert_eq!(code, CONTENT_MODIFIED),
        }
    }
    println!("{answered} requests were answered before the next edit");

    // The engine's copy has the same text: a newly opened copy has the same answers.
    client.open(OTHER, &mirror.0);
    let whole = |uri: &str| json!({"textDocument": {"uri": uri}, "range": everything()});
    let tokens = client.call("textDocument/semanticTokens/range", whole(ONE));
    assert_eq!(tokens, client.call("textDocument/semanticTokens/range", whole(OTHER)));
    assert_ne!(tokens["data"], json!([]));
    assert_eq!(
        client.call("textDocument/inlayHint", whole(ONE)),
        client.call("textDocument/inlayHint", whole(OTHER)),
    );
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn four_unanswered_questions_to_the_client_and_500_messages_stop_nothing() {
    let capabilities = json!({"workspace": {
        "configuration": true,
        "didChangeConfiguration": {"dynamicRegistration": true},
        "didChangeWatchedFiles": {"dynamicRegistration": true},
    }});
    let mut client = Client::ready(capabilities).ignoring("textDocument/publishDiagnostics");
    for _ in 0..4 {
        client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
    }
    client.open(ONE, "start\n");
    for number in 0..500 {
        let change = json!([{"range": range((1, 0), (1, 0)), "text": format!("edit {number}\n")}]);
        client.change(ONE, number + 2, change);
    }
    let viewed = client.call("warplens/viewText", json!({"uri": ONE}));
    assert_eq!(viewed["version"], 501);
    assert_eq!(viewed["text"].as_str().map(|text| text.lines().count()), Some(501));
    client.asked("client/registerCapability");
    for _ in 0..5 {
        client.asked("workspace/configuration");
    }
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn slow_requests_hold_up_neither_edits_nor_other_documents() {
    let options = json!({"warplensTest": {"slowOn": "slow", "slowMillis": 30_000}});
    let mut client = Client::with_options(json!({}), options).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, "// slow\n");
    client.open(OTHER, &listing(2));
    let start = Instant::now();
    let at = |uri: &str| json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}});
    let slow: Vec<i64> = (0..300).map(|_| client.request("textDocument/hover", at(ONE))).collect();
    client.change(ONE, 2, json!([{"range": range((0, 3), (0, 7)), "text": "swift"}]));
    assert_eq!(client.call("warplens/viewText", json!({"uri": ONE}))["text"], "// swift\n");
    for id in slow {
        assert_eq!(client.response(id), Err(CONTENT_MODIFIED));
    }
    client.call("textDocument/hover", at(ONE));
    client.call("textDocument/hover", at(OTHER));
    assert!(start.elapsed().as_secs() < 25, "the slow requests were waited for");
}
