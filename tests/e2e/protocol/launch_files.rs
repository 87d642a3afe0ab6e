//! Problems in `warplens.toml` are shown in the file, both when it is saved and while it is edited.

use crate::client::{Client, range};
use crate::folder::Folder;
use serde_json::{Value, json};

const PUBLISH: &str = "textDocument/publishDiagnostics";

fn in_folder(folder: &Folder) -> Client {
    Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": {"textDocument": {"publishDiagnostics": {"versionSupport": true}}},
    }))
    .ignoring("window/showMessage")
}

fn uri(folder: &Folder) -> String {
    format!("{}/warplens.toml", folder.uri())
}

fn changed_on_disk(client: &mut Client, folder: &Folder, text: &str) {
    folder.write(text);
    let change = json!({"uri": uri(folder), "type": 2});
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": [change]}));
}

/// 0-based lines and messages of the next published findings, and their version.
fn shown(client: &mut Client, folder: &Folder) -> (Vec<(u64, String)>, Value) {
    let shown = client.notification(PUBLISH);
    assert_eq!(shown["uri"], uri(folder));
    let found = shown["diagnostics"].as_array().expect("a list").iter().map(|found| {
        let text = found["message"].as_str().expect("a text").to_owned();
        assert_eq!((&found["source"], text.contains('\n')), (&json!("warplens"), false));
        (found["range"]["start"]["line"].as_u64().expect("a line"), text)
    });
    (found.collect(), shown["version"].clone())
}

fn lines(shown: &(Vec<(u64, String)>, Value)) -> Vec<u64> {
    shown.0.iter().map(|(line, _)| *line).collect()
}

#[test]
fn a_file_on_the_disk_shows_all_that_is_wrong_until_it_is_right() {
    let folder = Folder::new("problems");
    folder.write("gpu = \"nope\"\n[limits]\nsectors = 0\n");
    let mut client = in_folder(&folder);
    let first = shown(&mut client, &folder);
    assert_eq!((lines(&first), &first.1), (vec![0, 2], &Value::Null));
    assert!(first.0[0].1.contains("such as `h100-sxm`"), "{first:?}");

    changed_on_disk(&mut client, &folder, "gpu = \"t4\"\n[[launch]]\nfunction = \"f\"\nblock = [32]\n");
    let second = shown(&mut client, &folder);
    assert_eq!(lines(&second), [1]);
    assert!(second.0[0].1.contains("`grid`"), "{second:?}");

    // The same problems again are not sent twice.
    changed_on_disk(&mut client, &folder, "gpu = \"t4\"\n[[launch]]\nfunction = \"g\"\nblock = [32]\n");
    changed_on_disk(&mut client, &folder, "gpu = \"t4\"\n");
    assert_eq!(lines(&shown(&mut client, &folder)), [0; 0]);

    changed_on_disk(&mut client, &folder, "gpu = \n");
    assert_eq!(lines(&shown(&mut client, &folder)), [0]);
    let left = json!({"event": {"added": [], "removed": [{"uri": folder.uri(), "name": "folder"}]}});
    client.notify("workspace/didChangeWorkspaceFolders", left);
    assert_eq!(lines(&shown(&mut client, &folder)), [0; 0]);
}

#[test]
fn one_wrong_table_leaves_the_others_in_force() {
    let folder = Folder::new("partly");
    let launch = |rest: &str| format!("[[launch]]\nfunction = \"saxpy\"\nblock = [64]\n{rest}\n");
    folder.write(&format!(
        "{}{}[rules]\nunknown-opcde = \"off\"\n",
        launch("name = \"one\"\ngrid = [7]"),
        launch("grid = [0]")
    ));
    let mut client = Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": {},
    }))
    .ignoring(PUBLISH);
    let message = client.notification("window/showMessage");
    let text = message["message"].as_str().expect("a text");
    assert!(text.starts_with("warplens.toml:9: `grid`: ") && text.contains("the rest of the file"), "{text}");
    let document = format!("{}/k.sass", folder.uri());
    client.open(&document, &crate::texts::listing(3));
    let lenses = client.call("textDocument/codeLens", json!({"textDocument": {"uri": document}}));
    let lens = client.call("codeLens/resolve", lenses[0].clone());
    assert!(lens["command"].to_string().contains("one"), "the launch that is right counts: {lens}");
}

