//! Tools that do not end by themselves: none may outlive the server, and no private folder may remain.

use crate::client::Client;
use crate::folder::Folder;
use crate::watch::{memory_mb, names_in, open_files, signal, tools_in, within};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PTX: &str = include_str!("../stand_in/scale.ptx");
const CUBIN: &[u8] = include_bytes!("../../../server/syntax/tests/cubins/sm_90.cubin");
const URI: &str = "file:///scale.ptx";
const REQUEST_CANCELLED: i64 = -32800;

/// Far longer than any test here takes on a busy machine, and far shorter than the tools would live.
const SOON: Duration = Duration::from_secs(20);

/// A script that sleeps and ignores all signals that can be ignored.
const STUBBORN: &str = "trap '' TERM INT HUP; sleep 985; sleep 985";

/// A process in a separate session, like a daemon, holds the pipes open.
const LEAVES_A_DAEMON: &str = "(setsid sleep 986 &); sleep 985";

/// A grandchild whose parent has ended holds the pipes open.
const LEAVES_A_GRANDCHILD: &str = "(setsid sh -c 'sleep 986 & sleep 987 &' &); sleep 985";

/// A ptxas and an nvdisasm that run the script of each test case, and a folder for the server's private
/// folders.
struct Toolbox {
    tools: Folder,
    temporary: Folder,
}

impl Toolbox {
    fn new(name: &str, ptxas: &str) -> Self {
        let tools = Folder::new(&format!("torture-{name}"));
        let temporary = tools.inner("tmp");
        let place = Self { tools, temporary };
        place.tool("ptxas", &format!("case \"$1\" in --list-arch) echo 90; exit;; esac\n{ptxas}"));
        place
    }

