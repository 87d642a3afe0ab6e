//! Tests of attached profiles and their display.

use crate::client::{Client, everything};
use crate::folder::Folder;
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;

/// A listing of the repository with one kernel, `sgemm16`, for Hopper.
const SGEMM: &str = include_str!("../../corpus/sm_90/sgemm.cuobjdump-sass.txt");

const CHANGED: &str = "warplens/profilesChanged";

/// The source page of Nsight Compute as CSV, for two launches of the listing's kernel. In each, one instruction has
/// most of the samples.
fn page() -> String {
    let mut text = String::new();
    for hot in ["LDG.E", "STG.E"] {
        text.push_str("\"Kernel Name\",\"sgemm16\",\n");
        text.push_str("\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\",\"Thread Instructions Executed\",\"stall_long_sb\",\"stall_wait\"\n");
        let instructions =
            SGEMM.lines().filter_map(|line| line.trim_start().strip_prefix("/*")?.split_once("*/"));
        let instructions =
            instructions.filter_map(|(_, rest)| rest.split_once(';')).map(|(text, _)| text.trim());
        let mut found = false;
        for (at, instruction) in instructions.filter(|text| !text.is_empty()).enumerate() {
            let is_hot = !found && instruction.contains(hot);
            found |= is_hot;
            let samples = if is_hot { 900 } else { 1 };
            let _ = writeln!(
                text,
                "\"0x{:x}\",\"      {instruction}\",\"{samples}\",\"64\",\"2048\",\"{samples}\",\"0\"",
                0x7f00_0000 + at * 16
            );
        }
    }
    text
}

struct Open {
    client: Client,
    folder: Folder,
    uri: String,
}

/// A session with the listing open and the profile next to it, not attached.
fn open() -> Open {
    let folder = Folder::new("profiles");
    fs::write(folder.file("run.csv"), page()).expect("the folder exists");
    let client = Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": {"experimental": {"profileChangeNotification": true}},
    }));
    let mut client = client.ignoring("textDocument/publishDiagnostics").ignoring("window/showMessage");
    let uri = format!("{}/sgemm.txt", folder.uri());
    client.open(&uri, SGEMM);
    Open { client, folder, uri }
}

impl Open {
    fn attach(&mut self, names: &[&str]) -> Value {
        let paths: Vec<_> = names.iter().map(|name| self.folder.file(name)).collect();
        self.client.call("warplens/attachProfiles", json!({"paths": paths}))
    }

    /// The hints from a profile, with the texts of their lines.
    fn measured(&mut self) -> Vec<(String, String)> {
        let within = json!({"textDocument": {"uri": self.uri}, "range": everything()});
        let hints = self.client.call("textDocument/inlayHint", within);
        let lines: Vec<String> = self.client.text(&self.uri).lines().map(str::to_owned).collect();
        let of = |hint: &Value| {
            let label = hint["label"].as_str()?.trim().to_owned();
            let line = hint["position"]["line"].as_u64()? as usize;
            label.contains("long_scoreboard").then(|| (label, lines[line].clone()))
        };
        hints.as_array().expect("hints").iter().filter_map(of).collect()
    }
}

