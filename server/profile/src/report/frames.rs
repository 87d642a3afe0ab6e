//! Reader for length-prefixed messages.

use super::schema::unpacked;
use prost::Message;

/// Number of bytes between two progress reports.
const STEP: usize = 1 << 20; // limit: the cost of a report is negligible

/// A file that is read message by message, with a progress callback.
pub(super) struct Frames<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Byte offset in the file at which progress is reported next.
    quiet: usize,
    progress: &'a mut dyn FnMut(u64, u64) -> bool,
}

/// Reason why no message could be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum MessageError {
    #[error("the file is truncated within a message")]
    Cut,
    #[error("a launch has no kernel name")]
    Nameless,
    #[error("a range of launches has no metrics")]
    Empty,
    #[error("reading was cancelled")]
    Stopped,
    #[error("a message has too many fields")]
    TooLarge,
    #[error("{0}")]
    TooMany(String),
    #[error("invalid message: {0}")]
    Message(#[from] prost::DecodeError),
}

impl<'a> Frames<'a> {
    /// Returns a reader for the messages of a file from the given byte offset on.
    pub(super) fn new(
        bytes: &'a [u8],
        following: usize,
        progress: &'a mut dyn FnMut(u64, u64) -> bool,
    ) -> Self {
        Self { bytes, at: following, quiet: 0, progress }
    }

    /// Byte offset of the next message.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Skips a message.
    pub(super) fn skip(&mut self) -> Result<(), MessageError> {
        self.next().map(|_| ())
    }

    pub(super) fn message<M: Message + Default>(&mut self) -> Result<M, MessageError> {
        let start = self.at;
        let message = unpacked(self.next()?);
        if message.is_err() {
            self.at = start;
        }
        message
    }

    fn next(&mut self) -> Result<&'a [u8], MessageError> {
        if self.at >= self.quiet {
            self.quiet = self.at + STEP;
            if !(self.progress)(self.at as u64, self.bytes.len() as u64) {
                return Err(MessageError::Stopped);
            }
        }
        let rest = self.bytes.get(self.at..).ok_or(MessageError::Cut)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or(MessageError::Cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        let message = rest.get(..length).ok_or(MessageError::Cut)?;
        self.at += 4 + length;
        Ok(message)
    }
}
