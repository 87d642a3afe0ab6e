//! Following advice: the command in `[run]` runs under the profiler, and the predicted gain is compared with the
//! measured one. A script replaces ncu.

use crate::client::Client;
use crate::folder::Folder;
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const CHANGED: &str = "warplens/profilesChanged";
const FOLLOW: &str = "warplens/followAdvice";
const ASK: &str = "window/showMessageRequest";
const KERNEL: &str = "transpose(float *, const float *)";
const REQUEST_CANCELLED: i64 = -32800;

/// A raw page of Nsight Compute as CSV, for launches given by kernel, grid and microseconds.
fn page(launches: &[(&str, &str, f64)]) -> String {
    let mut text = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"\",\"us\"\n".to_owned();
    for (number, (kernel, grid, time)) in launches.iter().enumerate() {
        let _ = writeln!(text, "\"{number}\",\"{kernel}\",\"(32, 8, 1)\",\"({grid})\",\"{time}\"");
    }
    text
}

struct Open {
    client: Client,
    folder: Folder,
    uri: String,
}

/// The program to run. It records its execution, then runs `more`.
fn program(more: &str) -> String {
    format!("echo ran >> ran\n{more}\n")
}

const BETTER: &str = "cp after.csv report.csv";

/// A session with an earlier profile, a program and the script's report. `more` are keys of `[run]`.
fn open(options: &Value, capabilities: &Value, more: &str, script: &str) -> Open {
    let folder = Folder::new("follow");
    let wide = "64, 64, 1";
    let before = [(KERNEL, wide, 300.0), (KERNEL, "8, 8, 1", 3.0), (KERNEL, wide, 368.0)];
    let after =
        [("copy(int)", wide, 9.0), (KERNEL, "8, 8, 1", 2.0), (KERNEL, wide, 158.0), (KERNEL, wide, 160.0)];
    let files = [
        ("before.csv", page(&before)),
        ("after.csv", page(&after)),
        ("bench.sh", program(script)),
        ("warplens.toml", format!("[profile]\nreports = [\"before.csv\"]\n{more}")),
    ];
    for (name, text) in files {
        fs::write(folder.file(name), text).expect("the folder exists");
    }
    let mut able = json!({"experimental": {"profileChangeNotification": true}});
    able.as_object_mut().expect("an object").extend(capabilities.as_object().cloned().unwrap_or_default());
    let client = Client::greeted(json!({
        "processId": null,
        "rootUri": null,
        "workspaceFolders": [{"uri": folder.uri(), "name": "folder"}],
        "capabilities": able,
        "initializationOptions": options,
    }));
    let mut client = client.ignoring(CHANGED);
    client.notification(CHANGED);
    let uri = format!("{}/transpose.cu", folder.uri());
    Open { client, folder, uri }
}

const RUN: &str = "[run]\ncommand = [\"sh\", \"bench.sh\"]\n";

fn trusted() -> Value {
    let ncu = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/stand_in/ncu"));
    json!({"trusted": true, "ncu": {"path": ncu}})
}

impl Open {
    fn begin(&mut self, kernel: &str) -> i64 {
        let followed =
            json!({"uri": self.uri, "kernel": kernel, "advice": "shared-load-conflicts", "claimed": 2.3});
        self.client.request(FOLLOW, followed)
    }

    /// The answer to a request that does not ask the user.
    fn follow(&mut self) -> Value {
        let id = self.begin(KERNEL);
        self.client.response(id).expect("an answer")
    }

    /// Answers the request for the user's decision, which must arrive, and returns its contents.
    fn decide(&mut self, title: Option<&str>) -> Value {
        let (id, asked) = self.client.asked(ASK);
        self.client.answer(&id, title.map_or(Value::Null, |title| json!({"title": title})));
        asked
    }

    fn follow_agreed(&mut self) -> Value {
        let id = self.begin(KERNEL);
        self.decide(Some("Run"));
        self.client.response(id).expect("an answer")
    }

    fn runs(&self) -> usize {
        fs::read_to_string(self.folder.file("ran")).map_or(0, |text| text.lines().count())
    }

    /// The names of the profiles with launches of the kernel, and the title of the shown launch.
    fn shown(&mut self) -> (Vec<String>, Value) {
        let launches = self.client.call("warplens/profiledLaunches", json!({}))["launches"].clone();
        let of_kernel = launches.as_array().expect("launches").iter().filter(|own| own["kernel"] == KERNEL);
        let of_kernel: Vec<&Value> = of_kernel.collect();
        let shown = of_kernel.iter().find(|own| own["isChosen"] == true).expect("one is shown");
        let mut names: Vec<String> =
            of_kernel.iter().filter_map(|own| own["profile"].as_str().map(str::to_owned)).collect();
        names.dedup();
        (names, shown["title"].clone())
    }

