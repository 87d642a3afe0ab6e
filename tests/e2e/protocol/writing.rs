//! Tests of requests while a user types: completion, signatures, renames, formatting, quick fixes.

use crate::client::{Client, range};
use crate::texts::{ONE, listing};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A source for maxas, not in columns, with a comment of characters that take two UTF-16 code units.
const SOURCE: &str = "\
<REGISTER_MAPPING>
    0-15 ~ tid, out
</REGISTER_MAPPING>
--:-:1:-:1 S2R tid, SR_TID.X; // \u{1f680}
01:-:-:-:6 SHL out,tid, 0x2; // \u{1f680}
TOP:
--:-:-:-:5 @P0  BRA TOP;
--:-:-:Y:5 EXIT;
";

fn opened(capabilities: Value, options: Value, text: &str) -> Client {
    let mut client = Client::with_options(capabilities, options).ignoring("textDocument/publishDiagnostics");
    client.open(ONE, text);
    client
}

fn showing(capabilities: Value, text: &str) -> Client {
    opened(capabilities, Value::Null, text)
}

fn at(line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": ONE}, "position": {"line": line, "character": character}})
}

fn labels(items: &Value) -> Vec<&str> {
    items.as_array().into_iter().flatten().filter_map(|item| item["label"].as_str()).collect()
}

/// A text after the server's edits.
fn edited(text: &str, edits: &Value) -> String {
    let mut lines: Vec<Vec<u16>> = text.split('\n').map(|line| line.encode_utf16().collect()).collect();
    for edit in edits.as_array().into_iter().flatten().rev() {
        let place = |end: &str, part: &str| edit["range"][end][part].as_u64().expect("a place") as usize;
        assert_eq!(place("start", "line"), place("end", "line"), "{edit}");
        let new: Vec<u16> = edit["newText"].as_str().expect("a text").encode_utf16().collect();
        let columns = place("start", "character")..place("end", "character");
        lines[place("start", "line")].splice(columns, new);
    }
    let lines: Vec<String> = lines.iter().map(|line| String::from_utf16_lossy(line)).collect();
    lines.join("\n")
}

#[test]
fn opcodes_are_proposed_and_explained_when_looked_at() {
    let rich = json!({"textDocument": {"completion": {"completionItem": {
        "snippetSupport": true, "documentationFormat": ["markdown", "plaintext"],
    }}}});
    let text = format!("{}IMA", listing(2));
    let line = text.lines().count() as u32 - 1;
    let mut client = showing(rich, &text);
    let items = client.call("textDocument/completion", at(line, 3));
    assert!(labels(&items).contains(&"IMAD") && !labels(&items).contains(&"XMAD"), "{items}");
    // Opcodes that the kernel uses are listed first.
    assert_eq!(labels(&items)[..3], ["EXIT", "IADD3", "S2R"]);
    let sorted: Vec<&str> =
        items.as_array().into_iter().flatten().filter_map(|i| i["sortText"].as_str()).collect();
    assert!(sorted.is_sorted() && sorted.len() > 100);
    let item =
        items.as_array().into_iter().flatten().find(|item| item["label"] == "IMAD").expect("it exists");
    assert_eq!(item["textEdit"], json!({"range": range((line, 0), (line, 3)), "newText": "IMAD"}));
    assert!(item.get("documentation").is_none() && item["detail"].is_string(), "{item}");
    let resolved = client.call("completionItem/resolve", item.clone());
    assert_eq!(resolved["documentation"]["kind"], "markdown");
    let page = resolved["documentation"]["value"].as_str().unwrap_or_default();
    assert!(page.contains("**IMAD**") && page.contains("`Ra`"), "{page}");
    // An item of another server is returned unchanged.
    let foreign = json!({"label": "x", "data": 3});
    assert_eq!(client.call("completionItem/resolve", foreign.clone()), foreign);

    let mut plain = showing(json!({}), &text);
    let items = plain.call("textDocument/completion", at(line, 3));
    let item =
        items.as_array().into_iter().flatten().find(|item| item["label"] == "IMAD").expect("it exists");
    let resolved = plain.call("completionItem/resolve", item.clone());
    assert_eq!(resolved["documentation"]["kind"], "plaintext");
    assert!(!resolved["documentation"]["value"].as_str().unwrap_or("`").contains('`'), "{resolved}");
}

