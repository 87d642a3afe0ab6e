//! Tests of what an editor shows for a real listing.

use crate::client::{Client, everything, range};
use crate::texts::{COLUMN, FIRST_ADDITION, ONE, listing};
use serde_json::{Value, json};

/// A listing of the repository: 220 lines of `cuobjdump -sass` for Hopper.
const SGEMM: &str = include_str!("../../corpus/sm_90/sgemm.cuobjdump-sass.txt");

fn showing(capabilities: Value, text: &str) -> Client {
    let mut client = Client::ready(capabilities).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, text);
    client
}

fn ask(client: &mut Client, method: &str) -> Value {
    client.call(&format!("textDocument/{method}"), json!({"textDocument": {"uri": ONE}}))
}

fn within(client: &mut Client, method: &str, lines: (u32, u32)) -> Value {
    let range = range((lines.0, 0), (lines.1, 0));
    client.call(&format!("textDocument/{method}"), json!({"textDocument": {"uri": ONE}, "range": range}))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn hints_are_given_for_the_lines_asked_about_alone() {
    let mut client = showing(json!({}), SGEMM);
    let all =
        client.call("textDocument/inlayHint", json!({"textDocument": {"uri": ONE}, "range": everything()}));
    let some = within(&mut client, "inlayHint", (20, 60));
    let expected: Vec<&Value> = list(&all)
        .iter()
        .filter(|hint| (20..60).contains(&hint["position"]["line"].as_u64().unwrap_or(0)))
        .collect();
    assert!(expected.len() > 15, "{all}");
    assert_eq!(list(&some).iter().collect::<Vec<_>>(), expected);
    let mut naming_the_gpu = 0;
    for hint in list(&some) {
        assert!(hint["label"].as_str().is_some_and(|label| !label.is_empty()), "{hint}");
        let tooltip = hint["tooltip"]["value"].as_str().unwrap_or_default();
        assert!(!tooltip.is_empty(), "{hint}");
        naming_the_gpu += usize::from(tooltip.contains("H100"));
    }
    // Hints with a number name the GPU. Hints that explain a missing number need not name the GPU.
    assert!(naming_the_gpu > list(&some).len() / 2, "{some}");
}

#[test]
fn tokens_of_a_range_are_those_of_the_whole() {
    let mut client = showing(json!({}), SGEMM);
    let whole = absolute(&ask(&mut client, "semanticTokens/full"));
    let part = absolute(&within(&mut client, "semanticTokens/range", (20, 60)));
    let expected: Vec<[u64; 5]> =
        whole.iter().copied().filter(|token| (20..60).contains(&token[0])).collect();
    assert!(expected.len() > 60, "{}", expected.len());
    assert_eq!(part, expected);
    for pair in whole.windows(2) {
        let following = pair[0][0] < pair[1][0] || pair[0][1] + pair[0][2] <= pair[1][1];
        assert!(following, "{pair:?} overlap");
    }
}

/// Absolute line, column, length, type and modifiers of each token.
fn absolute(tokens: &Value) -> Vec<[u64; 5]> {
    let data: Vec<u64> = list(&tokens["data"]).iter().filter_map(Value::as_u64).collect();
    let (mut line, mut column) = (0, 0);
    data.chunks_exact(5)
        .map(|token| {
            column = if token[0] == 0 { column + token[1] } else { token[1] };
            line += token[0];
            [line, column, token[2], token[3], token[4]]
        })
        .collect()
}

#[test]
fn hovers_come_as_the_client_can_show_them() {
    let at =
        json!({"textDocument": {"uri": ONE}, "position": {"line": FIRST_ADDITION, "character": COLUMN + 1}});
    let rich = json!({"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}});
    let mut client = showing(rich, &listing(3));
    let rich = client.call("textDocument/hover", at.clone());
    assert_eq!(rich["contents"]["kind"], "markdown");
    assert_eq!(rich["range"]["start"]["line"], FIRST_ADDITION);
    let mut client = showing(json!({}), &listing(3));
    let plain = client.call("textDocument/hover", at);
    assert_eq!(plain["contents"]["kind"], "plaintext");
    let text = plain["contents"]["value"].as_str().unwrap_or_default();
    assert!(text.contains("IADD3") && !text.contains("**") && !text.contains('`'), "{text}");
    let nowhere = json!({"textDocument": {"uri": ONE}, "position": {"line": 9999, "character": 0}});
    assert_eq!(client.call("textDocument/hover", nowhere), Value::Null);
}

#[test]
fn symbols_are_a_tree_or_a_list() {
    let tree = json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}});
    let mut client = showing(tree, SGEMM);
    let tree = ask(&mut client, "documentSymbol");
    assert!(tree.to_string().contains("\"name\":\"sgemm16\""), "{tree}");
    assert!(list(&tree).iter().all(|symbol| symbol["selectionRange"].is_object()), "{tree}");
    let mut client = showing(json!({}), SGEMM);
    let flat = ask(&mut client, "documentSymbol");
    assert!(list(&flat).iter().any(|symbol| symbol["name"] == "sgemm16"), "{flat}");
    assert!(list(&flat).iter().all(|symbol| symbol["location"]["uri"] == ONE), "{flat}");
}

#[test]
fn folds_are_what_the_client_takes() {
    let mut client = showing(json!({}), SGEMM);
    let all = ask(&mut client, "foldingRange");
    assert!(!list(&all).is_empty());
    let whole_lines = json!({"textDocument": {"foldingRange": {"lineFoldingOnly": true, "rangeLimit": 1}}});
    let mut client = showing(whole_lines, SGEMM);
    let one = ask(&mut client, "foldingRange");
    assert_eq!(list(&one).len(), 1);
    assert!(one[0].get("startCharacter").is_none() && one[0].get("endCharacter").is_none(), "{one}");
    assert_eq!(one[0]["startLine"], all[0]["startLine"]);
    assert!(one[0]["endLine"].as_u64() > one[0]["startLine"].as_u64());
}

#[test]
fn each_kernel_has_a_lens_above_it() {
    let mut client = showing(json!({}), SGEMM);
    let lenses = ask(&mut client, "codeLens");
    assert!(!list(&lenses).is_empty());
    for lens in list(&lenses) {
        assert!(lens["command"]["title"].as_str().is_some_and(|title| !title.is_empty()), "{lens}");
    }
}
