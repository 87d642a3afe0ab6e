//! Messages in the client's stream: `Content-Length`, then a body. A wrong length loses one message, not the session.
//!
//! A line such as `Content-Length: 52` cannot occur in a JSON text, whose strings hold no raw line break. If such a
//! line occurs within a body, the stated length was too long, and the next message begins at that line. If a length
//! was too short, the remaining bytes of the body are read as a header, which ends at the next line with a length.

use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

/// The longest accepted message, in bytes: 10 million lines fit.
const MAX_BYTES: usize = 1 << 30; // limit: a text of 10 million lines

/// Maximum length of a header line that is accepted, in bytes.
const LONGEST_LINE: usize = 1 << 12; // limit: a header of the protocol is shorter

/// Number of bytes requested per read.
const STEP: usize = 1 << 16; // limit: a pipe buffer

/// Time without new bytes within a message after which the received bytes are examined: the client might not send any
/// more.
const PAUSE: Duration = Duration::from_secs(1);

const NAME: &[u8] = b"content-length:";

/// Maximum length of a `Content-Length` line that is accepted, in bytes: the name, blanks and more digits than a
/// length has.
const LONGEST_LENGTH_LINE: usize = 80; // limit: the name, blanks and more digits than a length has

/// The next part of the stream: a body, bytes that are not a message, or the end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Body(Vec<u8>),
    /// The start of the next message is unknown, for the reason `why`. `part` holds the bytes received.
    Broken {
        part: Vec<u8>,
        why: String,
    },
    /// The stream has ended. `cut` names the part of a message in which the stream ended; `None` if the
    /// stream ended between messages.
    End {
        cut: Option<String>,
    },
}

/// A stream with the bytes read from it but not yet returned.
pub(crate) struct Frames<R> {
    from: R,
    buffer: Vec<u8>,
    /// True once unreadable bytes have been reported since the last message.
    reported: bool,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, buffer: Vec::new(), reported: false }
    }

    /// Returns the remaining bytes of the last body to the stream, because they may be the header of the next
    /// message. Must be called for a body that was reported as invalid.
    pub(crate) fn put_back(&mut self, rest: &[u8]) {
        self.reported = true;
        self.buffer.splice(..0, rest.iter().copied());
    }

    pub(crate) async fn next(&mut self) -> io::Result<Frame> {
        let length = loop {
            match self.head().await? {
                Head::Length(length) => break length,
                Head::End { cut } => return Ok(Frame::End { cut }),
                // A sequence of bytes that are not a message is reported only once.
                Head::Broken(_) if self.reported => {}
                Head::Broken(why) => {
                    self.reported = true;
                    return Ok(Frame::Broken { part: Vec::new(), why: why.to_owned() });
                }
            }
        };
        self.body(length).await
    }

    /// Reads a header up to its end.
    async fn head(&mut self) -> io::Result<Head> {
        let mut length = None;
        let mut has_fields = false;
        loop {
            let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') else {
                if self.buffer.len() > LONGEST_LINE {
                    // The end of the buffer may be the beginning of a `Content-Length`.
                    self.buffer.drain(..self.buffer.len() - LONGEST_LENGTH_LINE);
                    return Ok(Head::Broken("a header line has no line end"));
                }
                match self.more().await? {
                    ReadOutcome::Some => {}
                    ReadOutcome::End => {
                        let cut = length.is_some() || !self.buffer.trim_ascii().is_empty();
                        return Ok(Head::End { cut: cut.then(|| "the header of a message".to_owned()) });
                    }
                    ReadOutcome::Pause if self.reported || self.buffer.trim_ascii().is_empty() => {}
                    ReadOutcome::Pause => {
                        return Ok(Head::Broken("bytes that are not a header, without a line end"));
                    }
                }
                continue;
            };
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            let text = line.trim_ascii();
            match stated_length(text) {
                Some(LengthLine { before, rest, length: stated }) => {
                    length = stated;
                    if stated.is_none() {
                        return Ok(Head::Broken("an invalid `Content-Length`, or one above 1 GiB"));
                    }
                    if !before.is_empty() && !self.reported {
                        // The length is read again after these bytes are reported.
                        let start = line.len() - line.trim_ascii_start().len() + (text.len() - rest.len());
                        self.buffer.splice(..0, line[start..].iter().copied());
                        return Ok(Head::Broken("bytes before a header"));
                    }
                }
                None if text.is_empty() => {
                    if let Some(length) = length {
                        return Ok(Head::Length(length));
                    }
                    if has_fields {
                        return Ok(Head::Broken("a header without a `Content-Length`"));
                    }
                }
                None if is_field(text) => has_fields = true,
                None => return Ok(Head::Broken("a line that is not part of a header")),
            }
        }
    }

    /// Reads a body of `length` bytes. Ends early where the next message begins, the stream ends, or a complete JSON
    /// text stalls.
    async fn body(&mut self, length: usize) -> io::Result<Frame> {
        let mut looked_at = 0;
        loop {
            let come = self.buffer.len().min(length);
            if let Some(next) = next_head(&self.buffer[..come], looked_at) {
                let part = self.buffer.drain(..next).collect();
                let why = format!(
                    "a `Content-Length` of {length} bytes, but the next message begins after {next} bytes"
                );
                return Ok(Frame::Broken { part, why });
            }
            if come == length {
                self.reported = false;
                let rest = self.buffer.split_off(length);
                return Ok(Frame::Body(std::mem::replace(&mut self.buffer, rest)));
            }
            looked_at = come.saturating_sub(LONGEST_LENGTH_LINE);
            match self.more().await? {
                ReadOutcome::Some => {}
                ReadOutcome::End => {
                    let cut = format!("a message of {length} bytes, of which {come} were received");
                    return Ok(Frame::End { cut: Some(cut) });
                }
                ReadOutcome::Pause if is_whole(&self.buffer) => {
                    let part = std::mem::take(&mut self.buffer);
                    let why =
                        format!("a `Content-Length` of {length} bytes for a message of {} bytes", part.len());
                    return Ok(Frame::Broken { part, why });
                }
                // The client has not yet written the complete body.
                ReadOutcome::Pause => while matches!(self.more_in_peace().await?, ReadOutcome::Pause) {},
            }
        }
    }

    /// Reads more bytes into the buffer, or reports a pause after [`PAUSE`].
    async fn more(&mut self) -> io::Result<ReadOutcome> {
        match timeout(PAUSE, self.more_in_peace()).await {
            Ok(more) => more,
            Err(_) => Ok(ReadOutcome::Pause),
        }
    }

    /// Reads more bytes into the buffer, like [`Self::more`], but waits for them without a timeout.
    async fn more_in_peace(&mut self) -> io::Result<ReadOutcome> {
        self.buffer.reserve(STEP);
        let read = (&mut self.from).take(STEP as u64).read_buf(&mut self.buffer).await?;
        Ok(if read == 0 { ReadOutcome::End } else { ReadOutcome::Some })
    }
}

