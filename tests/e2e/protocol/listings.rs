//! A workspace search finds the kernels of the listings that `warplens.toml` names, open or not.

use crate::client::Client;
use crate::folder::Folder;
use crate::texts::listing;
use serde_json::{Value, json};
use std::fs;

const PUBLISH: &str = "textDocument/publishDiagnostics";
const WATCHED: &str = "workspace/didChangeWatchedFiles";
const LOG: &str = "window/logMessage";

/// A listing whose kernel has this name.
fn named(kernel: &str) -> String {
    listing(2).replace("saxpy", kernel)
}

fn greeted(folder: &Folder, watching: Value) -> Client {
    Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": {"workspace": {"didChangeWatchedFiles": watching}},
    }))
    .ignoring(PUBLISH)
}

/// The kernels that a search finds, each with its file, in the order of the answer.
fn found(client: &mut Client, folder: &Folder, query: &str) -> Vec<String> {
    let answer = client.call("workspace/symbol", json!({"query": query}));
    let symbols = answer.as_array().expect("a list");
    let uri = |symbol: &Value| symbol["location"]["uri"].as_str().map(str::to_owned).unwrap_or_default();
    let line = |symbol: &Value| {
        let file = uri(symbol).replace(&format!("{}/", folder.uri()), "");
        format!("{} in {file}", symbol["name"].as_str().unwrap_or_default())
    };
    symbols.iter().map(line).collect()
}

fn changed(client: &mut Client, folder: &Folder, file: &str) {
    let change = json!({"uri": format!("{}/{file}", folder.uri()), "type": 2});
    client.notify(WATCHED, json!({"changes": [change]}));
}

/// Answers the next registration, and returns its name with its patterns.
fn registered(client: &mut Client) -> (String, Value) {
    let (id, asked) = client.asked("client/registerCapability");
    client.answer(&id, Value::Null);
    let one = &asked["registrations"][0];
    (one["id"].as_str().unwrap_or_default().to_owned(), one["registerOptions"]["watchers"].clone())
}

/// Reads the first two registrations and returns the registration for listings; the other registration is for
/// launches. They may arrive in either order.
fn both_registered(client: &mut Client) -> (String, Value) {
    let (one, other) = (registered(client), registered(client));
    let (launches, listings) = if one.0 == "launches" { (one, other) } else { (other, one) };
    assert_eq!(launches.0, "launches");
    listings
}

#[test]
fn a_file_on_the_disk_is_found_and_found_anew() {
    let folder = Folder::new("listed");
    let build = folder.inner("build/deep");
    fs::write(build.file("a.sass"), named("_Z5alphaPfi")).expect("the file can be written");
    fs::write(folder.file("other.sass"), named("_Z5otherPf")).expect("the file can be written");
    folder.write("listings = [\"build/**/*.sass\"]\n");
    let mut client = greeted(&folder, json!({"dynamicRegistration": true, "relativePatternSupport": true}));
    let (name, watchers) = both_registered(&mut client);
    assert_eq!(watchers, json!([{"globPattern": {"baseUri": folder.uri(), "pattern": "build/**/*.sass"}}]));
    assert_eq!(found(&mut client, &folder, "alph"), ["alpha(float*, int) in build/deep/a.sass"]);
    assert_eq!(found(&mut client, &folder, ""), ["alpha(float*, int) in build/deep/a.sass"]);

    // A changed file is read again once the client reports the change.
    fs::write(build.file("a.sass"), named("_Z5gammaPf")).expect("the file can be written");
    changed(&mut client, &folder, "build/deep/a.sass");
    assert_eq!(found(&mut client, &folder, ""), ["gamma(float*) in build/deep/a.sass"]);
    fs::write(build.file("b.sass"), named("_Z4betaPf")).expect("the file can be written");
    changed(&mut client, &folder, "build/deep/b.sass");
    let both = ["gamma(float*) in build/deep/a.sass", "beta(float*) in build/deep/b.sass"];
    assert_eq!(found(&mut client, &folder, ""), both);
    fs::remove_file(build.file("b.sass")).expect("it was written");
    changed(&mut client, &folder, "build/deep/b.sass");
    assert_eq!(found(&mut client, &folder, ""), both[..1]);

    // New patterns are watched in place of the previous ones.
    folder.write("listings = [\"other.sass\"]\n");
    changed(&mut client, &folder, "warplens.toml");
    let (later, watchers) = registered(&mut client);
    assert!(later != name && watchers[0]["globPattern"]["pattern"] == "other.sass", "{watchers}");
    let (id, gone) = client.asked("client/unregisterCapability");
    assert_eq!(gone["unregisterations"][0]["id"], name);
    client.answer(&id, Value::Null);
    assert_eq!(found(&mut client, &folder, ""), ["other(float*) in other.sass"]);
}

#[test]
fn the_open_text_wins_over_the_file() {
    let folder = Folder::new("open-listing");
    fs::write(folder.file("a.sass"), named("_Z4diskPf")).expect("the file can be written");
    folder.write("listings = [\"*.sass\"]\n");
    let mut client = greeted(&folder, json!({}));
    assert_eq!(found(&mut client, &folder, ""), ["disk(float*) in a.sass"]);
    let uri = format!("{}/a.sass", folder.uri());
    client.open(&uri, &named("_Z6editorPf"));
    assert_eq!(found(&mut client, &folder, ""), ["editor(float*) in a.sass"]);
    client.close(&uri);
    assert_eq!(found(&mut client, &folder, ""), ["disk(float*) in a.sass"]);
}

