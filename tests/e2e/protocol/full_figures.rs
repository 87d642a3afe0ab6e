//! The full figure of a launch is simulated in the background after a quick figure was shown, cached on disk,
//! and dropped after an edit.

use crate::client::{Client, range};
use crate::folder::Folder;
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

const LISTING: &str = include_str!("../../corpus/sm_90/sgemm.cuobjdump-sass.txt");
const QUICK: &str = "(quick estimate)";
const REFRESH: &str = "workspace/codeLens/refresh";

/// A launch of some tens of thousands of warp instructions per SM.
const LAUNCHES: &str = "gpu = \"h100-sxm\"\n[[launch]]\nfunction = \"sgemm16\"\ngrid = [8, 8, 1]\nblock = [16, 16, 1]\n\
    const = { \"0x210\" = \"ptr\", \"0x218\" = \"ptr\", \"0x220\" = \"ptr\", \"0x228\" = 512, \"0x22c\" = 512, \"0x230\" = 512, \"0x234\" = 1065353216, \"0x238\" = 0 }\n";

fn warplens(folder: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warplens"));
    command.env("XDG_CACHE_HOME", folder.file("cache"));
    command
}

/// A server with a separate cache folder.
fn server(folder: &Folder, options: Value) -> Client {
    let mut command = warplens(folder);
    command.arg("lsp");
    let mut client = Client::spawned(command).ignoring("textDocument/publishDiagnostics").ignoring(REFRESH);
    client.call(
        "initialize",
        json!({
            "processId": null,
            "rootUri": null,
            "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
            "capabilities": {
                "workspace": {
                    "codeLens": {"refreshSupport": true},
                    "applyEdit": true,
                    "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create"]},
                },
                "window": {"showDocument": {"support": true}},
            },
            "initializationOptions": options,
        }),
    );
    client.notify("initialized", json!({}));
    client
}

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write(LAUNCHES);
    folder
}

fn uri(folder: &Folder) -> String {
    format!("{}/k.sass", folder.uri())
}

/// The lens over the first kernel.
fn lens(client: &mut Client, folder: &Folder) -> Value {
    let lenses = client.call("textDocument/codeLens", json!({"textDocument": {"uri": uri(folder)}}));
    client.call("codeLens/resolve", lenses[0].clone())
}

fn title(client: &mut Client, folder: &Folder) -> String {
    lens(client, folder)["command"]["title"].as_str().expect("a title").to_owned()
}

fn refreshed(client: &mut Client) {
    let (question, _) = client.asked(REFRESH);
    client.answer(&question, Value::Null);
}

/// The cycles that `warplens predict` prints for the launch, in the format of lenses.
fn predicted(folder: &Folder, text: &str) -> String {
    let listing = folder.file("predicted.sass");
    std::fs::write(&listing, text).expect("the listing can be written");
    let mut command = warplens(folder);
    command.arg("predict").arg(&listing).arg("--launches").arg(folder.file("warplens.toml"));
    let output = command.args(["--format", "json"]).output().expect("the program runs");
    let json: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    json["launches"][0]["cycles_in_words"].as_str().expect("words").to_owned()
}

#[test]
fn the_lens_says_what_predict_says_once_the_figure_is_there() {
    let folder = folder("full-figures");
    let mut client = server(&folder, Value::Null);
    client.open(&uri(&folder), LISTING);
    let quick = title(&mut client, &folder);
    assert!(quick.contains(QUICK), "{quick}");
    refreshed(&mut client);
    let full = title(&mut client, &folder);
    let predicted = predicted(&folder, LISTING);
    assert!(full.starts_with(&predicted) && !full.contains(QUICK), "{full}; predicted: {predicted}");
    assert!(!quick.starts_with(&predicted), "the quick figure equals the full one: {quick}");
    // All other views show the full figure, too.
    let place = json!({"textDocument": {"uri": uri(&folder)}, "position": {"line": 8, "character": 0}});
    let panel = client.call("warplens/kernelSummary", place.clone());
    assert_eq!(panel["launches"][0]["cycles_in_words"], json!(predicted), "{panel}");
    let roofline = client.call("warplens/kernelRoofline", place);
    assert_eq!(roofline["launches"][0]["cycles_in_words"], json!(predicted), "{roofline}");
}