enum Head {
    Length(usize),
    Broken(&'static str),
    End { cut: Option<String> },
}

enum ReadOutcome {
    Some,
    End,
    /// No bytes have arrived for [`PAUSE`].
    Pause,
}

/// A line with a `Content-Length`.
struct LengthLine<'l> {
    /// Bytes before the name `Content-Length`.
    before: &'l [u8],
    /// The line, from the name on.
    rest: &'l [u8],
    /// `None` if the text is not a valid length.
    length: Option<usize>,
}

/// The last `Content-Length` in a line; `None` if the line has no length.
fn stated_length(line: &[u8]) -> Option<LengthLine<'_>> {
    let at = line.windows(NAME.len()).rposition(|name| name.eq_ignore_ascii_case(NAME))?;
    let value = str::from_utf8(line[at + NAME.len()..].trim_ascii()).ok();
    let is_plain = |value: &&str| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let length =
        value.filter(is_plain).and_then(|value| value.parse().ok()).filter(|length| *length <= MAX_BYTES);
    Some(LengthLine { before: line[..at].trim_ascii(), rest: &line[at..], length })
}

/// True for a header field: `Name: value`.
fn is_field(line: &[u8]) -> bool {
    let Some(colon) = line.iter().position(|byte| *byte == b':') else { return false };
    colon > 0 && line[..colon].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// Offset of the first message header in a body, at or after the byte `from`; `None` if there is no header.
fn next_head(body: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    // The search is for the name of the header field, which is rare in a body.
    while let Some(name) = find(&body[at..]) {
        let start = at + name;
        let value = &body[start + NAME.len()..];
        let blanks = value.iter().take_while(|byte| **byte == b' ').count();
        let digits = value[blanks..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let following = &value[blanks + digits..];
        if digits > 0 && (following.starts_with(b"\r\n") || following.starts_with(b"\n")) {
            return Some(start);
        }
        at = start + NAME.len();
    }
    None
}

/// Offset of an incomplete header at the end of a body; the body's length if it has no incomplete header.
pub(crate) fn cut_head(body: &[u8]) -> usize {
    let from = body.len().saturating_sub(LONGEST_LENGTH_LINE);
    let is_cut = |at: &usize| {
        let end = &body[*at..];
        let name = end.len().min(NAME.len());
        let value = end[name..].trim_ascii();
        end[..name].eq_ignore_ascii_case(&NAME[..name]) && value.iter().all(u8::is_ascii_digit)
    };
    (from..body.len()).find(is_cut).unwrap_or(body.len())
}

/// Offset of the first `Content-Length:`, capitalised like this or all in lower case.
fn find(text: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, b"Content-Length:").into_iter().chain(memchr::memmem::find(text, NAME)).min()
}

/// True for one complete JSON text.
fn is_whole(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}
