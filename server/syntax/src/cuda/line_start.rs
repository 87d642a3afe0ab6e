//! State of the current line, for readers that scan a text once.

/// State of the current line up to the current position, or since the end of the last comment in the line. Each byte
/// is read only once, even in a long line.
#[expect(clippy::struct_excessive_bools, reason = "each is one property of the bytes read")]
pub(super) struct LineStart {
    pub start: usize,
    /// Bytes before this offset have been read.
    at: usize,
    /// True if only blanks were seen.
    pub is_blank: bool,
    /// True inside a comment that runs to the end of the line.
    pub is_comment: bool,
    /// True inside a string that is not closed.
    pub is_string: bool,
    pub ends_in_slash: bool,
}

impl LineStart {
    pub(super) fn from(start: usize) -> Self {
        let (is_blank, at) = (true, start);
        Self { start, at, is_blank, is_comment: false, is_string: false, ends_in_slash: false }
    }

    /// Reads up to byte offset `to`.
    pub(super) fn go_on(&mut self, bytes: &[u8], to: usize) {
        if let Some(end) = memchr::memrchr(b'\n', &bytes[self.at..to]) {
            *self = Self::from(self.at + end + 1);
        }
        for byte in &bytes[self.at..to] {
            self.is_comment |= self.ends_in_slash && *byte == b'/';
            self.is_string ^= *byte == b'"';
            self.ends_in_slash = *byte == b'/';
            self.is_blank &= byte.is_ascii_whitespace();
        }
        self.at = to;
    }
}