#[test]
fn nothing_is_proposed_in_comments_and_encodings_or_where_it_is_off() {
    let mut client = showing(json!({}), &listing(1));
    for (line, character) in [(3, 100), (4, 90), (0, 5)] {
        assert_eq!(client.call("textDocument/completion", at(line, character)), Value::Null, "{line}");
    }
    assert_eq!(client.call("textDocument/completion", at(999, 0))[0]["kind"], 3, "an empty line at the end");
    let mut off =
        opened(json!({}), json!({"completion": false, "signatureHelp": false, "formatting": false}), SOURCE);
    assert_eq!(off.call("textDocument/completion", at(7, 14)), Value::Null);
    assert_eq!(off.call("textDocument/signatureHelp", at(4, 20)), Value::Null);
    let whole = json!({"textDocument": {"uri": ONE}, "options": {"tabSize": 4, "insertSpaces": true}});
    assert_eq!(off.call("textDocument/formatting", whole), json!([]));
}

#[test]
fn control_codes_have_stops_where_the_client_can_jump() {
    let with = json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}});
    for (capabilities, stops) in [(with, true), (json!({}), false)] {
        let mut client = showing(capabilities, SOURCE);
        let items = client.call("textDocument/completion", at(8, 0));
        let first = &items[0];
        assert_eq!(first["label"], "--:-:-:-:1");
        assert_eq!(first["insertTextFormat"], if stops { json!(2) } else { Value::Null });
        let inserted = first["textEdit"]["newText"].as_str().unwrap_or_default();
        assert_eq!(inserted.contains("${1:--}"), stops, "{inserted}");
    }
}

fn item<'a>(items: &'a Value, label: &str) -> &'a Value {
    items.as_array().into_iter().flatten().find(|item| item["label"] == label).expect("it exists")
}

#[test]
fn a_label_has_a_short_detail_and_sentences_in_its_documentation() {
    let rich = json!({"textDocument": {"completion": {"completionItem": {
        "snippetSupport": true, "labelDetailsSupport": true, "documentationFormat": ["markdown"],
    }}}});
    let text = format!("{}ISETP.", listing(2));
    let line = text.lines().count() as u32 - 1;
    let mut client = showing(rich.clone(), &text);
    let items = client.call("textDocument/completion", at(line, 6));
    // The description is that of the modifier itself, not that of all comparisons.
    let less = item(&items, "LT");
    assert_eq!(less["labelDetails"], json!({"description": "Tests less than"}));
    assert!(less.get("detail").is_none(), "{less}");
    let resolved = client.call("completionItem/resolve", less.clone());
    assert_eq!(resolved["documentation"]["value"], "`.LT`: Tests less than.");

    let mut client = showing(rich, SOURCE);
    let items = client.call("textDocument/completion", at(8, 0));
    let code = item(&items, "--:-:-:-:1");
    assert_eq!(code["labelDetails"], json!({"description": "waits for nothing"}));
    assert!(
        code["documentation"]["value"].as_str().is_some_and(|said| said.contains("the next cycle")),
        "{code}"
    );
}

#[test]
fn a_control_code_replaces_the_bracket_that_an_editor_has_closed() {
    let text = "        .__elf_type             ET_EXEC\n      [B------:R-:W-:-:S01]  EXIT ;\n      [B]\n";
    let mut client = showing(json!({}), text);
    let items = client.call("textDocument/completion", at(2, 8));
    assert_eq!(
        items[0]["textEdit"],
        json!({"range": range((2, 6), (2, 9)), "newText": "[B------:R-:W-:-:S01]"})
    );
}

#[test]
fn kernels_are_proposed_in_an_empty_text() {
    let with = json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}});
    let mut client = showing(with, "");
    let items = client.call("textDocument/completion", at(0, 0));
    assert_eq!(
        labels(&items),
        ["kernel (CuAssembler)", "kernel (maxas)", "kernel (TuringAs)", "kernel (KeplerAs)"]
    );
    assert_eq!(items[0]["insertTextFormat"], 2);
    let mut plain = showing(json!({}), "");
    assert_eq!(plain.call("textDocument/completion", at(0, 0)), json!([]));
}