#[test]
fn the_panel_of_a_kernel_waits_a_moment_for_it() {
    let folder = folder("full-panel");
    let mut client = server(&folder, Value::Null);
    client.open(&uri(&folder), LISTING);
    let place = json!({"textDocument": {"uri": uri(&folder)}, "position": {"line": 8, "character": 0}});
    let end = Instant::now() + Duration::from_mins(1);
    // On a busy machine the first answer may not contain the full figure yet. The figure then follows.
    while Instant::now() < end {
        let panel = client.call("warplens/kernelSummary", place.clone());
        if panel["launches"][0].get("quick") == Some(&json!(false)) {
            let predicted = predicted(&folder, LISTING);
            assert_eq!(panel["launches"][0]["cycles_in_words"], json!(predicted));
            return;
        }
    }
    panic!("the panel has no full figure");
}

#[test]
fn a_second_server_has_the_figure_at_once() {
    let folder = folder("full-kept");
    let open = |options: Value| {
        let mut client = server(&folder, options);
        client.open(&uri(&folder), LISTING);
        client
    };
    let mut first = open(Value::Null);
    assert!(title(&mut first, &folder).contains(QUICK));
    refreshed(&mut first);
    let full = title(&mut first, &folder);
    drop(first);
    let mut second = open(Value::Null);
    assert_eq!(title(&mut second, &folder), full);
    drop(second);
    let mut off = open(json!({"cachePredictions": false}));
    assert!(title(&mut off, &folder).contains(QUICK));
    drop(off);
    // Damaged files are ignored.
    let kept = folder.file("cache").join("warplens").join("predictions");
    let versions = std::fs::read_dir(kept).expect("the server created it").flatten();
    let files: Vec<_> =
        versions.flat_map(|version| std::fs::read_dir(version.path()).expect("a folder").flatten()).collect();
    assert!(!files.is_empty());
    for file in &files {
        std::fs::write(file.path(), "damaged").expect("it can be written");
    }
    let mut third = open(Value::Null);
    assert!(title(&mut third, &folder).contains(QUICK));
    refreshed(&mut third);
    assert_eq!(title(&mut third, &folder), full);
}

#[test]
fn an_edit_gives_the_work_up_and_the_new_text_gets_its_own_figure() {
    let folder = folder("full-edit");
    let mut client = server(&folder, Value::Null);
    client.open(&uri(&folder), LISTING);
    assert!(title(&mut client, &folder).contains(QUICK));
    let number = LISTING.lines().position(|line| line.contains("LDC R1")).expect("the first instruction");
    let at = range((number as u32, 0), (number as u32 + 1, 0));
    client.change(&uri(&folder), 2, json!([{"range": at, "text": ""}]));
    // The figure of the first text's simulation is never shown for the second text.
    assert!(title(&mut client, &folder).contains(QUICK));
    let lines: Vec<&str> = LISTING.split_inclusive('\n').collect();
    let edited = lines[..number].concat() + &lines[number + 1..].concat();
    let predicted = predicted(&folder, &edited);
    let end = Instant::now() + Duration::from_mins(1);
    let mut last = String::new();
    while Instant::now() < end {
        last = title(&mut client, &folder);
        if !last.contains(QUICK) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(last.starts_with(&predicted), "{last}; predicted: {predicted}");
    let state = client.call("workspace/executeCommand", json!({"command": "warplens.dumpState"}));
    assert_eq!(state["documents"][0]["workUnderWay"], 0, "{state}");
}

#[test]
fn a_lens_without_a_figure_leads_to_what_is_missing() {
    let folder = folder("full-missing");
    folder.write("gpu = \"h100-sxm\"\n");
    let mut client = server(&folder, Value::Null).ignoring("window/showDocument");
    client.open(&uri(&folder), LISTING);
    let lens = lens(&mut client, &folder);
    let title = lens["command"]["title"].as_str().expect("a title");
    assert!(title.starts_with("state ") && title.contains(" for cycles · "), "{title}");
    assert_eq!(lens["command"]["command"], "warplens.stateLaunch");
    let command = json!({"command": "warplens.stateLaunch", "arguments": lens["command"]["arguments"]});
    client.call("workspace/executeCommand", command.clone());
    let (question, edit) = client.asked("workspace/applyEdit");
    let text = edit["edit"].to_string();
    assert!(text.contains("[[launch]]") && text.contains("sgemm16"), "{text}");
    // The parameters are known only from the code. Words that the code reads as numbers must be filled in;
    // pointers need not.
    let words = r#"const = { \"0x210\" = \"?\", \"0x228\" = \"?\", \"0x22c\" = \"?\","#;
    assert!(text.contains(words), "{text}");
    client.answer(&question, json!({"applied": true}));
    let (question, shown) = client.asked("window/showDocument");
    assert_eq!(shown["uri"], format!("{}/warplens.toml", folder.uri()));
    // The file had one line.
    assert_eq!(
        shown["selection"]["start"],
        json!({"line": 4, "character": "grid = ".len()}),
        "the first value is selected"
    );
    client.answer(&question, json!({"success": true}));
}