#[test]
fn a_data_file_is_read_again_when_it_changes() {
    let folder = Folder::new("data");
    let params = "params = [{ holds = { file = \"data/keys.bin\" } }]";
    folder.write(&format!("[[launch]]\nfunction = \"f\"\ngrid = [1]\nblock = [32]\n{params}\n"));
    let mut client = in_folder(&folder);
    let missing = shown(&mut client, &folder);
    assert_eq!(lines(&missing), [4]);
    assert!(missing.0[0].1.starts_with("`file`: data/keys.bin: no such file"), "{missing:?}");
    std::fs::create_dir(folder.file("data")).expect("a new folder");
    for (bytes, message) in [(4, None), (3, Some("elements of 4 bytes")), (8, None)] {
        std::fs::write(folder.file("data/keys.bin"), vec![1; bytes]).expect("a file");
        let (found, _) = shown(&mut client, &folder);
        assert_eq!(found.len(), usize::from(message.is_some()), "{found:?}");
        assert!(message.is_none_or(|message| found[0].1.contains(message)), "{found:?}");
    }
}

/// The title of the lens over the first kernel of a listing in the folder, and its tooltip.
fn lens(client: &mut Client, folder: &Folder) -> (String, String) {
    let document = format!("{}/k.sass", folder.uri());
    client.open(&document, &crate::texts::listing(3));
    let lenses = client.call("textDocument/codeLens", json!({"textDocument": {"uri": document}}));
    let lens = client.call("codeLens/resolve", lenses[0].clone());
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": document}}));
    (lens["command"]["title"].to_string(), lens["command"].to_string())
}

#[test]
fn a_kernel_says_that_its_stated_launch_is_refused() {
    let folder = Folder::new("refused");
    folder.write("[[launch]]\nfunction = \"saxpy\"\ngrid = [0]\nblock = [64]\n");
    let mut client = in_folder(&folder).ignoring(PUBLISH);
    let (title, all) = lens(&mut client, &folder);
    assert!(title.contains("assumed launch (warplens.toml:3 is invalid)"), "{all}");
    // A part that is not valid TOML invalidates only its launch.
    let text =
        "[[launch]]\nfunction = \"saxpy\"\nname = \"one\"\ngrid = [7]\nblock = [64]\n[[launch]]\ngrid = [\n";
    changed_on_disk(&mut client, &folder, text);
    let (title, all) = lens(&mut client, &folder);
    assert!(title.contains("one") && !title.contains("assumed"), "{all}");
    // If no part of the file can be read, the previous launches stay in force.
    changed_on_disk(&mut client, &folder, "gpu = \n");
    let (title, all) = lens(&mut client, &folder);
    assert!(title.contains("one"), "{all}");
}

fn opened(client: &mut Client, uri: &str, text: &str) {
    let document = json!({"uri": uri, "languageId": "plaintext", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
}

#[test]
fn a_file_is_completed_described_coloured_and_mended() {
    let folder = Folder::new("edited");
    folder.write("");
    let mut client = Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": {
            "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
        },
    }))
    .ignoring("window/showMessage")
    .ignoring(PUBLISH);
    client.open(&format!("{}/k.sass", folder.uri()), &crate::texts::listing(3));
    let uri = uri(&folder);
    opened(&mut client, &uri, "listing = []\n[[launch]]\nfunction = \"\"\n");
    let here = |line: u32, character: u32| json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}});
    let hover = client.call("textDocument/hover", here(2, 2));
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("The kernel")), "{hover}");
    let found = client.call("textDocument/completion", here(2, 12));
    assert!(found.to_string().contains("saxpy"), "kernels of open listings: {found}");
    let tokens = client.call("textDocument/semanticTokens/full", json!({"textDocument": {"uri": uri}}));
    assert!(tokens["data"].as_array().is_some_and(|data| data.len() >= 20), "{tokens}");
    let asked =
        json!({"textDocument": {"uri": uri}, "range": range((0, 0), (0, 0)), "context": {"diagnostics": []}});
    let actions = client.call("textDocument/codeAction", asked);
    assert_eq!(actions[0]["title"], "Change `listing` to `listings`");
    let edit = json!([{"range": range((0, 0), (0, 7)), "newText": "listings"}]);
    assert_eq!(actions[0]["edit"]["changes"][&uri], edit);
    assert_eq!(actions[1]["title"], "Remove `listing`");
}