#[test]
fn a_signature_marks_the_operand_at_the_cursor() {
    let offsets = json!({"textDocument": {"signatureHelp": {"signatureInformation": {
        "documentationFormat": ["markdown"], "parameterInformation": {"labelOffsetSupport": true},
    }}}});
    let mut client = showing(offsets, SOURCE);
    let help = client.call("textDocument/signatureHelp", at(4, 20));
    assert_eq!(help["signatures"][0]["label"], "SHL Rd, Ra, Rb");
    assert_eq!(help["activeParameter"], 1);
    assert_eq!(help["signatures"][0]["parameters"][1]["label"], json!([8, 10]));
    let mut plain = showing(json!({}), SOURCE);
    let help = plain.call("textDocument/signatureHelp", at(4, 20));
    assert_eq!(help["signatures"][0]["parameters"][1]["label"], "Ra");
    assert_eq!(help["signatures"][0]["parameters"][1]["documentation"]["kind"], "plaintext");
    assert_eq!(plain.call("textDocument/signatureHelp", at(3, 35)), Value::Null, "in a comment");
}

fn rename(client: &mut Client, line: u32, character: u32, name: &str) -> Value {
    let mut parameters = at(line, character);
    parameters["newName"] = json!(name);
    client.call("textDocument/rename", parameters)
}

#[test]
fn a_name_is_renamed_everywhere_for_the_version_that_was_asked_about() {
    let versioned = json!({
        "textDocument": {"rename": {"prepareSupport": true}},
        "workspace": {"workspaceEdit": {"documentChanges": true}},
    });
    let mut client = showing(versioned, SOURCE);
    let range_of = client.call("textDocument/prepareRename", at(4, 20));
    assert_eq!(range_of, range((4, 19), (4, 22)));
    let edit = rename(&mut client, 4, 20, "lane");
    assert_eq!(edit["documentChanges"][0]["textDocument"], json!({"uri": ONE, "version": 1}));
    let renamed = edited(SOURCE, &edit["documentChanges"][0]["edits"]);
    assert_eq!(renamed, SOURCE.replace("tid", "lane"));

    let mut client = showing(json!({}), SOURCE);
    let edit = rename(&mut client, 5, 1, "LOOP");
    assert_eq!(edited(SOURCE, &edit["changes"][ONE]), SOURCE.replace("TOP", "LOOP"));
}

#[test]
fn what_cannot_be_renamed_is_refused_with_a_reason() {
    const REQUEST_FAILED: i64 = -32803;
    let mut client = showing(json!({}), SOURCE);
    assert_eq!(client.fail("textDocument/prepareRename", at(3, 12)), REQUEST_FAILED, "an opcode");
    assert_eq!(client.fail("textDocument/prepareRename", at(3, 5)), REQUEST_FAILED, "a scoreboard");
    let mut predicate = at(6, 12);
    predicate["newName"] = json!("P1");
    assert_eq!(client.fail("textDocument/rename", predicate), REQUEST_FAILED, "nothing writes it");
    for taken in ["tid", "TOP", "R7", "two words", ""] {
        let mut parameters = at(4, 16);
        parameters["newName"] = json!(taken);
        assert_eq!(client.fail("textDocument/rename", parameters), REQUEST_FAILED, "{taken:?}");
    }
}

#[test]
fn a_register_is_renamed_within_its_value() {
    let text = listing(3).replace("IADD3 R4, R0, 0x1, RZ", "IADD3 R9, R0, 0x1, RZ");
    let text = text.replace("0x0000000100047810", "0x0000000100097810");
    let mut client = showing(json!({}), &text);
    let line = text.lines().position(|line| line.contains("IADD3 R9")).expect("one is replaced");
    let column = text.lines().nth(line).and_then(|line| line.find("R9")).expect("it exists");
    let mut asked = at(line as u32, column as u32);
    asked["newName"] = json!("R12");
    let edits = client.call("textDocument/rename", asked);
    let renamed = edits["changes"][ONE].as_array().expect("edits");
    let new: Vec<&Value> = renamed.iter().map(|edit| &edit["newText"]).collect();
    assert_eq!(new, ["R12", "/* 0x00000001000c7810 */"], "{edits}");
}

