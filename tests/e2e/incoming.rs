//! The messages of a server as they arrive, read by a separate thread.

use crate::framing;
use serde_json::Value;
use std::io::BufReader;
use std::process::ChildStdout;
use std::sync::mpsc::{Receiver, channel};

/// Receives every message from the server's output, to the end of the stream or until the receiver is dropped.
pub(crate) fn messages(stdout: ChildStdout) -> Receiver<Value> {
    let mut stdout = BufReader::new(stdout);
    let (sender, incoming) = channel();
    std::thread::spawn(move || {
        while let Some(message) = framing::read(&mut stdout) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    incoming
}
