//! A client for tests: real JSON-RPC with the real binary.
//!
//! The test must read every message that the server sends, or list it as ignored; otherwise dropping the client fails.

use crate::{framing, incoming};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Longest time to wait for anything before the test fails; the machine may be busy.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Client {
    server: Child,
    stdin: Option<ChildStdin>,
    incoming: Receiver<Value>,
    /// Messages received, but not read by the test.
    unread: VecDeque<Value>,
    ignored: Vec<&'static str>,
    /// Requests whose response the test has not read.
    open: Vec<i64>,
    next_id: i64,
}

/// A JSON range, from (line, column) to (line, column).
pub(crate) fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    json!({
        "start": {"line": start.0, "character": start.1},
        "end": {"line": end.0, "character": end.1},
    })
}

/// A range that covers any complete document.
pub(crate) fn everything() -> Value {
    range((0, 0), (u32::MAX, 0))
}

impl Client {
    /// Starts the server with these arguments and sends no message.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warplens"));
        command.args(arguments);
        // Tests must not share a cache with each other or with the user.
        command.env("XDG_CACHE_HOME", "/dev/null/no-cache");
        Self::spawned(command)
    }

    /// Starts the server with this command and sends no message.
    pub(crate) fn spawned(mut command: Command) -> Self {
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let stdin = server.stdin.take();
        let incoming = incoming::messages(server.stdout.take().expect("stdout is piped"));
        Self {
            server,
            stdin,
            incoming,
            unread: VecDeque::new(),
            ignored: Vec::new(),
            open: Vec::new(),
            next_id: 1,
        }
    }

    /// A server that has been initialised.
    pub(crate) fn ready(capabilities: Value) -> Self {
        Self::with_options(capabilities, Value::Null)
    }

    /// A server that has been initialised with `initializationOptions`.
    pub(crate) fn with_options(capabilities: Value, options: Value) -> Self {
        Self::greeted(json!({
            "processId": null,
            "rootUri": null,
            "capabilities": capabilities,
            "initializationOptions": options,
        }))
    }

    /// A server that has been initialised with these parameters.
    pub(crate) fn greeted(parameters: Value) -> Self {
        let mut client = Self::start(&["lsp"]);
        client.call("initialize", parameters);
        client.notify("initialized", json!({}));
        client
    }

    /// The process id of the server.
    pub(crate) fn process(&self) -> u32 {
        self.server.id()
    }

    /// Closes the stream, even during work.
    pub(crate) fn close_stream(&mut self) {
        self.stdin = None;
    }

    /// Waits until a server that was killed or left in the middle of its work has ended, and drops its messages.
    /// Returns false if it does not end in time.
    pub(crate) fn ends_within(mut self, time: Duration) -> bool {
        let end = Instant::now() + time;
        let gone = loop {
            if self.server.try_wait().expect("the test started the process").is_some() {
                break true;
            }
            if Instant::now() > end {
                break false;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let _ = self.server.kill();
        let _ = self.server.wait();
        // The remaining messages of the server are not checked.
        std::mem::forget(self);
        gone
    }

    /// Ignores messages with this method.
    pub(crate) fn ignoring(mut self, method: &'static str) -> Self {
        self.ignored.push(method);
        self
    }

    /// Sends bytes as the body of a message.
    pub(crate) fn send_body(&mut self, body: &str) {
        let stdin = self.stdin.as_mut().expect("the stream is open");
        framing::write(stdin, body.as_bytes());
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_body(&message.to_string());
    }

    pub(crate) fn notify(&mut self, method: &str, parameters: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    /// Sends a request and returns its id. [`Self::response`] reads the response.
    pub(crate) fn request(&mut self, method: &str, parameters: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.open.push(id);
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if !parameters.is_null() {
            message["params"] = parameters;
        }
        self.send(&message);
        id
    }

    /// The response to a request: `Ok` with the result or `Err` with the error code.
    pub(crate) fn response(&mut self, id: i64) -> Result<Value, i64> {
        let message = self.wait(&format!("the response to {id}"), |message| {
            message.get("method").is_none() && message["id"] == json!(id)
        });
        self.open.retain(|open| *open != id);
        match message.get("error") {
            Some(error) => Err(error["code"].as_i64().expect("an error has a code")),
            None => Ok(message["result"].clone()),
        }
    }

    /// The error code of the next response that belongs to no request.
    pub(crate) fn refusal(&mut self) -> i64 {
        let message =
            self.wait("a refusal", |message| message.get("method").is_none() && message["id"].is_null());
        message["error"]["code"].as_i64().expect("an error has a code")
    }

    /// Sends a request that must succeed, and returns its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.request(method, parameters);
        self.response(id).unwrap_or_else(|code| panic!("{method} answered error {code}"))
    }

    /// Sends a request that must fail, and returns the error code.
    pub(crate) fn fail(&mut self, method: &str, parameters: Value) -> i64 {
        let id = self.request(method, parameters);
        self.response(id).expect_err(method)
    }

    /// The parameters of the next notification with this method.
    pub(crate) fn notification(&mut self, method: &str) -> Value {
        let mut message =
            self.wait(method, |message| message["method"] == method && message.get("id").is_none());
        message["params"].take()
    }

    /// The id and the parameters of the server's next request with this method.
    pub(crate) fn asked(&mut self, method: &str) -> (Value, Value) {
        let mut message =
            self.wait(method, |message| message["method"] == method && message.get("id").is_some());
        (message["id"].take(), message["params"].take())
    }

    /// Answers a request from the server.
    pub(crate) fn answer(&mut self, id: &Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    /// Returns the number of messages with this method that arrived within a time, read or not.
    pub(crate) fn count_within(&mut self, method: &str, time: Duration) -> usize {
        let end = Instant::now() + time;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            match self.incoming.recv_timeout(left) {
                Ok(message) => self.unread.push_back(message),
                Err(_) => break,
            }
        }
        self.unread.iter().filter(|message| message["method"] == method).count()
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "sass", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Sends the changes of one version.
    pub(crate) fn change(&mut self, uri: &str, version: i32, changes: Value) {
        let document = json!({"uri": uri, "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    pub(crate) fn close(&mut self, uri: &str) {
        self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }

    /// The server's copy of a document.
    pub(crate) fn text(&mut self, uri: &str) -> String {
        self.call("warplens/viewText", json!({"uri": uri}))["text"]
            .as_str()
            .expect("the document is open")
            .to_owned()
    }

    /// The next findings of a document.
    pub(crate) fn findings(&mut self, uri: &str) -> Value {
        let mut message = self.wait("findings", |message| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri
        });
        message["params"].take()
    }

    /// Sends `shutdown` and `exit`, and returns the process's exit code.
    pub(crate) fn shut_down(mut self) -> i32 {
        self.call("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.exit_code()
    }

    /// Closes the stream, waits for the process to end and returns its exit code.
    pub(crate) fn exit_code(&mut self) -> i32 {
        self.stdin = None;
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.server.try_wait().expect("the test started the process") {
                return status.code().expect("no signal ended it");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the server did not end; {}", self.unread_list());
    }

    fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.unread.iter().position(&wanted) {
            return self.unread.remove(at).expect("it was just found");
        }
        let end = Instant::now() + PATIENCE;
        loop {
            match self.incoming.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(message) if wanted(&message) => return message,
                Ok(message) => self.unread.push_back(message),
                Err(RecvTimeoutError::Timeout) => panic!("timed out on {what}; {}", self.unread_list()),
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the server ended before {what}; {}", self.unread_list())
                }
            }
        }
    }

    fn unread_list(&self) -> String {
        let mut list = format!("{} unread", self.unread.len());
        for message in self.unread.iter().take(20) {
            let text = message.to_string();
            let _ = write!(list, "\n  {}", text.chars().take(300).collect::<String>());
        }
        list
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.server.kill();
            let _ = self.server.wait();
            return;
        }
        // At the end of the stream the server has ended, and all its messages have arrived.
        self.exit_code();
        self.unread.extend(self.incoming.iter());
        self.unread.retain(|message| !self.ignored.iter().any(|method| message["method"] == *method));
        assert!(self.unread.is_empty(), "messages that the test has not read: {}", self.unread_list());
        assert!(self.open.is_empty(), "requests that got no response: {:?}", self.open);
    }
}