#[test]
fn profile_data_is_shown_at_the_code_until_it_is_detached() {
    let mut open = open();
    assert_eq!(open.measured(), []);
    let attached = open.attach(&["run.csv"]);
    assert_eq!((&attached["profiles"], &attached["problems"]), (&json!(["run.csv"]), &json!([])));
    assert_eq!((&attached["matched"]["measured"], &attached["matched"]["kernels"]), (&json!(1), &json!(1)));
    open.client.notification(CHANGED);
    let hints = open.measured();
    let (label, line) = &hints[0];
    assert!(label.ends_with("% long_scoreboard") && line.contains("LDG.E"), "{hints:?}");
    assert_eq!(hints.len(), 1, "one sample of a thousand is not worth a hint");

    let document = json!({"textDocument": {"uri": open.uri}});
    let heat = open.client.call("warplens/heat", document.clone());
    let hottest = heat["lines"].as_array().expect("lines").iter().max_by(|one, other| {
        one["share"].as_f64().partial_cmp(&other["share"].as_f64()).expect("shares are numbers")
    });
    let hottest = hottest.expect("a line").clone();
    assert!(hottest["share"].as_f64() > Some(0.6) && hottest["isStale"] == false, "{hottest}");
    let at =
        json!({"textDocument": {"uri": open.uri}, "position": {"line": hottest["line"], "character": 40}});
    let hover = open.client.call("textDocument/hover", at)["contents"]["value"].to_string();
    assert!(hover.contains("Measured:") && hover.contains("launch 1 of 2 in run.csv"), "{hover}");
    let lenses = open.client.call("textDocument/codeLens", document.clone()).to_string();
    assert!(lenses.contains("measured: "), "{lenses}");

    // The other launch has most samples at its store.
    let launches = open.client.call("warplens/profiledLaunches", json!({}))["launches"].clone();
    assert_eq!(launches.as_array().map(Vec::len), Some(2));
    let choice = json!({"choose": {"kernel": launches[1]["kernel"], "number": launches[1]["number"]}});
    let launches = open.client.call("warplens/profiledLaunches", choice);
    assert_eq!(launches["launches"][1]["isChosen"], true);
    open.client.notification(CHANGED);
    assert!(open.measured()[0].1.contains("STG.E"));

    let tree = open.client.call("warplens/topDown", json!({}));
    let memory = &tree["tree"]["root"]["children"][0];
    assert_eq!(
        (&memory["name"], &memory["children"][0]["name"]),
        (&json!("device_memory"), &json!("long_scoreboard"))
    );
    assert!(tree["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")));
    let place = &memory["children"][0]["places"][0];
    let asked = json!({"kernel": tree["kernel"], "address": place["address"]});
    let location = open.client.call("warplens/profiledPlace", asked);
    assert_eq!(location["uri"], open.uri);

    assert_eq!(open.attach(&[]), json!({"profiles": [], "problems": []}));
    open.client.notification(CHANGED);
    assert_eq!(open.measured(), []);
    // Without a profile the shares are predicted, and marked as such.
    let heat = open.client.call("warplens/heat", document);
    assert_eq!(heat["isMeasured"], false);
    let source = heat["source"].as_str().unwrap_or_default();
    assert!(source.starts_with("predicted for "), "{heat}");
    assert_eq!(open.client.call("warplens/topDown", json!({})), Value::Null);
}

#[test]
fn code_that_has_changed_is_marked_and_only_what_agrees_has_figures() {
    let mut open = open();
    open.attach(&["run.csv"]);
    open.client.notification(CHANGED);
    let stored = SGEMM.lines().position(|line| line.contains("STG.E")).expect("a store") as u32;
    let start = json!({"line": stored, "character": 0});
    let end = json!({"line": stored + 1, "character": 0});
    open.client.change(&open.uri, 1, json!([{"range": {"start": start, "end": end}, "text": ""}]));
    let hints = open.measured();
    let (label, line) = &hints[0];
    assert!(label.ends_with("long_scoreboard ?") && line.contains("LDG.E"), "{hints:?}");
}

#[test]
fn files_are_followed_and_a_broken_one_keeps_what_was_there() {
    let mut open = open();
    assert_eq!(open.attach(&["absent.ncu-rep"])["profiles"], json!([]));
    open.attach(&["run.csv"]);
    open.client.notification(CHANGED);
    // In the new run, the launches are in the opposite order.
    let text = page();
    let (first, second) = text.split_at(text.rfind("\"Kernel Name\"").expect("two launches"));
    fs::write(open.folder.file("run.csv"), format!("{second}{first}")).expect("the folder exists");
    open.client.notification(CHANGED);
    assert!(open.measured()[0].1.contains("STG.E"));
    fs::write(open.folder.file("run.csv"), "nothing of the kind").expect("the folder exists");
    let reported = open.attach(&["run.csv"]);
    assert_eq!(reported["profiles"], json!(["run.csv"]));
    assert!(
        reported["problems"][0].as_str().is_some_and(|why| why.contains("the earlier profile stays")),
        "{reported}"
    );
    let reported = open.attach(&["absent.ncu-rep"]);
    assert_eq!(reported["profiles"], json!(["run.csv"]), "what is not there takes nothing off");
    assert!(open.measured()[0].1.contains("STG.E"));
}

#[test]
fn a_stated_profile_is_attached_and_its_thresholds_hold() {
    let mut open = open();
    open.folder.write("[profile]\nreports = [\"run.csv\"]\n");
    let change = json!({"uri": format!("{}/warplens.toml", open.folder.uri()), "type": 1});
    open.client.notify("workspace/didChangeWatchedFiles", json!({"changes": [change]}));
    let changed = open.client.notification(CHANGED);
    assert_eq!(changed["profiles"], json!(["run.csv"]));
    assert_eq!(open.measured().len(), 1);
}