#[test]
fn a_file_of_no_folder_says_that_it_does_not_count() {
    let folder = Folder::new("stray");
    let mut client = in_folder(&folder);
    let stray = format!("{}/inner/warplens.toml", folder.uri());
    opened(&mut client, &stray, "gp = \"t4\"\n");
    let shown = client.notification(PUBLISH);
    let messages: Vec<&str> = shown["diagnostics"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|found| found["message"].as_str())
        .collect();
    assert_eq!((&shown["uri"], messages.len()), (&json!(stray), 2), "{messages:?}");
    assert!(
        messages[0].contains("only on the command line") && messages[1].contains("did you mean `gpu`"),
        "{messages:?}"
    );
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": stray}}));
    assert_eq!(client.notification(PUBLISH)["diagnostics"], json!([]));
}

#[test]
fn a_file_in_the_editor_is_followed_during_typing() {
    let folder = Folder::new("typed");
    folder.write("gpu = \"t4\"\n");
    let mut client = in_folder(&folder);
    let text = "gpu = \"t5\"\n";
    let document = json!({"uri": uri(&folder), "languageId": "toml", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    let opened = shown(&mut client, &folder);
    assert_eq!((lines(&opened), &opened.1), (vec![0], &json!(1)));

    let change = |client: &mut Client, version: i32, at: Value, text: &str| {
        let changes = json!([{"range": at, "text": text}]);
        let document = json!({"uri": uri(&folder), "version": version});
        client.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    };
    change(&mut client, 2, range((0, 8), (0, 9)), "4");
    let right = shown(&mut client, &folder);
    assert_eq!((lines(&right), &right.1), (vec![], &json!(2)));
    change(&mut client, 3, range((1, 0), (1, 0)), "[rules]\nx = \"off\"\n");
    let wrong = shown(&mut client, &folder);
    assert_eq!((lines(&wrong), &wrong.1), (vec![2], &json!(3)));

    // The file is not a listing, so it has no lenses.
    let lenses = client.call("textDocument/codeLens", json!({"textDocument": {"uri": uri(&folder)}}));
    assert!(lenses.as_array().is_none_or(Vec::is_empty), "{lenses}");

    // The contents on disk are used again.
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri(&folder)}}));
    assert_eq!(lines(&shown(&mut client, &folder)), [0; 0]);
}

#[test]
fn a_client_that_can_is_asked_for_the_text() {
    let folder = Folder::new("asked");
    let mut client = Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": {"textDocument": {"synchronization": {"dynamicRegistration": true}}},
    }));
    let (id, asked) = client.asked("client/registerCapability");
    client.answer(&id, Value::Null);
    let all = asked["registrations"].as_array().expect("a list");
    let is_of_launches = |one: &&Value| one["id"].as_str().is_some_and(|id| id.starts_with("launches-"));
    let registrations: Vec<&Value> = all.iter().filter(is_of_launches).collect();
    let methods: Vec<&str> = registrations.iter().filter_map(|one| one["method"].as_str()).collect();
    assert_eq!(methods, ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"]);
    for registration in &registrations {
        let filter = &registration["registerOptions"]["documentSelector"][0];
        assert_eq!(filter, &json!({"scheme": "file", "pattern": "**/warplens.toml"}));
    }
    assert_eq!(registrations[1]["registerOptions"]["syncKind"], 2);
}

const LOOP: &str = "\tcode for sm_90\n\t\tFunction : _Z1kPf\n\
                    \x20       /*0000*/                   LDG.E R4, desc[UR4][R2.64] ;\n\
                    \x20       /*0010*/                   ISETP.NE.AND P0, PT, R4, RZ, PT ;\n\
                    \x20       /*0020*/              @P0  BRA 0x0 ;\n\
                    \x20       /*0030*/                   EXIT ;\n";