    /// Asserts that the displayed profile is unchanged, and that no report was written.
    fn is_as_before(&mut self) {
        let (names, title) = self.shown();
        assert_eq!(
            (names, title),
            (
                vec!["before.csv".to_owned()],
                json!("transpose(float *, const float *)<<<64x64x1, 32x8x1>>>, 300.0 us")
            )
        );
        assert!(!self.folder.file(".warplens").exists());
    }
}

fn message(answer: &Value) -> &str {
    answer["message"].as_str().expect("a line for the user")
}

#[test]
fn the_claimed_gain_is_next_to_the_new_measurement() {
    let mut open = open(&trusted(), &json!({}), RUN, BETTER);
    let id = open.begin(KERNEL);
    let asked = open.decide(Some("Run"));
    assert_eq!(asked["message"], "Run `sh bench.sh` under ncu?");
    assert_eq!(asked["actions"], json!([{"title": "Run"}, {"title": "Not now"}]));
    let answer = open.client.response(id).expect("an answer");
    let expected = "`transpose`: 334 µs -> 159 µs, 2.1 times as fast (claimed: about 2.3).";
    assert_eq!((message(&answer), &answer["command"]), (expected, &Value::Null));
    assert!((answer["measured"].as_f64().expect("a number") - 334.0 / 159.0).abs() < 1e-9, "{answer}");
    // The new report is listed before the older one, and the launch of the same size is shown.
    let (names, title) = open.shown();
    assert_eq!(names, ["followed-1.ncu-rep", "before.csv"]);
    assert_eq!(title, "transpose(float *, const float *)<<<64x64x1, 32x8x1>>>, 158.0 us");
    assert!(open.folder.file(".warplens/followed-1.ncu-rep").exists());

    // The user is not asked again, and the previous report is no longer shown.
    fs::write(open.folder.file("after.csv"), page(&[(KERNEL, "64, 64, 1", 318.0)]))
        .expect("the folder exists");
    let answer = open.follow();
    assert_eq!(message(&answer), "`transpose`: 159 µs -> 318 µs, 2.0 times as slow (claimed: about 2.3).");
    assert_eq!(open.shown().0, ["followed-2.ncu-rep", "before.csv"]);
    assert_eq!(open.runs(), 2);
    let left = fs::read_dir(open.folder.file(".warplens")).expect("the folder exists").count();
    assert_eq!(left, 2, "the earlier report stays on the disk, and nothing else is left");
}

#[test]
fn profiles_that_a_command_attached_make_way_too() {
    let mut open = open(&trusted(), &json!({}), RUN, BETTER);
    let paths = [open.folder.file("before.csv")];
    open.client.call("warplens/attachProfiles", json!({"paths": paths}));
    assert!(message(&open.follow_agreed()).contains("2.1 times as fast"));
    assert_eq!(open.shown().0, ["followed-1.ncu-rep", "before.csv"]);
    open.client.call("warplens/attachProfiles", json!({"paths": paths}));
    assert_eq!(open.shown().0, ["before.csv"]);
}

#[test]
fn what_is_refused_does_not_run_and_is_asked_again() {
    let mut open = open(&trusted(), &json!({}), RUN, BETTER);
    for refusal in [Some("Not now"), None] {
        let id = open.begin(KERNEL);
        open.decide(refusal);
        let nothing = json!({"message": null, "command": null, "measured": null});
        assert_eq!(open.client.response(id), Ok(nothing));
    }
    assert_eq!(open.runs(), 0);
    open.is_as_before();
    open.follow_agreed();
    assert_eq!(open.runs(), 1);
    // A different command must be confirmed again.
    open.folder.write("[run]\ncommand = [\"sh\", \"bench.sh\", \"more\"]\n");
    let change = json!({"uri": format!("{}/warplens.toml", open.folder.uri()), "type": 2});
    open.client.notify("workspace/didChangeWatchedFiles", json!({"changes": [change]}));
    let id = open.begin(KERNEL);
    assert_eq!(open.decide(None)["message"], "Run `sh bench.sh more` under ncu?");
    open.client.response(id).expect("an answer");
    assert_eq!(open.runs(), 1);
}

