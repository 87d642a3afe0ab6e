//! A workspace of several folders: each document uses the launch context of the innermost folder that contains it.

use crate::client::{Client, everything};
use crate::folder::Folder;
use crate::texts::{ONE, listing};
use serde_json::{Value, json};

const REFRESH: &str = "workspace/inlayHint/refresh";

fn in_folders(folders: &[&Folder]) -> Client {
    let named: Vec<Value> =
        folders.iter().map(|folder| json!({"uri": folder.uri(), "name": "folder"})).collect();
    Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": named,
        "capabilities": {"workspace": {"inlayHint": {"refreshSupport": true}, "workspaceFolders": true}},
    }))
    .ignoring("textDocument/publishDiagnostics")
}

/// The tooltips of a document's hints, which name the GPU.
fn tooltips(client: &mut Client, uri: &str) -> String {
    let within = json!({"textDocument": {"uri": uri}, "range": everything()});
    client.call("textDocument/inlayHint", within).to_string()
}

fn gpus(client: &mut Client, uris: &[String]) -> Vec<&'static str> {
    let name = |tooltips: String| {
        *["H200", "PCIe", "SXM"].iter().find(|name| tooltips.contains(**name)).expect("a known GPU")
    };
    uris.iter().map(|uri| name(tooltips(client, uri))).collect()
}

fn changed(client: &mut Client, folder: &Folder) {
    let change = json!({"uri": format!("{}/warplens.toml", folder.uri()), "type": 2});
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": [change]}));
}

#[test]
fn the_nearest_folder_wins() {
    let (outer, other) = (Folder::new("outer"), Folder::new("other"));
    let inner = outer.inner("inner");
    outer.write("gpu = \"h200\"\n");
    inner.write("gpu = \"h100-pcie\"\n");
    let mut client = in_folders(&[&outer, &inner, &other]);
    let uris = [&outer, &inner, &other].map(|folder| format!("{}/a.sass", folder.uri()));
    for uri in &uris {
        client.open(uri, &listing(3));
    }
    assert_eq!(gpus(&mut client, &uris), ["H200", "PCIe", "SXM"]);
    // A document outside of all folders uses the context of the first folder.
    client.open(ONE, &listing(3));
    assert_eq!(gpus(&mut client, &[ONE.to_owned()]), ["H200"]);

    other.write("gpu = \"h200\"\n");
    changed(&mut client, &other);
    client.asked(REFRESH);
    assert_eq!(gpus(&mut client, &uris), ["H200", "PCIe", "H200"]);
    // The same text again changes nothing and triggers no refresh.
    changed(&mut client, &other);
    assert_eq!(gpus(&mut client, &uris), ["H200", "PCIe", "H200"]);
}

#[test]
fn folders_come_and_go() {
    let (first, second) = (Folder::new("first"), Folder::new("second"));
    first.write("gpu = \"h200\"\n");
    second.write("gpu = \"h100-pcie\"\n");
    let mut client = in_folders(&[&first]).ignoring(REFRESH);
    let uris = [&first, &second].map(|folder| format!("{}/a.sass", folder.uri()));
    for uri in &uris {
        client.open(uri, &listing(3));
    }
    assert_eq!(gpus(&mut client, &uris), ["H200", "H200"]);
    let event = |added: &[&Folder], removed: &[&Folder]| {
        let list = |folders: &[&Folder]| {
            let named = folders.iter().map(|folder| json!({"uri": folder.uri(), "name": "folder"}));
            named.collect::<Vec<_>>()
        };
        json!({"event": {"added": list(added), "removed": list(removed)}})
    };
    client.notify("workspace/didChangeWorkspaceFolders", event(&[&second], &[]));
    assert_eq!(gpus(&mut client, &uris), ["H200", "PCIe"]);
    client.notify("workspace/didChangeWorkspaceFolders", event(&[], &[&first]));
    assert_eq!(gpus(&mut client, &uris), ["PCIe", "PCIe"]);
    client.notify("workspace/didChangeWorkspaceFolders", event(&[], &[&second]));
    assert_eq!(gpus(&mut client, &uris), ["SXM", "SXM"]);
}

#[test]
fn settings_count_in_every_folder() {
    let folder = Folder::new("settings");
    folder.write("gpu = \"h200\"\n");
    let mut client = in_folders(&[&folder]).ignoring(REFRESH);
    let uri = format!("{}/a.sass", folder.uri());
    client.open(&uri, &listing(3));
    let set = json!({"settings": {"warplens": {"gpu": "h100-pcie"}}});
    client.notify("workspace/didChangeConfiguration", set);
    assert_eq!(gpus(&mut client, &[uri]), ["PCIe"]);
}
