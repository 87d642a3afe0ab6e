//! A pipe that a separate thread reads, so that the writer of the pipe never blocks.

use std::io::Read;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A thread that reads a pipe, and the bytes that the thread keeps.
#[derive(Debug)]
pub(crate) struct Drain {
    kept: Arc<Mutex<KeptBytes>>,
    /// A channel that is disconnected at the end of the pipe.
    end: Receiver<()>,
}

#[derive(Debug, Default)]
struct KeptBytes {
    bytes: Vec<u8>,
    more: bool,
}

/// Treatment of bytes beyond the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OverflowPolicy {
    /// Bytes past the limit are read and dropped.
    Forgotten,
    /// Bytes past the limit replace the earliest bytes.
    Kept,
    /// Bytes past the limit are not read. The pipe is closed, and the next write to it fails.
    Refused,
}

/// Bytes per read. Source: the size of a pipe in Linux, pipe(7).
const CHUNK: usize = 1 << 16;

impl Drain {
    /// Starts to read a pipe and keeps at most `most` bytes.
    pub(crate) fn start(mut pipe: impl Read + Send + 'static, most: usize, beyond: OverflowPolicy) -> Self {
        let kept = Arc::new(Mutex::new(KeptBytes::default()));
        // Once the bytes are no longer wanted, the thread ends at its next read, or at the end of the pipe.
        let wanted = Arc::downgrade(&kept);
        let (sender, end) = sync_channel::<()>(0);
        thread::spawn(move || {
            let _sender = sender;
            let mut chunk = vec![0; CHUNK];
            loop {
                let read = match pipe.read(&mut chunk) {
                    Ok(read) if read > 0 => read,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                    // A read error ends the output, as the end of the pipe does. The exit status shows any
                    // failure.
                    _ => return,
                };
                let Some(kept) = wanted.upgrade() else { return };
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = most - kept.bytes.len();
                kept.more |= read > room;
                if beyond == OverflowPolicy::Kept {
                    kept.bytes.extend_from_slice(&chunk[..read]);
                    let surplus = kept.bytes.len().saturating_sub(most);
                    kept.bytes.drain(..surplus);
                } else {
                    kept.bytes.extend_from_slice(&chunk[..read.min(room)]);
                }
                if kept.more && beyond == OverflowPolicy::Refused {
                    return;
                }
            }
        });
        Self { kept, end }
    }

    /// True if the pipe held more bytes than the limit.
    pub(crate) fn has_more(&self) -> bool {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).more
    }

    /// Returns the kept bytes, and true if the pipe held more bytes. Waits for the end of the pipe, but no
    /// longer than `patience`, because a process that has left its group may hold the pipe open forever.
    pub(crate) fn finish(self, patience: Duration) -> (Vec<u8>, bool) {
        // Nothing is ever sent, so the result is always a disconnection or a timeout.
        let _ = self.end.recv_timeout(patience);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut kept.bytes), kept.more)
    }
}
