//! Tests of PTX compiled through the server. Scripts replace the vendor's ptxas and disassembler.

use crate::client::{Client, range};
use crate::folder::Folder;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const PTX: &str = include_str!("../stand_in/scale.ptx");

/// The 0-based line of `st.global.f32 [%rd4], %f3;`.
const STORE: u32 = 28;

const REQUEST_CANCELLED: i64 = -32800;
const INVALID_PARAMS: i64 = -32602;

fn stand_in(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/stand_in")).join(name)
}

fn options() -> Value {
    json!({
        "trusted": true, "compile": {"live": false}, "ptxas": {"path": stand_in("ptxas")},
        "disassembler": stand_in("nvdisasm"),
    })
}

fn client(capabilities: Value, options: Value) -> Client {
    Client::with_options(capabilities, options)
}

const URI: &str = "file:///kernels/gr%C3%B6%C3%9Fer.ptx";
const LISTING: &str = "warplens-sass:/kernels/gr%C3%B6%C3%9Fer.ptx.nvsass";

fn asked() -> Value {
    json!({"textDocument": {"uri": URI}, "listing": LISTING})
}

fn open(client: &mut Client, text: &str) {
    let document = json!({"uri": URI, "languageId": "ptx", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
}

fn show(client: &mut Client) -> Value {
    client.call("warplens/showSass", asked())
}

/// Returns the messages of ptxas about a document, as (line, columns, severity, text).
fn reported(published: &Value) -> Vec<(u64, u64, u64, String)> {
    let list = published["diagnostics"].as_array().or_else(|| published["items"].as_array());
    let number = |value: &Value| value.as_u64().expect("a number");
    list.expect("a list of findings")
        .iter()
        .filter(|found| found["source"] == "ptxas")
        .map(|found| {
            let (start, end) = (&found["range"]["start"], &found["range"]["end"]);
            let text = found["message"].as_str().expect("a message").to_owned();
            let columns = number(&end["character"]) - number(&start["character"]);
            (number(&start["line"]), columns, number(&found["severity"]), text)
        })
        .collect()
}

/// Waits until the client sees exactly these messages of ptxas.
fn until_published(client: &mut Client, expected: &[(u64, u64, u64, String)]) {
    while reported(&client.findings(URI)) != expected {}
}

fn wrong(line: u64) -> (u64, u64, u64, String) {
    (line, 6, 1, "Unknown symbol '%wrong'".to_owned())
}

fn lines(answer: &Value, opcode: &str) -> Vec<(u64, u64)> {
    let listing: Vec<&str> = answer["text"].as_str().expect("a listing").lines().collect();
    let pairs = answer["lines"].as_array().expect("a list").iter().map(|pair| {
        let [listing, ptx] = [0, 1].map(|at| pair[at].as_u64().expect("a line"));
        (listing, ptx)
    });
    pairs.filter(|(line, _)| listing[*line as usize].contains(opcode)).collect()
}

#[test]
fn a_cubin_that_is_still_to_be_linked_is_shown() {
    let mut options = options();
    options["ptxas"]["arguments"] = json!(["-c"]);
    let mut client = client(json!({}), options).ignoring("textDocument/publishDiagnostics");
    open(&mut client, PTX);
    let answer = show(&mut client);
    assert_eq!(answer["reason"], Value::Null, "{answer}");
    let text = answer["text"].as_str().expect("a listing");
    client.open(LISTING, text);
    let line = text.lines().position(|line| line.contains("EXIT")).expect("it has the kernel");
    let place = json!({"textDocument": {"uri": LISTING}, "position": {"line": line, "character": 18}});
    let summary = client.call("warplens/kernelSummary", place);
    let resources = &summary["launches"][0]["resources"];
    assert_eq!((&resources["registers"], &resources["shared"]), (&24.into(), &4000.into()), "{summary}");
}

#[test]
fn a_text_that_is_not_saved_becomes_a_listing_in_step_with_it() {
    let mut client = client(json!({}), options()).ignoring("textDocument/publishDiagnostics");
    open(&mut client, PTX);
    client.change(URI, 2, json!([{"range": range((0, 0), (0, 0)), "text": "// über\n"}]));
    let answer = show(&mut client);
    assert_eq!((&answer["version"], &answer["languageId"]), (&2.into(), &"nvsass".into()));
    assert_eq!((&answer["reason"], &answer["remedy"]), (&Value::Null, &Value::Null));
    let text = answer["text"].as_str().expect("a listing");
    let head: Vec<&str> = text.lines().take(3).collect();
    assert_eq!(head[0], "// größer.ptx, compiled for sm_90 by ptxas");
    assert_eq!(
        head[1],
        "// scale: 10 registers, 0 barriers, 0 bytes of shared memory, 0 bytes of stack, no spills"
    );
    // The cubin that the script writes has line numbers of the saved text.
    let [(line, ptx)] = lines(&answer, " STG.E ")[..] else { panic!("{answer}") };
    assert_eq!(ptx, u64::from(STORE));
    let function = &answer["functions"][0];
    assert_eq!((&function["name"], &function["source"]), (&"scale".into(), &json!([6, 33])));
    assert!(function["listing"][0].as_u64() < Some(line) && Some(line) < function["listing"][1].as_u64());
    // The listing is treated like any other SASS, with the figures that the cubin states.
    client.open(LISTING, text);
    let place = json!({"textDocument": {"uri": LISTING}, "position": {"line": line, "character": 18}});
    let hover = client.call("textDocument/hover", place.clone());
    assert!(hover["contents"].to_string().contains("STG"), "{hover}");
    let summary = client.call("warplens/kernelSummary", place);
    assert_eq!(summary["launches"][0]["resources"]["registers"], 10, "{summary}");
}

#[test]
fn ptxas_is_given_what_settings_say() {
    let folder = Folder::new("sass-settings");
    let script = "#!/bin/sh\necho \"$*\" >> \"$(dirname \"$0\")/given\"\ncase \"$1\" in --list-arch) echo 90;; esac\nexit 1\n";
    std::fs::write(folder.file("ptxas"), script).expect("the folder can be written");
    std::fs::set_permissions(folder.file("ptxas"), std::fs::Permissions::from_mode(0o755))
        .expect("the folder can be written");
    let options =
        json!({"trusted": true, "compile": {"live": false}, "ptxas": {"path": folder.file("ptxas")}});
    let mut client = client(json!({}), options).ignoring("textDocument/publishDiagnostics");
    open(&mut client, &PTX.replace("sm_90", "sm_52"));
    let answer = show(&mut client);
    let reason = answer["reason"].as_str().expect("it fails");
    assert_eq!(reason, "ptxas failed (exit status: 1): it gave no reason");
    let set = json!({"ptxas": {
        "path": "/no/other/ptxas", "architecture": "sm_90a", "optimization": "1", "arguments": ["-c"],
    }});
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"warplens": set}}));
    show(&mut client);
    let given = std::fs::read_to_string(folder.file("given")).expect("it ran");
    let expected = "--list-arch\n-v -lineinfo -arch sm_90 -o code.cubin code.ptx\n\
                    -v -lineinfo -arch sm_90a -O1 -c -o code.cubin code.ptx\n";
    assert_eq!(given, expected);
    let set = json!({"ptxas": {"arguments": ["-o", "/etc/passwd"]}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"warplens": set}}));
    let reason = show(&mut client)["reason"].to_string();
    assert!(reason.contains("`-o` cannot be passed to ptxas"), "{reason}");
}

