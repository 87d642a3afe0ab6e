//! One session of random messages with the real binary: every request is answered exactly once, the server
//! does not crash, and its memory stays constant.

use crate::messages::{DOCUMENTS, Dice, Sent, any};
use crate::{framing, incoming};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Longest time without a message while answers are due.
const PATIENCE: Duration = Duration::from_mins(1);
/// Largest number of answers that may be due at once.
const MAX_DUE: i64 = 48;

/// Result of a session.
pub(crate) struct Outcome {
    pub messages: usize,
    pub requests: usize,
    pub notifications: usize,
    pub garbage: usize,
    /// Number of answers by error code; 0 for results.
    pub answers: HashMap<i64, usize>,
    /// Memory of the process with all documents closed, after a fifth of the messages and at the end; 0 if the system
    /// does not report it.
    pub memory_mb: (f64, f64),
    pub time: Duration,
}

/// Sends this number of random messages and checks the answers. Panics if an answer is wrong or missing.
pub(crate) fn run(messages: usize, seed: u64) -> Outcome {
    let mut session = Session::start();
    let mut dice = Dice::new(seed);
    let start = Instant::now();
    // Requests before initialisation are refused, but answered.
    for _ in 0..20 {
        if let Sent::Request(request) = any(&mut dice, &json!(0), &json!(0))
            && request["method"] != "initialize"
        {
            session.send_request(&request, &mut dice);
        }
    }
    session.send_request(&greeting(seed), &mut dice);
    session.settle(&mut dice);
    session.notify("initialized", json!({}));

    let mut early_memory = 0.0;
    for number in 1..=messages {
        let id = session.id(&mut dice, number);
        let earlier = json!(1 + dice.roll(number));
        match any(&mut dice, &id, &earlier) {
            Sent::Request(request) => session.send_request(&request, &mut dice),
            Sent::Notification(notification) => session.send_notification(&notification),
            Sent::Garbage(body) => session.send_garbage(&body),
        }
        session.drain(&mut dice);
        if number == messages / 5 {
            early_memory = session.memory_at_rest(&mut dice);
        }
    }
    let late_memory = session.memory_at_rest(&mut dice);
    let time = start.elapsed();
    session.send_request(&json!({"jsonrpc": "2.0", "id": "shutdown", "method": "shutdown"}), &mut dice);
    session.settle(&mut dice);
    session.notify("exit", Value::Null);
    let Session { mut server, stdin, mut outcome, .. } = session;
    let status = server.wait().expect("the test started the process");
    drop(stdin);
    assert_eq!(status.code(), Some(0), "seed {seed}: the server ends well");
    outcome.messages = messages;
    outcome.memory_mb = (early_memory, late_memory);
    outcome.time = time;
    outcome
}

/// Even seeds announce all client capabilities, odd seeds announce none. The faults are those of
/// `server/faults.rs`: a request for a document that contains `boom` panics, and a request for a document
/// with `slow` takes 20 ms.
fn greeting(seed: u64) -> Value {
    let all = json!({
        "general": {"positionEncodings": ["utf-8"]},
        "window": {"workDoneProgress": true},
        "experimental": {"serverStatusNotification": true},
        "textDocument": {
            "hover": {"contentFormat": ["markdown"]},
            "diagnostic": {"relatedInformation": true},
            "inlayHint": {"resolveSupport": {"properties": ["tooltip"]}},
            "semanticTokens": {
                "requests": {"range": true, "full": {"delta": true}},
                "tokenTypes": [], "tokenModifiers": [], "formats": ["relative"],
            },
        },
        "workspace": {
            "configuration": true,
            "didChangeConfiguration": {"dynamicRegistration": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true},
            "diagnostics": {"refreshSupport": true},
            "inlayHint": {"refreshSupport": true},
            "codeLens": {"refreshSupport": true},
        },
    });
    let capabilities = if seed.is_multiple_of(2) { all } else { json!({}) };
    let options = json!({"warplensTest": {"panicOn": "boom", "slowOn": "slow", "slowMillis": 20}});
    let params = json!({
        "processId": null, "rootUri": null, "capabilities": capabilities, "initializationOptions": options,
    });
    json!({"jsonrpc": "2.0", "id": "greeting", "method": "initialize", "params": params})
}

struct Session {
    server: Child,
    stdin: ChildStdin,
    incoming: Receiver<Value>,
    /// Number of answers due by id, as JSON text.
    due: HashMap<String, i64>,
    total_due: i64,
    outcome: Outcome,
}