    fn tool(&self, name: &str, script: &str) {
        let path = self.tools.file(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("the folder can be written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    }

    /// A server with the text open, whose tools have this time limit in seconds.
    fn server(&self, time_limit: u32) -> Client {
        // A background run of the tests ignores some signals. The server would inherit these ignored signals,
        // so their handling is reset.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,TERM,HUP", env!("CARGO_BIN_EXE_warplens"), "lsp"]);
        command.env("TMPDIR", self.temporary());
        let mut client = Client::spawned(command).ignoring("textDocument/publishDiagnostics");
        let options = json!({
            "trusted": true,
            "compile": {"live": false},
            "ptxas": {"path": self.tools.file("ptxas"), "timeLimit": time_limit},
            "disassembler": self.tools.file("nvdisasm"),
        });
        client.call(
            "initialize",
            json!({"processId": null, "rootUri": null, "capabilities": {}, "initializationOptions": options}),
        );
        client.notify("initialized", json!({}));
        let document = json!({"uri": URI, "languageId": "ptx", "version": 1, "text": PTX});
        client.notify("textDocument/didOpen", json!({"textDocument": document}));
        client
    }

    fn temporary(&self) -> String {
        self.temporary.file("").display().to_string().trim_end_matches('/').to_owned()
    }

    fn tools(&self) -> Vec<String> {
        tools_in(self.temporary().as_ref())
    }

    /// Waits until a sleep of each of these lengths is running.
    fn wait_for(&self, sleeps: &[&str]) {
        let there = || {
            let tools = self.tools();
            sleeps.iter().all(|sleep| tools.iter().any(|tool| tool.contains(&format!("sleep {sleep}"))))
        };
        assert!(within(SOON, there), "the tool does not start: {:?}", self.tools());
    }

    /// Fails if a process or a folder is left after [`SOON`].
    fn is_clean(&self, what: &str) {
        let clean =
            within(SOON, || self.tools().is_empty() && names_in(self.temporary().as_ref()).is_empty());
        let folders = names_in(self.temporary().as_ref());
        assert!(clean, "{what}: left are {:?} and {folders:?}", self.tools());
    }
}

impl Drop for Toolbox {
    fn drop(&mut self) {
        // Processes that a failed test has left must not live for a quarter of an hour.
        for tool in self.tools() {
            if let Some(Ok(process)) = tool.split(' ').next().map(str::parse) {
                signal("KILL", process);
            }
        }
    }
}

fn asked() -> Value {
    json!({"textDocument": {"uri": URI}, "listing": "warplens-sass:/scale.ptx.nvsass"})
}

/// The causes for which a session can end.
#[derive(Debug, Clone, Copy)]
enum SessionEnd {
    Shutdown,
    Exit,
    EndOfInput,
    Signal(&'static str),
}

const LEAVINGS: [SessionEnd; 7] = [
    SessionEnd::Shutdown,
    SessionEnd::Exit,
    SessionEnd::EndOfInput,
    SessionEnd::Signal("TERM"),
    SessionEnd::Signal("INT"),
    SessionEnd::Signal("HUP"),
    SessionEnd::Signal("KILL"),
];

#[test]
fn no_tool_and_no_folder_outlives_the_server_however_it_ends() {
    let start = Instant::now();
    for (name, script, sleeps) in
        [("stubborn", STUBBORN, &["985"][..]), ("grandchild", LEAVES_A_GRANDCHILD, &["985", "986", "987"])]
    {
        for leaving in LEAVINGS {
            let place = Toolbox::new(&format!("leaving-{name}"), script);
            let mut client = place.server(900);
            client.request("warplens/showSass", asked());
            place.wait_for(sleeps);
            match leaving {
                SessionEnd::Shutdown => {
                    client.call("shutdown", Value::Null);
                    client.notify("exit", Value::Null);
                }
                SessionEnd::Exit => client.notify("exit", Value::Null),
                SessionEnd::EndOfInput => client.close_stream(),
                SessionEnd::Signal(name) => signal(name, client.process()),
            }
            assert!(client.ends_within(SOON), "{name}: after {leaving:?} the server lives on");
            place.is_clean(&format!("{name} after {leaving:?}"));
        }
    }
    println!("14 sessions ended in 7 ways while a tool ran: no tool is left ({:.1?})", start.elapsed());
}

#[test]
fn a_tool_does_not_outlive_its_supervisor_that_is_killed_alone() {
    for (name, script, sleeps) in
        [("stubborn", STUBBORN, &["985"][..]), ("grandchild", LEAVES_A_GRANDCHILD, &["985", "986", "987"])]
    {
        let place = Toolbox::new(&format!("alone-{name}"), script);
        let mut client = place.server(900);
        let asked = client.request("warplens/showSass", asked());
        place.wait_for(sleeps);
        let tools = place.tools();
        let supervisor = tools.iter().find(|tool| tool.contains("--supervise-a-tool")).expect("it exists");
        signal(
            "KILL",
            supervisor.split(' ').next().and_then(|number| number.parse().ok()).expect("a number"),
        );
        let answer = client.response(asked).expect("an answer");
        assert!(answer["reason"].to_string().contains("its supervisor process ended"), "{answer}");
        place.is_clean(name);
        assert_eq!(client.shut_down(), 0);
    }
}

#[test]
fn the_time_limit_ends_what_holds_the_pipes_too() {
    for (name, script) in [
        ("stubborn", STUBBORN),
        ("daemon", LEAVES_A_DAEMON),
        ("grandchild", LEAVES_A_GRANDCHILD),
        ("forks", "for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5; do sleep 985 & done; done; wait"),
    ] {
        let place = Toolbox::new(&format!("limit-{name}"), script);
        let mut client = place.server(2);
        let start = Instant::now();
        let answer = client.call("warplens/showSass", asked());
        assert_eq!(answer["reason"], "ptxas took longer than 2 s and was stopped", "{name}");
        println!("{name}: stopped after {:.1?} of 2 s", start.elapsed());
        assert!(start.elapsed() < SOON);
        place.is_clean(name);
        assert_eq!(client.shut_down(), 0);
    }
}

#[test]
fn a_tool_that_ends_takes_what_it_has_started_with_it() {
    let place =
        Toolbox::new("ended", "(setsid sleep 986 &); echo 'ptxas fatal   : Nothing to do' >&2; exit 255");
    let mut client = place.server(900);
    let start = Instant::now();
    let answer = client.call("warplens/showSass", asked());
    assert!(answer["reason"].to_string().contains("Nothing to do"), "{answer}");
    assert!(start.elapsed() < SOON);
    place.is_clean("a daemon of a tool that has failed");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_server_that_hangs_does_not_keep_its_tool_alive() {
    let place = Toolbox::new("hung", STUBBORN);
    let mut client = place.server(3);
    client.request("warplens/showSass", asked());
    place.wait_for(&["985"]);
    signal("STOP", client.process());
    assert!(within(SOON, || place.tools().is_empty()), "{:?}", place.tools());
    signal("KILL", client.process());
    assert!(client.ends_within(SOON));
}

#[test]
fn a_run_without_a_reader_is_stopped() {
    let place = Toolbox::new("unseen", LEAVES_A_DAEMON);
    let mut client = place.server(900);
    for what in ["an edit", "the whole text anew", "closing"] {
        let id = client.request("warplens/showSass", asked());
        place.wait_for(&["985", "986"]);
        match what {
            "an edit" => {
                let range = crate::client::range((0, 0), (0, 0));
                client.change(URI, 2, json!([{"range": range, "text": "\n"}]));
            }
            "closing" => client.close(URI),
            _ => client.change(URI, 3, json!([{"text": PTX}])),
        }
        assert_eq!(client.response(id), Err(REQUEST_CANCELLED), "{what}");
        place.is_clean(what);
    }
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_disassembler_without_end_is_stopped_and_takes_little_memory() {
    /// Bytes of the largest accepted listing, and the memory for holding it while it grows.
    const LISTING_MB: f64 = 200.0;
    let place = Toolbox::new("endless", "true");
    place.tool("nvdisasm", "exec yes '        /*0000*/                   NOP ;'");
    std::fs::write(place.tools.file("k.cubin"), CUBIN).expect("the folder can be written");
    let mut client = place.server(900);
    let before = memory_mb(client.process()).0;
    let uri = format!("file://{}", place.tools.file("k.cubin").display());
    let answer = client.call("warplens/openBinary", json!({"uri": uri}));
    assert_eq!(answer["reason"], "nvdisasm wrote more than 209715200 bytes and was stopped");
    assert!(answer["text"].as_str().is_some_and(|text| text.contains("tile")), "{answer}");
    let peak = memory_mb(client.process()).1;
    println!("endless listing: peak {peak:.0} MB, {before:.0} MB before");
    assert!(peak < before + 3.0 * LISTING_MB, "{peak} MB");
    place.tool("nvdisasm", "while :; do echo nvdisasm error : again and again; done >&2");
    let id = client.request("warplens/openBinary", json!({"uri": uri}));
    assert!(within(SOON, || !place.tools().is_empty()));
    std::thread::sleep(Duration::from_secs(1));
    let peak = memory_mb(client.process()).1;
    assert!(peak < before + 3.0 * LISTING_MB, "{peak} MB");
    client.notify("$/cancelRequest", json!({"id": id}));
    assert_eq!(client.response(id), Err(REQUEST_CANCELLED));
    place.tool("nvdisasm", "head -c 16000 /dev/zero | tr '\\0' x >&2; exit 1");
    let answer = client.call("warplens/openBinary", json!({"uri": uri}));
    let reason = answer["reason"].as_str().expect("it fails").to_owned();
    assert!(reason.starts_with("nvdisasm failed (exit status: 1): xxx") && reason.len() < 400, "{reason}");
    place.is_clean("an endless disassembler");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_hundred_runs_leave_nothing_open() {
    let place = Toolbox::new("hundred", "echo 'ptxas fatal   : No' >&2; exit 255");
    let mut client = place.server(900);
    client.call("warplens/showSass", asked());
    // The watcher for profiles next to the document opens shortly after the document, and stays open.
    std::thread::sleep(Duration::from_secs(1));
    let files = open_files(client.process());
    let start = Instant::now();
    for _ in 0..100 {
        client.call("warplens/showSass", asked());
    }
    println!("100 runs of a failing ptxas: {:.1} ms each", start.elapsed().as_secs_f64() * 10.0);
    assert!(open_files(client.process()) <= files + 2, "{} of {files}", open_files(client.process()));
    place.is_clean("a hundred runs");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn the_command_line_leaves_no_processes_either() {
    for name in ["INT", "TERM", "HUP", "KILL"] {
        let place = Toolbox::new("command-line", "true");
        place.tool("nvdisasm", LEAVES_A_DAEMON);
        std::fs::write(place.tools.file("k.cubin"), CUBIN).expect("the folder can be written");
        // One server is started like a program under `nohup`.
        let (ignoring, heeded) =
            if name == "KILL" { ("trap '' HUP; ", "INT,TERM") } else { ("", "INT,TERM,HUP") };
        let script = format!(
            "{ignoring}exec env --default-signal={heeded} \"$0\" analyze k.cubin --disassembler nvdisasm"
        );
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_warplens")]).current_dir(place.tools.file(""));
        command.env("TMPDIR", place.temporary()).stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        place.wait_for(&["985", "986"]);
        if name == "KILL" {
            signal("HUP", child.id());
            std::thread::sleep(Duration::from_millis(300));
            assert!(!place.tools().is_empty(), "a signal that is ignored ends nothing");
        }
        signal(name, child.id());
        let ended = within(SOON, || !std::path::Path::new(&format!("/proc/{}/exe", child.id())).exists());
        let status = child.wait().expect("the test started the process");
        assert!(ended && status.code().is_none(), "{name}: {status}");
        place.is_clean(name);
    }
}
