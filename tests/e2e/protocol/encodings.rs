//! Columns in the three encodings, in texts that are not all ASCII.

use crate::client::{Client, everything, range};
use crate::texts::ONE;
use serde_json::{Value, json};

/// A line of wide characters, with its width in each encoding.
const WIDE: &str = "// größe 🚀 ";
const ENCODINGS: [(&str, u32); 3] = [("utf-8", 16), ("utf-16", 12), ("utf-32", 11)];

fn document() -> String {
    crate::texts::listing(1).replacen("\t\tFunction", &format!("{WIDE}ends here\r\n\t\tFunction"), 1)
}

fn speaking(encoding: &str) -> Client {
    let capabilities = json!({"general": {"positionEncodings": [encoding]}});
    let mut client = Client::start(&["lsp"]).ignoring("textDocument/publishDiagnostics");
    let greeting = json!({"processId": null, "rootUri": null, "capabilities": capabilities});
    let result = client.call("initialize", greeting);
    assert_eq!(result["capabilities"]["positionEncoding"], encoding);
    client.notify("initialized", json!({}));
    client
}

#[test]
fn edits_after_wide_characters_hit_their_position() {
    for (encoding, column) in ENCODINGS {
        let mut client = speaking(encoding);
        client.open(ONE, &document());
        client.change(ONE, 2, json!([{"range": range((1, column), (1, column + 4)), "text": "é🚀starts"}]));
        // The columns of the second change refer to the text after the first change.
        client.change(ONE, 3, json!([{"range": range((1, 3), (1, column)), "text": "€ "}]));
        assert_eq!(client.text(ONE), document().replace("größe 🚀 ends", "€ é🚀starts"), "{encoding}");
    }
}

#[test]
fn places_outside_the_text_are_moved_into_it() {
    for (encoding, _) in ENCODINGS {
        let mut client = speaking(encoding);
        client.open(ONE, "// 🚀\r\nb\rc");
        client.change(
            ONE,
            2,
            json!([
                {"range": range((0, 99), (0, 99)), "text": "1"},
                {"range": range((2, 99), (99, 0)), "text": "2"},
                {"range": range((1, 99), (1, 0)), "text": "B"},
            ]),
        );
        assert_eq!(client.text(ONE), "// 🚀1\r\nB\rc2", "{encoding}");
        let at =
            json!({"textDocument": {"uri": ONE}, "position": {"line": 1_000_000, "character": 1_000_000}});
        client.call("textDocument/hover", at);
        let hints = json!({"textDocument": {"uri": ONE}, "range": range((9, 9), (1, 1))});
        client.call("textDocument/inlayHint", hints);
    }
    let mut client = speaking("utf-16");
    client.open(ONE, "🚀");
    client.change(ONE, 2, json!([{"range": range((0, 1), (0, 2)), "text": "x"}]));
    assert_eq!(client.text(ONE), "x", "a column within a character means the character's start");
}

#[test]
fn tokens_are_as_long_as_the_encoding_has_it() {
    let last_of_line_1 = |client: &mut Client| {
        let tokens = client.call(
            "textDocument/semanticTokens/range",
            json!({"textDocument": {"uri": ONE}, "range": range((1, 0), (2, 0))}),
        );
        let data: Vec<u64> =
            tokens["data"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        assert!(data.len() >= 5, "{tokens}");
        assert_eq!(data[0], 1, "the comment is in line 1");
        data[2]
    };
    for (encoding, column) in ENCODINGS {
        let mut client = speaking(encoding);
        client.open(ONE, &document());
        assert_eq!(last_of_line_1(&mut client), u64::from(column) + 9, "{encoding}");
    }
}

#[test]
fn answers_are_the_same_place_in_every_encoding() {
    // All lines except the comment are ASCII, so the answers are equal.
    let answers: Vec<Value> = ENCODINGS
        .iter()
        .map(|(encoding, _)| {
            let mut client = speaking(encoding);
            client.open(ONE, &document());
            client
                .call("textDocument/inlayHint", json!({"textDocument": {"uri": ONE}, "range": everything()}))
        })
        .collect();
    assert_ne!(answers[0], json!([]));
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
}

#[test]
fn utf_8_is_taken_where_it_is_offered_and_utf_16_where_nothing_is() {
    for (offered, taken) in
        [(json!(["utf-16", "utf-8"]), "utf-8"), (json!(["utf-9"]), "utf-16"), (Value::Null, "utf-16")]
    {
        let mut client = Client::start(&["lsp"]);
        let capabilities = json!({"general": {"positionEncodings": offered}});
        let result = client
            .call("initialize", json!({"processId": null, "rootUri": null, "capabilities": capabilities}));
        assert_eq!(result["capabilities"]["positionEncoding"], taken);
    }
}
