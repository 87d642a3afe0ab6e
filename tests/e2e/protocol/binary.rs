//! Tests of cubins opened through the server. A script replaces the vendor's disassembler.

use crate::client::Client;
use crate::folder::Folder;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

const CUBIN: &[u8] = include_bytes!("../../../server/syntax/tests/cubins/sm_90.cubin");

/// The listing that the script prints, without resource usage.
const LISTING: &str = "\t.target\tsm_90\n\n//--------------------- .text.tile             --------------------------\n\
                       \t.section\t.text.tile,\"ax\",@progbits\n.text.tile:\n\
                       \x20       /*0000*/                   MOV R1, R2 ;\n\
                       \x20       /*0010*/                   EXIT ;\n";

/// The listing as shown by a client.
const SHOWN: &str = "\t.target\tsm_90\n//--------------------- .text.tile             --------------------------\n\
                     .text.tile:\n\x20 /*0000*/       MOV R1, R2 ;\n\x20 /*0010*/       EXIT ;\n";

const REQUEST_CANCELLED: i64 = -32800;
const INVALID_PARAMS: i64 = -32602;
const REQUEST_FAILED: i64 = -32803;

/// A folder with a cubin and a disassembler.
fn folder(name: &str, script: &str) -> Folder {
    let folder = Folder::new(name);
    std::fs::write(folder.file("tile.cubin"), CUBIN).expect("the folder can be written");
    std::fs::write(folder.file("listing"), LISTING).expect("the folder can be written");
    std::fs::write(folder.file("nvdisasm"), format!("#!/bin/sh\n{script}\n"))
        .expect("the folder can be written");
    std::fs::set_permissions(folder.file("nvdisasm"), std::fs::Permissions::from_mode(0o755))
        .expect("the folder can be written");
    folder
}

fn client(folder: &Folder, trusted: bool, capabilities: Value) -> Client {
    let options = json!({"trusted": trusted, "disassembler": folder.file("nvdisasm")});
    Client::with_options(capabilities, options).ignoring("textDocument/publishDiagnostics")
}

fn cubin(folder: &Folder) -> Value {
    json!({"uri": format!("{}/tile.cubin", folder.uri())})
}

const PRINT: &str = r#"cat "$(dirname "$0")/listing""#;

#[test]
fn a_cubin_that_is_still_to_be_linked_is_opened() {
    const RELOCATABLE: &[u8] = include_bytes!("../../../server/syntax/tests/cubins/relocatable_sm_75.cubin");
    let folder = folder("binary-relocatable", PRINT);
    std::fs::write(folder.file("tile.cubin"), RELOCATABLE).expect("the folder can be written");
    let mut client = client(&folder, false, json!({}));
    let opened = client.call("warplens/openBinary", cubin(&folder));
    let kernels = opened["resources"].as_array().expect("there are some");
    let tile = kernels.iter().find(|kernel| kernel["name"] == "tile").expect("it has the kernel");
    assert_eq!((&tile["registers"], &tile["shared"]), (&24.into(), &4000.into()), "{opened}");
}

#[test]
fn a_cubin_becomes_a_listing_that_knows_its_resources() {
    let folder = folder("binary-listing", PRINT);
    let mut client = client(&folder, true, json!({}));
    let opened = client.call("warplens/openBinary", cubin(&folder));
    assert_eq!((&opened["text"], &opened["languageId"]), (&SHOWN.into(), &"nvsass".into()));
    assert_eq!(opened["reason"], Value::Null);
    let tile = opened["resources"]
        .as_array()
        .expect("the folder can be written")
        .iter()
        .find(|kernel| kernel["name"] == "tile")
        .expect("the folder can be written");
    assert_eq!(
        (&tile["registers"], &tile["shared"], &tile["barriers"]),
        (&14.into(), &1280.into(), &1.into())
    );
    let uri = cubin(&folder)["uri"].as_str().expect("the folder can be written").to_owned();
    client.open(&uri, SHOWN);
    let place = json!({"textDocument": {"uri": uri}, "position": {"line": 5, "character": 0}});
    let summary = client.call("warplens/kernelSummary", place);
    let resources = &summary["launches"][0]["resources"];
    assert_eq!((&resources["registers"], &resources["shared"]), (&14.into(), &256.into()), "{summary}");
}

