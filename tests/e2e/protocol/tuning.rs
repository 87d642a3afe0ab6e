//! A kernel that `warplens.toml` tunes: its variants are compiled on request, and the best variant is
//! offered. A script replaces nvcc and writes the same code for all values, and only the launches differ.

use crate::client::{Client, range};
use crate::folder::Folder;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

const TOML: &str = r#"
[tune.scale]
shapes = [{ N = 16384 }, { N = 1024 }]
grid = ["N / BLOCK"]
block = ["BLOCK"]
params = ["ptr", "ptr", "N"]
[tune.scale.parameters]
BLOCK = [64, 256, 1024, 4096]
"#;

const REFRESH: &str = "workspace/codeLens/refresh";
const REQUEST_CANCELLED: i64 = -32800;

fn stand_in(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/stand_in")).join(name)
}

fn text() -> String {
    let text = include_str!("../stand_in/scale.cu").replace("<<<64, 256>>>", "<<<16384 / BLOCK, BLOCK>>>");
    // Line numbers must match the cubin's line table.
    text.replacen("\n\n", "\n#define BLOCK 256\n", 1)
}

/// A folder with an nvcc that counts its runs.
struct Setup {
    folder: Folder,
    client: Client,
    uri: String,
}

impl Setup {
    fn new(name: &str, options: &Value) -> Self {
        let folder = Folder::new(name);
        folder.write(TOML);
        let script = format!(
            "#!/bin/sh\necho run >> \"{}\"\nexec \"{}\" \"$@\"\n",
            folder.file("runs").display(),
            stand_in("nvcc").display()
        );
        let nvcc = folder.file("nvcc");
        std::fs::write(&nvcc, script).expect("the script can be written");
        std::fs::set_permissions(&nvcc, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
        let mut all = json!({
            "trusted": true, "gpu": "h100-sxm", "nvcc": {"path": nvcc}, "ptxas": {"path": stand_in("ptxas")},
            "disassembler": stand_in("nvdisasm"), "compile": {"live": false}, "tuneCommand": true,
        });
        for (key, value) in options.as_object().into_iter().flatten() {
            all[key] = value.clone();
        }
        let client = Client::greeted(json!({
            "processId": null,
            "rootUri": null,
            "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
            "capabilities": {"workspace": {"codeLens": {"refreshSupport": true}}},
            "initializationOptions": all,
        }));
        let uri = format!("{}/scale.cu", folder.uri());
        let mut setup = Self { folder, client: client.ignoring("textDocument/publishDiagnostics"), uri };
        setup.open(&text());
        setup
    }

    fn open(&mut self, text: &str) {
        let document = json!({"uri": self.uri, "languageId": "cuda-cpp", "version": 1, "text": text});
        self.client.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn runs(&self) -> usize {
        std::fs::read_to_string(self.folder.file("runs")).unwrap_or_default().lines().count()
    }

    /// The commands of the lenses of tuned kernels.
    fn lenses(&mut self) -> Vec<Value> {
        let lenses = self.client.call("textDocument/codeLens", json!({"textDocument": {"uri": self.uri}}));
        let lenses = lenses.as_array().cloned().unwrap_or_default();
        lenses
            .into_iter()
            .filter(|lens| lens["data"]["tune"].is_object())
            .map(|lens| lens["command"].clone())
            .collect()
    }

    fn titles(&mut self) -> Vec<String> {
        self.lenses().iter().map(|lens| lens["title"].as_str().expect("a title").to_owned()).collect()
    }

    fn asked(&self, shape: &str) -> Value {
        json!({"uri": self.uri, "kernel": "scale", "shape": shape})
    }

    fn tune(&mut self, shape: &str) -> Value {
        let answer = self.client.call("warplens/tune", self.asked(shape));
        if answer["outcome"].is_object() {
            self.refreshed();
        }
        answer
    }

    fn refreshed(&mut self) {
        let (id, _) = self.client.asked(REFRESH);
        self.client.answer(&id, Value::Null);
    }

    fn actions(&mut self) -> Vec<Value> {
        let asked = json!({
            "textDocument": {"uri": self.uri}, "range": range((3, 14), (3, 14)), "context": {"diagnostics": []},
        });
        let actions = self.client.call("textDocument/codeAction", asked);
        let all = actions.as_array().cloned().unwrap_or_default();
        all.into_iter()
            .filter(|action| action["title"].as_str().is_some_and(|title| title.starts_with("Write ")))
            .collect()
    }

    /// Ends a test: later requests of the server are ignored.
    fn done(self) {
        drop(self.client.ignoring(REFRESH));
    }
}

#[test]
fn variants_are_compiled_on_request_and_only_once() {
    let mut setup = Setup::new("tuning", &Value::Null);
    let lenses = setup.lenses();
    assert_eq!(lenses.len(), 2, "{lenses:?}");
    assert_eq!(lenses[0]["title"], "Tune `scale` for N=16384");
    assert_eq!(
        (&lenses[0]["command"], &lenses[0]["arguments"]),
        (&json!("warplens.tune"), &json!([setup.asked("N=16384")]))
    );
    assert_eq!((setup.runs(), setup.actions().len()), (0, 0));

    let answer = setup.tune("N=16384");
    // 4,096 threads exceed the limit of a block.
    let rows = answer["outcome"]["rows"].as_array().expect("rows");
    assert_eq!((rows.len(), setup.runs()), (3, 3), "{answer}");
    assert_eq!(
        answer["outcome"]["ranked_by"],
        "estimated before compilation by the static model alone: `[tune.scale]` does not state which problem the kernel computes"
    );
    assert!(rows.iter().all(|row| row["estimated_microseconds"].as_f64().is_some_and(|time| time > 0.0)));
    assert_eq!(rows.iter().filter(|row| row["is_now"] == true).count(), 1);
    let cycles: Vec<f64> = rows.iter().map(|row| row["cycles"].as_f64().expect("cycles")).collect();
    assert!(cycles.is_sorted(), "{cycles:?}");
    assert!(answer["table"].as_str().is_some_and(|table| table.contains("\n* BLOCK = 256 ")), "{answer}");
    assert!(answer["plot"].as_str().is_some_and(|plot| plot.starts_with("<svg") && plot.contains("N=16384")));

    // The same texts with other launches.
    let other = setup.tune("N=1024");
    assert_eq!((other["outcome"]["rows"].as_array().map(Vec::len), setup.runs()), (Some(3), 3));
    assert!(other["plot"].as_str().is_some_and(|plot| plot.contains("N=16384") && plot.contains("N=1024")));
    // Known results are returned at once.
    let again = setup.client.call("warplens/tune", setup.asked("N=1024"));
    assert_eq!(again["outcome"], other["outcome"]);

    let titles = setup.titles();
    assert!(
        titles[0].starts_with("N=16384: best BLOCK = ") && titles[0].contains("3 of 3 variants compiled"),
        "{titles:?}"
    );
    setup.done();
}

#[test]
fn the_best_variant_is_written_and_the_outcome_goes_with_an_edit() {
    let mut setup = Setup::new("tuned", &Value::Null);
    let answer = setup.tune("N=1024");
    let best = &answer["outcome"]["rows"][0];
    assert_eq!(best["is_now"], false, "{answer}");
    let actions = setup.actions();
    assert_eq!(actions.len(), 1, "{actions:?}");
    let title = actions[0]["title"].as_str().expect("a title");
    let expected = format!("Write {} (predicted ", best["variant"].as_str().expect("a variant"));
    assert!(title.starts_with(&expected) && title.ends_with(" times as fast for N=1024)"), "{title}");
    let value = best["variant"].as_str().expect("a variant").trim_start_matches("BLOCK = ").to_owned();
    let edit = &actions[0]["edit"]["changes"][&setup.uri];
    assert_eq!(edit, &json!([{"range": range((3, 14), (3, 17)), "newText": value}]));

    setup.client.change(&setup.uri, 2, json!([{"range": range((3, 14), (3, 17)), "text": value}]));
    assert_eq!(setup.titles()[1], "Tune `scale` for N=1024");
    assert_eq!(setup.actions().len(), 0);
    // The texts are the same as before.
    let runs = setup.runs();
    let answer = setup.tune("N=1024");
    assert_eq!((answer["outcome"]["rows"][0]["is_now"].clone(), setup.runs()), (json!(true), runs));
    assert!(setup.titles()[1].contains(", as now (predicted, "), "{:?}", setup.titles());
    setup.done();
}

#[test]
fn the_code_of_the_text_itself_may_come_meanwhile() {
    let mut setup = Setup::new("live", &json!({"compile": {"live": true}}));
    setup.client = setup.client.ignoring(REFRESH).ignoring("workspace/inlayHint/refresh");
    let answer = setup.client.call("warplens/tune", setup.asked("N=1024"));
    assert!(answer["outcome"].is_object(), "{answer}");
    let asked = json!({"textDocument": {"uri": setup.uri}});
    let has_code = |lenses: &Value| lenses.to_string().contains(" reg");
    while !has_code(&setup.client.call("textDocument/codeLens", asked.clone())) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(setup.titles()[1].starts_with("N=1024: best BLOCK = "), "{:?}", setup.titles());
}

#[test]
fn no_compiler_runs_in_a_workspace_that_is_not_trusted() {
    let mut setup = Setup::new("untrusted", &json!({"trusted": false}));
    assert_eq!(setup.titles()[0], "Tune `scale` for N=16384");
    let answer = setup.tune("N=16384");
    assert_eq!(answer["reason"], "the workspace is not trusted, so no compiler runs");
    assert_eq!((&answer["outcome"], setup.runs()), (&Value::Null, 0));
    setup.done();
}

#[test]
fn work_without_a_waiting_client_is_stopped() {
    let mut setup = Setup::new("stopped", &Value::Null);
    let slow = text().replace("twice", "slow");
    let whole = json!([{"text": slow}]);
    setup.client.change(&setup.uri, 2, whole);
    let id = setup.client.request("warplens/tune", setup.asked("N=1024"));
    while setup.runs() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let second = setup.client.call("warplens/tune", setup.asked("N=1024"));
    assert_eq!(second["reason"], "this kernel is already being tuned for this shape");
    setup.client.notify("$/cancelRequest", json!({"id": id}));
    assert_eq!(setup.client.response(id), Err(REQUEST_CANCELLED));
    // An edit stops the tuning, too.
    let id = setup.client.request("warplens/tune", setup.asked("N=1024"));
    while setup.runs() == 1 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    setup.client.change(&setup.uri, 3, json!([{"text": text()}]));
    assert_eq!(setup.client.response(id), Err(REQUEST_CANCELLED));
    assert_eq!((setup.titles()[1].clone(), setup.runs()), ("Tune `scale` for N=1024".to_owned(), 2));
    setup.done();
}

#[test]
fn a_variant_that_does_not_compile_is_reported() {
    let mut setup = Setup::new("refused", &Value::Null);
    setup.client.change(&setup.uri, 2, json!([{"text": text().replace("twice", "wrong")}]));
    let answer = setup.tune("N=1024");
    assert_eq!(answer["outcome"]["rows"][0]["problem"], "nvcc: line 7: identifier \"wrong\" is undefined");
    assert!(
        answer["title"]
            .as_str()
            .is_some_and(|title| title.starts_with("N=1024: no variant has known cycles"))
    );
    setup.client.change(&setup.uri, 3, json!([{"text": text().replace("#define BLOCK 256", "")}]));
    let titles = setup.titles();
    let expected = "`scale` cannot be tuned: `BLOCK` is not a macro, constant or template parameter of `scale` in this file";
    assert_eq!(titles, [expected]);
    let answer = setup.tune("N=1024");
    assert!(answer["reason"].is_string(), "{answer}");
    setup.done();
}

#[test]
fn clients_without_a_command_have_the_servers() {
    let mut setup = Setup::new("command", &json!({"tuneCommand": false}));
    let lens = setup.lenses().remove(1);
    assert_eq!(lens["command"], "warplens.tuneKernel");
    let asked = json!({"command": lens["command"], "arguments": lens["arguments"]});
    assert_eq!(setup.client.call("workspace/executeCommand", asked), Value::Null);
    setup.refreshed();
    assert!(setup.titles()[1].starts_with("N=1024: best BLOCK = "));
    setup.done();
}

#[test]
fn the_lens_can_be_switched_off() {
    let mut setup = Setup::new("off", &json!({"tune": {"lens": false}}));
    assert_eq!(setup.titles(), [""; 0]);
    setup.done();
}