#[test]
fn a_client_that_watches_nothing_finds_changes_too() {
    let folder = Folder::new("unwatched");
    folder.write("listings = [\"*.sass\"]\n");
    let mut client = greeted(&folder, json!({}));
    assert!(found(&mut client, &folder, "").is_empty());
    fs::write(folder.file("a.sass"), named("_Z4latePf")).expect("the file can be written");
    assert_eq!(found(&mut client, &folder, ""), ["late(float*) in a.sass"]);
}

#[test]
fn folders_bring_their_listings_and_take_them_away() {
    let (first, second) = (Folder::new("first-listings"), Folder::new("second-listings"));
    second.write("listings = [\"*.sass\"]\n");
    fs::write(second.file("a.sass"), named("_Z5guestPf")).expect("the file can be written");
    let mut client = greeted(&first, json!({"dynamicRegistration": true}));
    assert_eq!(registered(&mut client).0, "launches");
    let event = |kind: &str| {
        let mut event = json!({"added": [], "removed": []});
        event[kind] = json!([{"uri": second.uri(), "name": "second"}]);
        json!({"event": event})
    };
    client.notify("workspace/didChangeWorkspaceFolders", event("added"));
    // The registration is in the form that every client understands.
    let (name, watchers) = registered(&mut client);
    assert_eq!(watchers, json!([{"globPattern": "**/*.sass"}]));
    assert_eq!(found(&mut client, &second, ""), ["guest(float*) in a.sass"]);
    client.notify("workspace/didChangeWorkspaceFolders", event("removed"));
    let (id, gone) = client.asked("client/unregisterCapability");
    assert_eq!(gone["unregisterations"][0]["id"], name);
    client.answer(&id, Value::Null);
    assert!(found(&mut client, &second, "").is_empty());
}

#[test]
fn a_bad_pattern_is_said_in_one_line_and_the_previous_ones_stay() {
    let folder = Folder::new("bad-pattern");
    fs::write(folder.file("a.sass"), named("_Z4keptPf")).expect("the file can be written");
    folder.write("listings = [\"*.sass\"]\n");
    let mut client = greeted(&folder, json!({}));
    for bad in ["[\"a[\"]", "[\"../*.sass\"]", "[\"/a.sass\"]", "\"a.sass\"", "[3]"] {
        folder.write(&format!("listings = {bad}\n"));
        changed(&mut client, &folder, "warplens.toml");
        let said = client.notification("window/showMessage");
        let text = said["message"].as_str().unwrap_or_default();
        assert!(text.starts_with("warplens.toml:1: ") && !text.contains('\n'), "{text}");
        assert_eq!(found(&mut client, &folder, ""), ["kept(float*) in a.sass"]);
    }
}

#[test]
fn what_is_no_text_is_left_out_and_said_once() {
    let folder = Folder::new("no-text");
    fs::write(folder.file("a.sass"), b"\x7fELF\x02\x01\0").expect("the file can be written");
    fs::write(folder.file("b.sass"), named("_Z4textPf")).expect("the file can be written");
    folder.write("listings = [\"*.sass\"]\n");
    let mut client = greeted(&folder, json!({}));
    for _ in 0..2 {
        assert_eq!(found(&mut client, &folder, ""), ["text(float*) in b.sass"]);
    }
    let said = client.notification(LOG);
    assert!(said["message"].as_str().is_some_and(|text| text.contains("a.sass is left out")), "{said}");
}

#[test]
fn columns_count_in_the_units_of_the_client() {
    let folder = Folder::new("listing-columns");
    let text = named("wide\u{1f680}");
    fs::write(folder.file("a.sass"), &text).expect("the file can be written");
    folder.write("listings = [\"a.sass\"]\n");
    let mut client = greeted(&folder, json!({}));
    let place = |client: &mut Client| {
        let answer = client.call("workspace/symbol", json!({"query": "wide"}));
        answer[0]["location"]["range"].clone()
    };
    let on_disk = place(&mut client);
    client.open(&format!("{}/a.sass", folder.uri()), &text);
    assert_eq!(on_disk, place(&mut client));
    // Four letters, and one character that takes two UTF-16 units.
    let column = |end: &str| on_disk[end]["character"].as_u64().expect("a number");
    assert_eq!(column("end") - column("start"), 6, "{on_disk}");
}

#[test]
fn many_searches_at_once_are_each_answered_or_cancelled() {
    let folder = Folder::new("many-searches");
    for number in 0..20 {
        let text = named(&format!("_Z5many{}Pf", (b'a' + number) as char));
        fs::write(folder.file(&format!("{number}.sass")), text).expect("the file can be written");
    }
    folder.write("listings = [\"*.sass\"]\n");
    let mut client = greeted(&folder, json!({}));
    let asked: Vec<i64> =
        (0..20).map(|_| client.request("workspace/symbol", json!({"query": "many"}))).collect();
    for id in asked.iter().step_by(2) {
        client.notify("$/cancelRequest", json!({"id": id}));
    }
    for id in asked {
        match client.response(id) {
            Ok(answer) => assert_eq!(answer.as_array().map(Vec::len), Some(20)),
            Err(code) => assert_eq!(code, -32800),
        }
    }
    assert_eq!(found(&mut client, &folder, "many").len(), 20);
}