impl Session {
    fn start() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_warplens"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let stdin = server.stdin.take().expect("stdin is piped");
        let incoming = incoming::messages(server.stdout.take().expect("stdout is piped"));
        let outcome = Outcome {
            messages: 0,
            requests: 0,
            notifications: 0,
            garbage: 0,
            answers: HashMap::new(),
            memory_mb: (0.0, 0.0),
            time: Duration::ZERO,
        };
        Self { server, stdin, incoming, due: HashMap::new(), total_due: 0, outcome }
    }

    /// Usually a number, sometimes a text, and sometimes an id that is in use.
    fn id(&self, dice: &mut Dice, number: usize) -> Value {
        match dice.roll(30) {
            0 => json!(format!("request {number}")),
            1 => {
                self.due.keys().next().and_then(|key| serde_json::from_str(key).ok()).unwrap_or(json!(number))
            }
            _ => json!(number),
        }
    }

    fn send_request(&mut self, request: &Value, dice: &mut Dice) {
        *self.due.entry(request["id"].to_string()).or_default() += 1;
        self.total_due += 1;
        self.outcome.requests += 1;
        self.send(request.to_string().as_bytes(), dice.chance(5));
        while self.total_due > MAX_DUE {
            self.take_one(dice);
        }
    }

    fn send_notification(&mut self, notification: &Value) {
        self.outcome.notifications += 1;
        self.send(notification.to_string().as_bytes(), false);
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send_notification(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn send_garbage(&mut self, body: &[u8]) {
        *self.due.entry("null".to_owned()).or_default() += 1;
        self.total_due += 1;
        self.outcome.garbage += 1;
        self.send(body, false);
    }

    /// Sends a body. With `odd_headers`, the headers are in another order and spelling.
    fn send(&mut self, body: &[u8], odd_headers: bool) {
        if odd_headers {
            let head = format!(
                "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:  {}\r\n\r\n",
                body.len()
            );
            framing::write_headed(&mut self.stdin, &head, body);
        } else {
            framing::write(&mut self.stdin, body);
        }
    }

    /// Reads the messages that have arrived.
    fn drain(&mut self, dice: &mut Dice) {
        while let Ok(message) = self.incoming.try_recv() {
            self.take(&message, dice);
        }
    }

    fn take_one(&mut self, dice: &mut Dice) {
        let message = self.incoming.recv_timeout(PATIENCE).unwrap_or_else(|error| {
            let due: Vec<_> = self.due.iter().filter(|(_, count)| **count != 0).take(10).collect();
            panic!("answers are due, but none arrive ({error}): {due:?}")
        });
        self.take(&message, dice);
    }

    /// Counts an answer. Answers a request of the server, or leaves it open.
    fn take(&mut self, message: &Value, dice: &mut Dice) {
        if message.get("method").is_some() {
            if let Some(id) = message.get("id") {
                let reply = match dice.roll(10) {
                    0 => return,
                    1 => json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "no"}}),
                    2 => json!({"jsonrpc": "2.0", "id": id, "result": [7]}),
                    _ => json!({"jsonrpc": "2.0", "id": id, "result": null}),
                };
                self.send(reply.to_string().as_bytes(), false);
            }
            return;
        }
        let code = message.get("error").and_then(|error| error["code"].as_i64());
        // The answer to a refused request has its id if the id could be read, otherwise null.
        let is_refused = matches!(code, Some(-32600 | -32700));
        let own = message["id"].to_string();
        let id = if is_refused && !self.due.contains_key(&own) { "null".to_owned() } else { own };
        let due = self.due.entry(id).or_default();
        *due -= 1;
        assert!(*due >= 0, "an answer without a request: {message}");
        self.due.retain(|_, due| *due != 0);
        self.total_due -= 1;
        let code =
            message.get("error").map_or(0, |error| error["code"].as_i64().expect("an error has a code"));
        assert_eq!(message.get("result").is_some(), code == 0, "either a result or an error: {message}");
        *self.outcome.answers.entry(code).or_default() += 1;
    }

    /// Reads messages until no answers are due.
    fn settle(&mut self, dice: &mut Dice) {
        while self.total_due > 0 {
            self.take_one(dice);
        }
    }

    /// Memory with all documents closed and all work finished.
    fn memory_at_rest(&mut self, dice: &mut Dice) -> f64 {
        for uri in DOCUMENTS {
            self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
        }
        self.settle(dice);
        let end = Instant::now() + Duration::from_millis(300);
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            if let Ok(message) = self.incoming.recv_timeout(left) {
                self.take(&message, dice);
            }
        }
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes: Option<f64> =
            resident.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok());
        kilobytes.unwrap_or_default() * 1024.0 / 1e6
    }
}