#[test]
fn errors_of_ptxas_stand_at_their_lines_until_they_are_mended() {
    let mut client = client(json!({}), options());
    open(&mut client, &PTX.replace("%f3;\ndone", "%wrong;\ndone"));
    let answer = show(&mut client);
    assert_eq!((&answer["text"], &answer["remedy"]), (&Value::Null, &"text".into()));
    assert_eq!(answer["reason"], "ptxas: line 29: Unknown symbol '%wrong'");
    until_published(&mut client, &[wrong(28)]);
    // A line inserted above moves the message along, while other findings are recomputed.
    client.change(URI, 2, json!([{"range": range((0, 0), (0, 0)), "text": "// ü\n"}]));
    until_published(&mut client, &[wrong(29)]);
    // A message on a line that was edited is dropped.
    client.change(URI, 3, json!([{"range": range((29, 0), (29, 0)), "text": " "}]));
    until_published(&mut client, &[]);
    show(&mut client);
    until_published(&mut client, &[wrong(29)]);
    client.change(URI, 4, json!([{"text": PTX}]));
    until_published(&mut client, &[]);
    assert!(show(&mut client)["text"].is_string());
    client.close(URI);
    client = client.ignoring("textDocument/publishDiagnostics");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn several_errors_are_counted_and_a_warning_is_no_error() {
    let mut client = client(json!({}), options());
    open(&mut client, &PTX.replace("%f3", "%wrong").replace("done:", "done: // careful"));
    assert_eq!(
        show(&mut client)["reason"],
        "ptxas found 2 errors, the first at line 28: Unknown symbol '%wrong'"
    );
    until_published(&mut client, &[wrong(27), wrong(28)]);
    client.change(URI, 2, json!([{"text": PTX.replace("done:", "done: // careful")}]));
    until_published(&mut client, &[]);
    assert!(show(&mut client)["text"].is_string());
    until_published(&mut client, &[(29, 16, 2, "Be careful".to_owned())]);
    client = client.ignoring("textDocument/publishDiagnostics");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_client_that_asks_for_findings_gets_them_too() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let mut client = client(capabilities, options());
    open(&mut client, &PTX.replace("%f3;\ndone", "%wrong;\ndone"));
    let pull = |client: &mut Client| {
        reported(&client.call("textDocument/diagnostic", json!({"textDocument": {"uri": URI}})))
    };
    assert_eq!(pull(&mut client), []);
    show(&mut client);
    let (id, _) = client.asked("workspace/diagnostic/refresh");
    client.answer(&id, Value::Null);
    assert_eq!(pull(&mut client), [wrong(28)]);
    let off = json!({"settings": {"warplens": {"diagnostics": false}}});
    client.notify("workspace/didChangeConfiguration", off);
    let (id, _) = client.asked("workspace/diagnostic/refresh");
    client.answer(&id, Value::Null);
    assert_eq!(pull(&mut client), []);
}

#[test]
fn nothing_runs_where_the_workspace_is_not_trusted() {
    let mut options = options();
    options["trusted"] = false.into();
    let mut client = client(json!({}), options).ignoring("textDocument/publishDiagnostics");
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"warplens": {"trusted": true}}}));
    open(&mut client, PTX);
    let answer = show(&mut client);
    assert_eq!((&answer["text"], &answer["remedy"]), (&Value::Null, &"trust".into()));
    assert_eq!(answer["reason"], "the workspace is not trusted, so ptxas does not run");
}

