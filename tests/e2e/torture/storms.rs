//! More messages at once than any editor sends.

use crate::client::{Client, everything, range};
use crate::texts::{Dice, ONE, OTHER, listing};
use crate::watch::{memory_mb, open_files};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const REQUEST_CANCELLED: i64 = -32800;
const CONTENT_MODIFIED: i64 = -32801;
const PTX: &str = include_str!("../stand_in/scale.ptx");
const PTX_URI: &str = "file:///scale.ptx";

/// A server with a listing and a PTX text open.
fn ready(capabilities: Value) -> Client {
    let mut client = Client::ready(capabilities).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, &listing(200));
    let document = json!({"uri": PTX_URI, "languageId": "ptx", "version": 1, "text": PTX});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    client
}

/// Sends a request of a random type.
fn ask(client: &mut Client, dice: &mut Dice) -> i64 {
    let uri = [ONE, PTX_URI, OTHER][dice.roll(3)];
    let document = json!({"uri": uri});
    let position = json!({"line": dice.roll(60), "character": dice.roll(60)});
    let at = json!({"textDocument": document, "position": position});
    let within = json!({"textDocument": document, "range": everything()});
    let of = json!({"textDocument": document});
    match dice.roll(10) {
        0 => client.request("textDocument/inlayHint", within),
        1 => client.request("textDocument/documentSymbol", of),
        2 => client.request("textDocument/codeLens", of),
        3 => client.request("textDocument/semanticTokens/full", of),
        4 => client.request("textDocument/foldingRange", of),
        5 => client.request("textDocument/completion", at),
        6 => client.request("warplens/kernelSummary", at),
        7 => client.request("textDocument/documentHighlight", at),
        8 => client.request("warplens/viewText", document),
        _ => client.request("textDocument/hover", at),
    }
}

#[test]
fn five_hundred_queued_requests_are_answered_while_the_client_answers_none() {
    let capabilities = json!({"workspace": {
        "configuration": true,
        "didChangeConfiguration": {"dynamicRegistration": true},
        "didChangeWatchedFiles": {"dynamicRegistration": true},
    }});
    let mut client =
        ready(capabilities).ignoring("workspace/configuration").ignoring("client/registerCapability");
    for _ in 0..6 {
        client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
    }
    let mut dice = Dice(11);
    let start = Instant::now();
    let asked: Vec<i64> = (0..500).map(|_| ask(&mut client, &mut dice)).collect();
    for id in asked {
        client.response(id).expect("nothing has overtaken it");
    }
    println!("500 queued requests: {:.1?}", start.elapsed());
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_storm_of_cancellations_leaves_one_answer_for_each_request() {
    let mut client = ready(json!({}));
    let mut dice = Dice(12);
    let start = Instant::now();
    let mut asked = Vec::new();
    for _ in 0..3_000 {
        asked.push(ask(&mut client, &mut dice));
        for _ in 0..3 {
            // One of the previous requests, which may already be answered or cancelled.
            let id = asked[asked.len() - 1 - dice.roll(asked.len().min(40))];
            client.notify("$/cancelRequest", json!({"id": id}));
        }
    }
    let (mut done, mut cancelled) = (0, 0);
    for id in asked {
        match client.response(id) {
            Ok(_) => done += 1,
            Err(REQUEST_CANCELLED) => cancelled += 1,
            Err(code) => panic!("error {code}"),
        }
    }
    println!(
        "3,000 requests, 9,000 cancellations: {done} done, {cancelled} cancelled, {:.1?}",
        start.elapsed()
    );
    assert!(cancelled > 0);
    // The server works as before.
    let hints = json!({"textDocument": {"uri": ONE}, "range": everything()});
    assert_ne!(client.call("textDocument/inlayHint", hints), json!([]));
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn two_thousand_documents_opened_and_closed_leave_memory_flat() {
    const MAX_GROWTH_MB: f64 = 40.0;
    let mut client = ready(json!({}));
    let text = listing(100);
    let mut early = (0.0, 0);
    let start = Instant::now();
    for number in 1..=2_000 {
        let uri = format!("file:///kernels/{number}.sass");
        client.open(&uri, &format!("// {number}\n{text}"));
        if number % 10 == 0 {
            let hints = json!({"textDocument": {"uri": uri}, "range": everything()});
            client.call("textDocument/inlayHint", hints);
        }
        client.close(&uri);
        if number == 400 {
            early = at_rest(&mut client);
        }
    }
    let late = at_rest(&mut client);
    println!(
        "2,000 documents: {:.0} MB and {} files open at 400, {:.0} MB and {} at the end, {:.1?}",
        early.0,
        early.1,
        late.0,
        late.1,
        start.elapsed()
    );
    assert!(late.0 < early.0 + MAX_GROWTH_MB, "{early:?} {late:?}");
    assert!(late.1 <= early.1 + 2, "{early:?} {late:?}");
    assert_eq!(client.shut_down(), 0);
}

/// Memory and number of open files once the work is done.
fn at_rest(client: &mut Client) -> (f64, usize) {
    client.call("warplens/viewText", json!({"uri": ONE}));
    client.count_within("nothing", Duration::from_secs(1));
    (memory_mb(client.process()).0, open_files(client.process()))
}

#[test]
fn three_thousand_edits_leave_memory_flat() {
    const MAX_GROWTH_MB: f64 = 40.0;
    let mut client = ready(json!({}));
    let mut early = 0.0;
    let start = Instant::now();
    let mut overtaken = 0;
    for number in 0..3_000 {
        let (uri, text) = if number % 2 == 0 { (ONE, "// x\n") } else { (PTX_URI, "// x\n") };
        let place = if number % 4 < 2 { range((0, 0), (0, 0)) } else { range((0, 0), (1, 0)) };
        let text = if number % 4 < 2 { text } else { "" };
        client.change(uri, number + 2, json!([{"range": place, "text": text}]));
        if number % 20 == 0 {
            let hints = json!({"textDocument": {"uri": uri}, "range": everything()});
            let id = client.request("textDocument/inlayHint", hints);
            overtaken += usize::from(client.response(id) == Err(CONTENT_MODIFIED));
        }
        if number == 600 {
            early = at_rest(&mut client).0;
        }
    }
    let late = at_rest(&mut client).0;
    println!("3,000 edits: {early:.0} MB at 600, {late:.0} MB at the end, {:.1?}", start.elapsed());
    assert_eq!(overtaken, 0, "each hint was waited for before the next edit");
    assert!(late < early + MAX_GROWTH_MB, "{early} {late}");
    assert_eq!(client.text(PTX_URI), PTX, "each line that was added is gone again");
    assert_eq!(client.shut_down(), 0);
}
