//! Tests of the paper's steps as code actions.

use crate::client::{Client, range};
use crate::texts::ONE;
use serde_json::{Value, json};

/// A source for KeplerAs with two adjacent words at a multiple of eight bytes, and two that are not.
const SOURCE: &str = "\
-:-:-:-:05      S2R R0, SR_TID.X;
-:-:-:-:09      SHL R1, R0, 0x3;
-:-:-:-:01      LDS R4, [R1];
-:-:-:-:02      MOV R8, RZ;
-:-:-:-:03      LDS.32 R5, [R1+0x4];
-:-:-:-:01      LDS R6, [R0];
-:-:-:-:09      FADD R6, R4, R5;
-:-:-:-:01      EXIT;
";

fn client(text: &str) -> Client {
    let capabilities = json!({"textDocument": {"codeAction": {
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["refactor.rewrite"]}},
    }}});
    let mut client =
        Client::with_options(capabilities, Value::Null).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, text);
    client
}

/// Returns the code actions that are offered for a step on a line.
fn offered(client: &mut Client, step: &str, line: u32) -> Vec<Value> {
    let asked = json!({
        "textDocument": {"uri": ONE},
        "range": range((line, 20), (line, 20)),
        "context": {"diagnostics": [], "only": ["refactor.rewrite"]},
    });
    let actions = client.call("textDocument/codeAction", asked);
    let is_step = |action: &&Value| {
        action["title"]
            .as_str()
            .is_some_and(|title| title.split_once(": ").is_some_and(|(name, _)| name == step))
    };
    actions.as_array().into_iter().flatten().filter(is_step).cloned().collect()
}

/// An ASCII text after edits in text order.
fn edited(text: &str, edits: &Value) -> String {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut text = text.to_owned();
    for edit in edits.as_array().into_iter().flatten().rev() {
        let number = |end: &str, part: &str| edit["range"][end][part].as_u64().expect("a place") as usize;
        let place = |end: &str| starts[number(end, "line")] + number(end, "character");
        text.replace_range(place("start")..place("end"), edit["newText"].as_str().expect("a text"));
    }
    text
}

#[test]
fn two_loads_become_one_and_their_time_stays() {
    for line in [2, 4] {
        let mut client = client(SOURCE);
        let offered = offered(&mut client, "BW", line);
        let [action] = &offered[..] else { panic!("{offered:?}") };
        let title = action["title"].as_str().unwrap_or_default();
        let expected =
            "BW: merge with the adjacent load into LDS.64 (mem 0.50 -> 0.25, estimated for Tesla K20m)";
        assert_eq!((title, &action["kind"]), (expected, &json!("refactor.rewrite")));
        // The MOV before the second load gets the issue time of both loads.
        let joined = SOURCE
            .replace("-:-:-:-:01      LDS R4", "-:-:-:-:01      LDS.64 R4")
            .replace("-:-:-:-:02      MOV", "-:-:-:-:06      MOV")
            .replace("-:-:-:-:03      LDS.32 R5, [R1+0x4];\n", "");
        assert_eq!(edited(SOURCE, &action["edit"]["changes"][ONE]), joined);
    }
}

#[test]
fn steps_are_offered_where_they_are_certain() {
    let mut source = client(SOURCE);
    assert_eq!([5, 6].map(|line| offered(&mut source, "BW", line).len()), [0; 2]);
    // The encodings would no longer match the text.
    let listing = "\tcode for sm_35\n\t\tFunction : k\n\
        \x20       /*0008*/                   S2R R0, SR_TID.X;          /* 0x86400000109c0002 */\n\
        \x20       /*0010*/                   SHL R1, R0, 0x3;           /* 0xc2400000019c0005 */\n\
        \x20       /*0018*/                   LDS R4, [R1];              /* 0x7a400000001c0412 */\n\
        \x20       /*0020*/                   LDS R5, [R1+0x4];          /* 0x7a400000021c0416 */\n\
        \x20       /*0028*/                   EXIT;                      /* 0x18000000001c003c */\n";
    assert_eq!(offered(&mut client(listing), "BW", 4), Vec::<Value>::new());
    // A dual-issue pair after the load would be split across two control words.
    let paired = SOURCE.replace("-:-:-:-:09      FADD", "-:-:D:-:04      FADD");
    assert_eq!(offered(&mut client(&paired), "BW", 2), Vec::<Value>::new());
    // Numeric branch targets are relative to the branch.
    let branch = SOURCE.replace("FADD R6, R4, R5", "@P0 BRA 0x8");
    assert_eq!(offered(&mut client(&branch), "BW", 2), Vec::<Value>::new());
}

/// The codes are those of "Compute control codes of this kernel". A client that does not support lazy edits
/// gets the codes at once.
#[test]
fn pairs_are_offered_at_their_first() {
    let mut client = client(SOURCE);
    let offered = offered(&mut client, "DUAL", 2);
    let [action] = &offered[..] else { panic!("{offered:?}") };
    let title = action["title"].as_str().unwrap_or_default();
    assert!(title.contains("(ilp 0.33 -> 0.27, estimated for Tesla K20m)"), "{title}");
    let paired = edited(SOURCE, &action["edit"]["changes"][ONE]);
    assert!(paired.contains("-:-:D:-:04      LDS R4, [R1];\n"), "{paired}");
}