/// A client with the loop open in a folder, and the edit that states its trip count.
fn edit_for_the_loop(folder: &Folder, workspace_edit: Value) -> (Client, Value) {
    let mut client = Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": {
            "workspace": {"workspaceEdit": workspace_edit},
            "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
        },
    }))
    .ignoring(PUBLISH);
    let document = format!("{}/k.nvsass", folder.uri());
    client.open(&document, LOOP);
    let branch = range((4, 0), (4, 60));
    let finding =
        json!({"range": branch, "source": "warplens", "code": "unknown-trip-count", "message": "?"});
    let asked =
        json!({"textDocument": {"uri": document}, "range": branch, "context": {"diagnostics": [finding]}});
    let actions = client.call("textDocument/codeAction", asked);
    let is_ours =
        |action: &&Value| action["title"].as_str().is_some_and(|title| title.contains("warplens.toml"));
    let edit = actions
        .as_array()
        .into_iter()
        .flatten()
        .find(is_ours)
        .map_or(Value::Null, |action| action["edit"].clone());
    (client, edit)
}

#[test]
fn trips_are_written_into_the_launch_of_the_kernel() {
    let folder = Folder::new("trips");
    folder.write("[[launch]]\nfunction = \"k(float*)\"\ngrid = [4]\nblock = [64]\n");
    let (client, edit) = edit_for_the_loop(&folder, json!({}));
    let line = json!([{"range": range((3, 12), (3, 12)), "newText": "\ntrips = { \"0x20\" = 8 }"}]);
    assert_eq!(edit, json!({"changes": {uri(&folder): line}}));

    drop(client);
    let (_client, edit) = edit_for_the_loop(&folder, json!({"documentChanges": true}));
    let document = json!({"uri": uri(&folder), "version": null});
    assert_eq!(edit, json!({"documentChanges": [{"textDocument": document, "edits": line}]}));
}

#[test]
fn a_file_is_made_for_trips_where_the_client_can() {
    let folder = Folder::new("made");
    let (_client, edit) =
        edit_for_the_loop(&folder, json!({"documentChanges": true, "resourceOperations": ["create"]}));
    assert_eq!(edit["documentChanges"][0], json!({"kind": "create", "uri": uri(&folder)}));
    let text = edit["documentChanges"][1]["edits"][0]["newText"].as_str().expect("a text");
    assert!(text.starts_with("[[launch]]\nfunction = \"_Z1kPf\"\ngrid = ["), "{text}");
    assert!(text.ends_with("]\ntrips = { \"0x20\" = 8 }\n"), "{text}");
    let (_client, edit) = edit_for_the_loop(&folder, json!({"documentChanges": true}));
    assert_eq!(edit, Value::Null);
}

#[test]
fn a_launch_of_the_kernel_is_stated_from_its_name() {
    let folder = Folder::new("stated");
    let able = json!({"documentChanges": true, "resourceOperations": ["create"]});
    let (mut client, _) = edit_for_the_loop(&folder, able);
    let stated = |client: &mut Client, line: u32| {
        let at = range((line, 0), (line, 0));
        let document = json!({"uri": format!("{}/k.nvsass", folder.uri())});
        let asked = json!({"textDocument": document, "range": at, "context": {"diagnostics": []}});
        let actions = client.call("textDocument/codeAction", asked);
        let actions = actions.as_array().cloned().unwrap_or_default();
        actions.into_iter().find(|action| action["title"] == "Add a launch of this kernel to warplens.toml")
    };
    assert!(stated(&mut client, 3).is_none(), "at an instruction");
    let action = stated(&mut client, 1).expect("at the kernel's name");
    let text = action["edit"]["documentChanges"][1]["edits"][0]["newText"].as_str().expect("a text");
    assert!(text.starts_with("[[launch]]\nfunction = \"_Z1kPf\"\ngrid = \"?\" "), "{text}");
    assert!(text.ends_with("\nparams = [\n  \"ptr\", # float*\n]\n"), "{text}");
    assert!(action["command"].is_null(), "a client that shows no documents: {action}");
    // The generated text has no effect until its placeholders are filled in.
    changed_on_disk(&mut client, &folder, text);
    while stated(&mut client, 1).is_some() {}
    let filled = text.replace("grid = \"?\"", "grid = [8]").replace("block = \"?\"", "block = [64]");
    let document = json!({"textDocument": {"uri": format!("{}/k.nvsass", folder.uri())}});
    let lens = |client: &mut Client| client.call("textDocument/codeLens", document.clone())[0].to_string();
    assert!(lens(&mut client).contains("assumed launch"));
    changed_on_disk(&mut client, &folder, &filled);
    while lens(&mut client).contains("assumed launch") {}
    assert!(stated(&mut client, 1).is_none(), "one is stated");
}

