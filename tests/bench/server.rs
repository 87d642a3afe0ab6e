//! The real binary, and the few messages that the benchmark needs.

use crate::listing::{Edit, Listing};
use crate::{framing, settings};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::BufReader;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

const DOCUMENT: &str = "file:///bench/document";

pub(crate) struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    version: i32,
    next_id: i64,
    /// The server has requested a refresh of hints.
    has_refreshed: bool,
}

/// The parts of a hint that the benchmark uses.
#[derive(Deserialize)]
pub(crate) struct Hint {
    position: Position,
    label: String,
    #[serde(skip)]
    pub line: u32,
}

#[derive(Deserialize)]
struct Position {
    line: u32,
}

impl Hint {
    /// True if the hint's figure belongs to the text before an edit, or is not known yet.
    pub(crate) fn is_early(&self) -> bool {
        self.label.ends_with('?') || self.label.contains('…')
    }
}

impl Server {
    /// Starts the binary and initialises it like an editor with UTF-8 positions, with all displays switched on.
    pub(crate) fn start() -> Self {
        Self::start_as(false)
    }

    /// Like [`Self::start`]. With `refreshes`, the client supports requests to refresh hints, and resolves tooltips
    /// lazily.
    pub(crate) fn start_as(refreshes: bool) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_warplens"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = BufReader::with_capacity(1 << 16, child.stdout.take().expect("stdout is piped"));
        let mut server = Self { child, stdin, stdout, version: 1, next_id: 1, has_refreshed: false };
        let mut capabilities = json!({
            "general": { "positionEncodings": ["utf-8"] },
            "textDocument": { "publishDiagnostics": { "versionSupport": true } },
        });
        if refreshes {
            capabilities["workspace"] = json!({ "inlayHint": { "refreshSupport": true } });
            capabilities["textDocument"]["inlayHint"] =
                json!({ "resolveSupport": { "properties": ["tooltip"] } });
        }
        server.request(
            "initialize",
            json!({
                "processId": null, "rootUri": null, "capabilities": capabilities,
                "initializationOptions": settings::all_on(),
            }),
        );
        server.notify("initialized", json!({}));
        server
    }

    pub(crate) fn open(&mut self, listing: &Listing) {
        let document = json!({
            "uri": DOCUMENT, "languageId": listing.language, "version": self.version, "text": listing.text,
        });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub(crate) fn change(&mut self, edit: &Edit) {
        self.version += 1;
        let range = json!({
            "start": { "line": edit.line, "character": edit.start },
            "end": { "line": edit.line, "character": edit.end },
        });
        self.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": DOCUMENT, "version": self.version },
                "contentChanges": [{ "range": range, "text": edit.new }],
            }),
        );
    }

    /// Waits until the server publishes the findings of the document, and counts the findings of a rule on a
    /// line.
    pub(crate) fn findings(&mut self, rule: &str, line: usize) -> usize {
        loop {
            let message = framing::read(&mut self.stdout).expect("the server keeps running");
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics" && params["version"] == self.version {
                let found = params["diagnostics"].as_array().map(Vec::as_slice).unwrap_or_default();
                let is_meant =
                    |finding: &&Value| finding["code"] == rule && finding["range"]["start"]["line"] == line;
                return found.iter().filter(is_meant).count();
            }
        }
    }

    pub(crate) fn hints(&mut self, first: usize, lines: usize) -> Vec<Hint> {
        let range = json!({
            "start": { "line": first, "character": 0 },
            "end": { "line": first + lines, "character": 0 },
        });
        let reply = self.request(
            "textDocument/inlayHint",
            json!({ "textDocument": { "uri": DOCUMENT }, "range": range }),
        );
        let mut hints: Vec<Hint> = serde_json::from_value(reply).expect("the reply is a list of hints");
        for hint in &mut hints {
            hint.line = hint.position.line;
        }
        hints
    }

    /// Formats the document and returns the number of edits.
    pub(crate) fn format(&mut self) -> usize {
        let options = json!({ "tabSize": 8, "insertSpaces": false });
        let reply = self.request(
            "textDocument/formatting",
            json!({ "textDocument": { "uri": DOCUMENT }, "options": options }),
        );
        reply.as_array().map_or(0, Vec::len)
    }

    /// Requests hints, cancels the request after the time `after` and closes the document.
    pub(crate) fn cancel_hints(&mut self, after: Duration) {
        let id = self.next_id;
        self.next_id += 1;
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 60, "character": 0 } });
        let params = json!({ "textDocument": { "uri": DOCUMENT }, "range": range });
        self.send(
            &json!({ "jsonrpc": "2.0", "id": id, "method": "textDocument/inlayHint", "params": params }),
        );
        std::thread::sleep(after);
        self.notify("$/cancelRequest", json!({ "id": id }));
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": DOCUMENT } }));
    }

    /// Processor time that the server has used, as the kernel counts it in hundredths of a second.
    pub(crate) fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let behind_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let ticks: u64 = behind_name
            .split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|ticks| ticks.parse::<u64>().ok())
            .sum();
        Duration::from_millis(10 * ticks)
    }

    /// Sends a request for a position; true if the answer is non-empty.
    pub(crate) fn at(&mut self, method: &str, line: usize, character: usize) -> bool {
        let place = json!({
            "textDocument": { "uri": DOCUMENT },
            "position": { "line": line, "character": character },
        });
        says_something(&self.request(method, place))
    }

    /// Requests the tokens of lines; true if there are any.
    pub(crate) fn tokens(&mut self, first: usize, lines: usize) -> bool {
        let range = json!({
            "start": { "line": first, "character": 0 },
            "end": { "line": first + lines, "character": 0 },
        });
        let within = json!({ "textDocument": { "uri": DOCUMENT }, "range": range });
        says_something(&self.request("textDocument/semanticTokens/range", within)["data"])
    }

    /// Peak memory of the server, as counted by the operating system's kernel, in megabytes.
    pub(crate) fn peak_memory_mb(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes: f64 =
            peak.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(f64::NAN);
        kilobytes * 1024.0 / 1e6
    }

    pub(crate) fn stop(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.child.wait().expect("the server ends");
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut message = framing::read(&mut self.stdout).expect("the server answers");
            self.take(&message);
            if message.get("method").is_none() && message["id"] == id {
                assert!(message.get("error").is_none(), "{method} failed: {message}");
                return message["result"].take();
            }
        }
    }

    /// Waits until the server requests a refresh of hints.
    pub(crate) fn await_refresh(&mut self) {
        while !std::mem::take(&mut self.has_refreshed) {
            let message = framing::read(&mut self.stdout).expect("the server keeps running");
            self.take(&message);
        }
    }

    /// Answers a request of the server.
    fn take(&mut self, message: &Value) {
        if message.get("method").is_some() && message.get("id").is_some() {
            self.has_refreshed |= message["method"] == "workspace/inlayHint/refresh";
            self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
        }
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn send(&mut self, message: &Value) {
        let body = serde_json::to_vec(message).expect("a value is JSON");
        framing::write(&mut self.stdin, &body);
    }
}

fn says_something(answer: &Value) -> bool {
    match answer {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}
