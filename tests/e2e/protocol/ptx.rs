//! Tests of PTX in an editor.

use crate::client::Client;
use serde_json::{Value, json};

const PTX: &str = "file:///kernel.ptx";
const TEXT: &str = "\
.version 8.0
.target sm_90
.address_size 64
.func helper(.param .b32 x) { ret; }
.visible .entry kernel(
	.param .u64 kernel_param_0
)
{
	.reg .b32 \t%r<4>;
	.param .b32 a;
	mov.u32 \t%r1, %tid.x;
top:
	add.s32 \t%r2, %r1, 1;
	call \thelper, (a);
	bra \ttop;
}
";

fn open(client: &mut Client, uri: &str, language: &str, text: &str) {
    let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
}

fn showing(capabilities: Value) -> Client {
    let mut client = Client::ready(capabilities).ignoring("textDocument/publishDiagnostics");
    open(&mut client, PTX, "ptx", TEXT);
    client
}

fn at(client: &mut Client, method: &str, line: u32, character: u32, more: Value) -> Value {
    let mut parameters =
        json!({"textDocument": {"uri": PTX}, "position": {"line": line, "character": character}});
    if let (Some(parameters), Value::Object(more)) = (parameters.as_object_mut(), more) {
        parameters.extend(more);
    }
    client.call(&format!("textDocument/{method}"), parameters)
}

fn count(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

#[test]
fn every_request_about_a_place_is_answered() {
    let mut client = showing(json!({}));
    let hover = at(&mut client, "hover", 12, 2, json!({}));
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("add")), "{hover}");
    let definition = at(&mut client, "definition", 12, 15, json!({}));
    assert_eq!(definition[0]["range"]["start"]["line"], 10, "{definition}");
    let context = json!({"context": {"includeDeclaration": true}});
    assert_eq!(count(&at(&mut client, "references", 12, 15, context)), 3);
    assert_eq!(count(&at(&mut client, "documentHighlight", 12, 15, json!({}))), 3);
    let items = at(&mut client, "completion", 12, 5, json!({}));
    let labels = items.as_array().into_iter().flatten().filter_map(|item| item["label"].as_str());
    assert!(labels.clone().any(|label| label == "s32"), "{items}");
    let signature = at(&mut client, "signatureHelp", 12, 15, json!({}));
    assert_eq!(signature["signatures"][0]["label"], "add.s32 d, a, b", "{signature}");
    assert_eq!(signature["activeParameter"], 1, "{signature}");
    let renamed = at(&mut client, "rename", 11, 1, json!({"newName": "again"}));
    assert_eq!(count(&renamed["changes"][PTX]), 2, "{renamed}");
    let calls = at(&mut client, "prepareCallHierarchy", 13, 8, json!({}));
    assert_eq!(calls[0]["name"], "helper", "{calls}");
    let incoming = client.call("callHierarchy/incomingCalls", json!({"item": calls[0]}));
    assert_eq!(incoming[0]["from"]["name"], "kernel", "{incoming}");
}

#[test]
fn every_request_about_the_document_is_answered() {
    let mut client =
        showing(json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}}));
    let mut ask = |method: &str, more: Value| {
        let mut parameters = json!({"textDocument": {"uri": PTX}});
        if let (Some(parameters), Value::Object(more)) = (parameters.as_object_mut(), more) {
            parameters.extend(more);
        }
        client.call(&format!("textDocument/{method}"), parameters)
    };
    let symbols = ask("documentSymbol", json!({}));
    assert_eq!(symbols[1]["name"], "kernel", "{symbols}");
    assert_eq!(symbols[1]["children"][2]["name"], "top", "{symbols}");
    assert!(count(&ask("foldingRange", json!({}))) >= 2);
    let tokens = ask("semanticTokens/full", json!({}));
    assert!(count(&tokens["data"]) > 100, "{tokens}");
    let options = json!({"options": {"tabSize": 8, "insertSpaces": false}});
    assert_eq!(ask("formatting", options), json!([]), "it is formatted already");
    let positions = json!({"positions": [{"line": 12, "character": 15}]});
    assert!(!ask("selectionRange", positions)[0]["parent"]["parent"].is_null());
    let found = client.call("workspace/symbol", json!({"query": "kern"}));
    assert_eq!(found[0]["name"], "kernel", "{found}");
}

