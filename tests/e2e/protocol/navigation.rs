//! Navigation from a position to related positions.

use crate::client::Client;
use crate::folder::Folder;
use crate::texts::ONE;
use serde_json::{Value, json};

/// Four kernels for Hopper with source lines, one of which contains a function that the kernel calls.
const FEATURES: &str = include_str!("../../corpus/sm_90/features.nvdisasm-g-c.txt");

/// A short kernel with a register pair that is written and read, a guard predicate, a loop and a scoreboard.
const SHORT: &str = "\
\tcode for sm_90
\t\tFunction : _Z5shortPfi
[B------:R-:W-:-:S01]         /*0000*/ MOV R4, RZ ;
[B------:R-:W0:-:S01]         /*0010*/ LDC.64 R2, c[0x0][0x210] ;
.L_x_0:
[B0-----:R-:W1:-:S01]         /*0020*/ LDG.E R5, desc[UR4][R2.64] ;
[B-1----:R-:W-:-:S04]         /*0030*/ IADD3 R4, R4, R5, RZ ;
[B------:R-:W-:-:S04]         /*0040*/ ISETP.LT.AND P0, PT, R4, 0x10, PT ;
[B------:R-:W-:-:S04]         /*0050*/ @P0 IADD3 R3, R3, 0x4, RZ ;
[B------:R-:W-:-:S05]         /*0060*/ @P0 BRA `(.L_x_0) ;
[B------:R-:W-:-:S05]         /*0070*/ EXIT ;
";

fn showing(text: &str) -> Client {
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, text);
    client
}

/// The position of the first `word` in the first line that contains `line`.
fn position(text: &str, line: &str, word: &str) -> Value {
    let (number, found) = text
        .lines()
        .enumerate()
        .find(|(_, found)| found.contains(line))
        .unwrap_or_else(|| panic!("no line has {line}"));
    let column = found.find(word).unwrap_or_else(|| panic!("{word} is not in {found}"));
    json!({"line": number, "character": column})
}

fn ask(client: &mut Client, method: &str, position: &Value) -> Value {
    let context = json!({"includeDeclaration": true});
    let at = json!({"textDocument": {"uri": ONE}, "position": position, "context": context});
    client.call(&format!("textDocument/{method}"), at)
}

/// The text of a range within one line, and the line's number.
fn covered<'a>(text: &'a str, range: &Value) -> (u64, &'a str) {
    let at = |end: &str, part: &str| range[end][part].as_u64().unwrap_or(u64::MAX);
    let line = text.lines().nth(at("start", "line") as usize).unwrap_or("");
    let columns = at("start", "character") as usize..at("end", "character") as usize;
    (at("start", "line"), line.get(columns).unwrap_or("(no such place)"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Lines and texts of locations.
fn places<'a>(text: &'a str, locations: &Value) -> Vec<(u64, &'a str)> {
    list(locations).iter().map(|location| covered(text, &location["range"])).collect()
}

/// Lines, texts and kinds (2 read, 3 write) of highlights.
fn highlights<'a>(text: &'a str, found: &Value) -> Vec<(u64, &'a str, u64)> {
    let kind = |found: &Value| found["kind"].as_u64().unwrap_or(0);
    list(found)
        .iter()
        .map(|found| {
            let (line, word) = covered(text, &found["range"]);
            (line, word, kind(found))
        })
        .collect()
}

#[test]
fn a_register_leads_to_the_writes_that_reach_it() {
    let mut client = showing(SHORT);
    // The definitions are before the loop and at its end.
    let found = ask(&mut client, "definition", &position(SHORT, "IADD3 R4", "R4, R5"));
    assert_eq!(places(SHORT, &found), [(2, "R4"), (6, "R4")]);
    // One half of the register pair may have been written again.
    let found = ask(&mut client, "definition", &position(SHORT, "LDG.E", "R2.64"));
    assert_eq!(places(SHORT, &found), [(3, "R2"), (8, "R3")]);
    let found = ask(&mut client, "definition", &position(SHORT, "BRA", "P0"));
    assert_eq!(places(SHORT, &found), [(7, "P0")]);
    let found = ask(&mut client, "definition", &position(SHORT, "LDG.E", "UR4"));
    assert_eq!(found, Value::Null);
}

#[test]
fn a_label_and_an_address_lead_to_their_line() {
    let mut client = showing(SHORT);
    let found = ask(&mut client, "definition", &position(SHORT, "BRA", ".L_x_0"));
    assert_eq!(places(SHORT, &found), [(4, ".L_x_0")]);
    let both = ask(&mut client, "references", &position(SHORT, ".L_x_0:", ".L_x_0"));
    assert_eq!(places(SHORT, &both), [(4, ".L_x_0"), (9, ".L_x_0")]);
    let text = "\tcode for sm_90\n\t\tFunction : k\n        /*0000*/ BRA 0x10 ;\n        /*0010*/ EXIT ;\n";
    let mut client = showing(text);
    let found = ask(&mut client, "definition", &position(text, "BRA", "0x10"));
    assert_eq!(places(text, &found), [(3, "/*0010*/")]);
}

#[test]
fn reads_and_writes_are_distinguished() {
    let mut client = showing(SHORT);
    let found = ask(&mut client, "documentHighlight", &position(SHORT, "LDC.64", "R2"));
    let expected = [(3, "R2", 3), (5, "R2", 2), (8, "R3", 3), (8, "R3", 2)];
    assert_eq!(highlights(SHORT, &found), expected);
    let found = ask(&mut client, "documentHighlight", &position(SHORT, "IADD3 R4", "R5"));
    assert_eq!(highlights(SHORT, &found), [(5, "R5", 3), (6, "R5", 2)]);
}

#[test]
fn a_scoreboard_leads_to_who_sets_it() {
    let mut client = showing(SHORT);
    let waits = position(SHORT, "LDG.E", "0-----");
    let found = ask(&mut client, "definition", &waits);
    assert_eq!(places(SHORT, &found), [(3, "[B------:R-:W0:-:S01]")]);
    let sets = position(SHORT, "LDG.E", "W1");
    let found = ask(&mut client, "documentHighlight", &sets);
    let kinds: Vec<(u64, u64)> =
        highlights(SHORT, &found).iter().map(|&(line, _, kind)| (line, kind)).collect();
    assert_eq!(kinds, [(5, 3), (6, 2)]);
}

#[test]
fn selections_grow_from_a_token_to_the_text() {
    let mut client = showing(SHORT);
    let at = json!({"textDocument": {"uri": ONE}, "positions": [position(SHORT, "LDG.E", "R2.64"), {"line": 99, "character": 0}]});
    let found = client.call("textDocument/selectionRange", at);
    let mut sizes = Vec::new();
    let mut around = &found[0];
    while around.is_object() {
        let range = &around["range"];
        sizes
            .push((range["start"]["line"].as_u64().unwrap_or(0), range["end"]["line"].as_u64().unwrap_or(0)));
        around = &around["parent"];
    }
    assert_eq!(covered(SHORT, &found[0]["range"]).1, "R2");
    assert_eq!(covered(SHORT, &found[0]["parent"]["range"]).1, "desc[UR4][R2.64]");
    assert_eq!(sizes[..4], [(5, 5); 4]);
    // The loop's body is one block; the next larger ranges are the kernel and the entire text.
    assert!(sizes.contains(&(5, 9)) && sizes.contains(&(1, 10)), "{sizes:?}");
    assert!(list(&found).len() == 2, "{found}");
}

#[test]
fn kernels_of_open_listings_are_found_by_a_few_letters() {
    let mut client = showing(FEATURES);
    client.open("file:///other.sass", SHORT);
    let found = client.call("workspace/symbol", json!({"query": "sho*"}));
    let names: Vec<&str> = list(&found).iter().filter_map(|found| found["name"].as_str()).collect();
    assert_eq!(names, ["short(float*, int)"]);
    let found = client.call("workspace/symbol", json!({"query": "hlpr"}));
    let names: Vec<&str> = list(&found).iter().filter_map(|found| found["name"].as_str()).collect();
    assert_eq!(names, ["helper(float, int)"]);
    assert_eq!(found[0]["location"]["uri"], ONE);
    let all = client.call("workspace/symbol", json!({"query": ""}));
    assert_eq!(list(&all).len(), 6, "{all}");
}

#[test]
fn source_lines_link_to_files_that_are_there() {
    let folder = Folder::new("links");
    std::fs::write(folder.file("features.cu"), "").expect("the file can be written");
    let uri = format!("{}/listing.sass", folder.uri());
    let mut client = Client::ready(json!({})).ignoring("textDocument/publishDiagnostics");
    client.open(&uri, FEATURES);
    let found = client.call("textDocument/documentLink", json!({"textDocument": {"uri": uri}}));
    let lines = FEATURES.matches("\"features.cu\", line ").count();
    assert_eq!(list(&found).len(), lines);
    assert!(lines > 20);
    for link in list(&found) {
        let (_, text) = covered(FEATURES, &link["range"]);
        let number = text.strip_prefix("features.cu\", line ").unwrap_or_else(|| panic!("{text}"));
        assert_eq!(link["target"], format!("{}/features.cu#L{number}", folder.uri()));
    }
    let mut client = showing(FEATURES);
    let nowhere = client.call("textDocument/documentLink", json!({"textDocument": {"uri": ONE}}));
    assert_eq!(nowhere, json!([]));
}

#[test]
fn a_function_knows_its_callers_and_whom_it_calls() {
    let mut client = showing(FEATURES);
    let call = position(FEATURES, "CALL.REL", "$features$");
    let found = ask(&mut client, "definition", &call);
    assert_eq!(places(FEATURES, &found)[0].1, "$features$_Z6helperfi");
    let callee = ask(&mut client, "prepareCallHierarchy", &call);
    assert_eq!(callee[0]["name"], "helper(float, int)");
    assert_eq!(callee[0]["detail"], "features");
    let callers = client.call("callHierarchy/incomingCalls", json!({"item": callee[0]}));
    assert_eq!(list(&callers).len(), 1, "{callers}");
    assert_eq!(callers[0]["from"]["name"], "features");
    assert_eq!(covered(FEATURES, &callers[0]["fromRanges"][0]).1, "$features$_Z6helperfi");
    let called = client.call("callHierarchy/outgoingCalls", json!({"item": callers[0]["from"]}));
    assert_eq!(called[0]["to"], callee[0]);
    let called = client.call("callHierarchy/outgoingCalls", json!({"item": callee[0]}));
    assert_eq!(called, json!([]));
}

#[test]
fn definitions_say_where_they_start_from_where_the_client_shows_it() {
    let capabilities = json!({"textDocument": {"definition": {"linkSupport": true}}});
    let mut client = Client::ready(capabilities).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, SHORT);
    let found = ask(&mut client, "definition", &position(SHORT, "BRA", ".L_x_0"));
    assert_eq!(covered(SHORT, &found[0]["originSelectionRange"]).1, ".L_x_0");
    assert_eq!(covered(SHORT, &found[0]["targetSelectionRange"]).1, ".L_x_0");
}

#[test]
fn live_registers_are_shown_where_they_are_wanted() {
    let mut client = showing(SHORT);
    let range = crate::client::everything();
    let hints = client.call("textDocument/inlayHint", json!({"textDocument": {"uri": ONE}, "range": range}));
    assert!(!hints.to_string().contains("in use"), "{hints}");
    let settings = json!({"hints": {"latency": false, "issueCycle": false, "liveRegisters": true}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"warplens": settings}}));
    let hints = client.call("textDocument/inlayHint", json!({"textDocument": {"uri": ONE}, "range": range}));
    let labels: Vec<&str> =
        list(&hints).iter().filter_map(|hint| hint["label"].as_str()).map(str::trim).collect();
    // The pair, the sum, the loaded value and the stack pointer; the predicate from its test to the branch.
    assert_eq!(labels[2..6], ["5r 0p 2u", "5r 0p 2u", "4r 1p 2u", "4r 1p 2u"], "{labels:?}");
}
