//! A server to which tests send raw bytes.

use crate::incoming;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Longest time to wait for anything; the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(40);

pub(crate) struct Raw {
    server: Child,
    stdin: Option<ChildStdin>,
    incoming: Receiver<Value>,
    next_id: i64,
}

impl Raw {
    /// A server that has been initialised.
    pub(crate) fn ready() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_warplens"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stdin = server.stdin.take();
        let incoming = incoming::messages(server.stdout.take().expect("stdout is piped"));
        let mut raw = Self { server, stdin, incoming, next_id: 1_000_000 };
        raw.ask("initialize", json!({"processId": null, "rootUri": null, "capabilities": {}}));
        raw.body(json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}).to_string().as_bytes());
        raw
    }

    /// Sends bytes unchanged. If the server has ended, later calls detect this.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the stream is open");
        drop(stdin.write_all(bytes).and_then(|()| stdin.flush()));
    }

    /// Sends bytes as the body of a message.
    pub(crate) fn body(&mut self, body: &[u8]) {
        let head = format!("Content-Length: {}\r\n\r\n", body.len());
        self.bytes(&[head.as_bytes(), body].concat());
    }

    /// Sends a request and returns its answer; messages that arrive before the answer are added to `others`.
    pub(crate) fn ask_hearing(&mut self, method: &str, parameters: Value, others: &mut Vec<Value>) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        let mut request = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if !parameters.is_null() {
            request["params"] = parameters;
        }
        self.body(request.to_string().as_bytes());
        loop {
            let message = self.next(method);
            if message.get("method").is_none() && message["id"] == json!(id) {
                return message;
            }
            others.push(message);
        }
    }

    pub(crate) fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.ask_hearing(method, parameters, &mut Vec::new())
    }

    /// Sends a request that any running server answers, and returns the messages that arrive before the answer.
    pub(crate) fn answers(&mut self) -> Vec<Value> {
        let mut others = Vec::new();
        let answer = self.ask_hearing("warplens/viewText", json!({"uri": "file:///none"}), &mut others);
        assert_eq!(answer["result"], Value::Null, "{answer}");
        others
    }

    /// The next message.
    pub(crate) fn next(&mut self, before: &str) -> Value {
        let message = self.incoming.recv_timeout(PATIENCE);
        message.unwrap_or_else(|error| panic!("nothing came for {before}: {error}"))
    }

    /// Closes the stream; returns the exit code and the contents of stderr.
    pub(crate) fn end(mut self) -> (i32, String) {
        self.stdin = None;
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.server.try_wait().expect("the test started the process") {
                let mut text = String::new();
                let mut stderr = self.server.stderr.take().expect("stderr is piped");
                stderr.read_to_string(&mut text).expect("it is text");
                return (status.code().expect("no signal ended it"), text);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the server did not end");
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