#[test]
fn sources_are_put_into_columns() {
    let options = json!({"tabSize": 4, "insertSpaces": true});
    let mut client = showing(json!({}), SOURCE);
    let whole = json!({"textDocument": {"uri": ONE}, "options": options});
    let edits = client.call("textDocument/formatting", whole.clone());
    let formatted = edited(SOURCE, &edits);
    let lines: Vec<&str> = formatted.lines().collect();
    assert_eq!(lines[3], "--:-:1:-:1      S2R tid, SR_TID.X; // \u{1f680}");
    assert_eq!(lines[4], "01:-:-:-:6      SHL out, tid, 0x2; // \u{1f680}");
    assert_eq!(lines[6], "--:-:-:-:5  @P0 BRA  TOP;");
    client.change(ONE, 2, json!([{"text": formatted}]));
    assert_eq!(client.call("textDocument/formatting", whole.clone()), json!([]));

    client.change(ONE, 3, json!([{"text": SOURCE}]));
    let part = json!({"textDocument": {"uri": ONE}, "options": options, "range": range((4, 0), (4, 5))});
    let edits = client.call("textDocument/rangeFormatting", part);
    let only = edited(SOURCE, &edits);
    assert_eq!(only.lines().nth(4), Some(lines[4]));
    assert_eq!(only.lines().nth(3), SOURCE.lines().nth(3));

    client.change(ONE, 4, json!([{"text": listing(3)}]));
    assert_eq!(client.call("textDocument/formatting", whole), json!([]), "a listing");
}

#[test]
fn a_finding_has_quick_fixes() {
    let able = json!({
        "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
    });
    let mut client = Client::ready(able);
    let text = listing(1).replace("IADD3", "IADD33");
    client.open(ONE, &text);
    let mut findings = client.findings(ONE);
    while findings["diagnostics"].as_array().is_none_or(Vec::is_empty) {
        findings = client.findings(ONE);
    }
    let finding = findings["diagnostics"][0].clone();
    let ask = |client: &mut Client, context: Value| {
        let place = json!({"textDocument": {"uri": ONE}, "range": finding["range"], "context": context});
        client.call("textDocument/codeAction", place)
    };
    let actions = ask(&mut client, json!({"diagnostics": [finding], "only": ["quickfix"]}));
    let titles: Vec<&str> =
        actions.as_array().into_iter().flatten().filter_map(|a| a["title"].as_str()).collect();
    assert_eq!(
        titles,
        ["Change to IADD3", "Suppress unknown-opcode on this line", "Suppress unknown-opcode in this file"]
    );
    assert_eq!(actions[0]["isPreferred"], true);
    assert!(actions[1].get("isPreferred").is_none());
    for action in actions.as_array().into_iter().flatten() {
        assert_eq!(action["kind"], "quickfix");
        assert_eq!(action["diagnostics"], json!([finding]));
    }
    assert_eq!(ask(&mut client, json!({"diagnostics": [finding], "only": ["source"]})), Value::Null);
    assert_eq!(ask(&mut client, json!({"diagnostics": [], "only": ["quickfix"]})), Value::Null);
    // Each of these actions removes the finding.
    for (version, action) in (2..).zip(actions.as_array().into_iter().flatten()) {
        client.change(ONE, version, json!([{"text": edited(&text, &action["edit"]["changes"][ONE])}]));
        assert_eq!(client.findings(ONE)["diagnostics"], json!([]), "{action}");
        client.change(ONE, version + 10, json!([{"text": text}]));
        while client.findings(ONE)["diagnostics"].as_array().is_none_or(Vec::is_empty) {}
    }
}