#[test]
fn an_advice_can_be_run_again_where_a_program_is_named() {
    let folder = Folder::new("profiles");
    // Warps wait for a result at the load.
    let waits = page().replace("stall_long_sb", "stall_other");
    let waits = waits.replace("stall_wait", "stall_long_sb").replace("stall_other", "stall_wait");
    fs::write(folder.file("run.csv"), waits).expect("the folder exists");
    folder.write("[profile]\nreports = [\"run.csv\"]\n[run]\ncommand = [\"make\", \"bench\"]\n");
    let literals = json!({"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}});
    let client = Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": {
            "experimental": {"profileChangeNotification": true, "explainRule": true},
            "textDocument": {"codeAction": literals, "diagnostic": {}},
        },
    }));
    let mut client = client.ignoring("textDocument/publishDiagnostics").ignoring("window/showMessage");
    let uri = format!("{}/sgemm.txt", folder.uri());
    client.open(&uri, SGEMM);
    client.notification(CHANGED);
    let document = json!({"uri": uri});
    let reported = client.call("textDocument/diagnostic", json!({"textDocument": document}));
    let finding = reported["items"].as_array().expect("findings").iter();
    let mut advice = finding.filter(|finding| finding["code"] == "dependent-instructions");
    let advice = advice.next().expect("the advice is a finding");
    let asked =
        json!({"textDocument": document, "range": advice["range"], "context": {"diagnostics": [advice]}});
    let actions = client.call("textDocument/codeAction", asked);
    let again = actions.as_array().expect("actions").iter().find(|action| action["command"].is_object());
    let command = &again.expect("an action runs the program")["command"];
    assert_eq!(command["command"], "warplens.followAdvice");
    let followed = &command["arguments"][0];
    assert_eq!((&followed["uri"], &followed["advice"]), (&json!(uri), &json!("dependent-instructions")));
    assert_eq!((&followed["kernel"], &followed["claimed"]), (&json!("sgemm16"), &Value::Null));
    let titles: Vec<&str> =
        actions.as_array().expect("actions").iter().filter_map(|action| action["title"].as_str()).collect();
    assert!(titles.contains(&"How to follow this advice (`dependent-instructions`)"), "{titles:?}");
    let page = client.call("warplens/rulePage", json!({"code": "dependent-instructions"}));
    let page = page["text"].as_str().expect("a guide has a page");
    assert!(page.starts_with("# dependent-instructions\n\nPut ") && !page.contains("```"), "{page}");
}

#[test]
fn two_profiles_are_compared_and_hovers_have_both() {
    let mut open = open();
    // Before the change, warps did not wait at the load.
    fs::write(open.folder.file("before.csv"), page().replacen("\"900\"", "\"1\"", 2))
        .expect("the folder exists");
    let paths = ["before.csv", "run.csv"].map(|name| open.folder.file(name));
    let nothing = open.client.call("warplens/compareProfiles", json!({}));
    assert_eq!(nothing, json!({"files": [], "title": null, "text": null, "reason": null}));
    open.attach(&["before.csv", "run.csv"]);
    open.client.notification(CHANGED);
    let compared =
        open.client.call("warplens/compareProfiles", json!({"before": paths[0], "after": paths[1]}));
    assert_eq!((&compared["files"], &compared["title"]), (&json!(paths), &json!("before.csv -> run.csv")));
    let text = compared["text"].as_str().expect("a text");
    assert!(text.starts_with("# before.csv -> run.csv\n") && text.contains("| long_scoreboard |"), "{text}");
    let absent = json!({"before": open.folder.file("absent.csv"), "after": paths[1]});
    let absent = open.client.call("warplens/compareProfiles", absent);
    assert!(absent["reason"].as_str().is_some_and(|why| why.contains("absent.csv")), "{absent}");

    let loaded = SGEMM.lines().position(|line| line.contains("LDG.E")).expect("a load");
    let at = json!({"textDocument": {"uri": open.uri}, "position": {"line": loaded, "character": 40}});
    let hover = open.client.call("textDocument/hover", at)["contents"]["value"].to_string();
    assert!(
        hover.contains("Samples before and after: 0.") && hover.contains(" % in before.csv -> "),
        "{hover}"
    );
}

#[test]
fn predictions_say_that_they_have_counts_of_a_profile() {
    let mut open = open();
    open.folder.write("[[launch]]\nfunction = \"sgemm16\"\ngrid = [8, 1, 1]\nblock = [256, 1, 1]\n");
    let change = json!({"uri": format!("{}/warplens.toml", open.folder.uri()), "type": 1});
    open.client.notify("workspace/didChangeWatchedFiles", json!({"changes": [change]}));
    let lenses = |open: &mut Open| -> String {
        let document = json!({"textDocument": {"uri": open.uri}});
        let lenses = open.client.call("textDocument/codeLens", document);
        let all = lenses.as_array().expect("lenses").iter();
        all.map(|lens| open.client.call("codeLens/resolve", lens.clone()).to_string()).collect()
    };
    assert!(!lenses(&mut open).contains("with profile"));
    open.attach(&["run.csv"]);
    open.client.notification(CHANGED);
    let with = lenses(&mut open);
    assert!(with.contains(", with profile"), "{with}");
    open.attach(&[]);
    open.client.notification(CHANGED);
    assert!(!lenses(&mut open).contains("with profile"));
}