/// A client restarts the server and sends the listings that it has open before any request.
#[test]
fn a_listing_that_is_open_already_learns_its_resources() {
    let folder = folder("binary-late", PRINT);
    let able = json!({"workspace": {"codeLens": {"refreshSupport": true}}});
    // The full figure of the kernel may follow.
    let mut client = client(&folder, true, able).ignoring("workspace/codeLens/refresh");
    let uri = cubin(&folder)["uri"].as_str().expect("a text").to_owned();
    client.open(&uri, SHOWN);
    client.call("warplens/openBinary", cubin(&folder));
    let (question, _) = client.asked("workspace/codeLens/refresh");
    client.answer(&question, Value::Null);
    let lenses = client.call("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
    let detail = lenses[0]["data"]["detail"].as_str().expect("a lens over the kernel");
    assert!(detail.contains("Registers: 14 per thread (stated by the listing)"), "{detail}");
}

#[test]
fn nothing_runs_where_the_workspace_is_not_trusted() {
    let folder = folder("binary-trust", r#"touch "$(dirname "$0")/ran""#);
    let mut client = client(&folder, false, json!({}));
    // Settings may come from the workspace too, so they must not grant trust.
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"warplens": {"trusted": true}}}));
    let opened = client.call("warplens/openBinary", cubin(&folder));
    assert!(opened["reason"].as_str().is_some_and(|reason| reason.contains("not trusted")), "{opened}");
    let text = opened["text"].as_str().expect("the folder can be written");
    assert!(text.lines().all(|line| line.starts_with("//")) && text.contains("14 registers"), "{text}");
    assert!(!folder.file("ran").exists());
}

#[test]
fn a_tool_that_fails_leaves_the_resources() {
    let folder = folder("binary-failure", "echo unknown architecture >&2; exit 1");
    let mut client = client(&folder, true, json!({}));
    let opened = client.call("warplens/openBinary", cubin(&folder));
    assert_eq!(opened["reason"], "nvdisasm failed (exit status: 1): unknown architecture");
    assert_eq!(opened["resources"].as_array().map(Vec::len), Some(3));
}

#[test]
fn what_is_no_cubin_is_an_error() {
    let folder = folder("binary-errors", PRINT);
    let mut client = client(&folder, true, json!({}));
    let open = |client: &mut Client, name: &str| {
        client.fail("warplens/openBinary", json!({"uri": format!("{}/{name}", folder.uri())}))
    };
    assert_eq!(open(&mut client, "absent.cubin"), REQUEST_FAILED);
    assert_eq!(open(&mut client, "listing"), REQUEST_FAILED);
    assert_eq!(client.fail("warplens/openBinary", json!({"uri": "untitled:one"})), INVALID_PARAMS);
}

#[test]
fn long_work_reports_progress_and_can_be_stopped() {
    let folder = folder("binary-slow", "sleep 50");
    let mut client = client(&folder, true, json!({"window": {"workDoneProgress": true}}));
    let start = Instant::now();
    let id = client.request("warplens/openBinary", cubin(&folder));
    let (question, created) = client.asked("window/workDoneProgress/create");
    client.answer(&question, Value::Null);
    let begin = client.notification("$/progress");
    assert_eq!((&begin["value"]["kind"], &begin["value"]["cancellable"]), (&"begin".into(), &true.into()));
    client.notify("window/workDoneProgress/cancel", json!({"token": created["token"]}));
    assert_eq!(client.response(id), Err(REQUEST_CANCELLED));
    assert_eq!(client.notification("$/progress")["value"]["kind"], "end");
    // The protocol's cancellation has the same effect.
    let id = client.request("warplens/openBinary", cubin(&folder));
    client.notify("$/cancelRequest", json!({"id": id}));
    assert_eq!(client.response(id), Err(REQUEST_CANCELLED));
    assert!(start.elapsed() < Duration::from_secs(40));
}