#[test]
fn a_name_or_the_text_decides_the_language() {
    let mut client = Client::ready(json!({}));
    let broken = TEXT.replace("add.s32 \t%r2, %r1, 1;", "add.s32 \t%r2, %r1 1;");
    for (uri, language) in [(PTX, "plaintext"), ("file:///kernel", "nvsass"), ("file:///other", "ptx")] {
        open(&mut client, uri, language, &broken);
        let found = client.findings(uri);
        assert_eq!(found["diagnostics"][0]["range"]["start"]["line"], 12, "{uri}: {found}");
        client.close(uri);
        // Findings of the rules may arrive before the document is closed.
        let mut last = client.findings(uri);
        if last["diagnostics"] != json!([]) {
            last = client.findings(uri);
        }
        assert_eq!(last["diagnostics"], json!([]), "{uri}");
    }
}

/// A column of a tile in shared memory, read in a loop of four iterations.
const COLUMN: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry column(.param .u64 p)
{
	.reg .pred %p<2>; .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .f32 %f<4>;
	.shared .align 4 .b8 tile[4096];
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 7;
	mov.u32 %r3, tile;
	add.s32 %r4, %r3, %r2;
	mov.u32 %r5, 0;
	mov.f32 %f1, 0f00000000;
$again:
	ld.shared.f32 %f2, [%r4];
	add.f32 %f1, %f1, %f2;
	add.s32 %r5, %r5, 1;
	setp.lt.u32 %p1, %r5, 4;
	@%p1 bra $again;
	st.global.f32 [%rd1], %f1;
	ret;
}
";

fn estimating() -> Client {
    let mut client = Client::with_options(json!({}), json!({"gpu": "h100-sxm"}));
    open(&mut client, PTX, "ptx", COLUMN);
    client
}

#[test]
fn costs_stand_at_the_lines_of_the_text() {
    let mut client = estimating().ignoring("textDocument/publishDiagnostics");
    let whole = json!({"start": {"line": 0, "character": 0}, "end": {"line": 24, "character": 0}});
    let hints = client.call("textDocument/inlayHint", json!({"textDocument": {"uri": PTX}, "range": whole}));
    let on = |line: u32| {
        let hints = hints.as_array().into_iter().flatten();
        hints.filter(|hint| hint["position"]["line"] == line).count()
    };
    assert_eq!((on(14), on(15), on(20)), (0, 2, 2), "{hints}");
    let lenses = client.call("textDocument/codeLens", json!({"textDocument": {"uri": PTX}}));
    let places: Vec<&Value> =
        lenses.as_array().into_iter().flatten().map(|lens| &lens["range"]["start"]["line"]).collect();
    assert_eq!(places, [3, 14], "{lenses}");
    let lines = json!({"start": {"line": 15, "character": 0}, "end": {"line": 20, "character": 0}});
    let said = client.call("warplens/selectionCycles", json!({"textDocument": {"uri": PTX}, "range": lines}));
    assert!(said["cycles"].as_u64().is_some_and(|cycles| cycles > 4), "{said}");
    assert!(said["text"].as_str().is_some_and(|text| text.contains(" · lines 16..20 · ")), "{said}");
    let place = json!({"textDocument": {"uri": PTX}, "position": {"line": 15, "character": 2}});
    let summary = client.call("warplens/kernelSummary", place.clone());
    assert_eq!(summary["accesses"][0]["chosen"]["line"], 15, "{summary}");
    assert_eq!(summary["estimated"], "estimated from PTX", "{summary}");
    assert_eq!(summary["accesses"][0]["rows"][0]["text"], "ld.shared.f32 %f2, [%r4]", "{summary}");
    let roofline = client.call("warplens/kernelRoofline", place);
    assert_eq!(count(&roofline["launches"]), 1, "{roofline}");
}

#[test]
fn a_conflict_of_banks_is_a_finding_at_its_address() {
    let mut client = estimating();
    let is_there = |found: &Value| {
        let found = found["diagnostics"].as_array().into_iter().flatten();
        found.clone().any(|one| one["code"] == "bank-conflict" && one["range"]["start"]["line"] == 15)
    };
    // Findings from the text alone arrive first.
    let found = (0..4).map(|_| client.findings(PTX)).find(is_there);
    assert!(found.is_some());
}