#[test]
fn the_launch_to_fill_in_is_shown() {
    let folder = Folder::new("shown");
    folder.write("gpu = \"t4\"\n");
    let mut client = Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": {
            "window": {"showDocument": {"support": true}},
            "workspace": {"workspaceEdit": {"documentChanges": true}},
            "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
        },
    }))
    .ignoring(PUBLISH);
    let uri = format!("{}/k.nvsass", folder.uri());
    let text = "\tcode for sm_90\n\t\tFunction : _Z1kPf\n        /*0000*/                   EXIT ;\n";
    let document = json!({"uri": uri, "languageId": "nvsass", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    let at = range((1, 0), (1, 0));
    let asked = json!({"textDocument": {"uri": uri}, "range": at, "context": {"diagnostics": []}});
    let actions = client.call("textDocument/codeAction", asked);
    let actions = actions.as_array().cloned().unwrap_or_default();
    let action = actions.iter().find(|action| action["edit"].is_object()).expect("an action");
    let place = range((4, 7), (4, 10));
    assert_eq!(action["command"]["arguments"][0]["range"], place, "{action}");
    let id = client.request("workspace/executeCommand", action["command"].clone());
    let (asked, shown) = client.asked("window/showDocument");
    assert_eq!((&shown["selection"], &shown["takeFocus"]), (&place, &json!(true)), "{shown}");
    assert!(shown["uri"].as_str().is_some_and(|uri| uri.ends_with("/warplens.toml")), "{shown}");
    client.answer(&asked, json!({"success": true}));
    let _ = client.response(id);
}

#[test]
fn problems_are_said_in_plain_words_with_the_near_value() {
    let folder = Folder::new("plain");
    folder.write("[[launch]]function = \"k\"\n[rules]\nbank-conflict = \"wran\"\nsyntax-error =\n");
    let mut client = in_folder(&folder);
    let (found, _) = shown(&mut client, &folder);
    let message = |line: u64| {
        let own = found.iter().find(|(at, _)| *at == line);
        &*own.unwrap_or_else(|| panic!("line {line} of {found:?}")).1
    };
    assert_eq!(message(0), "expected the end of the line before this");
    assert!(message(2).ends_with("; did you mean \"warning\"?"), "{found:?}");
    assert_eq!(message(3), "expected quotes around a string");
    for (_, message) in &found {
        assert!(!message.contains("newline") && !message.contains("unexpected"), "{message}");
    }
}

#[test]
fn what_is_written_already_is_not_proposed() {
    let folder = Folder::new("written");
    let mut client = in_folder(&folder).ignoring(PUBLISH);
    let text = "[[launch]]\n[rules]\ngpu = \"t4\"\n[[laun\n";
    let document = json!({"uri": uri(&folder), "languageId": "toml", "version": 1, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    let mut proposed = |line: u32, character: u32| {
        let at = json!({"textDocument": {"uri": uri(&folder)}, "position": {"line": line, "character": character}});
        let answer = client.call("textDocument/completion", at);
        answer["items"].as_array().or(answer.as_array()).map_or(0, Vec::len)
    };
    assert_eq!((proposed(0, 10), proposed(1, 7)), (0, 0), "Enter after a header gives a new line");
    assert!(proposed(3, 6) > 0 && proposed(0, 5) > 0, "half a header");
}