#[test]
fn without_what_a_run_needs_nothing_runs_and_what_is_missing_is_said() {
    let mut options = trusted();
    options["trusted"] = false.into();
    let mut untrusted = open(&options, &json!({}), RUN, BETTER);
    let answer = untrusted.follow();
    assert_eq!(
        message(&answer),
        "`transpose` was not measured: the workspace is not trusted, so no program runs."
    );
    let command = answer["command"].as_str().expect("a command");
    let start = format!(
        "cd {} && mkdir -p .warplens && ncu --section ",
        untrusted.folder.file("").display().to_string().trim_end_matches('/')
    );
    assert!(command.starts_with(&start), "{command}");
    assert!(command.ends_with(" --export .warplens/followed-1.ncu-rep sh bench.sh"), "{command}");
    untrusted.is_as_before();

    options = trusted();
    options["ncu"]["path"] = "/nowhere/ncu".into();
    let mut without_ncu = open(&options, &json!({}), RUN, BETTER);
    let answer = without_ncu.follow();
    let expected = "`transpose` was not measured: `/nowhere/ncu` is not a program; expected the path of ncu or of its folder.";
    assert_eq!(message(&answer), expected);
    assert!(answer["command"].as_str().is_some_and(|command| command.contains("ncu --section")), "{answer}");
    without_ncu.is_as_before();

    let mut without_run = open(&trusted(), &json!({}), "", BETTER);
    let answer = without_run.follow();
    assert!(
        message(&answer).contains("Name one under `[run]` in warplens.toml: command = [\"make\", \"bench\"]"),
        "{answer}"
    );
    assert_eq!(answer["command"], Value::Null);
    without_run.is_as_before();
    for open in [untrusted, without_ncu, without_run] {
        assert_eq!(open.runs(), 0);
    }
}

#[test]
fn a_run_that_brings_nothing_says_why_and_changes_nothing() {
    let failing = "echo compiling >&2; echo 'no such device' >&2; exit 3";
    let mut failed = open(&trusted(), &json!({}), RUN, failing);
    let expected =
        "`sh bench.sh` failed under ncu (exit status: 3): no such device; the previous profile stays.";
    assert_eq!(message(&failed.follow_agreed()), expected);
    failed.is_as_before();

    let mut other = open(&trusted(), &json!({}), RUN, "grep -v transpose after.csv > report.csv");
    let expected = "`transpose` is not in the report of `sh bench.sh`; the previous profile stays.";
    assert_eq!(message(&other.follow_agreed()), expected);
    other.is_as_before();

    let mut broken = open(&trusted(), &json!({}), RUN, "echo nothing > report.csv");
    let answer = broken.follow_agreed();
    assert!(message(&answer).starts_with("The report of `sh bench.sh` cannot be read: "), "{answer}");
    broken.is_as_before();
}

#[test]
fn a_run_ends_at_its_time_limit() {
    let mut open = open(&trusted(), &json!({}), &format!("{RUN}timeout = 0.5\n"), "sleep 60");
    let start = Instant::now();
    let expected = "`sh bench.sh` took longer than 0.5 s and was stopped; the previous profile stays.";
    assert_eq!(message(&open.follow_agreed()), expected);
    assert!(start.elapsed() < Duration::from_secs(40));
    open.is_as_before();
}

#[test]
fn a_run_is_the_only_one_and_can_be_stopped() {
    let capabilities = json!({"window": {"workDoneProgress": true}});
    let mut open = open(&trusted(), &capabilities, RUN, "sleep 60");
    let id = open.begin(KERNEL);
    open.decide(Some("Run"));
    let (create, created) = open.client.asked("window/workDoneProgress/create");
    open.client.answer(&create, Value::Null);
    let begin = open.client.notification("$/progress");
    assert_eq!(begin["value"]["message"], "running `sh bench.sh` under ncu");
    let answer = open.follow();
    assert_eq!(message(&answer), "`transpose` was not measured: another run is in progress.");
    open.client.notify("window/workDoneProgress/cancel", json!({"token": created["token"]}));
    let answer = open.client.response(id).expect("an answer");
    assert_eq!(message(&answer), "`sh bench.sh` was stopped; the previous profile stays.");
    assert_eq!(open.client.notification("$/progress")["value"]["kind"], "end");

    // Cancelling the request has the same effect.
    let id = open.begin(KERNEL);
    let (create, _) = open.client.asked("window/workDoneProgress/create");
    open.client.answer(&create, Value::Null);
    assert_eq!(open.client.notification("$/progress")["value"]["kind"], "begin");
    open.client.notify("$/cancelRequest", json!({"id": id}));
    assert_eq!(open.client.response(id), Err(REQUEST_CANCELLED));
    assert_eq!(open.client.notification("$/progress")["value"]["kind"], "end");
    open.is_as_before();
}
