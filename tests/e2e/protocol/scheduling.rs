//! New control codes for an instruction, a block and a kernel.

use crate::client::{Client, range};
use crate::texts::{COLUMN, FIRST_ADDITION, ONE, listing};
use serde_json::{Value, json};

fn lazy() -> Value {
    json!({"textDocument": {"codeAction": {
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["refactor.rewrite"]}},
        "resolveSupport": {"properties": ["edit"]},
    }}})
}

fn eager() -> Value {
    json!({"textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}})
}

fn opened(capabilities: Value, text: &str) -> Client {
    let mut client = Client::ready(capabilities).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, text);
    client
}

fn actions(client: &mut Client, line: u32, context: &Value) -> Value {
    let place = range((line, COLUMN), (line, COLUMN));
    client.call(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": ONE}, "range": place, "context": context}),
    )
}

fn titles(actions: &Value) -> Vec<&str> {
    actions.as_array().into_iter().flatten().filter_map(|action| action["title"].as_str()).collect()
}

const THREE: [&str; 3] = [
    "Compute control code of this instruction",
    "Compute control codes of this block",
    "Compute control codes of this kernel",
];

fn replaced(edit: &Value) -> &Vec<Value> {
    edit["changes"][ONE].as_array().expect("the edits of the document")
}

#[test]
fn codes_are_computed_when_an_action_is_chosen() {
    let mut client = opened(lazy(), &listing(5));
    let context = json!({"diagnostics": [], "only": ["refactor.rewrite"]});
    let offered = actions(&mut client, FIRST_ADDITION + 2, &context);
    assert_eq!(titles(&offered)[..3], THREE);
    let mut edits = Vec::new();
    for action in offered.as_array().into_iter().flatten() {
        assert_eq!((&action["kind"], action.get("edit")), (&json!("refactor.rewrite"), None));
        let resolved = client.call("codeAction/resolve", action.clone());
        assert_eq!(resolved["title"], action["title"]);
        edits.push(replaced(&resolved["edit"]).len());
    }
    // One instruction changes a word and perhaps a reuse mark; its basic block changes more of these.
    assert!((1..=2).contains(&edits[0]) && edits[1] > edits[0] && edits[2] >= edits[1], "{edits:?}");

    client.change(ONE, 2, json!([{"text": listing(6)}]));
    // The positions belonged to an earlier version.
    assert_eq!(client.fail("codeAction/resolve", offered[0].clone()), -32801);
}

#[test]
fn a_client_that_asks_for_no_edit_later_gets_it_at_once() {
    let mut client = opened(eager(), &listing(5));
    let offered = actions(&mut client, FIRST_ADDITION, &json!({"diagnostics": []}));
    assert_eq!(titles(&offered)[..3], THREE);
    assert!(!replaced(&offered[2]["edit"]).is_empty());
    // The action is not offered at each move of the cursor, nor if another kind of action is requested.
    let moved = json!({"diagnostics": [], "triggerKind": 2});
    assert_eq!(actions(&mut client, FIRST_ADDITION, &moved), Value::Null);
    assert_eq!(
        actions(&mut client, FIRST_ADDITION, &json!({"diagnostics": [], "only": ["source"]})),
        Value::Null
    );
    // The header is not an instruction.
    assert_eq!(actions(&mut client, 0, &json!({"diagnostics": []})), Value::Null);
}

const SAMPLE: &str = include_str!("../../corpus/sm_90/sgemm.cuobjdump-sass.txt");

/// The first line that contains this text.
fn line_of(text: &str, part: &str) -> u32 {
    let line = text.lines().position(|line| line.contains(part));
    line.expect("the sample has such a line") as u32
}

#[test]
fn a_quicker_order_and_other_registers_say_what_they_are_predicted_to_gain() {
    let mut client = opened(lazy(), SAMPLE);
    let line = line_of(SAMPLE, "LEA R11, R11, R7, 0x4");
    let offered = actions(&mut client, line, &json!({"diagnostics": [], "only": ["refactor.rewrite"]}));
    let titles: Vec<String> = titles(&offered).into_iter().map(str::to_owned).collect();
    for start in [
        "Reorder this block for latency (predicted ",
        "Move 2 values out of register bank conflicts and compute control codes of this kernel (predicted ",
    ] {
        let at = titles.iter().position(|title| title.starts_with(start));
        let at = at.unwrap_or_else(|| panic!("{start} is not in {titles:?}"));
        assert!(titles[at].ends_with(" cycles on H100 SXM5 80 GB)"), "{}", titles[at]);
        let resolved = client.call("codeAction/resolve", offered[at].clone());
        assert!(!replaced(&resolved["edit"]).is_empty());
    }
    // The kernel is not searched at each move of the cursor.
    let moved = json!({"diagnostics": [], "triggerKind": 2});
    let offered = actions(&mut client, line, &moved);
    let has_renaming = offered
        .as_array()
        .into_iter()
        .flatten()
        .any(|action| action["title"].as_str().is_some_and(|title| title.starts_with("Move ")));
    assert!(!has_renaming);
}

#[test]
fn where_the_text_holds_no_codes_none_are_offered() {
    let bare: String = listing(5)
        .lines()
        .filter(|line| !line.trim_start().starts_with("/* 0x"))
        .map(|line| line.split("/* 0x").next().unwrap_or_default().trim_end().to_owned() + "\n")
        .collect();
    let mut client = opened(lazy(), &bare);
    assert_eq!(actions(&mut client, 4, &json!({"diagnostics": []})), Value::Null);
}