#[test]
fn a_missing_tool_is_said_in_a_line_that_helps() {
    let mut options = options();
    options["ptxas"]["path"] = stand_in("no-ptxas").to_string_lossy().into();
    let mut client = client(json!({}), options).ignoring("textDocument/publishDiagnostics");
    open(&mut client, PTX);
    let answer = show(&mut client);
    let reason = answer["reason"].as_str().expect("it fails");
    assert!(reason.contains("no-ptxas` is not a program; expected the path of ptxas"), "{reason}");
    assert_eq!(answer["remedy"], "ptxas");
}

#[test]
fn without_a_disassembler_there_is_what_the_cubin_says() {
    let mut options = options();
    options["disassembler"] = stand_in("no-nvdisasm").to_string_lossy().into();
    let mut client = client(json!({}), options).ignoring("textDocument/publishDiagnostics");
    open(&mut client, PTX);
    let answer = show(&mut client);
    assert_eq!(answer["remedy"], "disassembler");
    let text = answer["text"].as_str().expect("what the cubin says");
    assert!(text.lines().all(|line| line.starts_with("//")) && text.contains("10 registers"), "{text}");
}

#[test]
fn what_takes_too_long_is_stopped() {
    let mut options = options();
    options["ptxas"]["timeLimit"] = 1.into();
    let mut client = client(json!({}), options).ignoring("textDocument/publishDiagnostics");
    open(&mut client, &format!("// slow\n{PTX}"));
    let start = Instant::now();
    assert_eq!(show(&mut client)["reason"], "ptxas took longer than 1 s and was stopped");
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn it_reports_progress_and_can_be_stopped() {
    let mut client = client(json!({"window": {"workDoneProgress": true}}), options())
        .ignoring("textDocument/publishDiagnostics");
    open(&mut client, &format!("// slow\n{PTX}"));
    let start = Instant::now();
    let id = client.request("warplens/showSass", asked());
    let (question, created) = client.asked("window/workDoneProgress/create");
    client.answer(&question, Value::Null);
    let begin = client.notification("$/progress");
    assert_eq!((&begin["value"]["kind"], &begin["value"]["cancellable"]), (&"begin".into(), &true.into()));
    assert!(begin["value"]["message"].as_str().is_some_and(|text| text.starts_with("compiling ")), "{begin}");
    client.notify("window/workDoneProgress/cancel", json!({"token": created["token"]}));
    assert_eq!(client.response(id), Err(REQUEST_CANCELLED));
    assert_eq!(client.notification("$/progress")["value"]["kind"], "end");
    // The protocol's cancellation has the same effect, and so has a later run, which ends the earlier run.
    let id = client.request("warplens/showSass", asked());
    client.notify("$/cancelRequest", json!({"id": id}));
    assert_eq!(client.response(id), Err(REQUEST_CANCELLED));
    let earlier = client.request("warplens/showSass", asked());
    client.change(URI, 2, json!([{"text": PTX}]));
    let later = client.request("warplens/showSass", asked());
    assert_eq!(client.response(earlier), Err(REQUEST_CANCELLED));
    assert!(client.response(later).expect("it is quick")["text"].is_string());
    assert!(start.elapsed() < Duration::from_secs(40));
}

#[test]
fn only_ptx_that_is_open_is_compiled() {
    let mut client = client(json!({}), options()).ignoring("textDocument/publishDiagnostics");
    assert_eq!(client.fail("warplens/showSass", asked()), INVALID_PARAMS);
    client.open("file:///one.sass", "EXIT ;");
    let other = json!({"textDocument": {"uri": "file:///one.sass"}, "listing": LISTING});
    assert_eq!(client.fail("warplens/showSass", other), INVALID_PARAMS);
}
