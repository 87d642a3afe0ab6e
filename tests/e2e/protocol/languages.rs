//! A document's language is determined by its text, even if it changes while the document is open.

use crate::client::{Client, everything, range};
use crate::texts::{Dice, ONE, OTHER, listing};
use serde_json::{Value, json};

const PUBLISH: &str = "textDocument/publishDiagnostics";

const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n\n.visible .entry twice(.param .u64 to)\n{\n\
                   \t.reg .b32 %r<3>;\n\tmov.u32 %r1, %tid.x;\n\tadd.s32 %r2, %r1, %r1;\n\tret;\n}\n";

fn open(client: &mut Client, uri: &str, language: &str, text: &str) {
    let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
}

/// Returns the server's answers for a document, without its location.
fn answers(client: &mut Client, uri: &str) -> Value {
    let document = json!({"uri": uri});
    let within = json!({"textDocument": document, "range": everything()});
    let at = json!({"textDocument": document, "position": {"line": 7, "character": 3}});
    let all = json!([
        client.call("textDocument/semanticTokens/full", json!({"textDocument": document})),
        client.call("textDocument/documentSymbol", json!({"textDocument": document})),
        client.call("textDocument/foldingRange", json!({"textDocument": document})),
        client.call("textDocument/inlayHint", within),
        client.call("textDocument/hover", at),
    ]);
    let text = all.to_string().replace(uri, "URI");
    // Hints and tokens state the document's version.
    let versions = without_versions(&text);
    serde_json::from_str(&versions).expect("it was JSON")
}

/// A text without the numbers of versions and results.
fn without_versions(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\"version\":") {
        let end = at + "\"version\":".len();
        out.push_str(&rest[..end]);
        out.push('0');
        rest = rest[end..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out + rest
}

fn without_result_ids(mut answers: Value) -> Value {
    if let Some(tokens) = answers[0].as_object_mut() {
        tokens.remove("resultId");
    }
    answers
}

/// Asserts that the answers equal those for a newly opened document with `text`.
fn as_fresh(client: &mut Client, language: &str, text: &str) {
    open(client, OTHER, language, text);
    let (edited, fresh) = (answers(client, ONE), answers(client, OTHER));
    client.close(OTHER);
    assert_eq!(without_result_ids(edited), without_result_ids(fresh), "{text}");
}

#[test]
fn ptx_pasted_into_a_new_listing_is_read_as_ptx() {
    let mut client = Client::ready(json!({})).ignoring(PUBLISH);
    open(&mut client, ONE, "nvsass", "");
    client.change(ONE, 2, json!([{"range": range((0, 0), (0, 0)), "text": PTX}]));
    assert_eq!(client.text(ONE), PTX);
    as_fresh(&mut client, "nvsass", PTX);
    let tokens = client.call("textDocument/semanticTokens/full", json!({"textDocument": {"uri": ONE}}));
    assert!(tokens["data"].as_array().is_some_and(|data| data.len() > 50), "{tokens}");

    // Later edits are edits of PTX.
    client.change(ONE, 3, json!([{"range": range((8, 19), (8, 22)), "text": "7"}]));
    let edited = PTX.replace("%r1, %r1;", "%r1, 7;");
    assert_eq!(client.text(ONE), edited);
    as_fresh(&mut client, "nvsass", &edited);

    // While its first line is being retyped, the document stays PTX.
    client.change(ONE, 4, json!([{"range": range((0, 0), (0, 8)), "text": ".vers"}]));
    let symbols = client.call("textDocument/documentSymbol", json!({"textDocument": {"uri": ONE}}));
    assert!(symbols.to_string().contains("twice"), "{symbols}");
    client.change(ONE, 5, json!([{"range": range((0, 5), (0, 5)), "text": "ion"}]));
    as_fresh(&mut client, "nvsass", &edited);

    // Pasting a listing over the entire text makes the document a listing.
    client.change(ONE, 6, json!([{"range": everything(), "text": listing(3)}]));
    as_fresh(&mut client, "nvsass", &listing(3));
    client.change(ONE, 7, json!([{"text": PTX}]));
    as_fresh(&mut client, "nvsass", PTX);
}

#[test]
fn findings_of_the_old_language_vanish() {
    let mut client = Client::ready(json!({"textDocument": {"publishDiagnostics": {"versionSupport": true}}}));
    open(&mut client, ONE, "nvsass", "FROB7 R1, R2 ;\n");
    // The parser's findings arrive first, then the findings of the model.
    let until = |client: &mut Client, version: i32, word: &str| loop {
        let findings = client.findings(ONE);
        let text = findings["diagnostics"].to_string();
        assert!(version == 1 || findings["version"] != json!(version) || !text.contains("FROB7"), "{text}");
        if findings["version"] == json!(version) && text.contains(word) {
            return;
        }
    };
    until(&mut client, 1, "FROB7");
    let wrong = PTX.replace("add.s32 %r2", "add.s32 %r9");
    client.change(ONE, 2, json!([{"range": everything(), "text": wrong}]));
    until(&mut client, 2, "%r9");
    let mut client = client.ignoring(PUBLISH);
    client.call("warplens/viewText", json!({"uri": ONE}));
}

#[test]
fn after_any_edits_a_text_that_says_its_language_is_as_if_opened_now() {
    let mut client = Client::ready(json!({})).ignoring(PUBLISH);
    let sass = listing(2);
    let pieces = ["", "\n", "// x\n", "/", ".version 8.0\n", "a", PTX, &sass, "\tmov.u32 %r1, 0;\n"];
    let mut dice = Dice(19);
    open(&mut client, ONE, "nvsass", "");
    let mut text = String::new();
    let mut compared = 0;
    for version in 2..120 {
        let lines = text.split('\n').count();
        let (from, to) = match dice.roll(4) {
            0 => (0, lines),
            1 => (0, 0),
            2 => (lines - 1, lines - 1),
            _ => {
                let (a, b) = (dice.roll(lines), dice.roll(lines));
                (a.min(b), a.max(b))
            }
        };
        let piece = pieces[dice.roll(pieces.len())];
        let start = |line: usize| text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
        let whole = to >= lines;
        let (start, end) = (start(from), if whole { text.len() } else { start(to) });
        let place = if whole {
            range((from as u32, 0), (u32::MAX, 0))
        } else {
            range((from as u32, 0), (to as u32, 0))
        };
        client.change(ONE, version, json!([{"range": place, "text": piece}]));
        text.replace_range(start..end, piece);
        // If the text is inconclusive, the previous language is kept.
        let head = text.trim_start();
        if head.starts_with(".version 8.0") || head.starts_with("code for") {
            as_fresh(&mut client, "nvsass", &text);
            compared += 1;
        }
        assert_eq!(client.text(ONE), text);
    }
    assert!(compared > 20, "{compared}");
}