#[test]
fn a_hazard_is_repaired_by_its_first_quick_fix() {
    let able = json!({
        "textDocument": {"codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
            "dataSupport": true,
            "resolveSupport": {"properties": ["edit"]},
        }},
    });
    let mut client = Client::ready(able);
    let text = "\t.target sm_90\n\
        [B------:R-:W0:-:S02] LDG.E R4, desc[UR4][R2.64] ;\n\
        [B------:R-:W-:Y:S04] IADD3 R5, R4, 0x1, RZ ;\n\
        [B------:R-:W-:Y:S05] EXIT ;\n";
    client.open(ONE, text);
    let mut findings = client.findings(ONE);
    while findings["diagnostics"].as_array().is_none_or(Vec::is_empty) {
        findings = client.findings(ONE);
    }
    let finding = findings["diagnostics"][0].clone();
    assert_eq!(finding["code"], "unwaited-result");
    let context = json!({"diagnostics": [finding], "only": ["quickfix"], "triggerKind": 1});
    let place = json!({"textDocument": {"uri": ONE}, "range": finding["range"], "context": context});
    let actions = client.call("textDocument/codeAction", place);
    let actions = actions.as_array().expect("quick fixes");
    let titles: Vec<&str> = actions.iter().filter_map(|action| action["title"].as_str()).collect();
    let expected = [
        "Wait for SB0 here",
        "Recompute the control codes of this kernel",
        "Suppress unwaited-result on this line",
        "Suppress unwaited-result in this file",
    ];
    assert_eq!(titles, expected);
    let preferred: Vec<bool> = actions.iter().map(|action| action["isPreferred"] == true).collect();
    assert_eq!(preferred, [true, false, false, false]);
    let repaired = text.replace("[B------:R-:W-:Y:S04]", "[B0-----:R-:W-:Y:S04]");
    assert_eq!(edited(text, &actions[0]["edit"]["changes"][ONE]), repaired);
    // The codes of the entire kernel are computed on request.
    assert!(actions[1].get("edit").is_none());
    let resolved = client.call("codeAction/resolve", actions[1].clone());
    let recomputed = edited(text, &resolved["edit"]["changes"][ONE]);
    client.change(ONE, 2, json!([{"text": recomputed}]));
    assert_eq!(client.findings(ONE)["diagnostics"], json!([]), "{recomputed}");
}

#[test]
fn a_client_that_takes_commands_alone_is_offered_no_quick_fixes() {
    let mut client = Client::start(&["lsp"]);
    let result = client.call("initialize", json!({"processId": null, "rootUri": null, "capabilities": {}}));
    assert!(result["capabilities"].get("codeActionProvider").is_none(), "{result}");
    assert_eq!(
        result["capabilities"]["completionProvider"]["triggerCharacters"],
        json!([".", "@", "(", "%", "["])
    );
    assert_eq!(result["capabilities"]["renameProvider"], true);
    client.notify("initialized", json!({}));
}

/// A kernel of 100,000 lines, with an unfinished opcode in its middle.
fn long() -> (String, u32) {
    let mut text = "\tcode for sm_90\n\t\tFunction : long\n".to_owned();
    let (lines, middle) = (100_000_u32, 50_000);
    for number in 0..lines {
        let _ = if number == middle {
            writeln!(text, "        IMA\n        FADD R1, ")
        } else {
            writeln!(text, "        /*{:04x}*/ FFMA R{}, R2, R3, R4 ;", number * 16, number % 200)
        };
    }
    (text, middle + 2)
}

#[test]
fn long_kernels_are_answered_at_once() {
    let (text, line) = long();
    let mut client = showing(json!({}), &text);
    client.call("textDocument/completion", at(line, 11));
    let mut times: Vec<Duration> = Vec::new();
    for (version, character) in (2..).zip([11, 12].into_iter().cycle().take(20)) {
        let edit = if character == 11 {
            json!([{"range": range((line, 11), (line, 11)), "text": "D"}])
        } else {
            json!([{"range": range((line, 11), (line, 12)), "text": ""}])
        };
        client.change(ONE, version, edit);
        // The edit is applied before any later request is answered.
        client.call("workspace/executeCommand", json!({"command": "warplens.dumpState"}));
        let start = Instant::now();
        let opcodes = client.call("textDocument/completion", at(line, 11));
        let registers = client.call("textDocument/completion", at(line + 1, 17));
        times.push(start.elapsed() / 2);
        assert!(labels(&opcodes).contains(&"IMAD"));
        assert_eq!(labels(&registers)[..3], ["R199", "R198", "R197"], "the latest written first");
    }
    times.sort_unstable();
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    println!("completion at 100,000 lines: median {median:?}, worst {worst:?}");
    // The limits are loose because the machine may be busy and the program unoptimised. Running the model
    // would take a second.
    assert!(median < Duration::from_millis(if cfg!(debug_assertions) { 150 } else { 5 }), "{times:?}");
    client.call("textDocument/signatureHelp", at(line, 11));
}
